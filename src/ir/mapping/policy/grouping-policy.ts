/** Which nodes of a program we prefer in one kernel, and where we prefer its loops. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { eachStatementId, type Program, type ProgramNode } from "../../program.ts";
import type { Axis } from "../group/axes.ts";
import { hostOf, type Run, statementsIn } from "../group/group.ts";
import type { Subject } from "../structure/question.ts";
import { gathersInTile } from "./blocks-defaults.ts";
import { costApart, costOfGroup } from "./cost-fusion.ts";

/** What a run costs as one kernel. */
function costTogether(
  program: Program,
  run: Run,
  axes: readonly Axis[],
  profile: DeviceProfile,
): number {
  const group = { statements: statementsIn(program, run.nodes), axes };
  return costOfGroup(program, group, hostOf(run), profile);
}

/** What one node costs on its own, a loop inside of one kernel or on the host. */
function costAlone(
  program: Program,
  { host }: Run,
  node: ProgramNode,
  axes: () => readonly Axis[] | null,
  profile: DeviceProfile,
): number {
  const run = { nodes: [node], host };
  const apart = costApart(program, [node], hostOf(run), profile);
  if (node.kind === "statement") return apart;
  const own = axes();
  return own === null ? apart : Math.min(apart, costTogether(program, run, own, profile));
}

/** Whether a node runs in the kernel of those before it, where that costs no more. */
export function prefersWith(
  program: Program,
  { before, axes, next, shared, alone }: Extract<Subject, { family: "with" }>,
  profile: DeviceProfile,
): boolean {
  const longer = { ...before, nodes: [...before.nodes, next] };
  const apart =
    costTogether(program, before, axes, profile) + costAlone(program, before, next, alone, profile);
  const together = costTogether(program, longer, shared, profile);
  return together <= apart && !gathersInTile(shared, statementsIn(program, longer.nodes));
}

/** Whether a loop of the program runs inside of a kernel, where that costs no more than a dispatch for each step. */
export function prefersInside(
  program: Program,
  { run, axes }: Extract<Subject, { family: "loop" }>,
  profile: DeviceProfile,
): boolean {
  const apart = costApart(program, run.nodes, hostOf(run), profile);
  return axes !== null && costTogether(program, run, axes, profile) <= apart;
}

/** Whether a loop has several statements, which are apart where it runs on the host. */
export function hasSeveral({ run }: Extract<Subject, { family: "loop" }>): boolean {
  return eachStatementId(run.nodes).length > 1;
}
