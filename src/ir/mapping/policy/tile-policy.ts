/** The tiles of a group's axes, for a device. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import type { Statement } from "../../program.ts";
import type { Axis } from "../group/axes.ts";
import type { Tiles } from "../group/axis-tile.ts";
import { tilesOfCpu } from "./cpu-tiles.ts";
import { fitTiles } from "./fit-tiles.ts";
import { tilesOfGpu } from "./gpu-tiles.ts";

/** The tiles of a group's axes. */
export function preferredTiles(
  axes: readonly Axis[],
  statements: readonly Statement[],
  profile: DeviceProfile,
): Tiles {
  const wished =
    profile.class === "gpu" ? tilesOfGpu(axes, statements) : tilesOfCpu(axes, statements, profile);
  return fitTiles(wished, axes, profile);
}
