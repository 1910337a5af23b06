import { builtinOf, moduloIndex } from "../build.ts";
import type { KernelExpression } from "../kernel.ts";

/** The number of the invocation in its team, a block of consecutive ones of the workgroup. */
export function withinTeam(team: number, workgroupSize: number): KernelExpression {
  const local = builtinOf("local-index");
  return team === workgroupSize ? local : moduloIndex(local, team);
}
