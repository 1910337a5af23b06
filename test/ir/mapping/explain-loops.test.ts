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

/** What became of loops, without what keeps statements in them. */
function formsOf(lines: readonly string[]) {
  return lines.filter((line) => !/ stays? in |: one step after the other/.test(line));
}

const elman: string = readFileSync("examples/elman.tc", "utf8");

test("a schedule says what became of each loop, and why", () => {
  const sizes = { T: 128, B: 16, Ci: 128, Co: 128 };
  expect(linesOf(elman, "nvidia", sizes)).toEqual([
    "# hidden#2: terms that t does not change are added up apart",
    "# hidden: waits for no step of t, runs for all of them at once",
    "# hidden#2.fixed: waits for no step of t, runs for all of them at once",
    "# t: sequential inside of one dispatch; b: distance 0, one workgroup for each, with barriers between steps",
    "# hidden#1, hidden#2: stay in t, since hidden#1 reads hidden, which hidden#1 writes in an earlier iteration",
    "# hidden#2: one step after the other, since a step reads more than the element before its own",
  ]);
  expect(formsOf(linesOf(elman, "swiftshader", sizes)).at(-1)).toBe(
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
    "# y#1: stays in t, since y#1 reads y, which y#1 writes in an earlier iteration",
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
  expect(formsOf(linesOf(table, "nvidia", { P: 2, M: 64, N: 64 }))).toEqual([
    "# cost#2: i and the loop inside of it run in wavefronts, each of which waits for the one before",
    "# i.front: sequential inside of one dispatch; p: distance 0, one workgroup for each, with barriers between steps",
  ]);
  const state = `def state(float(N) x, float(N, N) w, int T) -> (s) {
    s(i) = x(i)
    for t in T { z(i) +=! w(i, k) * s(k)  s(i) = tanh(z(i)) }
  }`;
  expect(formsOf(linesOf(state, "nvidia", { N: 64, T: 50 }))).toEqual([
    "# t: sequential inside of one dispatch; one workgroup, with barriers between steps",
  ]);
  const decay = `def decay(float(T, N) x) -> (h) {
    for t in T { if t == 0 { h(t, n) = x(t, n) } else { h(t, n) = tanh(h(t - 1, n)) + x(t, n) } }
  }`;
  expect(formsOf(linesOf(decay, "nvidia", { N: 4096, T: 64 })).at(-1)).toBe(
    "# t: sequential inside of one dispatch; n: distance 0, one invocation for each",
  );
  const life = readFileSync("examples/game_of_life.tc", "utf8");
  const [inOne, forEach] = [32, 512].map((side) =>
    formsOf(linesOf(life, "nvidia", { H: side, W: side })),
  );
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
  expect(formsOf(linesOf(rows("b"), "nvidia", { T: 40, B: 32 }, serial)).at(-1)).toBe(
    "# t: sequential inside of one dispatch; b: distance 0, one invocation for each",
  );
  expect(formsOf(linesOf(rows("B - 1 - b"), "nvidia", { T: 40, B: 32 }, serial)).at(-1)).toBe(
    "# t: sequential inside of one dispatch; one workgroup, with barriers between steps",
  );
});

const cell = (
  gates: string,
) => `def cell(float(T, B, H) x, float(2 * H, H) w, float(B, H) h) -> (h) {
  for t in T { ${gates}  h(b, j) = z(b, j) * tanh(z(b, H + j)) + x(t, b, j) where j in 0:H }
}`;
const layer = (
  sum: string,
  value = "z(b, j)",
) => `def layer(float(T, B, H) x, float(H, H) w, float(H, H) u, float(B, H) h) -> (h, y) {
  for t in T { ${sum}  h(b, j) = tanh(${value})  y(t, b, j) = h(b, j) }
}`;
const temporary = (read: string) => `def kept(float(T, H) x, float(H, H) w, float(H) first) -> (y) {
  s(j) = first(j)
  for t in T { ${read}  y(t, j) +=! w(j, k) * s(k) }
}`;
const filter = (before: string) =>
  `def filter(float(T) x) -> (y) { y(t) = x(t) where t in 0:2  for t in 2:T { y(t) = 0.5 * ${before} + x(t) } }`;
const nested = (above: string) => `def nested(float(M, N) x) -> (c) {
  c(i, 0) = 0.0 where i in 0:M + 1  c(0, j) = 0.0 where j in 1:N + 2  c(i, N + 1) = 0.0 where i in 1:M + 1
  for i in 1:M + 1 { for j in 1:N + 1 { c(i, j) = tanh(c(i - 1, ${above}) + c(i, j - 1)) + x(i - 1, j - 1) } }
}`;

const gates = "z(b, k) +=! w(k, j) * h(b, j)";

test.each([
  {
    what: "distribution out of a loop",
    sizes: { T: 64, B: 4, H: 64 },
    legal: layer("z(b, j) +=! w(j, k) * x(t, b, k)  z(b, j) += u(j, k) * h(b, k)"),
    done: /^# z: waits for no step of t/,
    planted: layer("z(b, j) +=! w(j, k) * h(b, k)  z(b, j) += u(j, k) * h(b, k)"),
    why: "# z#1, h, y: stay in t, since z#1 reads h, which h writes in an earlier iteration",
  },
  {
    what: "terms added up before a loop",
    sizes: { T: 64, B: 4, H: 64 },
    legal: layer("z(b, j) +=! u(j, k) * h(b, k) + w(j, k) * x(t, b, k)"),
    done: /^# z: terms that t does not change/,
    planted: layer("z(b, j) +=! u(j, k) * h(b, k) + w(j, k) * x(t, b, k) * h(b, j)"),
    why: "# z, h, y: stay in t, since z reads h, which h writes in an earlier iteration",
  },
  {
    what: "a copy of a temporary for each iteration",
    sizes: { T: 64, H: 64 },
    legal: temporary("s(j) = x(t, j) * x(t, j)"),
    done: /^# s#1: waits for no step of t/,
    planted: temporary("s(j) = tanh(s(H - 1 - j)) + x(t, j)"),
    why: "# s#1: stays in t, since s#1 reads s, which s#1 writes in an earlier iteration",
  },
  {
    what: "steps in chunks",
    sizes: { T: 4096 },
    legal: filter("y(t - 1)"),
    done: /^# y#1: \d+ steps of t at a time/,
    planted: filter("y(t - 1) * y(t - 2)"),
    why: "# y#1: one step after the other, since a step reads more than the element before its own",
  },
  {
    what: "wavefronts",
    sizes: { M: 64, N: 64 },
    legal: nested("j"),
    done: /^# c#3: i and the loop inside of it run in wavefronts/,
    planted: nested("j + 1"),
    why: "# i: no wavefronts, since c#3 may wait for c#3, through c, on its own wavefront or one behind",
  },
  {
    what: "gates beside each other",
    sizes: { T: 64, B: 4, H: 64 },
    legal: cell(`${gates}  z(b, k) = sigmoid(z(b, k))`),
    done: /^# z: its parts, which others read beside each other/,
    planted: cell(`${gates}  z(b, k) = sigmoid(z(b, 2 * H - 1 - k))`),
    why: "# z#1: in one piece, since z#1.1 may read what z#1.0 writes",
  },
])("a planted dependence refuses $what, with the reason", ({ sizes, ...sources }) => {
  const legal = linesOf(sources.legal, "nvidia", sizes);
  const planted = linesOf(sources.planted, "nvidia", sizes);
  const isDone = (line: string): boolean => sources.done.test(line);
  expect([legal.some(isDone), planted.some(isDone)], planted.join("\n")).toEqual([true, false]);
  expect(planted).toContain(sources.why);
});

test("a planted dependence refuses one dispatch for each step, with the reason", () => {
  const paths = { "structure/loops/t/on": "host", "structure/statements/h/own": "2 slots" };
  const [legal, planted] = ["z(b, j)", "z(b, H - 1 - j)"].map((value) => {
    const source = layer("z(b, j) +=! w(j, k) * h(b, k)", value);
    return linesOf(source, "nvidia", { T: 64, B: 64, H: 64 }, paths);
  });
  const why = "# h: a dispatch of its own in each step, since h reads z, which z writes before";
  expect(legal?.filter((line) => line.includes("of its own"))).toEqual([]);
  expect(planted).toContain(why);
});
