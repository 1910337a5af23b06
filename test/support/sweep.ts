/**
 * How much is drawn at random: CI draws little of everything, `scripts/sweep` as much as is worth it before a release.
 * Both draw from the same seeds; what CI draws comes first.
 */
const isSweep = process.env["TC_SWEEP"] !== undefined;

/** `few` in CI, `all` in a sweep. */
export function drawn<T>(few: T, all: T): T {
  return isSweep ? all : few;
}

/**
 * Of a list, `few` in CI, others at each turn (0, 1, ...) until all have had theirs; in a sweep all of it, whichever turn
 * it is.
 */
export function someOf<T>(all: readonly T[], few: number, turn: number): readonly T[] {
  const first = (turn * few) % all.length;
  const isTaken = (_: T, n: number): boolean => (n - first + all.length) % all.length < few;
  return drawn(all.filter(isTaken), all);
}

/** Milliseconds that a test may take which draws: minutes in CI, on a machine that may be busy, and hours in a sweep. */
export const drawingTimeout: number = drawn(1_800_000, 14_400_000);
