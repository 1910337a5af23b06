import { asksForWidth, type Limits, subgroupLanes } from "../../support/device-profile.ts";
import type { Kernel } from "../kernel.ts";

/** What a kernel that depends on the size of subgroups asks of a device that it does not have. */
export function subgroupFaults(
  { subgroupSize, workgroupSize, ...kernel }: Kernel,
  limits: Limits,
): readonly string[] {
  const asksForSize = kernel.asksForSize === true;
  if (subgroupSize === undefined) return asksForSize ? ["asks for subgroups of no size"] : [];
  const { features, subgroups } = limits;
  if (!features.subgroups || subgroups === null) return ["no subgroups on this device"];
  const faults: string[] = [];
  const { min, max } = subgroups;
  const isPower = Number.isInteger(Math.log2(subgroupSize));
  const mayAsk = isPower && min <= subgroupSize && subgroupSize <= max;
  const isKnown = subgroupSize === subgroupLanes(limits) && asksForSize === asksForWidth(limits);
  if (!isKnown || (asksForSize && !mayAsk)) {
    const how = asksForSize ? "asks for subgroups" : "subgroups";
    faults.push(`${how} of ${subgroupSize}, on this device of ${min} to ${max}`);
  }
  if (workgroupSize % subgroupSize !== 0) {
    faults.push(`workgroup size ${workgroupSize} is no multiple of ${subgroupSize}`);
  }
  return faults;
}
