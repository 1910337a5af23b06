import type { Ceilings } from "../../../src/runtime.ts";
import type { KernelWork } from "../compile/compile-source.ts";

/** Something that was measured, and what it had to do. */
export interface Measured {
  readonly name: string;
  readonly us: number;
  readonly work: KernelWork;
  /** What was chosen for it, in lines. */
  readonly choices: readonly string[];
  /** A kernel of a run, or a whole program under a mapping. */
  readonly kind: "kernel" | "mapping";
}

/** A place on the axes: shares of the width and the height, from the lower left. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** Where measured things lie below the roof. */
export interface RooflineShape {
  readonly roof: readonly Place[];
  readonly points: readonly (Measured & Place)[];
  /** Operations for each byte at the left end, and at the right one. */
  readonly intensity: readonly [number, number];
  /** Operations a second at the bottom, and at the top. */
  readonly rate: readonly [number, number];
}

/** Microseconds that work takes at the ceilings of a device. */
export function roofUs({ bytes, operations }: KernelWork, most: Ceilings): number {
  return Math.max(bytes / most.gigabytes, operations / most.gflops) / 1000;
}

/**
 * The roofline of Williams, Waterman and Patterson (2009): no kernel computes faster than the device does, nor than memory
 * feeds it. Null where nothing that was measured computes with floats.
 */
export function rooflineOf(most: Ceilings, measured: readonly Measured[]): RooflineShape | null {
  const shown = measured.flatMap((one) => {
    const { us, work } = one;
    if (work.operations === 0 || work.bytes === 0 || us <= 0) return [];
    return [{ one, intensity: work.operations / work.bytes, rate: work.operations / (us * 1e-6) }];
  });
  if (shown.length === 0) return null;
  const operations = 1e9 * most.gflops;
  const bytes = 1e9 * most.gigabytes;
  const ridge = operations / bytes;
  const intensities = [...shown.map((s) => s.intensity), ridge];
  const rates = [...shown.map((s) => s.rate), operations];
  const [left, right] = [Math.min(...intensities) / 4, Math.max(...intensities) * 4];
  const [bottom, top] = [Math.min(...rates) / 4, Math.max(...rates) * 2];
  const along = (value: number, from: number, to: number): number =>
    Math.min(1, Math.max(0, Math.log(value / from) / Math.log(to / from)));
  const place = (intensity: number, rate: number): Place => ({
    x: along(intensity, left, right),
    y: along(rate, bottom, top),
  });
  // The slope enters at the left side, or at the bottom.
  const first = Math.max(left, bottom / bytes);
  return {
    roof: [place(first, first * bytes), place(ridge, operations), place(right, operations)],
    points: shown.map(({ one, intensity, rate }) => ({ ...one, ...place(intensity, rate) })),
    intensity: [left, right],
    rate: [bottom, top],
  };
}
