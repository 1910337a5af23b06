/** How many workgroups of a kernel a core holds at once, and what keeps it from holding more. */
import type { DeviceFigures } from "../../support/device-families.ts";

/** What a workgroup takes. */
export interface WorkgroupNeeds {
  /** Invocations. */
  readonly size: number;
  /** Registers of each. */
  readonly registers: number;
  /** Of workgroup memory. */
  readonly bytes: number;
}

/** What a core holds. */
export interface Occupancy {
  readonly workgroups: number;
  /** Invocations of them, with those of subgroups that are not full. */
  readonly lanes: number;
  readonly limit: "registers" | "workgroup memory" | "lanes" | "workgroups";
}

/** Registers are given to subgroups in steps of so many for each lane. */
const registerStep = 8;

/** Those that a driver needs beside live values: addresses, and what it keeps in flight. */
export const registerOverhead = 8;

/** The workgroups on a core; at least one, since drivers spill registers rather than refuse. */
export function occupancyOf(needs: WorkgroupNeeds, device: DeviceFigures): Occupancy {
  const lanes = Math.ceil(needs.size / device.width) * device.width;
  const registers = Math.ceil((needs.registers + registerOverhead) / registerStep) * registerStep;
  const limits = [
    ["registers", Math.floor(device.registersPerCore / (registers * lanes))],
    ["workgroup memory", Math.floor(device.workgroupMemoryPerCore / Math.max(1, needs.bytes))],
    ["lanes", Math.floor(device.lanesPerCore / lanes)],
    ["workgroups", device.workgroupsPerCore],
  ] as const;
  const [limit, least] = limits.reduce((a, b) => (b[1] < a[1] ? b : a));
  const workgroups = Math.max(1, least);
  return { workgroups, lanes: workgroups * lanes, limit };
}
