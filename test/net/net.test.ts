/**
 * The generator's number, and a part of the net: one way of each program. Where the program and schedule are as recorded,
 * kernels and text are, too, or the generator has another number. `scripts/net` compares all of the net, mappings as well.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generatorVersion as generator } from "../../src/codegen/generator.ts";
import {
  changedParts,
  type Entry,
  entryOf,
  netFaults,
  printNet,
  readNet,
  sources,
} from "./entries.ts";

const recorded = readdirSync("test/golden/net").map((file) => file.replace(/\.txt$/, ""));

it("of the examples is recorded", () => {
  expect(recorded).toContain("examples");
  expect(Object.keys(sources)).toEqual(expect.arrayContaining(recorded));
});

describe.each(recorded)("the net of %s", (group) => {
  const programs = sources[group] ?? [];
  const net = readNet(readFileSync(`test/golden/net/${group}.txt`, "utf8"));

  /** One entry of each program, of another way each. */
  const chosen = programs.flatMap((source, n) => {
    const own = net.entries.filter((entry) => entry.name === source.name);
    const before = own[(n * 7) % own.length];
    return before === undefined ? [] : [{ source, before }];
  });

  it("is of this generator, and has nearly all programs", () => {
    expect(net.generator).toBe(generator);
    expect(chosen.length).toBeGreaterThan(0.8 * programs.length);
  });

  it("has the text of each schedule that is as recorded", { timeout: 300_000 }, () => {
    const found = chosen.map(({ source, before }) => entryOf(source, before.profile, before.way));
    const faults = netFaults(net, found, generator).filter((fault) => fault.raise);
    expect(faults.map((fault) => fault.text)).toEqual([]);
    const same = chosen.filter(({ before }, n) => {
      const entry = found[n];
      return entry !== undefined && changedParts(before, entry).length === 0;
    });
    // Else the mappings changed so much that little is left to compare: scripts/net --update.
    expect(same.length).toBeGreaterThan(chosen.length / 4);
  });
});

describe("the net", () => {
  const entry: Entry = {
    name: "p",
    profile: "gpu",
    way: "default",
    ...{ program: "1", schedule: "2", kernels: "3", wgsl: "4" },
  };
  const net = { generator: "5", entries: [entry] };

  it("is read as it was written", () => {
    expect(readNet(printNet("5", [entry]))).toEqual(net);
  });

  it("tells what changed first", () => {
    const schedule = { ...entry, schedule: "x", wgsl: "x" };
    expect(netFaults(net, [entry], "5")).toEqual([]);
    const text = "p, gpu, default: another schedule than recorded";
    expect(netFaults(net, [schedule], "5")).toEqual([{ raise: false, text }]);
  });

  it.each(["kernels", "wgsl"])("wants another number where a schedule has other %s", (part) => {
    const other = { ...entry, [part]: "x" };
    expect(netFaults(net, [other], "5").map((fault) => fault.raise)).toEqual([true]);
    expect(netFaults(net, [other], "6").map((fault) => fault.raise)).toEqual([false]);
  });
});
