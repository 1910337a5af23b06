/**
 * Purpose: asks whether workgroups whose tiles lie wholly inside of the domain run a text of their own,
 * without guards.
 *
 * Requires: a legal kernel, finished but for this. Ensures: it stays legal. Where all tiles are full, or
 * none is, or where it has more statements already than the profile wants, nothing is asked.
 */
import type { DeviceProfile } from "../../support/device-profile.ts";
import type { Decider } from "../decisions.ts";
import type { Program } from "../program.ts";
import { type Band, eachLeaf, type LeafContext, type Loop } from "../schedule.ts";
import { fullTilesOf, markFullTiles } from "../scheduling/mark-full-tiles.ts";

/** What the answer depends on. */
export interface FullTilesQuestion {
  readonly program: Program;
  readonly kernel: Band;
  /** The loops around the kernel. */
  readonly host: readonly Loop[];
  readonly profile: DeviceProfile;
  readonly decider: Decider;
  readonly prefix: string;
}

/** How often a leaf is written, vectors once. */
function copiesOf({ loops }: LeafContext): number {
  return loops.reduce((product, l) => (l.on === "unroll" ? product * l.extent : product), 1);
}

/** The kernel, with its full tiles marked where the answer is yes. */
export function mapFullTiles(question: FullTilesQuestion): Band {
  const { program, kernel, host, profile, decider, prefix } = question;
  const tiles = fullTilesOf(program, kernel, host);
  const written = eachLeaf(kernel).reduce((sum, leaf) => sum + copiesOf(leaf), 0);
  if (tiles.size === 0 || written > profile.costs.unrollStatements) return kernel;
  const isWished = decider.decide(`${prefix}.full`, [false, true], false);
  return isWished ? markFullTiles(kernel, tiles) : kernel;
}
