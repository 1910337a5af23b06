/** 36 products of matrices that were timed at 15 sizes, as landscapes: one for each size. */
import { readFileSync } from "node:fs";
import type { Landscape } from "../../src/tuner/landscape.ts";
import { median } from "../../src/tuner/statistics.ts";

interface Recorded {
  readonly cfgs: readonly Readonly<Record<string, number>>[];
  readonly sizes: readonly (readonly [number, number, number])[];
  /** Nanoseconds: by size, configuration, repetition. */
  readonly T: readonly (readonly (readonly number[])[])[];
}

const recorded: Recorded = JSON.parse(
  readFileSync(new URL("fixtures/gemm-landscape-llvmpipe.json", import.meta.url), "utf8"),
);

const names = Object.keys(recorded.cfgs[0] ?? {});
const values = names.map((name) =>
  [...new Set(recorded.cfgs.map((c) => c[name] ?? 0))].sort((a, b) => a - b),
);

/** The default is a textbook kernel: tiles of 16 x 16 in workgroup memory, one point for each invocation. */
const byDefault = recorded.cfgs.findIndex((c) => c["BM"] === 16 && c["sh"] === 1 && c["TM"] === 1);

export const gemmLandscapes: readonly Landscape[] = recorded.sizes.map(([M, N, K], at) => ({
  name: `gemm ${M}x${N}x${K}`,
  task: { source: "", def: "gemm", sizes: { M, N, K } },
  adapter: "llvmpipe",
  default: byDefault,
  wishes: [],
  paths: names.map((name) => `kernels/C/${name}`),
  values,
  points: recorded.cfgs.map((config, n) => ({
    at: names.map((name, k) => values[k]?.indexOf(config[name] ?? 0) ?? -1),
    us: median(recorded.T[at]?.[n] ?? []) / 1_000,
    kernels: {},
    firstMs: 0,
    statements: 1,
    estimateUs: null,
  })),
}));

/** Microseconds of the best point. */
export function bestUs({ points }: Landscape): number {
  return Math.min(...points.map((p) => p.us ?? Number.POSITIVE_INFINITY));
}
