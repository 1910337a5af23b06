import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { printStage } from "../../../src/api/print-stage.ts";
import { compile } from "../../../src/compile.ts";

/** The lines about loops before a schedule. */
function linesOf(source: string, profile: string, sizes: Readonly<Record<string, number>>) {
  let text = "";
  const compiled = compile(source, {
    profile,
    sizes,
    onStage: (stage) => {
      if (stage.stage === "schedule") text = printStage(stage);
    },
  });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  return text.split("\n").filter((line) => line.startsWith("# "));
}

const elman: string = readFileSync("examples/elman.tc", "utf8");

test("a schedule says what became of each loop, and why", () => {
  const sizes = { T: 128, B: 16, Ci: 128, Co: 128 };
  expect(linesOf(elman, "nvidia", sizes)).toEqual([
    "# hidden#2: terms that t does not change are added up apart",
    "# hidden: waits for no step of t, runs for all of them at once",
    "# hidden#2.fixed: waits for no step of t, runs for all of them at once",
    "# t: sequential inside of one dispatch; b: distance 0, one workgroup for each, with barriers between steps",
  ]);
  expect(linesOf(elman, "swiftshader", sizes).at(-1)).toBe(
    "# t: 128 steps, dispatches for each, which takes no longer than one for all of them",
  );
});

test("steps that are composed are said to be, and why others are not", () => {
  const filter = (factor: string) =>
    `def f(float(T) x, float a) -> (y) { y(t) = x(t) where t in 0:1  for t in 1:T { y(t) = ${factor} * y(t - 1) + x(t) } }`;
  expect(linesOf(filter("0.9"), "nvidia", { T: 4096 })[0]).toMatch(
    /^# y#1: \d+ steps of t at a time, which are composed to one side by side$/,
  );
  expect(linesOf(filter("a"), "nvidia", { T: 4096 })).toEqual([
    "# t: sequential inside of one dispatch",
    "# y#1: one step after the other, since its factor may be above 1, so that products of it may overflow: write clamp(factor, -1.0, 1.0)",
  ]);
});

test("a scan is said to be one, and a schedule without loops says nothing", () => {
  const sum = "def sums(float(L) x) -> (y) { y(i) +=! x(j) where i in 0:L, j in 0:i + 1 }";
  expect(linesOf(sum, "swiftshader", { L: 4096 })[0]).toMatch(/^# y: scanned in chunks of \d+,/);
  expect(linesOf("def twice(float(N) x) -> (y) { y(i) = 2 * x(i) }", "gpu", { N: 8 })).toEqual([]);
});
