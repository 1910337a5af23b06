/**
 * Scatters whose indices say which terms hit an element, as gathers and as scatters: in all executions, beside plain
 * loops that know nothing of the compiler.
 */

import { afterAll, describe, expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { explainLoops } from "../../src/ir/mapping/explain-loops.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { llvmpipeProfile, namedProfiles } from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";
import { describeFailure, type Prepared, prepareCase, valuesOf } from "./differential.ts";
import type { TcCase } from "./generate-tc.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Way } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** `y(from + s * i + d * k)` over a result of `L` elements that begins with zeros, or with the caller's. */
interface Line {
  readonly I: number;
  readonly K: number;
  readonly s: number;
  readonly d: number;
  readonly from: number;
  readonly operator: "+=" | "+=!" | "max=" | "min=!" | "*=";
  readonly type: "float" | "int" | "half" | "int8";
}

const usual = { I: 7, K: 3, s: 2, d: 1, from: 0, operator: "+=!", type: "float" } as const;

const lines: readonly Line[] = [
  usual,
  { ...usual, I: 1 },
  { ...usual, I: 13, K: 1, from: 2 },
  { ...usual, I: 5, K: 5, s: 1 },
  { ...usual, I: 11, K: 4, s: 3, operator: "+=", type: "int" },
  { ...usual, I: 4, K: 7, s: 3, d: 2, operator: "+=" },
  { ...usual, I: 6, K: 5, s: 4, d: 6, from: 1 },
  { ...usual, I: 37, K: 5, s: -1, from: 40, operator: "max=" },
  { ...usual, K: 5, operator: "min=!", type: "int" },
  { ...usual, I: 3, K: 4, s: 2, operator: "*=", type: "int" },
  { ...usual, K: 4, operator: "+=", type: "half" },
  { ...usual, K: 4, operator: "+=!", type: "int8" },
];

const combine: Readonly<Record<Line["operator"], (a: number, b: number) => number>> = {
  "+=": (a, b) => a + b,
  "+=!": (a, b) => a + b,
  "max=": Math.max,
  "min=!": Math.min,
  "*=": Math.imul,
};

function sourceOf({ s, d, from, operator, type }: Line): string {
  const own = operator.endsWith("!") ? "" : `, ${type}(L) y`;
  const results = own === "" ? `${type}(L) y` : "y";
  return `def f(${type}(I) x, ${type}(K) w${own}) -> (${results}) {
  y(${from} + ${s} * i + ${d} * k) ${operator} x(i) * w(k)
}`;
}

type Sizes = TcCase["sizes"];

type Data = ArrayLike<number>;

function meant(line: Line, x: Data, w: Data, y: Data, L: number): readonly number[] {
  const { I, K, s, d, from, operator } = line;
  const resets = operator.endsWith("!");
  const result = Array.from({ length: L }, (_, l) => (resets ? 0 : (y[l] ?? 0)));
  const hit = new Set<number>();
  for (let i = 0; i < I; i++) {
    for (let k = 0; k < K; k++) {
      const [at, term] = [from + s * i + d * k, (x[i] ?? 0) * (w[k] ?? 0)];
      const isFirst = resets && !hit.has(at);
      result[at] = isFirst ? term : combine[operator](result[at] ?? 0, term);
      hit.add(at);
    }
  }
  return result.map((v) => (line.type === "int8" ? (v << 24) >> 24 : v + 0));
}

function gathers(gather: string): Way {
  return { kind: "options", options: given({ "structure/statements/$0/gather": gather }) };
}

const ways = ["no", "phases outside", "phases inside"].map(gathers);

const drawn: readonly Way[] = [
  { kind: "random", seed: 3, share: 0.3 },
  { kind: "random", seed: 19, share: 0.6, lanes: 4 },
];

function prepared(tcCase: TcCase): Prepared {
  const preparation = prepareCase(tcCase);
  if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
  return preparation.prepared;
}

const namedGpu = Object.values(namedProfiles).filter((profile) => profile.name === "nvidia");

async function failuresOf(tcCase: TcCase): Promise<readonly string[]> {
  const profiles = [runtime.profile, llvmpipeProfile, ...namedGpu];
  const executions = { profiles, runtime, tally: createTally(), plans: null };
  const given = prepared(tcCase);
  const failures = [
    ...(await runPrepared(given, executions, ways)),
    ...(await runPrepared(given, { ...executions, plans: 2 }, drawn)),
  ];
  return failures.map((failure) => describeFailure(tcCase, failure));
}

describe("a scatter along a line", () => {
  test.each(lines)("is the same in all executions: %o", async (line) => {
    const { I, K, s, d, from } = line;
    const L = from + 3 + Math.max(0, s * (I - 1)) + Math.max(0, d * (K - 1));
    const tcCase: TcCase = {
      name: "line",
      source: sourceOf(line),
      sizes: { I, K, L },
      population: "integers",
      inputSeed: I + K,
    };
    const one = prepared(tcCase);
    const [x = [], w = [], y = []] = ["x", "w", "y"].map((name) => one.inputs[name]);
    expect(Array.from(valuesOf(one, "y"), (v) => v + 0)).toEqual(meant(line, x, w, y, L));
    expect(await failuresOf(tcCase)).toEqual([]);
  });
});

const transposed = `def f(float(N, C, H, W) x, float(C, O, K, K) w) -> (y) {
  y(n, o, 2 * h + kh, 2 * v + kw) +=! x(n, c, h, v) * w(c, o, kh, kw)
}`;

const convolutions: Readonly<Record<string, readonly [string, Sizes]>> = {
  "transposed convolution": [transposed, { N: 2, C: 3, H: 5, W: 7, O: 4, K: 4 }],
  "transposed convolution, odd filter": [transposed, { N: 1, C: 2, H: 4, W: 9, O: 5, K: 3 }],
  "gradient of a convolution's input": [
    `def f(float(N, O, H, W) dy, float(O, C, K, K) w, float(N, C, P, Q) dx) -> (dx) {
  dx(n, c, h + kh, v + kw) += dy(n, o, h, v) * w(o, c, kh, kw)
}`,
    { N: 2, C: 3, H: 6, W: 5, O: 2, K: 3, P: 8, Q: 7 },
  ],
  "three dimensions": [
    `def f(float(A, B, C) x, float(K, K, K) w) -> (y) {
  y(3 * a + i, b + 2 * j, 2 * c - k + 2) max=! x(a, b, c) * w(i, j, k)
}`,
    { A: 3, B: 4, C: 3, K: 3 },
  ],
  "frames that overlap, after a bias": [
    `def f(float(T, F) x, float(F) window, float(L) b) -> (y) {
  y(l) = b(l)
  y(3 * t + f) += x(t, f) * window(f)
}`,
    { T: 6, F: 7, L: 24 },
  ],
  "in steps of a loop, from what it holds": [
    `def f(float(T, I) x, float(K) w, float(L) y) -> (y) {
  for t in T { y(t + 2 * i + k) += x(t, i) * w(k) + 0.5 * y(t) }
}`,
    { T: 3, I: 5, K: 3, L: 14 },
  ],
};

test.each(Object.entries(convolutions))(
  "%s: the same in all executions",
  async (name, [source, sizes]) => {
    const common = { population: "integers", inputSeed: 3 } as const;
    expect(await failuresOf({ name, source, sizes, ...common })).toEqual([]);
  },
);

test("no profile has updates of elements that are indivisible by default", () => {
  const sizes = { N: 2, C: 16, H: 14, W: 14, O: 8, K: 4 };
  for (const profile of Object.values(namedProfiles)) {
    const result = compile(transposed, { sizes, profile });
    if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
    const texts = result.plan.kernels.map((k) => k.wgsl).join("\n");
    expect(texts).not.toContain("atomic");
    expect(explainLoops(result.program, result.mapped, result.decisions)).toEqual([
      "y: each element is reduced from the terms that hit it, instead of a scatter",
    ]);
  }
});
