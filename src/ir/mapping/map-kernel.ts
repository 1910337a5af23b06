/** Purpose: a run of nodes to one kernel, as the decider says. */
import { remember } from "../../support/remember.ts";
import { partLoops } from "../legality/part-loops.ts";
import { type Program, type Statement, statementOf } from "../program.ts";
import { eachLeaf, type Schedule, type ScheduleNode } from "../schedule.ts";
import type { LoopPair } from "../scheduling/fuse-loops.ts";
import { oddRowLoops } from "../scheduling/mark-aligned.ts";
import type { Axis } from "./axes.ts";
import { prefersJoin } from "./cost-fusion.ts";
import { mapReductionTiles } from "./levels.ts";
import { mapAligned, mayHaveOddRows } from "./map-aligned.ts";
import { mapFragments } from "./map-fragments.ts";
import { mapFullTiles } from "./map-full-tiles.ts";
import { type GroupShape, mapGroup, plainShape } from "./map-group.ts";
import { type JoinsQuestion, mapJoins } from "./map-joins.ts";
import { mapLanes } from "./map-lanes.ts";
import { mapPlaces } from "./map-places.ts";
import { asksRows } from "./map-rows.ts";
import {
  asksStages,
  preferredStages,
  prefetchPath,
  type StagedKernel,
  type Stages,
  type StagesQuestion,
  stageKernel,
} from "./map-stages.ts";
import { mapSteps } from "./map-steps.ts";
import { nestOf } from "./nest.ts";
import {
  legality,
  legalityOf,
  type MappingContext,
  partOf,
  type Run,
  statementsIn,
} from "./run.ts";
import { shapeOf } from "./shape.ts";

/** Asks for a matrix unit, if one can execute the kernel; null for another kernel. */
function mapUnit(
  context: MappingContext,
  run: Run,
  axes: readonly Axis[],
  prefix: string,
  isLegal: (schedule: Schedule) => boolean,
): Schedule | null {
  const { program, profile, decider, folds } = context;
  const statements = statementsIn(program, run.nodes);
  const { nodes } = run;
  const question = { program, nodes, statements, axes, folds, profile, decider, prefix };
  return mapFragments({ ...question, isLegal });
}

/** A kernel, with its places noted beside those that all kernels have. */
function keepPlaces({ places, folds }: MappingContext, kernel: Schedule): Schedule {
  places.push(...kernel.places.filter((p) => !folds.includes(p)));
  return kernel;
}

/** The axes of the points that invocations have: those of the run, or all but that along rows. */
function axesOfPoints(
  context: MappingContext,
  run: Run,
  axes: readonly Axis[],
  prefix: string,
): readonly Axis[] {
  const { program, folds } = context;
  const over = (some: readonly Axis[]): Schedule => ({
    root: mapGroup(program, run.nodes, some, plainShape(some, 1), prefix),
    places: folds,
  });
  const isLegal = (some: readonly Axis[]): boolean => legality(context, run)(over(some));
  const statements = statementsIn(program, run.nodes);
  return asksRows({ ...context, statements, axes, prefix, isLegal });
}

/**
 * The kernel of a run over some axes: its shape, or a matrix unit; then what its lanes share, which of
 * its loops are joined or staged, and where its temporaries live.
 */
export function mapKernel(context: MappingContext, run: Run, all: readonly Axis[]): ScheduleNode {
  const prefix = `kernel${context.kernels++}`;
  const { program, profile, decider } = context;
  const isLegal = legality(context, run);
  const onUnit = mapUnit(context, run, all, prefix, isLegal);
  if (onUnit !== null) return keepPlaces(context, onUnit).root;
  const statements = statementsIn(program, run.nodes);
  const axes = axesOfPoints(context, run, all, prefix);
  const joined = (shape: GroupShape, joins: readonly LoopPair[]): Schedule => ({
    root: mapGroup(program, run.nodes, axes, shape, prefix, joins),
    places: context.folds,
  });
  const plainly = remember((shape: GroupShape) => joined(shape, []));
  const build = (shape: GroupShape, joins: readonly LoopPair[] = []): Schedule =>
    joins.length === 0 ? plainly(shape) : joined(shape, joins);
  const mayHaveTeam = (team: number, deals: boolean): boolean =>
    isLegal(build({ ...plainShape(axes, team), combine: deals ? 1 : null }));
  const host = new Set(run.host.map((l) => l.id));
  const hasOddRows = (shape: GroupShape): boolean =>
    mayHaveOddRows(program, statements) &&
    oddRowLoops(program, build(shape).root, run.host).size > 0;
  const levels = { statements, axes, profile, decider, prefix };
  const question = { ...levels, host, mayHaveTeam, hasOddRows };
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
    prefers: (first, second) => prefersJoin(first, second, points, host),
    decider,
    prefix,
  };
  const joins = spread === null ? mapJoins(joinsQuestion) : [];
  const stages = { ...levels, program, nodes: run.nodes, shape };
  const mayStage = spread === null && joins.length === 0 && shape.combine === null;
  const staged = mayStage ? mapStages(context, run, stages) : null;
  const isPlain = spread === null && staged === null && joins.length === 0;
  const legalOf = (asked: GroupShape): Schedule | null => {
    const tiled = build(asked);
    return asked === shape || isLegal(tiled) ? tiled : null;
  };
  const tiled = isPlain ? mapReductionTiles(levels, shape, legalOf) : null;
  const built = staged?.schedule ?? spread?.schedule ?? tiled ?? build(shape, joins);
  const common = { program: context.program, profile, decider, prefix };
  const placed = mapPlaces({
    ...common,
    statements: staged?.statements ?? statementsIn(context.program, run.nodes),
    kernel: mapSteps({ ...common, kernel: built }),
    host: run.host,
    isLegal: staged?.isLegal ?? spread?.isLegal ?? isLegal,
  });
  const kernel = keepPlaces(context, placed).root;
  if (kernel.kind !== "band") return kernel;
  const finished = { ...context, host: run.host, prefix };
  return mapFullTiles({ ...finished, kernel: mapAligned({ ...finished, kernel }) });
}

/** Whether a schedule of a kernel deals a reduction to a team. */
function hasParts(program: Program, { root }: Schedule): boolean {
  return eachLeaf(root).some(({ leaf, loops }) => {
    const statement = statementOf(program, leaf.statement);
    return partLoops({ statement, leaf, loops }).length > 0;
  });
}

/** A kernel with copies of its operands, as far as they are wanted and legal; null without any. */
function mapStages(
  context: MappingContext,
  run: Run,
  question: StagesQuestion,
): (StagedKernel & StagedLegality) | null {
  const { decider } = context;
  const from = decider.asked.length;
  const preferred = preferredStages(question);
  const usual = preferred === null ? null : tryStages(context, run, question, preferred);
  const wished = asksStages(question, usual !== null);
  if (wished === null) return null;
  const isUsual = wishKey(wished) === wishKey(preferred);
  const staged = isUsual ? usual : tryWished(context, run, question, wished);
  if (staged === null) decider.askPlainly(from, () => asksStages(question, usual !== null));
  else context.program = staged.program;
  return staged;
}

/** What tells apart two wishes about one kernel. */
function wishKey(stages: Stages | null): string {
  const wishes = (stages?.wishes ?? []).map(({ statement, ...asked }) => [statement.id, asked]);
  return JSON.stringify([wishes, [...(stages?.tiles ?? [])], stages?.prefetch, stages?.inside]);
}

/** The kernel with copies as wished, or without the prefetching that alone is not legal. */
function tryWished(
  context: MappingContext,
  run: Run,
  question: StagesQuestion,
  wished: Stages,
): (StagedKernel & StagedLegality) | null {
  const staged = tryStages(context, run, question, wished);
  if (staged !== null || !wished.prefetch) return staged;
  const without = tryStages(context, run, question, { ...wished, prefetch: false });
  if (without !== null) context.decider.repair(prefetchPath(question), true, false);
  return without;
}

/** The kernel with copies as wished, if it is legal. */
function tryStages(
  context: MappingContext,
  run: Run,
  question: StagesQuestion,
  wished: Stages,
): (StagedKernel & StagedLegality) | null {
  const staged = stageKernel(question, wished, context.folds);
  if (staged === null) return null;
  const inside = partOf(staged.program, { ...run, nodes: staged.nodes });
  const known = context.findDependences(inside);
  const isLegal = legalityOf(context, run, inside, known);
  const statements = statementsIn(staged.program, staged.nodes);
  return isLegal(staged.schedule) ? { ...staged, statements, isLegal } : null;
}

/** What the mapping of places needs to know of a staged kernel. */
interface StagedLegality {
  readonly statements: readonly Statement[];
  isLegal(schedule: Schedule): boolean;
}
