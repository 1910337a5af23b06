import { drawn } from "../support/sweep.ts";
import { generateTc, type TcCase } from "./generate-tc.ts";

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n + 1);
}

/** Programs with what is rare: some functions, results and casts of small integers, accesses behind `&&` and `||`. */
const rare: readonly number[] = [
  62, 68, 74, 77, 88, 94, 101, 113, 120, 134, 147, 152, 158, 199, 205, 216, 232, 233,
];

const all: readonly number[] = upTo(430);
const seeds = drawn([...upTo(50), ...rare], all);

/** How many definitions every run of the tests draws; the front end refuses a few of them. */
export const ciCount: number = seeds.length;

/** How many of the eight ways of mapping are tried with each of them. */
export const ciPlans: number = drawn(3, 4);

/** The definitions that every run of the tests tries. */
export function* ciCases(): Generator<TcCase> {
  for (const seed of seeds) yield generateTc(seed);
}

/** The definitions that a sweep tries. */
export function* sweepCases(): Generator<TcCase> {
  for (const seed of all) yield generateTc(seed);
}
