/** The tiles of GPUs' kernels: many invocations hide latency, points of each use loads again. */
import type { Statement } from "../../program.ts";
import type { Axis } from "../group/axes.ts";
import type { Tiles } from "../group/axis-tile.ts";
import { tilesWith } from "./fit-tiles.ts";
import { secondAxis } from "./register-tile.ts";
import { turnedAxis } from "./staging-defaults.ts";

/** A GPU hides latency with many invocations; a register tile where loads are used many times. */
export function tilesOfGpu(axes: readonly Axis[], statements: readonly Statement[]): Tiles {
  const last = axes.length - 1;
  const second = secondAxis(axes, statements);
  if (second !== undefined) {
    const tile = { workgroup: 16, thread: 4 };
    return tilesWith(
      axes,
      new Map([
        [last, tile],
        [second, tile],
      ]),
    );
  }
  // A square that is read along its rows and written along its columns.
  const turned = turnedAxis(statements, axes, last);
  if (turned !== undefined) {
    const tiles = new Map([[last, { workgroup: 32, thread: 1 }]]);
    return tilesWith(axes, tiles.set(turned, { workgroup: 8, thread: 4 }));
  }
  return tilesWith(axes, new Map([[last, { workgroup: 64, thread: 1 }]]));
}
