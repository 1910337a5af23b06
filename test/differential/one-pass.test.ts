/**
 * A maximum and a sum of exponentials below it in one pass: in all executions, beside plain loops that
 * know nothing of the compiler.
 */

import { afterAll, describe, expect, test } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { expectOutputs } from "../../src/ir/interpret/expect-outputs.ts";
import type { Expected } from "../../src/ir/interpret/judge.ts";
import { boundPath } from "../../src/ir/mapping/canonical-names.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import {
  type DeviceProfile,
  gpuProfile,
  llvmpipeProfile,
} from "../../src/support/device-profile.ts";
import type { Choice, Mapping } from "../../src/support/mapping-file.ts";
import type { TensorData } from "../../src/support/scalar-type.ts";
import { given } from "../support/given.ts";
import { drawn, someOf } from "../support/sweep.ts";
import { at, type Inputs, type Sizes } from "./definitions.ts";
import { describeFailure, isFailure, mapCase, type Prepared, prepareCase } from "./differential.ts";
import { sizesIn } from "./expect-meaning.ts";
import type { TcCase } from "./generate-tc.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Way } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

const profiles: readonly DeviceProfile[] = [runtime.profile, llvmpipeProfile, gpuProfile];

type Choices = Readonly<Record<string, Choice>>;

/** An exponent, and what its exponential is multiplied by. */
type Term = readonly [exponent: number, factor: number];

interface Definition {
  readonly source: string;
  /** The sums that are put together with their maxima. */
  readonly sums: readonly string[];
  /** What is stored, in row-major order. */
  outputs(inputs: Inputs, sizes: Sizes): Readonly<Record<string, readonly number[]>>;
  readonly sizes: readonly Sizes[];
  /** Further ways of mapping. */
  readonly ways?: readonly Choices[];
}

function along<T>(count: number, value: (n: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, n) => value(n));
}

/** The greatest exponent of each row, and the sum of the exponentials below it. */
function rowsOf(
  count: number,
  length: number,
  term: (row: number, k: number) => Term,
): { m: readonly number[]; s: readonly number[] } {
  const terms = along(count, (row) => along(length, (k) => term(row, k)));
  const m = terms.map((row) => row.reduce((most, [e]) => Math.max(e, most), -Infinity));
  const s = terms.map((row, n) => row.reduce((sum, [e, v]) => sum + v * Math.exp(e - at(m, n)), 0));
  return { m, s };
}

const one: Sizes = { M: 1, N: 1, K: 1 };
const oneRow: Sizes = { M: 1, N: 2, K: 37 };
const oneColumn: Sizes = { M: 11, N: 3, K: 1 };
const primes: Sizes = { M: 13, N: 3, K: 29 };
const even: Sizes = { M: 16, N: 2, K: 64 };
const all = [one, oneRow, oneColumn, primes, even];
/** Of what differs from others only in the expressions. */
const some = [oneRow, primes];

const softmaxLines = `m(i) max=! x(i, k)
  s(i) +=! exp(x(i, k) - m(i))
  y(i, k) = exp(x(i, k) - m(i)) / s(i)`;

function softmax({ x }: Inputs, { M = 0, K = 0 }: Sizes) {
  const rows = rowsOf(M, K, (i, k) => [at(x, i * K + k), 1]);
  const y = along(M * K, (p) => {
    const i = Math.floor(p / K);
    return Math.exp(at(x, p) - at(rows.m, i)) / at(rows.s, i);
  });
  return { ...rows, y };
}

const definitions: Readonly<Record<string, Definition>> = {
  "softmax with its maximum and its sum": {
    source: `def f(float(M, K) x) -> (m, s, y) { ${softmaxLines} }`,
    sums: ["$1"],
    outputs: softmax,
    sizes: all,
  },
  softmax: {
    source: `def f(float(M, K) x) -> (y) { ${softmaxLines} }`,
    sums: ["$1"],
    outputs: (inputs, sizes) => ({ y: softmax(inputs, sizes).y }),
    sizes: some,
    ways: [
      {
        "structure/statements/$1/with": false,
        "structure/statements/$2/with": false,
        "structure/statements/$3/with": false,
      },
    ],
  },
  "the logarithm of a sum": {
    source: `def f(float(M, K) x) -> (l) {
  m(i) max=! x(i, k)
  s(i) +=! exp(x(i, k) - m(i))
  l(i) = m(i) + log(s(i))
}`,
    sums: ["$1"],
    outputs: ({ x }, { M = 0, K = 0 }) => {
      const { m, s } = rowsOf(M, K, (i, k) => [at(x, i * K + k), 1]);
      return { l: m.map((most, i) => most + Math.log(at(s, i))) };
    },
    sizes: some,
  },
  "the logarithm of a sum over two axes": {
    source: `def f(float(M, K, N) x) -> (l) {
  m(i) max=! x(i, k, n)
  s(i) +=! exp(x(i, k, n) - m(i))
  l(i) = m(i) + log(s(i))
}`,
    sums: ["$1"],
    outputs: ({ x }, { M = 0, K = 0, N = 0 }) => {
      const { m, s } = rowsOf(M, K * N, (i, k) => [at(x, i * K * N + k), 1]);
      return { l: m.map((most, i) => most + Math.log(at(s, i))) };
    },
    sizes: some,
  },
  "all of a tensor": {
    source: `def f(float(K, N) x) -> (m, s) {
  m max=! x(k, n)
  s +=! exp(x(b, a) - m)
}`,
    sums: ["$1"],
    outputs: ({ x }, { K = 0, N = 0 }) => rowsOf(1, K * N, (_, k) => [at(x, k), 1]),
    sizes: [one, primes, even],
  },
  "exponents of several reads": {
    source: `def f(float(M, K) x, float(K) w, float(M) b) -> (m, s) {
  m(i) max=! x(i, k) * w(k) + b(i)
  s(i) +=! exp(x(i, k) * w(k) + b(i) - m(i))
}`,
    sums: ["$1"],
    outputs: ({ x, w, b }, { M = 0, K = 0 }) =>
      rowsOf(M, K, (i, k) => [at(x, i * K + k) * at(w, k) + at(b, i), 1]),
    sizes: some,
  },
  "masked terms": {
    source: `def f(float(M, K) x, int(M, K) on) -> (m, s) {
  m(i) max=! on(i, k) > 0 ? x(i, k) : -inf
  s(i) +=! on(i, k) > 0 ? exp(x(i, k) - m(i)) : 0
}`,
    sums: ["$1"],
    outputs: ({ x, on }, { M = 0, K = 0 }) => {
      const isOn = (i: number, k: number): boolean => at(on, i * K + k) > 0;
      const rows = along(M, (i) => along(K, (k) => k).filter((k) => isOn(i, k)));
      const m = rows.map((row, i) => Math.max(...row.map((k) => at(x, i * K + k))));
      const s = rows.map((row, i) =>
        row.reduce((sum, k) => sum + Math.exp(at(x, i * K + k) - at(m, i)), 0),
      );
      return { m, s };
    },
    sizes: all,
  },
  columns: {
    source: `def f(float(K, M) x) -> (m, s, y) {
  m(i) max=! x(k, i)
  s(i) +=! exp(x(k, i) - m(i))
  y(k, i) = exp(x(k, i) - m(i)) / s(i)
}`,
    sums: ["$1"],
    outputs: ({ x }, { M = 0, K = 0 }) => {
      const rows = rowsOf(M, K, (i, k) => [at(x, k * M + i), 1]);
      const y = along(K * M, (p) => Math.exp(at(x, p) - at(rows.m, p % M)) / at(rows.s, p % M));
      return { ...rows, y };
    },
    sizes: all,
    ways: [
      { "kernels/$0/axes/0/points": 4, "kernels/$0/points": "vector", "kernels/$0/unroll": 4 },
      {
        "kernels/$0.part/axes/0/points": 2,
        "kernels/$0.part/points": "vector",
        "structure/statements/$0/factor/r0": "slices 2",
      },
    ],
  },
  "a batch": {
    source: `def f(float(N, M, K) x, float(N, K) v) -> (m, s) {
  m(n, i) max=! v(n, k) + x(n, i, k)
  s(n, i) +=! exp(v(n, k) + x(n, i, k) - m(n, i))
}`,
    sums: ["$1"],
    outputs: ({ x, v }, { N = 0, M = 0, K = 0 }) =>
      rowsOf(N * M, K, (row, k) => [at(x, row * K + k) + at(v, Math.floor(row / M) * K + k), 1]),
    sizes: some,
  },
  "a part of each row": {
    source: `def f(float(M, K) x) -> (m, s) {
  m(i) max=! x(i + 1, k) where i in 0:M - 1, k in 1:K
  s(i) +=! exp(x(i + 1, k + 1) - m(i)) where i in 0:M - 1, k in 0:K - 1
}`,
    sums: ["$1"],
    outputs: ({ x }, { M = 0, K = 0 }) =>
      rowsOf(M - 1, K - 1, (i, k) => [at(x, (i + 1) * K + k + 1), 1]),
    sizes: [{ M: 2, K: 2 }, primes, even],
  },
  "two sums below one maximum": {
    source: `def f(float(M, K) x, float(M, K) v) -> (m, s, t) {
  m(i) max=! x(i, k)
  s(i) +=! exp(x(i, k) - m(i))
  t(i) +=! v(i, k) * exp(x(i, k) - m(i))
}`,
    sums: ["$1"],
    outputs: ({ x, v }, { M = 0, K = 0 }) => {
      const { s: t } = rowsOf(M, K, (i, k) => [at(x, i * K + k), at(v, i * K + k)]);
      return { ...rowsOf(M, K, (i, k) => [at(x, i * K + k), 1]), t };
    },
    sizes: [oneColumn, primes],
  },
  "steps of a loop": {
    source: `def f(float(N, M, K) x, float(M) start) -> (h) {
  for t in N {
    m(t, i) max=! x(t, i, k) * (t == 0 ? start(i) : h(t - 1, i))
    s(t, i) +=! exp(x(t, i, k) * (t == 0 ? start(i) : h(t - 1, i)) - m(t, i))
    h(t, i) = log(s(t, i)) - 1
  }
}`,
    sums: ["$1"],
    outputs: ({ x, start }, { N = 0, M = 0, K = 0 }) => {
      const h: number[] = [];
      for (let t = 0; t < N; t++) {
        const before = (i: number): number => (t === 0 ? at(start, i) : at(h, (t - 1) * M + i));
        const { s } = rowsOf(M, K, (i, k) => [at(x, (t * M + i) * K + k) * before(i), 1]);
        h.push(...s.map((sum) => Math.log(sum) - 1));
      }
      return { h };
    },
    sizes: [one, oneRow, oneColumn, primes],
  },
};

function onePassOf({ sums }: Definition): Choices {
  return Object.fromEntries(sums.map((s) => [`structure/statements/${s}/online`, true]));
}

/** In one pass, otherwise the defaults, unless other answers are given. */
function inOnePass(definition: Definition, choices: Choices = {}): Way {
  return { kind: "options", options: optionsOf(definition, choices) };
}

function optionsOf(definition: Definition, choices: Choices = {}): Mapping {
  return given({ ...onePassOf(definition), ...choices });
}

const ways: readonly Choices[] = [
  {},
  { "kernels/$0/team": 8 },
  { "kernels/$0/team": 8, "kernels/$0/combine": "tree" },
  { "kernels/$0/team": 4, "kernels/$0/combine": "subgroups" },
  { "kernels/$0/unroll": 4, "kernels/$0/inner": 2 },
  { "kernels/$0/unroll": 8, "kernels/$0/axes/0/points": 2, "kernels/$0/points": "serial" },
  { "structure/statements/$0/factor/r0": "strided 4" },
  { "structure/statements/$0/factor/r0": "blocked 4" },
  { "structure/statements/$0/split/r0": "first" },
  { "structure/statements/$0/factor/r0": "slices 2", "kernels/$0.part/unroll": 2 },
];

function drawnFor(definition: Definition): readonly Way[] {
  const wanted = optionsOf(definition);
  return [
    { kind: "random", seed: 3, share: 0.3, given: wanted },
    { kind: "random", seed: 8, share: 0.7, given: wanted },
    { kind: "random", seed: 19, share: 0.6, lanes: 4, given: wanted },
  ];
}

/** In the ways that are given, and in some that are drawn. */
function mappingsOf(definition: Definition): readonly Way[] {
  const given = [...ways, ...(definition.ways ?? [])];
  return [...given.map((choices) => inOnePass(definition, choices)), ...drawnFor(definition)];
}

function prepared(name: string, { source }: Definition, size: Sizes): Prepared {
  const tcCase: TcCase = {
    name,
    source,
    sizes: sizesIn(source, size),
    population: "reals",
    inputSeed: (size["K"] ?? 0) + (size["M"] ?? 0),
  };
  const preparation = prepareCase(tcCase);
  if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
  return preparation.prepared;
}

/** The elements that are not what they are meant to be: NaN, infinite, or as near as given. */
function differences(
  actual: Readonly<Record<string, ArrayLike<number> | undefined>>,
  meant: Readonly<Record<string, readonly number[]>>,
  tolerance: number,
): readonly string[] {
  return Object.entries(meant).flatMap(([name, elements]) =>
    elements.flatMap((x, p) => {
      const found = at(actual[name], p);
      const isNear = Math.abs(found - x) <= tolerance * Math.max(1, Math.abs(x));
      return isNear || Object.is(found + 0, x + 0) ? [] : [`${name}[${p}]: ${found}, not ${x}`];
    }),
  );
}

function stored(expected: readonly Expected[]): Readonly<Record<string, ArrayLike<number>>> {
  return Object.fromEntries(expected.map(({ name, values }) => [name, values]));
}

const cases = Object.entries(definitions).flatMap(([name, definition]) =>
  definition.sizes.map((size) => ({ name, definition, size })),
);

test.each(cases)(
  "$name: in one pass, the same in all executions: $size",
  async ({ name, definition, size }) => {
    const ready = prepared(name, definition, size);
    const meant = definition.outputs(ready.inputs, size);
    expect(differences(stored(ready.expected), meant, 1e-12)).toEqual([]);
    const tally = createTally();
    const mappings = mappingsOf(definition);
    const plans = drawn(2, 5); // of all, other ones for other sizes
    const failures = await runPrepared(ready, { profiles, runtime, tally, plans }, mappings);
    expect(failures.map((failure) => describeFailure(ready.tcCase, failure))).toEqual([]);
    expect(tally.ambiguous).toBe(0);
  },
);

/** Rows with some infinities, then none but negative ones, and one positive one. */
function withInfinities(x: TensorData, rows: number, stride: number, step: number): TensorData {
  const length = x.length / rows;
  const put = (row: number, k: number, value: number): void => {
    x[row * stride + k * step] = value;
  };
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < length; k++) {
      if (row % 4 === 0 && (k * 7 + row) % 3 !== 1) put(row, k, -Infinity);
      if (row % 4 === 1) put(row, k, -Infinity);
    }
    if (row % 4 === 2) put(row, row % length, Infinity);
  }
  return x;
}

const masked = [
  { name: "softmax with its maximum and its sum", rowMajor: true },
  { name: "masked terms", rowMajor: true },
  { name: "columns", rowMajor: false },
].flatMap(({ name, rowMajor }) => [primes, oneColumn].map((size) => ({ name, rowMajor, size })));

describe("infinite exponents", () => {
  test.each(masked)("$name: in one pass: $size", async ({ name, rowMajor, size }) => {
    const turn = masked.findIndex((m) => m.name === name && m.size === size);
    const definition = definitions[name];
    if (definition === undefined) throw new Error(name);
    const { M = 0, K = 0 } = size;
    const ready = prepared(name, definition, size);
    const x = ready.inputs["x"];
    if (x === undefined) throw new Error("no input");
    const inputs = {
      ...ready.inputs,
      x: rowMajor ? withInfinities(x, M, K, 1) : withInfinities(x, M, 1, M),
    };
    const meant = definition.outputs(inputs, size);
    const expected = expectOutputs(ready.program, inputs, { bounds: false });
    expect(differences(stored(expected), meant, 1e-12)).toEqual([]);
    for (const choices of someOf(ways, 4, turn)) {
      const mapping = inOnePass(definition, choices);
      const variant = mapCase(ready, runtime.profile, mapping);
      if (isFailure(variant)) throw new Error(describeFailure(ready.tcCase, variant));
      const rewritten = expectOutputs(variant.mapped.program, inputs, { bounds: false });
      expect(differences(stored(rewritten), meant, 1e-12)).toEqual([]);
      const { outputs, faults } = interpretPlan(variant.plan, inputs);
      expect(faults).toEqual([]);
      expect(differences(outputs, meant, 1e-5)).toEqual([]);
      using loaded = await runtime.load(variant.plan);
      const onDevice: Record<string, TensorData> = {};
      for (const [tensor, result] of Object.entries(await loaded.run(inputs))) {
        onDevice[tensor] = await result.read();
        result.dispose();
      }
      expect(differences(onDevice, meant, 1e-5)).toEqual([]);
    }
  });
});

test.each(Object.entries(definitions))("the mappings of %s have one pass", (name, definition) => {
  const ready = prepared(name, definition, primes);
  const turn = Object.keys(definitions).indexOf(name);
  for (const mapping of [inOnePass(definition), ...someOf(drawnFor(definition), 1, turn)]) {
    const variant = mapCase(ready, runtime.profile, mapping);
    if (isFailure(variant)) throw new Error(describeFailure(ready.tcCase, variant));
    const { statements } = variant.mapped.program;
    const names = statements.flatMap((s) => s.reduction?.monoid.name ?? []);
    expect(names).toContain("rescaled sum");
  }
});

test.each(["softmax with its maximum and its sum", "columns"])(
  "the ways of mapping %s are those that are asked for",
  (name) => {
    const definition = definitions[name];
    if (definition === undefined) throw new Error(name);
    const ready = prepared(name, definition, even);
    const missing = (definition.ways ?? ways).flatMap((choices) => {
      const variant = mapCase(ready, runtime.profile, inOnePass(definition, choices));
      if (isFailure(variant)) throw new Error(describeFailure(ready.tcCase, variant));
      const { program } = ready;
      const answers = new Map(variant.decisions.map((d) => [d.path, d.value]));
      return Object.entries({ ...onePassOf(definition), ...choices }).flatMap(([path, choice]) =>
        answers.get(boundPath(program, path)) === choice ? [] : [`${path} ${choice}`],
      );
    });
    expect(missing).toEqual([]);
  },
);
