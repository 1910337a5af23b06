import { generateTc, type TcCase } from "./generate-tc.ts";

/** How many definitions every run of the tests draws; the front end refuses a few of them. */
export const ciCount = 430;

/** How many of the eight ways of mapping are tried with each of them. */
export const ciPlans = 4;

/** The definitions that every run of the tests tries. */
export function* ciCases(): Generator<TcCase> {
  for (let seed = 1; seed <= ciCount; seed++) yield generateTc(seed);
}
