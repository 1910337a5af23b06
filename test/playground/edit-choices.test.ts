import { describe, expect, it } from "vitest";
import { saidIn, withChoice, withoutChoice } from "../../playground/src/output/edit-choices.ts";
import { groupOf, groupsOf } from "../../playground/src/output/knob-groups.ts";
import { compile, mappingFault, pathsOf } from "../../src/index.ts";
import { matmul } from "./support/page.ts";

/** All choices of a small product, as a text. */
function wholeText(): string {
  const compiled = compile(matmul);
  return JSON.stringify(compiled.ok ? compiled.options : null);
}

const points = '{ "version": 2, "kernels": { "C": { "axes": [{ "points": 2 }] } } }';

describe("a text of choices", () => {
  it("gets a value at a path, and keeps all others", () => {
    const whole = wholeText();
    const paths = [...saidIn(whole).keys()];
    expect(paths.length).toBeGreaterThan(10);
    for (const path of [...paths, "kernels/C/axes/1/step", "structure/loops/t/on"]) {
      const text = withChoice(whole, "", path, "other");
      const wanted = new Map(saidIn(whole)).set(path, "other");
      expect(mappingFault(JSON.parse(text))).toBe(null);
      expect(Object.fromEntries(saidIn(text))).toEqual(Object.fromEntries(wanted));
      const { policy, generator } = JSON.parse(whole);
      expect(JSON.parse(text)).toMatchObject({ version: 2, policy, generator });
    }
  });

  it("begins with one choice, and ends empty when that is left out", () => {
    const text = withChoice("", wholeText(), "kernels/C/axes/1/points", 2);
    expect(JSON.parse(text)).toEqual({
      version: 2,
      kernels: { C: { axes: { 1: { points: 2 } } } },
    });
    expect(withoutChoice(text, wholeText(), "kernels/C/axes/1/points", 4)).toBe("");
    const both = withChoice(points, wholeText(), "kernels/C/unroll", 4);
    const one = withoutChoice(both, wholeText(), "kernels/C/unroll", 2);
    expect(JSON.parse(one)).toEqual(JSON.parse(points));
  });

  it("says the default where its policy is another one, which would choose otherwise", () => {
    const naive = '{ "version": 2, "policy": "naive", "kernels": { "C": { "unroll": 4 } } }';
    const reset = withoutChoice(naive, wholeText(), "kernels/C/unroll", 8);
    expect(JSON.parse(reset)).toEqual({
      version: 2,
      policy: "naive",
      kernels: { C: { unroll: 8 } },
    });
    // The default has nothing to choose there.
    const left = withoutChoice(naive, wholeText(), "kernels/C/unroll", undefined);
    expect(JSON.parse(left)).toEqual({ version: 2, policy: "naive" });
  });

  it.each([
    ["names that stand for others", '{ "version": 2, "kernels": { "$0": { "unroll": 4 } } }'],
    ["keys", '{ "version": 2, "kernels": { "key:0123456789abcdef": { "unroll": 4 } } }'],
    ["what is no JSON", "{"],
    ["what is no mapping", '{ "version": 2, "kernels": [] }'],
  ])(
    "with %s becomes all choices in the program's names, since no one of them could be added",
    (_, text) => {
      const whole = wholeText();
      const changed = withChoice(text, whole, "kernels/C/unroll", 16);
      const wanted = new Map(pathsOf(JSON.parse(whole))).set("kernels/C/unroll", 16);
      expect(Object.fromEntries(saidIn(changed))).toEqual(Object.fromEntries(wanted));
      expect(JSON.parse(changed).policy).toBe("plain");
    },
  );
});

it("choices are about kernels, statements and loops, each by its name", () => {
  expect(groupOf("structure/statements/norm#1.part/factor/r0")).toBe(
    "structure/statements/norm#1.part",
  );
  const paths = [
    "structure/statements/x/merge",
    "structure/loops/t/on",
    "kernels/x/team",
    "kernels/x/axes/0/points",
    "kernels/y#1/unroll",
  ];
  expect(groupsOf(paths)).toEqual([
    { title: "Kernels", names: ["kernels/x", "kernels/y#1"] },
    { title: "Statements", names: ["structure/statements/x"] },
    { title: "Loops", names: ["structure/loops/t"] },
  ]);
  expect(groupsOf([])).toEqual([]);
});
