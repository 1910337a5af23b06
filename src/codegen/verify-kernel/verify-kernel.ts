/**
 * The verifier of kernel IR.
 *
 * Requires: nothing. Ensures: a kernel without faults prints as WGSL that Tint accepts on a device
 * with the profile's limits, and the interpreter can execute it. Bounds of accesses and races depend
 * on values; the interpreter finds those.
 */
import type { DeviceProfile } from "../../support/device-profile.ts";
import type { Kernel } from "../kernel.ts";
import { matrixUnitFaults } from "./fragment-faults.ts";
import { arrayFaults, limitFaults } from "./limit-faults.ts";
import { statementFaults } from "./statement-faults.ts";
import { subgroupFaults } from "./subgroup-faults.ts";
import { uniformityFaults } from "./uniformity.ts";

/**
 * What is wrong with a kernel, in words, each with the kernel's name and, for statements, a path as
 * in `mm: body[3].ko[1]: ...`; empty for a good kernel. Never throws.
 */
export function verifyKernel(kernel: Kernel, profile: DeviceProfile): readonly string[] {
  const faults = [
    ...arrayFaults(kernel),
    ...limitFaults(kernel, profile.limits),
    ...statementFaults(kernel),
    ...subgroupFaults(kernel, profile),
    ...matrixUnitFaults(kernel, profile),
    ...uniformityFaults(kernel),
  ];
  return faults.map((fault) => `${kernel.name}: ${fault}`);
}
