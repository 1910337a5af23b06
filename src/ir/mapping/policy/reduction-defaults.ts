/**
 * The heuristics of reductions that nobody chose for: which scatters become some, and which reduced dims stand around
 * the others.
 */
import { type DeviceProfile, hasCheapLoops } from "../../../support/device-profile.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import type { GatherCandidate } from "../../algebraic/gather-terms.ts";

/** Terms that a gather may look at for each term that a scatter adds: at worst an indivisible update takes as long. */
const mostLooks = 4;

/**
 * Elements look for the terms that hit them where not most of these are none. With phases outside of all else what is left
 * is a convolution for the tiles of GPUs: by estimates 0.04 to 0.07 of the time of a scatter, which waits for each update.
 * On CPUs neighbours are stored together: on SwiftShader 0.26 of the time, and 0.45 with phases outside.
 */
export function preferredGather(
  { before, after }: GatherCandidate,
  { class: kind }: DeviceProfile,
): Choice {
  if (after > mostLooks * before) return "no";
  return kind === "gpu" ? "phases outside" : "phases inside";
}

/**
 * Whether the loop over reduced dim `r` should be the outermost, of reductions of these extents, whose
 * innermost loops are written out `unroll` times: where the innermost dim is written out as a whole and
 * this dim is not, a short loop in a longer one begins, and computes what it has in common, at every
 * iteration of that. Windows over channels on SwiftShader: 1.1 to 1.5 times as fast; on llvmpipe, where
 * iterations cost little, 0.8 to 1.1 times. Where a loop is left inside: nothing.
 */
export function prefersOutside(
  all: readonly (readonly number[])[],
  r: number,
  unroll: number,
  profile: DeviceProfile,
): boolean {
  if (profile.class !== "cpu" || hasCheapLoops(profile) || all.length === 0) return false;
  return all.every((extents) => {
    const innermost = extents.findLastIndex((n) => n > 1);
    const extent = extents[r] ?? 1;
    const inside = extents.slice(r + 1).reduce((product, n) => product * n, 1);
    const isWritten = r < innermost && (extents[innermost] ?? 1) <= unroll;
    const isLoop = extent > 1 && inside * extent > unroll;
    return isWritten && isLoop && extents.slice(0, r).some((n) => n > extent);
  });
}
