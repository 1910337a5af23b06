/** Which nested loops run in wavefronts when nobody chose. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import type { SkewCandidate } from "../../algebraic/skew-loops.ts";
import { type Program, statementOf } from "../../program.ts";
import { elementsBeside } from "./loop-defaults.ts";
import { largestTeam } from "./team-defaults.ts";

/** The narrowest wavefronts that are worth their barriers. */
const narrowestFront = 16;

/** Invocations of a workgroup whose tables are their own. */
const tablesOfWorkgroup = 64;

/** The part of a team's lanes that are in the table, over all fronts. */
function shareInTable({ width, fronts }: SkewCandidate): number {
  const lanes = Math.min(largestTeam, 2 ** Math.ceil(Math.log2(width)));
  const inFronts = fronts * lanes * Math.ceil(width / lanes);
  return (width * (fronts - width + 1)) / inFronts;
}

/**
 * Nested loops run in wavefronts on a GPU where invocations with tables of their own would leave cores idle: neighbours
 * in a front read neighbours, those with tables apart a sector of memory for each element. By estimates 64 tables of 256
 * letters take 0.06 to 0.14 of the time on all families, and as long with a table for each lane of a front.
 */
export function prefersSkew(
  program: Program,
  { statement, ...table }: SkewCandidate,
  profile: DeviceProfile,
): boolean {
  if (profile.class !== "gpu" || table.width < narrowestFront) return false;
  const tables = elementsBeside(statementOf(program, statement));
  return tables < tablesOfWorkgroup * profile.cores * shareInTable({ statement, ...table });
}
