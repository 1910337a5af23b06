/** How long a run in slices took. */
import type { Launch } from "../../../src/load.ts";
import type { SlicedTime } from "../worker-protocol.ts";

/** A dispatch that takes so many milliseconds is never launched whole: the time is measured by executing it again and again. */
const mostWholeMs = 500;

/** Whether some dispatch took so long that it should not be launched whole. */
export function isHeldUp(launches: readonly Launch[]): boolean {
  const sums = new Map<number, number>();
  for (const [n, { sliceOf, ms }] of launches.entries()) {
    const dispatch = sliceOf ?? -1 - n;
    sums.set(dispatch, ms + (sums.get(dispatch) ?? 0));
  }
  return [...sums.values()].some((ms) => ms > mostWholeMs);
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
  return 1000 * launches.reduce((sum, { ms }) => sum + ms, 0);
}
