/** A device with matrix units that no device has: small ones, so that small definitions fit them. */
import {
  baselineProfile,
  type DeviceProfile,
  type MatrixUnit,
} from "../../src/support/device-profile.ts";
import { askingFor } from "./asking-profile.ts";

/** A unit of the given extents for sums of float32. */
export function unitOf(
  component: MatrixUnit["component"],
  rows: number,
  columns: number,
  depth: number,
): MatrixUnit {
  return { component, result: "float32", rows, columns, depth };
}

/** Subgroups of so many lanes with these units, known to be faster than lanes. */
export function profileWithUnits(
  lanes: number,
  ...matrixUnits: readonly MatrixUnit[]
): DeviceProfile {
  return {
    ...baselineProfile,
    name: `matrix units ${lanes}`,
    lanes,
    cores: 2,
    subgroups: { min: lanes, max: lanes },
    features: { immediates: false, subgroups: true, float16: true },
    matrixUnits,
    costs: { ...baselineProfile.costs, product: baselineProfile.costs.fma / 8 },
  };
}

/** Rows, columns and depth differ, so that no two can be mixed up. */
const smallUnits: readonly MatrixUnit[] = [
  unitOf("float32", 4, 2, 3),
  unitOf("float32", 2, 2, 2),
  unitOf("float16", 2, 4, 3),
  unitOf("float16", 4, 2, 2),
];

/** Subgroups of 4 with those units. */
export const matrixProfile: DeviceProfile = profileWithUnits(4, ...smallUnits);

/** Kernels ask for subgroups of so many lanes, with the same units. */
export function matrixProfileAsking(lanes: number): DeviceProfile {
  return askingFor(lanes, profileWithUnits(lanes, ...smallUnits));
}
