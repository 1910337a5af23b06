/**
 * Purpose: what times of some kernels say of others: a Gaussian process over the values of their knobs.
 *
 * Two kernels are alike by the knobs that they share, each on its own (effects of single knobs) and all together (what
 * knobs do to each other): `k = s^2 (mean of e^-d_i + e^-(sum of d_i / l)) / 2`, with distances d_i of numbers by their
 * ratio, else of 1. Times are logarithms. After BaCO (Hellsten et al., A Fast and Portable Bayesian Compiler
 * Optimization Framework, 2023), which finds what an expert does two to four times as soon as drawing at
 * random.
 */
import type { Choice } from "../support/mapping-file.ts";
import { isMicro } from "./moves.ts";
import { mean } from "./statistics.ts";

/** Values of a kernel's knobs, by path. */
export type Point = ReadonlyMap<string, Choice>;

/** A kernel that was measured. */
export interface Observation {
  readonly point: Point;
  /** Its time, or whatever else it costs, in any unit: more than 0. */
  readonly us: number;
}

/** What is expected of a kernel. */
export interface Surrogate {
  /** What a kernel is expected to take: the middle of what it may, in the unit of the observations. */
  expected(point: Point): number;
  /** By how much of a time unit of logarithms a kernel is expected to be better than the best: at least 0. */
  improvement(point: Point): number;
}

/** The most measured kernels that have a say: the fastest, and as many of the others, evenly. */
const mostObservations = 100;

/** The observations that have a say, the fastest first. */
function telling(observations: readonly Observation[]): readonly Observation[] {
  const sorted = observations.toSorted((a, b) => a.us - b.us);
  const [fast, others] = [
    sorted.slice(0, mostObservations / 2),
    sorted.slice(mostObservations / 2),
  ];
  const step = Math.max(1, Math.ceil(others.length / (mostObservations / 2)));
  return [...fast, ...others.filter((_, n) => n % step === 0)];
}

/** The standard deviation of the logarithm of a measured time, and of what the model does not tell apart. */
const noise = 0.05;

/** How far apart kernels are that have half of what they have together in common. */
const reach = 6;

/** The greatest distance of two values, and that of one to none. */
const farthest = { values: 3, absent: 0.5 };

/** What knobs that seldom decide count beside the others. */
const microShare = 0.3;

/**
 * Sums of several knobs that say more than each of them: factors of two in all; and how often invocations share memory, by
 * copies, temporaries or parts of reductions, which costs alike whatever it is for.
 */
function sumsOf(point: Point): Point {
  const sums = new Map<string, number>([["shared", 0]]);
  const add = (name: string, value: Choice): void => {
    const own = typeof value === "number" ? Math.log2(Math.max(1, value)) : 0;
    sums.set(name, (sums.get(name) ?? 0) + own);
  };
  for (const [path, value] of point) {
    if (path.endsWith("/workgroup") || path.endsWith("/team")) add("invocations", value);
    else if (path.endsWith("/points")) add("accumulators", value);
    if (path.endsWith("/points") || path.endsWith("/unroll")) add("statements", value);
    if (value === "workgroup" || value === "tree") add("shared", 2);
  }
  // Where a number stands for factors of two, a step is one of them.
  return new Map([...sums].map(([name, value]) => [name, 2 ** value - 1]));
}

/** Numbers of a point: NaN for no such knob; factors of two of numbers; others as codes, of which any two differ. */
interface Table {
  readonly paths: Map<string, number>;
  readonly codes: Map<string, number>;
}

/** Codes are far from all logarithms of numbers, and from each other. */
const firstCode = 1_000;

function encode(point: Point, { paths, codes }: Table, mayAdd: boolean): Float64Array {
  const all = [...point, ...sumsOf(point)];
  if (mayAdd) for (const [path] of all) if (!paths.has(path)) paths.set(path, paths.size);
  const own = new Float64Array(paths.size).fill(Number.NaN);
  for (const [path, value] of all) {
    const at = paths.get(path);
    if (at === undefined) continue;
    if (typeof value === "number") own[at] = Math.log2(value + 1);
    else {
      const name = String(value);
      const code = codes.get(name) ?? firstCode * (codes.size + 1);
      codes.set(name, code);
      own[at] = code;
    }
  }
  return own;
}

function distance(a: number, b: number): number {
  if (a === b) return 0;
  if (Number.isNaN(a) || Number.isNaN(b)) {
    return Number.isNaN(a) && Number.isNaN(b) ? 0 : farthest.absent;
  }
  const apart = Math.abs(a - b);
  return apart >= firstCode / 2 ? 1 : Math.min(farthest.values, apart);
}

/** How alike two kernels are, of 1. */
function likeness(a: Float64Array, b: Float64Array, shares: Float64Array): number {
  let [sum, total, all] = [0, 0, 0];
  for (let n = 0; n < shares.length; n++) {
    const share = shares[n] ?? 1;
    const own = distance(a[n] ?? Number.NaN, b[n] ?? Number.NaN);
    all += share * own;
    sum += share * (own === 0 ? 1 : Math.exp(-own));
    total += share;
  }
  return (sum / Math.max(1, total) + Math.exp(-all / reach)) / 2;
}

/** The sum of the first products of two rows. */
function product(a: Float64Array, b: Float64Array, count: number): number {
  let sum = 0;
  for (let k = 0; k < count; k++) sum += (a[k] as number) * (b[k] as number);
  return sum;
}

/** The lower triangle L of a positive definite matrix L Lᵀ, in rows (Cholesky). */
function rootOf(matrix: readonly Float64Array[]): readonly Float64Array[] {
  const lower: Float64Array[] = [];
  for (const [i, row] of matrix.entries()) {
    const own = new Float64Array(i + 1);
    for (const [j, other] of lower.entries()) {
      own[j] = ((row[j] as number) - product(own, other, j)) / (other[j] as number);
    }
    own[i] = Math.sqrt(Math.max(1e-12, (row[i] as number) - product(own, own, i)));
    lower.push(own);
  }
  return lower;
}

/** x of L x = b. */
function forward(lower: readonly Float64Array[], b: Float64Array): Float64Array {
  const x = new Float64Array(b.length);
  for (const [i, row] of lower.entries()) {
    x[i] = ((b[i] as number) - product(row, x, i)) / (row[i] as number);
  }
  return x;
}

/** The distribution function of the standard normal distribution (Abramowitz and Stegun, 26.2.17: within 1e-7). */
function normalBelow(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = density(z) * series;
  return z > 0 ? 1 - tail : tail;
}

function density(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/** The surrogate of some kernels; null where fewer than two were measured. */
export function surrogateOf(observations: readonly Observation[]): Surrogate | null {
  if (observations.length < 2) return null;
  const known = telling(observations);
  const table: Table = { paths: new Map(), codes: new Map() };
  const encoded = known.map(({ point }) => encode(point, table, true));
  const shares = Float64Array.from(table.paths.keys(), (path) =>
    isMicro({ path }) ? microShare : 1,
  );
  const logs = known.map(({ us }) => Math.log(us));
  const middle = mean(logs);
  const variance = Math.max(0.01, mean(logs.map((y) => (y - middle) ** 2)));
  const alike = (a: Float64Array, b: Float64Array): number => variance * likeness(a, b, shares);
  const lower = rootOf(
    encoded.map((a, i) =>
      Float64Array.from(
        encoded.slice(0, i + 1),
        (b, j) => alike(a, b) + (i === j ? noise ** 2 : 0),
      ),
    ),
  );
  const whitened = forward(
    lower,
    Float64Array.from(logs, (y) => y - middle),
  );
  const best = logs[0] ?? middle;
  const judge = (point: Point): { readonly v: Float64Array; readonly expected: number } => {
    const own = encode(point, table, false);
    const v = forward(
      lower,
      Float64Array.from(encoded, (other) => alike(own, other)),
    );
    return { v, expected: v.reduce((sum, x, n) => sum + x * (whitened[n] ?? 0), middle) };
  };
  return {
    expected: (point) => Math.exp(judge(point).expected),
    improvement: (point) => {
      const { v, expected } = judge(point);
      const left = v.reduce((sum, x) => sum - x * x, variance);
      const deviation = Math.sqrt(Math.max(1e-9, left));
      const z = (best - expected) / deviation;
      return deviation * (z * normalBelow(z) + density(z));
    },
  };
}
