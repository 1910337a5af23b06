/**
 * Purpose: a program and the answers to its Decisions, to a program (rewritten) and its schedule.
 *
 * Ensures: the schedule is legal whatever the answers; an answer that is not legal is repaired and
 * reported by the decider. The default mapping is this with default answers; nothing downstream
 * can tell it from another.
 */

import { invariant } from "../../support/assert.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { listOf } from "../../support/list-of.ts";
import { stageWrites } from "../algebraic/stage-writes.ts";
import type { Decider } from "../decisions.ts";
import { type Dependence, dependences } from "../dependences/dependences.ts";
import {
  eachStatementId,
  isScatter,
  type Program,
  type ProgramNode,
  type Statement,
  statementOf,
} from "../program.ts";
import {
  band,
  eachLeaf,
  type Loop,
  type Schedule,
  type ScheduleNode,
  sequence,
} from "../schedule.ts";
import { type Axis, axesOf } from "./axes.ts";
import { gathersInTile } from "./blocks-defaults.ts";
import { costApart, costOfGroup } from "./cost-fusion.ts";
import { countBuffers, unboundBy } from "./count-buffers.ts";
import { mapPlainly } from "./map-group.ts";
import { mapKernel } from "./map-kernel.ts";
import { programLoop } from "./nest.ts";
import { ownTemporaries } from "./own-temporaries.ts";
import { rewriteProgram } from "./rewrite-program.ts";
import { faultsIn, type MappingContext, type Run, statementsIn } from "./run.ts";

/** A program and how to execute it. */
export interface Mapped {
  readonly program: Program;
  readonly schedule: Schedule;
}

/**
 * Maps a program to the device: algebraic rewrites first, then the schedule. `findDependences` is
 * there for tests of what a missed dependence would do.
 */
export function mapProgram(
  program: Program,
  profile: DeviceProfile,
  decider: Decider,
  findDependences: (program: Program) => readonly Dependence[] = dependences,
): Mapped {
  const { program: rewritten, folds } = rewriteProgram(program, profile, decider);
  let current = rewritten;
  const crowded = new Set<string>();
  const from = decider.asked.length;
  for (;;) {
    decider.rewind(from);
    const context: MappingContext = {
      program: current,
      profile,
      decider,
      dependences: findDependences(current),
      findDependences,
      folds,
      places: [...folds],
      stuck: [],
      crowded,
      kernels: 0,
      loops: 0,
    };
    const known = crowded.size;
    const root = mapNodes(context, { nodes: current.tree, host: [] });
    if (context.stuck.length === 0 && crowded.size === known) {
      return { program: context.program, schedule: { root, places: context.places } };
    }
    current = stageAll(current, context.stuck);
  }
}

/** Stages statements whose own reads the analysis cannot tell from others' writes. */
function stageAll(program: Program, statements: readonly string[]): Program {
  return statements.reduce((before, statement) => {
    const { write, reads } = statementOf(before, statement);
    const ownReads = reads.some((r) => r.tensor === write.tensor);
    invariant(ownReads, `${statement} has no legal schedule`);
    const staged = stageWrites(before, { statement });
    invariant(staged.kind === "rewritten", `${statement} has no legal schedule`);
    return staged.program;
  }, program);
}

/** What the runs have in common that begin with the same node. */
function beginningOf({ nodes }: Run): string {
  return eachStatementId(nodes)[0] ?? "";
}

/** Whether a kernel of some statements binds more buffers than the device can. */
function bindsTooMany(
  { program, profile }: MappingContext,
  statements: readonly Statement[],
  unbound: readonly string[],
): boolean {
  return countBuffers(program, statements, unbound) > profile.limits.maxStorageBuffers;
}

/**
 * Whether a run is not to be one kernel because one that began like it turned out to bind too many buffers,
 * and this one might, too.
 */
function isCrowded(context: MappingContext, run: Run): boolean {
  if (!context.crowded.has(beginningOf(run))) return false;
  return bindsTooMany(context, statementsIn(context.program, run.nodes), []);
}

/** Notes the beginning of a run of several statements whose kernel binds too many buffers. */
function noteCrowded(context: MappingContext, run: Run, kernel: ScheduleNode): void {
  if (eachStatementId(run.nodes).length < 2) return;
  const statements = eachLeaf(kernel).map((c) => statementOf(context.program, c.leaf.statement));
  const isOver = bindsTooMany(context, statements, unboundBy(context.places));
  if (isOver) context.crowded.add(beginningOf(run));
}

/** The largest set of axes under which the nodes are one legal kernel; null if there is none. */
function legalAxes(context: MappingContext, run: Run): readonly Axis[] | null {
  const statements = statementsIn(context.program, run.nodes);
  if (statements.length > 1 && bindsTooMany(context, statements, [])) {
    // What only these statements touch may need no buffer: that is known when they are mapped.
    const own = ownTemporaries(context.program, statements);
    if (bindsTooMany(context, statements, own)) return null;
  }
  const all = axesOf(statements).slice(0, 4);
  if (isFree(context, run, statements)) return all;
  const faultsOf = faultsIn(context, run);
  const sets = listOf(2 ** all.length, (bits) =>
    all.filter((_axis, a) => (bits >> a) % 2 === 1),
  ).sort((a, b) => b.length - a.length);
  const excluded = new Set<Axis>();
  for (const axes of sets) {
    if (axes.some((axis) => excluded.has(axis))) continue;
    const { root, axes: loops } = mapPlainly(context.program, run.nodes, axes, "probe");
    const faults = faultsOf({ root, places: context.folds });
    if (faults.length === 0) return axes;
    const apart = new Set(faults.map((f) => f.apartIn));
    for (const [a, axis] of axes.entries()) if (apart.has(loops[a])) excluded.add(axis);
  }
  return null;
}

/**
 * Whether nothing keeps the instances of a run in any order: one statement outside of all loops, which
 * reads nothing that it writes, nor writes an element twice. Then all of its axes are legal.
 */
function isFree(
  { dependences: known, folds }: MappingContext,
  { nodes, host }: Run,
  [statement, more]: readonly Statement[],
): boolean {
  if (statement === undefined || more !== undefined || isScatter(statement)) return false;
  const apart = known.every(
    (d) => d.from.statement !== statement.id || d.to.statement !== statement.id,
  );
  const ownReads = statement.reads.some((r) => r.tensor === statement.write.tensor);
  return nodes[0]?.kind === "statement" && host.length + folds.length === 0 && apart && !ownReads;
}

/** What a run costs as one kernel. */
function costTogether(context: MappingContext, run: Run, axes: readonly Axis[]): number {
  const { program, profile } = context;
  const group = { statements: statementsIn(program, run.nodes), axes };
  return costOfGroup(program, group, new Set(run.host.map((l) => l.id)), profile);
}

/** What one node costs on its own, a loop inside of one kernel or on the host. */
function costAlone(context: MappingContext, { host }: Run, node: ProgramNode): number {
  const { program, profile } = context;
  const around = new Set(host.map((l) => l.id));
  const apart = costApart(program, [node], around, profile);
  if (node.kind === "statement") return apart;
  const run = { nodes: [node], host };
  const axes = legalAxes(context, run);
  return axes === null ? apart : Math.min(apart, costTogether(context, run, axes));
}

/** The longest group from the first node on that the decider wants and the dependences allow. */
function groupAt(
  context: MappingContext,
  run: Run,
): { readonly run: Run; readonly axes: readonly Axis[] } {
  const [first, ...others] = run.nodes;
  let nodes = first === undefined ? [] : [first];
  const alone = legalAxes(context, { ...run, nodes });
  if (alone === null && first?.kind === "statement") context.stuck.push(first.statement);
  let axes = alone ?? [];
  for (const next of others) {
    const longer = [...nodes, next];
    const shared = legalAxes(context, { ...run, nodes: longer });
    if (shared === null) break;
    const apart = costTogether(context, { ...run, nodes }, axes) + costAlone(context, run, next);
    const wanted =
      costTogether(context, { ...run, nodes: longer }, shared) <= apart &&
      !gathersInTile(shared, statementsIn(context.program, longer));
    const question = `kernel${context.kernels}.fuse${nodes.length}`;
    if (!context.decider.decide(question, [false, true], wanted, true)) break;
    if (isCrowded(context, { ...run, nodes: longer })) {
      context.decider.repair(question, true, false);
      break;
    }
    [nodes, axes] = [longer, shared];
  }
  return { run: { ...run, nodes }, axes };
}

function mapNodes(context: MappingContext, run: Run): ScheduleNode {
  const children: ScheduleNode[] = [];
  let rest = run.nodes;
  while (rest.length > 0) {
    const [first] = rest;
    if (first?.kind === "loop" && staysOnHost(context, { ...run, nodes: [first] })) {
      children.push(mapHostLoop(context, first, run.host));
      rest = rest.slice(1);
      continue;
    }
    const group = groupAt(context, { ...run, nodes: rest });
    const kernel = mapKernel(context, group.run, group.axes);
    noteCrowded(context, group.run, kernel);
    children.push(kernel);
    rest = rest.slice(group.run.nodes.length);
  }
  return sequence(children);
}

/** Whether a program loop becomes a repetition of dispatches. */
function staysOnHost(context: MappingContext, run: Run): boolean {
  const axes = legalAxes(context, run);
  const path = `loop${context.loops++}.on`;
  const { program, profile } = context;
  const apart = costApart(program, run.nodes, new Set(run.host.map((l) => l.id)), profile);
  const inside = axes !== null && costTogether(context, run, axes) <= apart;
  const values = axes === null ? ["host"] : ["host", "serial"];
  const several = flatMap(run.nodes, (n) => eachStatementId([n])).length > 1;
  const on = context.decider.decide(path, values, inside ? "serial" : "host", several);
  if (on === "host" || !isCrowded(context, run)) return on === "host";
  context.decider.repair(path, on, "host");
  return true;
}

function mapHostLoop(
  context: MappingContext,
  node: Extract<ProgramNode, { kind: "loop" }>,
  host: readonly Loop[],
): ScheduleNode {
  const { loop } = programLoop(context.program, node.name);
  const here: Loop = { ...loop, on: "host" };
  return band([here], mapNodes(context, { nodes: node.body, host: [...host, here] }));
}
