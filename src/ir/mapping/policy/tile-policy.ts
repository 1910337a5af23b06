/** The tiles of a group's axes, for a device. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { boxVolume } from "../../domain.ts";
import type { Statement } from "../../program.ts";
import type { Axis } from "../group/axes.ts";
import type { Tiles } from "../group/axis-tile.ts";
import { readsAgainstGrain } from "./cost-grain.ts";
import { tilesOfCpu } from "./cpu-tiles.ts";
import { fitTiles, spreadOverCores, type TileFit } from "./fit-tiles.ts";
import { tilesOfGpu } from "./gpu-tiles.ts";
import { isTriangle } from "./product-defaults.ts";
import { hasRegisterTile } from "./register-tile.ts";
import { hasWindows } from "./window-defaults.ts";

/** The fewest invocations of a GPU's workgroup: whole subgroups on every device. */
const leastOfGpu = 64;

/** Six subgroups of 32, which hide how long a core of a GPU waits for what it loads. */
const leastLanes = 192;

/** Instances of a statement for each core of a GPU, from which every core should have a workgroup. */
const instancesOfCore = 64;

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
  const tiles = fitTiles(wished, axes, profile, fitOf(axes, statements, profile));
  // Each invocation that has a row to itself reads sectors of its own, which another core has as well. By estimates 64
  // rows of 16,384 steps take 0.25 of the time on Intel, half on NVIDIA.
  const isSpread =
    profile.class === "gpu" &&
    !hasRegisterTile(axes, statements) &&
    tiles.filter((t) => t.workgroup * t.thread > 1).length === 1 &&
    tiles.every((t) => t.thread === 1) &&
    statements.some(
      (s) => boxVolume(s.domain) >= instancesOfCore * profile.cores && readsAgainstGrain(s, axes),
    );
  return isSpread ? spreadOverCores(tiles, axes, profile) : tiles;
}
