/**
 * Purpose: cuts a program into kernels: which nodes of its tree run together, and which of its loops repeat kernels
 * on the host.
 *
 * Ensures: each group is a legal kernel, and within the device's limit on bindings, as a plain one: with one
 * invocation for each point of its axes. So no kernel's mapping can make it necessary to group again.
 */
import type { Limits } from "../../../support/device-profile.ts";
import { listOf } from "../../../support/list-of.ts";
import type { Dependence } from "../../dependences/dependences.ts";
import {
  eachStatementId,
  isScatter,
  type Program,
  type ProgramNode,
  type Statement,
  tensorsOf,
} from "../../program.ts";
import type { Loop, Place, Schedule } from "../../schedule.ts";
import { keptPlainly } from "../build/kept-plainly.ts";
import { mapPlainly } from "../build/map-group.ts";
import { type Axis, axesOf } from "../group/axes.ts";
import { countBuffers } from "../group/count-buffers.ts";
import { fitsBinding } from "../group/fits-binding.ts";
import { faultsIn, type Part, type Run, statementsIn } from "../group/group.ts";
import { programLoop } from "../group/nest.ts";
import { ownTemporaries } from "../group/own-temporaries.ts";
import type { Chooser } from "./question.ts";

/** Kernels and host loops, in the order of the program. */
export type Cut =
  | { readonly kind: "kernel"; readonly run: Run; readonly axes: readonly Axis[] }
  | { readonly kind: "host"; readonly loop: Loop; readonly body: readonly Cut[] };

/** A program cut into kernels. */
export interface CutProgram {
  readonly cuts: readonly Cut[];
  /** Statements that are no legal kernel even alone in one invocation. */
  readonly stuck: readonly string[];
}

/** What does not change while a program is cut. */
interface Cutting {
  readonly program: Program;
  readonly limits: Limits;
  readonly dependences: readonly Dependence[];
  readonly folds: readonly Place[];
  readonly chooser: Chooser;
  readonly stuck: string[];
  /** The axes of what was tried, by the statements and loops. */
  readonly known: Map<string, readonly Axis[] | null>;
}

function partOfRun(cutting: Cutting, run: Run): Part {
  const { program, dependences, folds } = cutting;
  return { program, dependences, folds, ...run };
}

/** Whether a kernel of some statements binds more buffers than the device can. */
function bindsTooMany(
  { program, limits }: Cutting,
  statements: readonly Statement[],
  unbound: readonly string[],
): boolean {
  return countBuffers(program, statements, unbound) > limits.limits.maxStorageBuffers;
}

/** Whether several statements bind too many buffers as a plain kernel over some axes. */
function isOver(
  cutting: Cutting,
  run: Run,
  statements: readonly Statement[],
  axes: readonly Axis[],
): boolean {
  if (statements.length < 2 || !bindsTooMany(cutting, statements, [])) return false;
  return bindsTooMany(cutting, statements, keptPlainly(partOfRun(cutting, run), axes));
}

function keyOf({ nodes, host }: Run): string {
  const name = (node: ProgramNode): string =>
    node.kind === "statement" ? node.statement : `loop ${node.name}`;
  return [...host.map((l) => l.id), "/", ...nodes.map(name)].join(" ");
}

/** The largest set of axes under which the nodes are one legal kernel; null if there is none. */
function legalAxes(cutting: Cutting, run: Run): readonly Axis[] | null {
  const key = keyOf(run);
  const known = cutting.known.get(key);
  if (known !== undefined) return known;
  const found = findAxes(cutting, run);
  cutting.known.set(key, found);
  return found;
}

/** The most axes of a kernel: of statements whose sets of axes are tried, and of one that takes them all. */
const mostAxesOfSeveral = 4;
const mostAxesOfOne = 6;

function findAxes(cutting: Cutting, run: Run): readonly Axis[] | null {
  const { program, folds } = cutting;
  const statements = statementsIn(program, run.nodes);
  const own = ownTemporaries(program, statements);
  if (statements.length > 1 && bindsTooMany(cutting, statements, own)) return null;
  const every = axesOf(statements);
  if (isFree(cutting, run, statements)) return every.slice(0, mostAxesOfOne);
  const all = every.slice(0, mostAxesOfSeveral);
  const axes = mostAxes(all, faultsIn(partOfRun(cutting, run)), (some) => {
    const { root, axes: loops } = mapPlainly(program, run.nodes, some, "probe");
    return { schedule: { root, places: folds }, loops };
  });
  return axes === null || isOver(cutting, run, statements, axes) ? null : axes;
}

/** The most of some axes under which a plain kernel has no faults; null where it has without any, too. */
function mostAxes(
  all: readonly Axis[],
  faultsOf: ReturnType<typeof faultsIn>,
  build: (axes: readonly Axis[]) => {
    readonly schedule: Schedule;
    readonly loops: readonly string[];
  },
): readonly Axis[] | null {
  const sets = listOf(2 ** all.length, (bits) =>
    all.filter((_axis, a) => (bits >> a) % 2 === 1),
  ).sort((a, b) => b.length - a.length);
  const excluded = new Set<Axis>();
  for (const axes of sets) {
    if (axes.some((axis) => excluded.has(axis))) continue;
    const { schedule, loops } = build(axes);
    const faults = faultsOf(schedule);
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
  { dependences: known, folds }: Cutting,
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

/** Whether every temporary that nodes hand to the next one fits into a buffer between them. */
function mayPart(
  { program, limits }: Cutting,
  nodes: readonly ProgramNode[],
  next: ProgramNode,
): boolean {
  const written = new Set(statementsIn(program, nodes).map((s) => s.write.tensor));
  const handed = new Set(
    statementsIn(program, [next])
      .flatMap(tensorsOf)
      .filter((tensor) => written.has(tensor)),
  );
  return program.tensors
    .filter((t) => t.role === "temporary" && handed.has(t.name))
    .every((t) => fitsBinding(t, limits));
}

/** The path of a question about a node. */
function pathOf(node: ProgramNode, question: string): string {
  return node.kind === "statement"
    ? `statements/${node.statement}/${question}`
    : `loops/${node.name}/${question}`;
}

/** The longest group from the first node on that is chosen and that the dependences allow. */
function groupAt(cutting: Cutting, { nodes: all, host }: Run): Extract<Cut, { kind: "kernel" }> {
  const { program, chooser, stuck } = cutting;
  const [first, ...others] = all;
  let nodes = first === undefined ? [] : [first];
  const alone = legalAxes(cutting, { nodes, host });
  if (alone === null && first?.kind === "statement") stuck.push(first.statement);
  let axes = alone ?? [];
  for (const next of others) {
    const longer = [...nodes, next];
    const shared = legalAxes(cutting, { nodes: longer, host });
    if (shared === null) break;
    const subject = {
      family: "with",
      before: { nodes, host },
      axes,
      next,
      shared,
      alone: () => legalAxes(cutting, { nodes: [next], host }),
    } as const;
    const path = pathOf(next, "with");
    const [kernel = ""] = eachStatementId(nodes);
    const values = mayPart(cutting, nodes, next) ? [false, kernel] : [kernel];
    if (chooser.choose({ path, values, subject, program }) === false) break;
    [nodes, axes] = [longer, shared];
  }
  return { kind: "kernel", run: { nodes, host }, axes };
}

/** Whether a program loop becomes a repetition of dispatches. */
function staysOnHost(cutting: Cutting, node: ProgramNode, host: readonly Loop[]): boolean {
  const run = { nodes: [node], host };
  const axes = legalAxes(cutting, run);
  const values = axes === null ? ["host"] : ["host", "serial"];
  const subject = { family: "loop", run, axes } as const;
  const { program, chooser } = cutting;
  return chooser.choose({ path: pathOf(node, "on"), values, subject, program }) === "host";
}

function cutNodes(cutting: Cutting, { nodes, host }: Run): readonly Cut[] {
  const cuts: Cut[] = [];
  let rest = nodes;
  while (rest.length > 0) {
    const [first] = rest;
    if (first?.kind === "loop" && staysOnHost(cutting, first, host)) {
      const { loop } = programLoop(cutting.program, first.name);
      const here: Loop = { ...loop, on: "host" };
      const body = cutNodes(cutting, { nodes: first.body, host: [...host, here] });
      cuts.push({ kind: "host", loop: here, body });
      rest = rest.slice(1);
      continue;
    }
    const group = groupAt(cutting, { nodes: rest, host });
    cuts.push(group);
    rest = rest.slice(group.run.nodes.length);
  }
  return cuts;
}

/** The program cut into kernels, as the chooser says. */
export function cutProgram(
  program: Program,
  limits: Limits,
  dependences: readonly Dependence[],
  folds: readonly Place[],
  chooser: Chooser,
): CutProgram {
  const stuck: string[] = [];
  const cutting = { program, limits, dependences, folds, chooser, stuck, known: new Map() };
  return { cuts: cutNodes(cutting, { nodes: program.tree, host: [] }), stuck };
}
