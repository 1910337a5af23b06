import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { printStage } from "../../../src/api/print-stage.ts";
import { compile } from "../../../src/compile.ts";
import { given } from "../../support/given.ts";

/** The lines about loops before a schedule. */
function linesOf(
  source: string,
  profile: string,
  sizes: Readonly<Record<string, number>>,
  paths: Readonly<Record<string, string>> = {},
) {
  let text = "";
  const compiled = compile(source, {
    profile,
    sizes,
    options: given(paths),
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
    "# t: sequential inside of one dispatch; one invocation",
    "# y#1: one step after the other, since its factor may be above 1, so that products of it may overflow: write clamp(factor, -1.0, 1.0)",
  ]);
});

test("a scan is said to be one, and a schedule without loops says nothing", () => {
  const sum = "def sums(float(L) x) -> (y) { y(i) +=! x(j) where i in 0:L, j in 0:i + 1 }";
  expect(linesOf(sum, "swiftshader", { L: 4096 })[0]).toMatch(/^# y: scanned in chunks of \d+,/);
  expect(linesOf("def twice(float(N) x) -> (y) { y(i) = 2 * x(i) }", "gpu", { N: 8 })).toEqual([]);
});

test("each form of a loop is told: fronts, chunks, one workgroup, one invocation for each, steps of their own", () => {
  const table = readFileSync("examples/edit_distance.tc", "utf8");
  expect(linesOf(table, "nvidia", { P: 2, M: 64, N: 64 })).toEqual([
    "# cost#2: i and the loop inside of it run in wavefronts, each of which waits for the one before",
    "# i.front: sequential inside of one dispatch; p: distance 0, one workgroup for each, with barriers between steps",
  ]);
  const state = `def state(float(N) x, float(N, N) w, int T) -> (s) {
    s(i) = x(i)
    for t in T { z(i) +=! w(i, k) * s(k)  s(i) = tanh(z(i)) }
  }`;
  expect(linesOf(state, "nvidia", { N: 64, T: 50 })).toEqual([
    "# t: sequential inside of one dispatch; one workgroup, with barriers between steps",
  ]);
  const decay = `def decay(float(T, N) x) -> (h) {
    for t in T { if t == 0 { h(t, n) = x(t, n) } else { h(t, n) = tanh(h(t - 1, n)) + x(t, n) } }
  }`;
  expect(linesOf(decay, "nvidia", { N: 4096, T: 64 }).at(-1)).toBe(
    "# t: sequential inside of one dispatch; n: distance 0, one invocation for each",
  );
  const life = readFileSync("examples/game_of_life.tc", "utf8");
  const [inOne, forEach] = [32, 512].map((side) => linesOf(life, "nvidia", { H: side, W: side }));
  expect(inOne).toEqual([
    "# t: sequential inside of one dispatch; one workgroup, with barriers between steps",
  ]);
  expect(forEach).toEqual([
    "# t: 6 steps, dispatches for each, which takes no longer than one for all of them",
    "# cell_in: 2 buffers take turns over t, since others still read what it held before",
  ]);
});

test("a planted dependence between rows keeps them in one workgroup, though workgroups of their own were asked for", () => {
  const rows = (other: string) => `def rows(float(T, B) x) -> (y) {
    for t in T { if t == 0 { y(t, b) = x(t, b) } else { y(t, b) = tanh(y(t - 1, ${other})) + x(t, b) } }
  }`;
  const serial = { "structure/loops/t/on": "serial" };
  expect(linesOf(rows("b"), "nvidia", { T: 40, B: 32 }, serial).at(-1)).toBe(
    "# t: sequential inside of one dispatch; b: distance 0, one invocation for each",
  );
  expect(linesOf(rows("B - 1 - b"), "nvidia", { T: 40, B: 32 }, serial).at(-1)).toBe(
    "# t: sequential inside of one dispatch; one workgroup, with barriers between steps",
  );
});
