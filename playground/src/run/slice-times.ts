/** How long a run in slices took. */
import type { Launch } from "../../../src/load.ts";
import type { SlicedTime } from "../worker-protocol.ts";

/** A dispatch that takes so many milliseconds is never launched whole: the time is measured by executing it again and again. */
const mostWholeMs = 500;

/** Whether some dispatch takes so long that it should not be launched whole. */
export function isHeldUp(launches: readonly Launch[]): boolean {
  const divided = [...new Set(launches.map(({ sliceOf }) => sliceOf))].filter((n) => n !== null);
  return (
    launches.some(({ sliceOf, ms }) => sliceOf === null && ms > mostWholeMs) ||
    divided.some((n) => wholeMs(launches.filter(({ sliceOf }) => sliceOf === n)) > mostWholeMs)
  );
}

/**
 * How many milliseconds a dispatch would take whole. The first slices, each of twice the workgroups before it, and what is
 * left in the end may leave most of the device idle: they count as much as their workgroups take in larger slices.
 */
function wholeMs(slices: readonly Launch[]): number {
  const groupsOf = (n: number): number => slices[n]?.groups ?? 0;
  const least = slices.findIndex((_, n) => groupsOf(n + 1) < 2 * groupsOf(n));
  const last = slices.length - 1;
  return sumOf(
    slices.map(({ ms }, n) => {
      const like = n < least ? least : n === last && groupsOf(n - 1) > groupsOf(n) ? n - 1 : n;
      return Math.min(ms, ((slices[like]?.ms ?? ms) * groupsOf(n)) / groupsOf(like));
    }),
  );
}

/** The times of one execution: of all of it, and of the kernels that shared no launch with others. */
export function sliceTimes(launches: readonly Launch[]): SlicedTime {
  const mixed = new Set(launches.flatMap(({ kernels }) => (kernels.length > 1 ? kernels : [])));
  const kernels = [...new Set(launches.flatMap(({ kernels }) => kernels))].flatMap((kernel) => {
    const own = launches.filter(({ kernels: [first] }) => first === kernel);
    return mixed.has(kernel) ? [] : [{ kernel, us: usOf(own), launches: own.length }];
  });
  return { whole: { us: usOf(launches) }, kernels, launches: launches.length };
}

function usOf(launches: readonly Launch[]): number {
  return 1000 * sumOf(launches.map(({ ms }) => ms));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
