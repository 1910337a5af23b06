import { generateTc, type TcCase } from "./generate-tc.ts";

/** How many definitions every run of the tests draws; the front end refuses a few of them. */
export const ciCount = 210;

/** The definitions that every run of the tests tries. */
export function* ciCases(): Generator<TcCase> {
  for (let seed = 1; seed <= ciCount; seed++) yield generateTc(seed);
}
