/**
 * Purpose: the plainest schedule there is: the whole program in one invocation of one kernel.
 *
 * Ensures: legal for every program; the order is the program's. What is compared with it has only
 * its own mapping to blame.
 */

import type { DeviceProfile } from "../../support/device-profile.ts";
import { decider, defaultOptions } from "../decisions.ts";
import type { Program } from "../program.ts";
import { mapGroup, plainShape } from "./map-group.ts";
import type { Mapped } from "./map-program.ts";
import { rewriteProgram } from "./rewrite-program.ts";

/** Maps a program to one invocation; only what needs staging is rewritten. */
export function mapSequential(program: Program, profile: DeviceProfile): Mapped {
  const plain = decider(defaultOptions, (d) => d.values[0] ?? d.default);
  const { program: staged, folds } = rewriteProgram(program, profile, plain);
  const root = mapGroup(staged, staged.tree, [], plainShape([], 1), "sequential");
  return { program: staged, schedule: { root, places: folds } };
}
