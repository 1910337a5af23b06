/**
 * How many workgroups of a kernel go into a launch, by how long those before took. A device executes some side by side: as
 * long as twice as many take about as long, fewer are no faster, and more of them are tried. Beyond that, time is in
 * proportion to workgroups.
 */

/** What is asked of a device in one submission takes about so long at most, in milliseconds. */
export const mostMs = 100;
/** So long shall slices take: half, since workgroups may have more to do than those before. */
export const wantedMs: number = mostMs / 2;
/**
 * So long they may take where fewer workgroups take as long: a third of the 2 seconds after which the first drivers give a
 * device up. A single workgroup takes as long as it takes.
 */
const mostTogetherMs = 650;
/**
 * A slice has at most so many times the workgroups of the one before. Where workgroups have ever more to do, as in
 * triangles, it has up to four times the work then: within 100 ms, after one of 25.
 */
const mostGrowth = 2;
/** By so much more workgroups in a time, of those in a larger launch, some of them ran side by side. */
const faster: number = 4 / 3;

/** So many workgroups of a kernel, in one launch, took so long. */
export interface Timed {
  readonly count: number;
  readonly ms: number;
}

/** What is known of a kernel. */
export interface SliceSize {
  /** Workgroups of the next slice. */
  readonly size: number;
  /** The most that are known to run side by side, or in no time: slices of fewer gain nothing. */
  readonly together: Timed;
}

/** Of a kernel that may take long, before anything of it was launched. */
export const firstSlice: SliceSize = {
  size: 1,
  together: { count: 0, ms: Number.POSITIVE_INFINITY },
};

/** What is known after a launch of workgroups of the kernel, and of no other. */
export function sizeAfterSlice({ size, together }: SliceSize, now: Timed): SliceSize {
  const { count, ms } = now;
  // What is left in the end tells little: its time is the way to the device and back, or that of a single workgroup.
  if (count < size && ms <= Math.max(wantedMs, 1.5 * together.ms)) return { size, together };
  const byTime = sizeByTime(now);
  if (ms <= wantedMs / 2) return { size: byTime, together: now };
  if (count > together.count && isFaster(now, together)) return { size: wider(now), together: now };
  // Fewer were launched to see whether they take less.
  if (count === size && mostGrowth * count <= together.count) {
    if (together.ms < 1.5 * ms) return { size: wider(together), together };
    return { size: isFaster(together, now) ? wider(now) : byTime, together: now };
  }
  // They have more to do than those that ran side by side, or no longer do.
  if (count === together.count && ms > 2 * together.ms) {
    return { size: Math.max(1, Math.floor(count / 2)), together: now };
  }
  return { size: Math.max(together.count, byTime), together };
}

/** How many workgroups may be launched after some, as if time were in proportion to them. */
export function sizeByTime({ count, ms }: Timed): number {
  return Math.max(1, Math.min(Math.floor((count * wantedMs) / ms), mostGrowth * count));
}

/** More workgroups, where that does not take too long even if they run one after the other; else as many. */
function wider({ count, ms }: Timed): number {
  return mostGrowth * ms <= mostTogetherMs ? mostGrowth * count : count;
}

/** Whether workgroups of a launch took much less time each than those of another. */
function isFaster(one: Timed, other: Timed): boolean {
  return one.count * other.ms >= faster * other.count * one.ms;
}
