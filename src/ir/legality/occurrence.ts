/**
 * Where and by whom each leaf of a schedule is executed: the leaves with what verification needs to
 * know of the tree around them.
 */

import { remember } from "../../support/remember.ts";
import { type Affine, add, scale, variable } from "../affine.ts";
import { readNumbers } from "../expression.ts";
import { type Access, isScatter, type Program, parallelDims, type Statement } from "../program.ts";
import {
  type Band,
  isKernel,
  isLocal,
  type Leaf,
  type Loop,
  localStrides,
  type Phase,
  placeOfTensor,
  type Schedule,
  type ScheduleNode,
  type Sequence,
  teamSize,
} from "../schedule.ts";

/** A node of the tree that a barrier can stand in: a sequence, or a loop at its end. */
export interface Site {
  /** Child numbers from the root. */
  readonly path: readonly number[];
  /** The loops around, a loop itself included. */
  readonly loops: readonly Loop[];
  /** Every invocation of the workgroup comes here. */
  readonly uniform: boolean;
}

/** A leaf and its surroundings. */
export interface Occurrence {
  readonly leaf: Leaf;
  readonly statement: Statement;
  /** Outermost first. */
  readonly loops: readonly Loop[];
  readonly path: readonly number[];
  /** The sequences that the numbers of `path` refer to. */
  readonly sequences: readonly Sequence[];
  /** The kernel's number in textual order, -1 outside any. */
  readonly kernel: number;
  /** Invocations that share the local loops around. */
  readonly team: number;
  /** All of the team execute it, each into memory of its own; otherwise the first does. */
  readonly replicated: boolean;
  /** Every invocation of the workgroup comes to it. */
  readonly uniform: boolean;
}

/** A schedule, walked. */
export interface Occurrences {
  readonly leaves: readonly Occurrence[];
  readonly sequences: ReadonlyMap<Sequence, Site>;
  readonly loops: ReadonlyMap<string, Site>;
  /** By local loop, its share in the local index. */
  readonly strides: ReadonlyMap<string, number>;
  /** Invocations per workgroup, by kernel. */
  readonly workgroupSizes: readonly number[];
  /** Invocations per subgroup, by kernel: the product of the lane loops around a leaf; 1 for none. */
  readonly lanes: readonly number[];
  /** Ids of statements that leaves name and the program lacks. */
  readonly unknown: readonly string[];
}

interface Position {
  readonly loops: readonly Loop[];
  readonly path: readonly number[];
  readonly sequences: readonly Sequence[];
  readonly kernel: number;
  readonly team: number;
  readonly uniform: boolean;
}

interface Walk {
  readonly statements: ReadonlyMap<string, Statement>;
  readonly schedule: Schedule;
  readonly leaves: Occurrence[];
  readonly sequences: Map<Sequence, Site>;
  readonly loops: Map<string, Site>;
  readonly strides: Map<string, number>;
  readonly workgroupSizes: number[];
  readonly lanes: number[];
  readonly unknown: string[];
}

/** The dims that a phase of a statement binds. */
export function boundDims(statement: Statement, phase: Phase): readonly string[] {
  return phase === "init" || phase === "finish"
    ? parallelDims(statement)
    : statement.domain.dims.map((d) => d.name);
}

/** The reads that a leaf makes: those of its phase, but all where an index is computed from reads. */
export function readsOf({ statement, leaf }: Occurrence): readonly Access[] {
  const { body, reads, reduction, write } = statement;
  if (leaf.phase === "finish") return write.index.every((i) => i.kind === "affine") ? [] : reads;
  if (reads.some((r) => r.index.some((i) => i.kind === "opaque"))) return reads;
  const parts = leaf.phase === "init" ? (reduction?.init ?? []) : body;
  const used = new Set(readNumbers(...parts));
  return reads.filter((_, n) => used.has(n));
}

/** True for the phases that store into the statement's tensor. */
export function stores(phase: Phase): boolean {
  return phase === "whole" || phase === "finish";
}

function visitLeaf(walk: Walk, leaf: Leaf, at: Position): void {
  const statement = walk.statements.get(leaf.statement);
  if (statement === undefined) {
    walk.unknown.push(leaf.statement);
    return;
  }
  const isPrivate = placeOfTensor(walk.schedule, statement.write.tensor)?.space === "private";
  const lanes = at.loops.reduce((n, l) => (l.on === "lane" ? n * l.extent : n), 1);
  if (at.kernel >= 0) walk.lanes[at.kernel] = Math.max(walk.lanes[at.kernel] ?? 1, lanes);
  const { loops, path, sequences, kernel, team, uniform } = at;
  const replicated = team > 1 && (!stores(leaf.phase) || isPrivate);
  const place = { loops, path, sequences, kernel, team, uniform };
  walk.leaves.push({ leaf, statement, replicated, ...place });
}

function enterKernel(walk: Walk, node: Band, at: Position): Position {
  for (const [id, stride] of localStrides(node)) walk.strides.set(id, stride);
  const size = teamSize(node);
  walk.workgroupSizes.push(size);
  walk.lanes.push(1);
  return { ...at, kernel: walk.workgroupSizes.length - 1, team: size, uniform: true };
}

function visitBand(walk: Walk, node: Band, outer: Position): void {
  const at = outer.kernel < 0 && isKernel(node) ? enterKernel(walk, node, outer) : outer;
  const local = node.loops.filter((l) => isLocal(l.on));
  const share = local.reduce((product, l) => product * l.extent, 1);
  const child = teamSize(node.child);
  const inside: Position = {
    ...at,
    loops: [...at.loops, ...node.loops],
    team: share > 1 ? child : at.team,
    uniform: at.uniform && (share <= 1 || share * child === at.team),
  };
  for (const [n, loop] of node.loops.entries()) {
    const loops = [...at.loops, ...node.loops.slice(0, n + 1)];
    walk.loops.set(loop.id, { path: at.path, loops, uniform: inside.uniform });
  }
  visit(walk, node.child, inside);
}

function visit(walk: Walk, node: ScheduleNode, at: Position): void {
  if (node.kind === "leaf") visitLeaf(walk, node, at);
  else if (node.kind === "band") visitBand(walk, node, at);
  else {
    walk.sequences.set(node, { path: at.path, loops: at.loops, uniform: at.uniform });
    for (const [i, child] of node.children.entries()) {
      const path = [...at.path, i];
      visit(walk, child, { ...at, path, sequences: [...at.sequences, node] });
    }
  }
}

/** Walks a schedule. */
export function occurrencesOf(program: Program, schedule: Schedule): Occurrences {
  const walk: Walk = {
    statements: new Map(program.statements.map((s) => [s.id, s])),
    schedule,
    leaves: [],
    sequences: new Map(),
    loops: new Map(),
    strides: new Map(),
    workgroupSizes: [],
    lanes: [],
    unknown: [],
  };
  visit(walk, schedule.root, {
    loops: [],
    path: [],
    sequences: [],
    kernel: -1,
    team: 1,
    uniform: true,
  });
  return walk;
}

/** The leaves of each statement. */
const leavesByStatement: (occurrences: Occurrences) => ReadonlyMap<string, readonly Occurrence[]> =
  remember(({ leaves }: Occurrences) => {
    const found = new Map<string, Occurrence[]>();
    for (const o of leaves) {
      const own = found.get(o.statement.id);
      if (own === undefined) found.set(o.statement.id, [o]);
      else own.push(o);
    }
    return found;
  });

/** The leaves of a statement. */
export function leavesOf(statement: string, occurrences: Occurrences): readonly Occurrence[] {
  return leavesByStatement(occurrences).get(statement) ?? [];
}

/** The phases that a statement's leaves must have. */
export function phasesOf(statement: Statement): readonly Phase[] {
  return statement.reduction === null || isScatter(statement)
    ? ["whole"]
    : ["init", "update", "finish"];
}

/** True when the binding mentions the loop, or the loop has one iteration only. */
export function usesLoop(occurrence: Occurrence, loop: Loop): boolean {
  if (loop.extent <= 1) return true;
  return [...occurrence.leaf.binding.values()].some((a) =>
    a.terms.some((t) => t.variable === loop.id),
  );
}

/** The loops around both, from the outermost. */
export function sharedLoops(a: Occurrence, b: Occurrence): readonly Loop[] {
  let n = 0;
  while (n < a.loops.length && a.loops[n]?.id === b.loops[n]?.id) n++;
  return a.loops.slice(0, n);
}

/** Negative when `a` comes first in the text, 0 for one leaf. */
export function compareText(a: readonly number[], b: readonly number[]): number {
  for (const [n, x] of a.entries()) {
    const y = b[n];
    if (y === undefined) return 1;
    if (x !== y) return x - y;
  }
  return a.length - b.length;
}

/** The invocation that executes an occurrence, over its loops; of a team the first. */
export function localIndex(occurrence: Occurrence, strides: ReadonlyMap<string, number>): Affine {
  const local = occurrence.loops.filter((l) => isLocal(l.on) && l.extent > 1);
  return add(...local.map((l) => scale(variable(l.id), strides.get(l.id) ?? 0)));
}
