/**
 * Purpose: the schedule of one kernel, and the program with what the kernel adds to it, as a mapping says.
 *
 * Never asks and never prefers: a mapping that has no such kernel gives the name of what cannot be. The steps
 * compose in this order: tiles of axes, teams, tiles of reductions, joined loops, copies of operands or operands
 * in lanes, steps in a row, iterations of the program's loops, places, rows in blocks of vectors, full tiles.
 */

import { type Limits, mostInvocations, subgroupLanes } from "../../../support/device-profile.ts";
import { own } from "../../../support/own.ts";
import { remember, rememberTexts } from "../../../support/remember.ts";
import { partLoops } from "../../legality/part-loops.ts";
import { type Program, type Statement, statementOf } from "../../program.ts";
import {
  type Band,
  eachLeaf,
  type Place,
  placeOfTensor,
  type Schedule,
  teamSize,
} from "../../schedule.ts";
import { bind } from "../../scheduling/bind.ts";
import { groupSteps, stepCounts } from "../../scheduling/group-steps.ts";
import { markAligned, oddRowLoops } from "../../scheduling/mark-aligned.ts";
import { fullTilesOf, markFullTiles } from "../../scheduling/mark-full-tiles.ts";
import { tile } from "../../scheduling/tile.ts";
import { countBuffers, unboundBy } from "../group/count-buffers.ts";
import { type Group, legalityOf, legalityWith } from "../group/group.ts";
import { outerLoop, ownLoops } from "../group/own-loops.ts";
import { ownTemporaries } from "../group/own-temporaries.ts";
import { scratchBufferBytes, workgroupBytes } from "../group/workgroup-bytes.ts";
import type { KernelMapping } from "../kernel-mapping.ts";
import { pairOf } from "./join-loops.ts";
import { layFragments } from "./lay-fragments.ts";
import { mapGroup } from "./map-group.ts";
import { temporaryOf, withPlace } from "./place-temporaries.ts";
import { pointAxesOf, shapeOf } from "./shape-of.ts";
import { countSteps, spreadOperands } from "./spread-operands.ts";
import { spreadStatements, withSteps } from "./spread-ways.ts";
import { type Extended, stageOperands } from "./stage-operands.ts";

/** A kernel as its mapping says, or the field of the mapping that says what cannot be. */
export type Built =
  | (Extended & { readonly kind: "built" })
  | { readonly kind: "impossible"; readonly field: string };

function impossible(field: string): Built {
  return { kind: "impossible", field };
}

/** The loops of a kernel, with statements for copies and for what lanes load. */
function loopsOf(group: Group, limits: Limits, mapping: KernelMapping): Built {
  const axes = pointAxesOf(group, mapping);
  const shape = shapeOf(group, limits, mapping);
  const joins = Object.keys(mapping.joins)
    .filter((name) => mapping.joins[name] === true)
    .map(pairOf);
  const build = (some: typeof shape): Schedule => ({
    root: mapGroup(group.program, group.nodes, axes, some, group.prefix, joins),
    places: group.folds,
  });
  const { spread } = mapping;
  const lanes = subgroupLanes(limits);
  if (spread !== "no" && lanes !== null) {
    const ids = spreadStatements(group, shape, build, lanes, spread);
    const steps = spread === "steps" ? lanes : mapping.spreadBlock;
    const written = build(withSteps(shape, ids, steps));
    const made = spreadOperands(group.program, written, lanes, spread, ids);
    if (made === null) return impossible("spread");
    const counts = spread === "steps" && mapping.spreadSteps === "serial";
    const schedule = counts ? countSteps(made) : made.schedule;
    return { kind: "built", program: made.program, schedule, added: made.statements };
  }
  if (Object.values(mapping.operands).some((o) => o.stage !== "no")) {
    const staged = stageOperands(group, mapping, shape, joins);
    return staged === null ? impossible("operands") : { kind: "built", ...staged };
  }
  return { kind: "built", program: group.program, schedule: build(shape), added: [] };
}

/** The schedule with written-out steps in groups. */
function withStepsInARow(program: Program, schedule: Schedule, steps: number | "whole"): Schedule {
  if (steps === 1) return schedule;
  const most = Math.max(1, ...stepCounts(program, schedule.root));
  const size = steps === "whole" ? most : steps;
  return { ...schedule, root: groupSteps(program, schedule.root, size) };
}

/**
 * The schedule with so many iterations of each of the program's innermost loops written out, where that divides them;
 * null where something lies at one of these loops already, as copies of operands with a slot for each of some iterations.
 */
function withIterations(group: Group, schedule: Schedule, iterations: number): Schedule | null {
  if (iterations === 1) return schedule;
  const loops = ownLoops(group);
  const isUsed = ({ at, fold }: Place): boolean =>
    loops.some(({ name }) => name === at || name === fold?.loop);
  if (schedule.places.some(isUsed)) return null;
  const root = loops.reduce((node, { name, extent }) => {
    if (extent <= iterations || extent % iterations !== 0) return node;
    const inner = `${name}.inner`;
    return bind(tile(node, name, iterations, outerLoop(name), inner), inner, "unroll");
  }, schedule.root);
  return { ...schedule, root };
}

/** The statements of a kernel, those that it adds included. */
export function statementsOf(program: Program, schedule: Schedule): readonly Statement[] {
  const ids = new Set(eachLeaf(schedule.root).map((c) => c.leaf.statement));
  return program.statements.filter((s) => ids.has(s.id));
}

/** The kernel's schedule with its temporaries in their spaces. */
function withPlaces(
  group: Group,
  { program, schedule, added }: Extended,
  mapping: KernelMapping,
): Built {
  let placed = schedule;
  for (const tensor of ownTemporaries(program, statementsOf(program, schedule))) {
    const space = own(mapping.places, tensor) ?? "storage";
    if (space === "storage" || placeOfTensor(placed, tensor) !== undefined) continue;
    const temporary = temporaryOf(program, placed, group.host, tensor);
    const next = temporary === null ? null : withPlace(program, placed, temporary, space);
    if (next === null) return impossible(`places/${tensor}`);
    placed = next;
  }
  return { kind: "built", program, schedule: placed, added };
}

/** The kernel with marks on its loops: along odd rows, and over tiles of which most are full. */
function withMarks(group: Group, built: Extended, { align, full }: KernelMapping): Extended {
  const { program, schedule } = built;
  let { root } = schedule;
  if (align) {
    const loops = oddRowLoops(program, root, group.host);
    if (root.kind === "band" && loops.size > 0) root = markAligned(root, loops);
  }
  if (full && root.kind === "band") {
    const tiles = fullTilesOf(program, root, group.host);
    if (tiles.size > 0) root = markFullTiles(root as Band, tiles);
  }
  return { ...built, schedule: { ...schedule, root } };
}

/** The most kernels of a group that are kept. */
const mostKept = 64;

/** What a kernel's mapping is asked of. */
const questionOf: (group: Group) => (limits: Limits) => object = remember(() =>
  remember(() => ({})),
);

const kernels = rememberTexts<object, Built>(mostKept);

const legality = rememberTexts<object, Legality>(mostKept);

/**
 * The kernel that a mapping says, before it is asked whether it is legal. Kept, since those who choose and those who
 * repair ask for the same ones.
 */
export function buildKernel(group: Group, limits: Limits, mapping: KernelMapping): Built {
  const make = (): Built => newKernel(group, limits, mapping);
  return kernels(questionOf(group)(limits), JSON.stringify(mapping), make);
}

function newKernel(group: Group, limits: Limits, mapping: KernelMapping): Built {
  if (mapping.unit !== "none") {
    const schedule = layFragments(group, limits, mapping);
    if (schedule === null) return impossible("unit");
    return { kind: "built", program: group.program, schedule, added: [] };
  }
  const looped = loopsOf(group, limits, mapping);
  if (looped.kind === "impossible") return looped;
  const inARow = withStepsInARow(looped.program, looped.schedule, mapping.steps);
  const schedule = withIterations(group, inARow, mapping.iterations);
  if (schedule === null) return impossible("iterations");
  const placed = withPlaces(group, { ...looped, schedule }, mapping);
  if (placed.kind === "impossible") return placed;
  return { kind: "built", ...withMarks(group, placed, mapping) };
}

/** Whether a schedule of a kernel deals a reduction to a team. */
function hasParts(program: Program, { root }: Schedule): boolean {
  return eachLeaf(root).some(({ leaf, loops }) => {
    const statement = statementOf(program, leaf.statement);
    return partLoops({ statement, leaf, loops }).length > 0;
  });
}

/**
 * What a kernel is: `crowded` is legal but for binding more buffers than there are, of which temporaries that leave
 * storage are no more.
 */
type Legality = "legal" | "crowded" | "illegal";

function verdict(
  group: Group,
  limits: Limits,
  mapping: KernelMapping,
): { readonly kernel: Extended | null; readonly is: Legality } {
  const kernel = buildKernel(group, limits, mapping);
  if (kernel.kind === "impossible") return { kernel: null, is: "illegal" };
  const ask = (): Legality => legalityIn(group, limits, mapping, kernel);
  return { kernel, is: legality(questionOf(group)(limits), JSON.stringify(mapping), ask) };
}

/** The kernel of a mapping, if it is legal. */
export function legalKernel(group: Group, limits: Limits, mapping: KernelMapping): Extended | null {
  const { kernel, is } = verdict(group, limits, mapping);
  return is === "legal" ? kernel : null;
}

/** Whether the kernel of a mapping is legal, or will be when more of its temporaries leave storage. */
export function mayBecomeLegal(group: Group, limits: Limits, mapping: KernelMapping): boolean {
  return verdict(group, limits, mapping).is !== "illegal";
}

/** Whether a built kernel is within the limits of the device and keeps the dependences. */
function legalityIn(
  group: Group,
  limits: Limits,
  mapping: KernelMapping,
  { program, schedule, added }: Extended,
): Legality {
  if (teamSize(schedule.root) > mostInvocations(limits)) return "illegal";
  if (workgroupBytes(program, schedule, group.host) > limits.limits.maxWorkgroupBytes) {
    return "illegal";
  }
  const { maxBindingBytes } = limits.limits;
  if (scratchBufferBytes(program, schedule, group.host) > maxBindingBytes) return "illegal";
  // Joined to a map that a team shares, a reduction would be shared, too.
  const isJoined = Object.values(mapping.joins).includes(true);
  if (isJoined && mapping.combine === "no" && hasParts(program, schedule)) return "illegal";
  const isLegal = added.length > 0 ? legalityWith(group, program, added) : legalityOf(group);
  if (!isLegal(schedule)) return "illegal";
  const statements = statementsOf(program, schedule);
  const unbound = unboundBy(schedule.places);
  const isOver = countBuffers(program, statements, unbound) > limits.limits.maxStorageBuffers;
  return isOver && group.statements.length > 1 ? "crowded" : "legal";
}
