/**
 * Launches dispatches one after the other, long ones in slices of workgroups, such that no launch takes long: drivers take
 * a device for hung that works on one for seconds, and nothing ends a launch but giving up the device.
 */

/** What is asked of a device in one submission takes about so long at most, in milliseconds. */
const mostMs = 100;
/** So long shall slices take: half, since workgroups may have more to do than those before. */
const wantedMs = mostMs / 2;
/** Whole dispatches of a launch while nobody knows how long they take. */
const untimed = 16;
/**
 * A slice has at most so many times the workgroups of the one before. Where workgroups have ever more to do, as in
 * triangles, it has up to four times the work then: within 100 ms, after one of 25.
 */
const mostGrowth = 2;

/** The size of slices where there are none. */
const unknown = Number.POSITIVE_INFINITY;

/** A dispatch that may be divided. */
export interface Launchable {
  /** The number of its kernel; null where it is none. */
  readonly kernel: number | null;
  /** Workgroups; 0 where it is not divided. */
  readonly groups: number;
}

/** Consecutive workgroups of a dispatch. */
export interface Slice {
  readonly from: number;
  readonly count: number;
}

/** All of a dispatch, or a slice of it. */
export interface Part<D extends Launchable> {
  readonly dispatch: D;
  readonly slice: Slice | null;
}

/**
 * Launches all dispatches in their order. A launch is several whole dispatches, or one slice.
 *
 * @param sizes workgroups of a slice by kernel: begin with 1 for one that may take long; what is found out is kept in it.
 *   Those of kernels that are not in it go out whole until they are seen to take long.
 * @param mostGroups of one launch.
 * @param launch waits until the device is done, and gives the milliseconds that it took.
 */
export async function launchInSlices<D extends Launchable>(
  dispatches: readonly D[],
  sizes: Map<number, number>,
  mostGroups: number,
  launch: (parts: readonly Part<D>[]) => Promise<number>,
): Promise<void> {
  let [whole, wholeMs]: [D[], number] = [[], 0];
  const launchWhole = async (): Promise<void> => {
    const together = whole;
    [whole, wholeMs] = [[], 0];
    if (together.length === 0) return;
    const ms = await launch(together.map((dispatch) => ({ dispatch, slice: null })));
    for (const [kernel, count] of groupsByKernel(together)) {
      // As if the others had taken no time.
      const found = sizeAfter(count, ms);
      if (ms > mostMs || found > (sizes.get(kernel) ?? unknown)) sizes.set(kernel, found);
    }
  };
  for (const dispatch of dispatches) {
    const { kernel, groups } = dispatch;
    const sizeNow = (): number => sizes.get(kernel ?? -1) ?? unknown;
    const expectedMs = (wantedMs * groups) / sizeNow();
    if (expectedMs <= wantedMs) {
      if (whole.length === untimed || wholeMs + expectedMs > wantedMs) await launchWhole();
      whole.push(dispatch);
      wholeMs += expectedMs;
      continue;
    }
    await launchWhole();
    for (let from = 0; from < groups; ) {
      const count = Math.min(sizeNow(), groups - from, mostGroups);
      const ms = await launch([{ dispatch, slice: { from, count } }]);
      if (kernel !== null) sizes.set(kernel, nextSize(sizeNow(), count, ms));
      from += count;
    }
  }
  await launchWhole();
}

function groupsByKernel(dispatches: readonly Launchable[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const { kernel, groups } of dispatches) {
    if (kernel !== null) found.set(kernel, groups + (found.get(kernel) ?? 0));
  }
  return found;
}

/** The workgroups of the next slice, after `count` took so long, of `size` that were wanted. */
function nextSize(size: number, count: number, ms: number): number {
  // What is left in the end tells little: its time is the way to the device and back.
  return count < size && ms <= wantedMs ? size : sizeAfter(count, ms);
}

/** How many workgroups may be launched after so many that took so long. */
function sizeAfter(count: number, ms: number): number {
  return Math.max(1, Math.min(Math.floor((count * wantedMs) / ms), mostGrowth * count));
}
