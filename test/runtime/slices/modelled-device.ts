/** A device that executes so many workgroups side by side: how long dispatches take on it, whole and in slices. */
import type { Launch } from "../../../src/runtime/slices/create-slicer.ts";
import { launchInSlices } from "../../../src/runtime/slices/launch-in-slices.ts";
import type { SliceSize } from "../../../src/runtime/slices/slice-sizes.ts";

export interface ModelledDevice {
  /** Of a workgroup. */
  readonly ms: number;
  /** Workgroups at once. */
  readonly cores: number;
}

/** The way to the device and back. */
const overheadMs = 1;

/** Devices, and workgroups of a dispatch. */
export const cases: readonly (ModelledDevice & { readonly groups: number })[] = [
  1, 24, 26, 60, 300,
].flatMap((ms) =>
  [64, 256, 10_000].flatMap((groups) => [1, 8, 60, 64].map((cores) => ({ ms, groups, cores }))),
);

/** How long a launch of so many workgroups takes. */
export function wholeMsOn({ ms, cores }: ModelledDevice, groups: number): number {
  return overheadMs + ms * Math.ceil(groups / cores);
}

/** What no launch takes longer than. */
export function mostMsOf(device: ModelledDevice): number {
  return Math.max(650, wholeMsOn(device, 1));
}

/** What is launched of a dispatch. */
export async function launchesOn(
  device: ModelledDevice,
  groups: number,
  sizes: Map<number, SliceSize>,
): Promise<readonly Launch[]> {
  const launches: Launch[] = [];
  await launchInSlices([{ kernel: 0, groups }], sizes, 65_535, async ([part]) => {
    const count = part?.slice?.count ?? null;
    const ms = wholeMsOn(device, count ?? groups);
    launches.push({ kernels: ["k"], sliceOf: count === null ? null : 0, groups: count, ms });
    return ms;
  });
  return launches;
}
