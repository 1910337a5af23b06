import { asksForWidth, type Limits, subgroupLanes } from "../../support/device-profile.ts";
import type { Kernel } from "../kernel.ts";

/** What a kernel that depends on the size of subgroups asks of a device that it does not have. */
export function subgroupFaults(
  { subgroupSize, workgroupSize, asksForSize }: Kernel,
  limits: Limits,
): readonly string[] {
  if (subgroupSize === undefined) return asksForSize ? ["no subgroups to ask for"] : [];
  const { features, subgroups } = limits;
  if (!features.subgroups || subgroups === null) return ["no subgroups on this device"];
  const faults: string[] = [];
  const { min, max } = subgroups;
  const isKnown =
    subgroupSize === subgroupLanes(limits) && asksForWidth(limits) === (asksForSize ?? false);
  const isThere = min <= subgroupSize && subgroupSize <= max;
  // What is asked for has to be a power of two; Tint refuses others.
  if (!isKnown || !isThere || (asksForSize && Math.log2(subgroupSize) % 1 > 0)) {
    faults.push(`subgroups of ${subgroupSize}, on this device of ${min} to ${max}`);
  }
  if (workgroupSize % subgroupSize !== 0) {
    faults.push(`workgroup size ${workgroupSize} is no multiple of ${subgroupSize}`);
  }
  return faults;
}
