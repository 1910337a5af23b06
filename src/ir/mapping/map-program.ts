/**
 * Purpose: a program and the answers to its Decisions, to a program (rewritten) and its schedule.
 *
 * Ensures: the schedule is legal whatever the answers; an answer that is not legal is repaired and
 * reported by the decider. The default mapping is this with default answers; nothing downstream
 * can tell it from another.
 */

import { defined, invariant } from "../../support/assert.ts";
import { type DeviceProfile, subgroupLanes } from "../../support/device-profile.ts";
import { stageWrites } from "../algebraic/stage-writes.ts";
import type { Decider } from "../decisions.ts";
import { type Dependence, dependences } from "../dependences/dependences.ts";
import { partLoops } from "../legality/part-loops.ts";
import { type Fault, verifySchedule } from "../legality/verify-schedule.ts";
import {
  eachStatementId,
  findStatement,
  type Program,
  type ProgramNode,
  type Statement,
} from "../program.ts";
import {
  band,
  eachLeaf,
  type Loop,
  type Place,
  type Schedule,
  type ScheduleNode,
  sequence,
  teamSize,
} from "../schedule.ts";
import type { LoopPair } from "../scheduling/fuse-loops.ts";
import { type Axis, axesOf } from "./axes.ts";
import { costApart, costOfGroup, prefersJoin } from "./cost-fusion.ts";
import { countBuffers } from "./count-buffers.ts";
import { prefersSpread } from "./defaults.ts";
import { mapFragments } from "./map-fragments.ts";
import { type GroupShape, mapGroup, plainShape } from "./map-group.ts";
import { type JoinsQuestion, mapJoins } from "./map-joins.ts";
import { mapPlaces } from "./map-places.ts";
import {
  asksStages,
  preferredStages,
  type StagedKernel,
  type Stages,
  type StagesQuestion,
  stageKernel,
} from "./map-stages.ts";
import { nestOf, programLoop } from "./nest.ts";
import { rewriteProgram } from "./rewrite-program.ts";
import { mayUnroll, mostInvocations, shapeOf } from "./shape.ts";
import { spreadCandidates, spreadOperands } from "./spread-operands.ts";

/** A program and how to execute it. */
export interface Mapped {
  readonly program: Program;
  readonly schedule: Schedule;
}

interface Context {
  /** Grows by what is spread over lanes, and by copies of operands. */
  program: Program;
  readonly profile: DeviceProfile;
  readonly decider: Decider;
  readonly dependences: readonly Dependence[];
  readonly findDependences: (program: Program) => readonly Dependence[];
  /** Temporaries with several slots. */
  readonly folds: readonly Place[];
  readonly places: Place[];
  /** Statements that are no legal kernel even alone in one invocation. */
  readonly stuck: string[];
  /** Kernels so far, for names. */
  kernels: number;
  /** Loops so far that were asked where they run, for names. */
  loops: number;
}

/** Nodes of one list under the same host loops. */
interface Run {
  readonly nodes: readonly ProgramNode[];
  readonly host: readonly Loop[];
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
  const from = decider.asked.length;
  for (;;) {
    decider.rewind(from);
    const context: Context = {
      program: current,
      profile,
      decider,
      dependences: findDependences(current),
      findDependences,
      folds,
      places: [...folds],
      stuck: [],
      kernels: 0,
      loops: 0,
    };
    const root = mapNodes(context, { nodes: current.tree, host: [] });
    if (context.stuck.length === 0) {
      return { program: context.program, schedule: { root, places: context.places } };
    }
    current = stageAll(current, context.stuck);
  }
}

/** Stages statements whose own reads the analysis cannot tell from others' writes. */
function stageAll(program: Program, statements: readonly string[]): Program {
  return statements.reduce((before, statement) => {
    const { write, reads } = defined(findStatement(before, statement), statement);
    const ownReads = reads.some((r) => r.tensor === write.tensor);
    invariant(ownReads, `${statement} has no legal schedule`);
    const staged = stageWrites(before, { statement });
    invariant(staged.kind === "rewritten", `${statement} has no legal schedule`);
    return staged.program;
  }, program);
}

function statementsIn(program: Program, nodes: readonly ProgramNode[]): readonly Statement[] {
  return [...eachStatementId(nodes)].map((id) => defined(findStatement(program, id), id));
}

/** The program reduced to some nodes inside their host loops. */
function partOf(program: Program, run: Run): Program {
  const inside = new Set(eachStatementId(run.nodes));
  const keep = (nodes: readonly ProgramNode[]): readonly ProgramNode[] =>
    nodes.flatMap((n): readonly ProgramNode[] => {
      if (n.kind === "statement") return inside.has(n.statement) ? [n] : [];
      const body = keep(n.body);
      return body.length === 0 ? [] : [{ ...n, body }];
    });
  return {
    ...program,
    statements: program.statements.filter((s) => inside.has(s.id)),
    tree: keep(program.tree),
  };
}

/**
 * A test of schedules of one kernel, with what does not change between calls done once: that they
 * are legal, and need no more invocations in a workgroup than the device has. `added` are
 * statements that were not there when dependences were computed.
 */
function legality(
  context: Context,
  run: Run,
  added: readonly string[] = [],
): (schedule: Schedule) => boolean {
  const faultsOf = faultsIn(context, run, added);
  const most = mostInvocations(context.profile);
  return (schedule) => teamSize(schedule.root) <= most && faultsOf(schedule).length === 0;
}

/** {@link legality} with what is wrong. */
function faultsIn(
  context: Context,
  run: Run,
  added: readonly string[],
): (schedule: Schedule) => readonly Fault[] {
  const more = added.map((statement): ProgramNode => ({ kind: "statement", statement }));
  const part = partOf(context.program, { ...run, nodes: [...run.nodes, ...more] });
  const ids = new Set(part.statements.map((s) => s.id));
  const known =
    added.length > 0
      ? dependences(part)
      : context.dependences.filter((d) => ids.has(d.from.statement) && ids.has(d.to.statement));
  return (schedule) => {
    const whole = { ...schedule, root: band(run.host, schedule.root) };
    return verifySchedule(part, whole, known);
  };
}

/** The largest set of axes under which the nodes are one legal kernel; null if there is none. */
function legalAxes(context: Context, run: Run, team: number): readonly Axis[] | null {
  const statements = statementsIn(context.program, run.nodes);
  const limit = context.profile.limits.maxStorageBuffers;
  if (statements.length > 1 && countBuffers(context.program, statements) > limit) return null;
  const faultsOf = faultsIn(context, run, []);
  const all = axesOf(statements).slice(0, 4);
  const sets = Array.from({ length: 2 ** all.length }, (_, bits) =>
    all.filter((_axis, a) => (bits >> a) % 2 === 1),
  ).sort((a, b) => b.length - a.length);
  const excluded = new Set<Axis>();
  for (const axes of sets) {
    if (axes.some((axis) => excluded.has(axis))) continue;
    const root = mapGroup(context.program, run.nodes, axes, plainShape(axes, team), "probe");
    const faults = faultsOf({ root, places: context.folds });
    if (faults.length === 0) return axes;
    const apart = new Set(faults.map((f) => f.apartIn));
    for (const [a, axis] of axes.entries()) if (apart.has(`probe.p${a}.grid`)) excluded.add(axis);
  }
  return null;
}

/** What a run costs as one kernel. */
function costTogether(context: Context, run: Run, axes: readonly Axis[]): number {
  const { program, profile } = context;
  const group = { statements: statementsIn(program, run.nodes), axes };
  return costOfGroup(program, group, new Set(run.host.map((l) => l.id)), profile);
}

/** What one node costs on its own, a loop inside of one kernel or on the host. */
function costAlone(context: Context, { host }: Run, node: ProgramNode): number {
  const { program, profile } = context;
  const around = new Set(host.map((l) => l.id));
  const apart = costApart(program, [node], around, profile);
  if (node.kind === "statement") return apart;
  const run = { nodes: [node], host };
  const axes = legalAxes(context, run, 1);
  return axes === null ? apart : Math.min(apart, costTogether(context, run, axes));
}

/** The longest group from the first node on that the decider wants and the dependences allow. */
function groupAt(
  context: Context,
  run: Run,
): { readonly run: Run; readonly axes: readonly Axis[] } {
  const [first, ...others] = run.nodes;
  let nodes = first === undefined ? [] : [first];
  const alone = legalAxes(context, { ...run, nodes }, 1);
  if (alone === null && first?.kind === "statement") context.stuck.push(first.statement);
  let axes = alone ?? [];
  for (const next of others) {
    const longer = [...nodes, next];
    const shared = legalAxes(context, { ...run, nodes: longer }, 1);
    if (shared === null) break;
    const apart = costTogether(context, { ...run, nodes }, axes) + costAlone(context, run, next);
    const wanted = costTogether(context, { ...run, nodes: longer }, shared) <= apart;
    const question = `kernel${context.kernels}.fuse${nodes.length}`;
    if (!context.decider.decide(question, [false, true], wanted, true)) break;
    [nodes, axes] = [longer, shared];
  }
  return { run: { ...run, nodes }, axes };
}

function mapNodes(context: Context, run: Run): ScheduleNode {
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
    children.push(mapKernel(context, group.run, group.axes));
    rest = rest.slice(group.run.nodes.length);
  }
  return sequence(children);
}

/** Whether a program loop becomes a repetition of dispatches. */
function staysOnHost(context: Context, run: Run): boolean {
  const axes = legalAxes(context, run, 1);
  const path = `loop${context.loops++}.on`;
  const { program, profile } = context;
  const apart = costApart(program, run.nodes, new Set(run.host.map((l) => l.id)), profile);
  const inside = axes !== null && costTogether(context, run, axes) <= apart;
  const values = axes === null ? ["host"] : ["host", "serial"];
  const several = run.nodes.flatMap((n) => [...eachStatementId([n])]).length > 1;
  return context.decider.decide(path, values, inside ? "serial" : "host", several) === "host";
}

function mapHostLoop(
  context: Context,
  node: Extract<ProgramNode, { kind: "loop" }>,
  host: readonly Loop[],
): ScheduleNode {
  const { loop } = programLoop(context.program, node.name);
  const here: Loop = { ...loop, on: "host" };
  return band([here], mapNodes(context, { nodes: node.body, host: [...host, here] }));
}

/** A kernel whose reductions' operands are spread over lanes, and how to ask whether it is legal. */
interface SpreadKernel {
  readonly schedule: Schedule;
  isLegal(schedule: Schedule): boolean;
}

/** Asks whether to spread what all lanes need alike; null where that is not so or not possible. */
function mapLanes(
  context: Context,
  run: Run,
  { axes, shape, build, prefix }: LanesQuestion,
): SpreadKernel | null {
  const { program, profile, decider } = context;
  const lanes = subgroupLanes(profile);
  if (lanes === null || shape.lanes !== lanes) return null;
  const statements = statementsIn(program, run.nodes);
  const all = new Map(statements.map((s) => [s.id, lanes]));
  const candidates = spreadCandidates(program, build({ ...shape, unrolls: all }), lanes);
  if (candidates.size === 0 || !mayUnroll(shape, statements.length * lanes, profile)) return null;
  const path = `${prefix}.spread`;
  if (
    !decider.decide(
      path,
      [false, true],
      prefersSpread(axes, shape.innermost, { statements, profile }),
    )
  )
    return null;
  const unrolls = new Map([...candidates].map((id) => [id, lanes]));
  const spread = spreadOperands(program, build({ ...shape, unrolls }), lanes);
  if (spread !== null) {
    context.program = spread.program;
    const isLegal = legality(context, run, spread.statements);
    if (isLegal(spread.schedule)) return { schedule: spread.schedule, isLegal };
    context.program = program;
  }
  decider.repair(path, true, false);
  return null;
}

interface LanesQuestion {
  readonly axes: readonly Axis[];
  readonly shape: GroupShape;
  readonly prefix: string;
  build(shape: GroupShape): Schedule;
}

/** Asks for a matrix unit, if one can execute the kernel; null for another kernel. */
function mapUnit(
  context: Context,
  run: Run,
  axes: readonly Axis[],
  prefix: string,
): Schedule | null {
  const { program, profile, decider, folds } = context;
  const statements = statementsIn(program, run.nodes);
  const { nodes } = run;
  const question = { program, nodes, statements, axes, folds, profile, decider, prefix };
  return mapFragments({ ...question, isLegal: legality(context, run) });
}

function mapKernel(context: Context, run: Run, axes: readonly Axis[]): ScheduleNode {
  const prefix = `kernel${context.kernels++}`;
  const { program, profile, decider } = context;
  const onUnit = mapUnit(context, run, axes, prefix);
  if (onUnit !== null) {
    context.places.push(...onUnit.places.filter((p) => !context.folds.includes(p)));
    return onUnit.root;
  }
  const isLegal = legality(context, run);
  const statements = statementsIn(program, run.nodes);
  const build = (shape: GroupShape, joins: readonly LoopPair[] = []): Schedule => ({
    root: mapGroup(program, run.nodes, axes, shape, prefix, joins),
    places: context.folds,
  });
  const mayHaveTeam = (team: number, deals: boolean): boolean =>
    isLegal(build({ ...plainShape(axes, team), combine: deals ? 1 : null }));
  const host = new Set(run.host.map((l) => l.id));
  const question = { statements, axes, profile, decider, prefix, host, mayHaveTeam };
  const from = decider.asked.length;
  const wished = shapeOf(question);
  const plain = (): GroupShape => decider.askPlainly(from, () => shapeOf(question));
  const shape = isLegal(build(wished)) ? wished : plain();
  const spread = shape === wished ? mapLanes(context, run, { axes, shape, build, prefix }) : null;
  const points = shape.tiles.reduce((product, t) => product * t.thread, 1);
  // Joined to a map that a team shares, a reduction would be shared, too.
  const mayJoin = (joined: Schedule): boolean =>
    isLegal(joined) && (shape.combine !== null || !hasParts(program, joined));
  const joinsQuestion: JoinsQuestion = {
    program,
    nest: nestOf(program, run.nodes, axes, prefix).node,
    isLegal: (some) => mayJoin(build(shape, some)),
    prefers: (first, second) => prefersJoin(first, second, points),
    decider,
    prefix,
  };
  const joins = spread === null ? mapJoins(joinsQuestion) : [];
  const stages = { program, nodes: run.nodes, statements, axes, shape, profile, decider, prefix };
  const mayStage = spread === null && joins.length === 0 && shape.combine === null;
  const staged = mayStage ? mapStages(context, run, stages) : null;
  const placed = mapPlaces({
    program: context.program,
    statements: staged?.statements ?? statementsIn(context.program, run.nodes),
    kernel: staged?.schedule ?? spread?.schedule ?? build(shape, joins),
    host: run.host,
    isLegal: staged?.isLegal ?? spread?.isLegal ?? isLegal,
    profile,
    decider,
    prefix,
  });
  context.places.push(...placed.places.filter((p) => !context.folds.includes(p)));
  return placed.root;
}

/** Whether a schedule of a kernel deals a reduction to a team. */
function hasParts(program: Program, { root }: Schedule): boolean {
  return [...eachLeaf(root)].some(({ leaf, loops }) => {
    const statement = defined(findStatement(program, leaf.statement), leaf.statement);
    return partLoops({ statement, leaf, loops }).length > 0;
  });
}

/** A kernel with copies of its operands, as far as they are wanted and legal; null without any. */
function mapStages(
  context: Context,
  run: Run,
  question: StagesQuestion,
): (StagedKernel & StagedLegality) | null {
  const { decider } = context;
  const from = decider.asked.length;
  const preferred = preferredStages(question);
  const usual = preferred === null ? null : tryStages(context, run, question, preferred);
  const wished = asksStages(question, usual !== null);
  if (wished === null) return null;
  const isUsual = JSON.stringify(planOf(wished)) === JSON.stringify(planOf(preferred));
  const staged = isUsual ? usual : tryStages(context, run, question, wished);
  if (staged === null) decider.askPlainly(from, () => asksStages(question, usual !== null));
  else context.program = staged.program;
  return staged;
}

/** What tells apart two wishes about one kernel. */
function planOf(stages: Stages | null): readonly unknown[] {
  const wishes = (stages?.wishes ?? []).map((w) => [w.statement.id, w.read, w.pad, w.slots]);
  return [wishes, [...(stages?.tiles ?? [])]];
}

/** The kernel with copies as wished, if it is legal. */
function tryStages(
  context: Context,
  run: Run,
  question: StagesQuestion,
  wished: Stages,
): (StagedKernel & StagedLegality) | null {
  const staged = stageKernel(question, wished, context.folds);
  if (staged === null) return null;
  const inside = partOf(staged.program, { ...run, nodes: staged.nodes });
  const known = context.findDependences(inside);
  const isLegal = (schedule: Schedule): boolean => {
    const whole = { ...schedule, root: band(run.host, schedule.root) };
    return verifySchedule(inside, whole, known).length === 0;
  };
  const statements = statementsIn(staged.program, staged.nodes);
  return isLegal(staged.schedule) ? { ...staged, statements, isLegal } : null;
}

/** What the mapping of places needs to know of a staged kernel. */
interface StagedLegality {
  readonly statements: readonly Statement[];
  isLegal(schedule: Schedule): boolean;
}
