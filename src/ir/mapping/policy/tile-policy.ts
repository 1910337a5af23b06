/** The tiles of a group's axes, for a device. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import type { Statement } from "../../program.ts";
import type { Axis } from "../group/axes.ts";
import type { Tiles } from "../group/axis-tile.ts";
import { tilesOfCpu } from "./cpu-tiles.ts";
import { fitTiles, type TileFit } from "./fit-tiles.ts";
import { tilesOfGpu } from "./gpu-tiles.ts";
import { isTriangle } from "./product-defaults.ts";
import { hasRegisterTile } from "./register-tile.ts";
import { hasWindows } from "./window-defaults.ts";

/** The fewest invocations of a GPU's workgroup: whole subgroups on every device. */
const leastOfGpu = 64;

/** Six subgroups of 32, which hide how long a core of a GPU waits for what it loads. */
export const leastLanes = 192;

/**
 * How far tiles give way: on a CPU down to one vector of lanes, on a GPU products alone, and not those whose neighbours
 * share windows.
 */
function fitOf(
  axes: readonly Axis[],
  statements: readonly Statement[],
  { class: kind, lanes, cores }: DeviceProfile,
): TileFit {
  const fit = { workgroups: 2 * cores, lanesOfCore: 0, evenly: Infinity };
  if (kind === "cpu") return { ...fit, invocations: lanes };
  if (!hasRegisterTile(axes, statements)) return { ...fit, invocations: Infinity };
  // Rows of a temporary in workgroup memory begin in the same bank: a subgroup has two of them at most.
  const isAlone = new Set(statements.map((s) => s.write.tensor)).size === 1;
  const least = isAlone ? leastOfGpu : 2 * leastOfGpu;
  const invocations = hasWindows(axes, statements) ? Infinity : least;
  // What a triangle reads where it lies is used less by smaller workgroups.
  const evenly = statements.some(isTriangle) ? Infinity : invocations;
  return { invocations, workgroups: cores, lanesOfCore: leastLanes, evenly };
}

/** The tiles of a group's axes. */
export function preferredTiles(
  axes: readonly Axis[],
  statements: readonly Statement[],
  profile: DeviceProfile,
): Tiles {
  const wished =
    profile.class === "gpu" ? tilesOfGpu(axes, statements) : tilesOfCpu(axes, statements, profile);
  return fitTiles(wished, axes, profile, fitOf(axes, statements, profile));
}
