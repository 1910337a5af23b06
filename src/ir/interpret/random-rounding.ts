/**
 * Monte Carlo arithmetic: results of float operations are rounded up or down at random, up with the
 * probability that makes the rounding unbiased, so that several executions spread as far as rounding
 * moves the results (Parker 1997, "Monte Carlo Arithmetic"; the rounding is what is also called
 * stochastic). What the format holds exactly stays as it is.
 */
import { leastNormalHalf, roundToHalf } from "../../support/half.ts";

/** The roundings of one execution: they draw from one sequence. */
export interface RandomRounding {
  readonly float32: (x: number) => number;
  readonly float16: (x: number) => number;
  /** Moves a value by less than `error` either way, as a function of a device may be off. */
  readonly moved: (x: number, error: number) => number;
}

/** A float64 has so many fraction bits more than a float32. */
const spareBits = 29;

/** The place of the low half of a float64 among its two words: 1.0 has no bits there. */
const low = new Uint32Array(Float64Array.of(1).buffer)[0] === 0 ? 0 : 1;

/** Numbers in 0..2³² by xorshift (Marsaglia 2003); the state is never 0. */
function words(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** The roundings that a seed gives: the same ones on every machine. */
export function randomRounding(seed: number): RandomRounding {
  const word = words(seed);
  const value = new Float64Array(1);
  const halves = new Uint32Array(value.buffer);
  const fraction = (): number => word() / 2 ** 32;
  return {
    float32: (x) => {
      if (Math.fround(x) === x || Number.isNaN(x)) return x;
      // Random bits are added to those that float32 lacks, which are then cut off.
      value[0] = x;
      const sum = (halves[low] as number) + (word() >>> (32 - spareBits));
      if (sum > 0xffffffff) halves[1 - low] = (halves[1 - low] as number) + 1;
      halves[low] = sum & -(2 ** spareBits);
      return Math.fround(value[0]);
    },
    float16: (x) => {
      const nearest = roundToHalf(x);
      if (nearest === x || !Number.isFinite(nearest)) return nearest;
      const size = Math.max(Math.abs(x), leastNormalHalf);
      const step = 2 ** (Math.floor(Math.log2(size)) - 10);
      return roundToHalf(step * Math.floor(x / step + fraction()));
    },
    moved: (x, error) => (error < Infinity ? x + (2 * fraction() - 1) * error : x),
  };
}
