/**
 * The verifier of kernel IR.
 *
 * Requires: nothing. Ensures: a kernel without faults prints as WGSL that Tint accepts on a device
 * with the device's limits, and the interpreter can execute it. Bounds of accesses and races depend
 * on values; the interpreter finds those.
 */
import type { Limits } from "../../support/device-profile.ts";
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
export function verifyKernel(kernel: Kernel, limits: Limits): readonly string[] {
  const faults = [
    ...arrayFaults(kernel),
    ...limitFaults(kernel, limits.limits),
    ...statementFaults(kernel),
    ...subgroupFaults(kernel, limits),
    ...matrixUnitFaults(kernel, limits),
    ...uniformityFaults(kernel),
  ];
  return faults.map((fault) => `${kernel.name}: ${fault}`);
}
