/**
 * Launches dispatches one after the other, long ones in slices of workgroups, such that no launch takes long: drivers take
 * a device for hung that works on one for seconds, and nothing ends a launch but giving up the device.
 */

import {
  mostMs,
  type SliceSize,
  sizeAfterSlice,
  sizeByTime,
  type Timed,
  wantedMs,
} from "./slice-sizes.ts";

/** Whole dispatches of a launch while nobody knows how long they take. */
const untimed = 16;

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
 * @param sizes by kernel: begin with `firstSlice` for one that may take long; what is found out is kept in it. Dispatches of
 *   kernels that are not in it go out whole until they are seen to take long.
 * @param mostGroups of one launch.
 * @param launch waits until the device is done, and gives the milliseconds that it took.
 */
export async function launchInSlices<D extends Launchable>(
  dispatches: readonly D[],
  sizes: Map<number, SliceSize>,
  mostGroups: number,
  launch: (parts: readonly Part<D>[]) => Promise<number>,
): Promise<void> {
  let [whole, wholeMs]: [D[], number] = [[], 0];
  const launchWhole = async (): Promise<void> => {
    const together = whole;
    [whole, wholeMs] = [[], 0];
    if (together.length === 0) return;
    const ms = await launch(together.map((dispatch) => ({ dispatch, slice: null })));
    const counts = groupsByKernel(together);
    for (const [kernel, count] of counts) {
      const known = sizes.get(kernel);
      const found = sizeAfterWhole(known, { count, ms }, counts.size === 1);
      if (found !== undefined) sizes.set(kernel, found);
    }
  };
  for (const dispatch of dispatches) {
    const { kernel, groups } = dispatch;
    const known = sizes.get(kernel ?? -1);
    if (kernel === null || known === undefined || groups <= known.size) {
      const expectedMs = known === undefined ? 0 : wholeMsOf(known, groups);
      if (whole.length === untimed || wholeMs + expectedMs > wantedMs) await launchWhole();
      whole.push(dispatch);
      wholeMs += expectedMs;
      continue;
    }
    await launchWhole();
    let size = sizes.get(kernel) ?? known;
    for (let from = 0; from < groups; ) {
      const count = Math.min(size.size, groups - from, mostGroups);
      const ms = await launch([{ dispatch, slice: { from, count } }]);
      size = sizeAfterSlice(size, { count, ms });
      sizes.set(kernel, size);
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

/** How long a dispatch that goes out whole may take. */
function wholeMsOf({ size, together }: SliceSize, groups: number): number {
  return Math.max((wantedMs * groups) / size, groups <= together.count ? together.ms : 0);
}

/** What is known of a kernel after a launch of whole dispatches: of others, too, unless it was launched `alone`. */
function sizeAfterWhole(
  known: SliceSize | undefined,
  now: Timed,
  alone: boolean,
): SliceSize | undefined {
  // As if the others had taken no time.
  const size = sizeByTime(now);
  if (known === undefined) return now.ms > mostMs ? { size, together: now } : undefined;
  if (size > known.size) return { ...known, size };
  if (now.ms <= mostMs) return known;
  if (alone) return sizeAfterSlice(known, now);
  return { ...known, size: Math.max(known.together.count, size) };
}
