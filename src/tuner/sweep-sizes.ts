/**
 * Sizes at which a candidate is proved before its options are reused at others: 1, the tile and its neighbours, numbers
 * of tiles that are odd and even, with and without a rest, and primes.
 */
import type { Choice } from "../support/mapping-file.ts";
import type { Candidate } from "./candidate.ts";

/** At most so many problems: each is compiled. */
const mostProblems = 12;
/** No larger than this, so that the reference is cheap. */
const largest = 129;
/** Primes around the tiles that kernels have, and far from multiples of them. */
const primes = [37, 67, 5];

function numberOf(value: Choice | undefined): number {
  return typeof value === "number" && value > 0 ? value : 1;
}

/** The points of the tiles of a candidate's axes and of the steps of its reductions, the largest first. */
export function tilesOf({ knobs }: Pick<Candidate, "knobs">): readonly number[] {
  const products = new Map<string, number>();
  for (const { path, value } of knobs) {
    const [, axis, level] = /^(.*\/axes\/\d+)\/(workgroup|points|turns)/.exec(path) ?? [];
    if (axis !== undefined && level !== undefined) {
      products.set(axis, (products.get(axis) ?? 1) * numberOf(value));
    } else if (/^kernels\/.*\/(team|unroll|reduced\/\d+\/.*)$/.test(path)) {
      products.set(path, numberOf(value));
    }
  }
  const tiles = [...products.values()].filter((tile) => tile > 1 && 3 * tile < largest * 2);
  return [...new Set(tiles)].sort((a, b) => b - a);
}

/** What a size is given in turn: the awkward numbers around each tile, the most telling first. */
function awkward(tiles: readonly number[]): readonly number[] {
  const [tile = 8] = tiles;
  const around = [1, tile + 1, tile - 1, 3 * tile, 2 * tile, 3 * tile + 1, tile];
  const others = tiles.slice(1).flatMap((t) => [t + 1, 3 * t - 1]);
  const all = [...around, ...primes, ...others].map((n) => Math.max(1, Math.min(largest, n)));
  return [...new Set(all)].slice(0, mostProblems);
}

/**
 * The problems, at most twelve: each size goes through the awkward numbers, every other one backwards, so that pairs
 * of them differ.
 */
export function sweepSizes(
  candidate: Pick<Candidate, "knobs">,
  sizes: Readonly<Record<string, number>>,
): readonly Readonly<Record<string, number>>[] {
  const values = awkward(tilesOf(candidate));
  const { length } = values;
  const names = Object.keys(sizes);
  if (names.length === 0) return [];
  const at = (n: number, size: number): number => {
    const step = size % 2 === 0 ? n : length - n;
    return values[(step + 3 * size) % length] ?? 1;
  };
  return values.map((_, n) => Object.fromEntries(names.map((name, i) => [name, at(n, i)])));
}
