/** How many steps of reductions are written out, where that is said by whole loops. */
import { isScatter, type Statement } from "../../program.ts";
import { innermostReduced, reducedExtents } from "./reduced-extents.ts";

/** The most points of a window that may be written out. */
const largestWindow = 32;

/** The longest innermost reduced loop that may be written out as a whole. */
export const longestWhole = 8;

/** The extents of the innermost reduced loops of some statements. */
export function innermostExtents(statements: readonly Statement[]): readonly number[] {
  return statements.flatMap((s) => {
    const extent = innermostReduced(s);
    return extent === null || isScatter(s) ? [] : [extent];
  });
}

/** The trips of a statement's innermost reduced loops together, of two or more, if they are few. */
export function windowLengths(s: Statement): readonly number[] {
  if (isScatter(s)) return [];
  const [innermost = 1, ...around] = reducedExtents(s)
    .filter((n) => n > 1)
    .toReversed();
  let trips = innermost;
  const lengths = around.map((extent) => {
    trips *= extent;
    return trips;
  });
  return lengths.filter((n) => n <= largestWindow);
}

/** `whole` for the innermost loop, `whole 2` for two, and so on. */
export function wholeLoops(count: number): string {
  return count === 1 ? "whole" : `whole ${count}`;
}

/** The steps that are written out: a number, or so many of the innermost loops of the longest reduction. */
export function writtenSteps(statements: readonly Statement[], unroll: number | string): number {
  if (typeof unroll === "number") return unroll;
  const count = unroll === wholeLoops(1) ? 1 : Number(unroll.split(" ")[1]);
  const lengths =
    count === 1
      ? innermostExtents(statements)
      : statements.map((s) => windowLengths(s)[count - 2] ?? 1);
  return Math.max(1, ...lengths);
}
