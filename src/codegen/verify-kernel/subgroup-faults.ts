import type { Limits } from "../../support/device-profile.ts";
import type { Kernel } from "../kernel.ts";

/** What a kernel that depends on the size of subgroups asks of a device that it does not have. */
export function subgroupFaults(
  { subgroupSize, workgroupSize }: Kernel,
  { features, subgroups }: Limits,
): readonly string[] {
  if (subgroupSize === undefined) return [];
  if (!features.subgroups || subgroups === null) return ["no subgroups on this device"];
  const faults: string[] = [];
  const { min, max } = subgroups;
  if (min !== subgroupSize || max !== subgroupSize) {
    faults.push(`subgroups of ${subgroupSize}, on this device of ${min} to ${max}`);
  }
  if (workgroupSize % subgroupSize !== 0) {
    faults.push(`workgroup size ${workgroupSize} is no multiple of ${subgroupSize}`);
  }
  return faults;
}
