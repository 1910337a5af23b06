/**
 * The part of a program that some elements of its outputs need.
 */
import { defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { type Constraint, constant, type Interval, intervalOf, lessOrEqual } from "../affine.ts";
import { boundingBox, type Dim, type Domain } from "../domain.ts";
import {
  type Access,
  type Index,
  type Program,
  type ProgramNode,
  type Statement,
  tensorOf,
} from "../program.ts";

/** A closed interval for each dimension of a tensor. */
export type Box = readonly Interval[];

/** Rounds of growing the needed boxes after which what still grows is needed whole. */
const patience = 8;

/**
 * Purpose: a program that computes the elements of `wanted` as the given one does, and as little
 * else as boxes can tell.
 *
 * Requires: a program without faults; boxes inside of the tensors. Ensures: on the wanted boxes both
 * programs have the same result; elsewhere the new one's means nothing.
 */
export function restrictOutputs(program: Program, wanted: ReadonlyMap<string, Box>): Program {
  const needed = new Map(wanted);
  for (let round = 0, grown = true; grown; round++) {
    const before = new Map(needed);
    for (const [tensor, box] of readsOf(program, needed)) include(needed, tensor, box);
    const larger = [...needed].filter(([tensor, box]) => before.get(tensor) !== box);
    grown = larger.length > 0;
    if (round < patience) continue;
    for (const [tensor] of larger) needed.set(tensor, wholeBox(program, tensor));
  }
  const statements = flatMap(program.statements, (s) => {
    const box = needed.get(s.write.tensor);
    return box === undefined ? [] : [restrictStatement(s, box)];
  });
  const kept = new Set(statements.map((s) => s.id));
  return { ...program, statements, tree: prune(program.tree, kept) };
}

/** All of a tensor. */
export function wholeBox(program: Program, tensor: string): Box {
  const { shape } = tensorOf(program, tensor);
  return shape.map((extent) => ({ lo: 0, hi: extent - 1 }));
}

/** About how many points the statements of a program have: those of the boxes around domains. */
export function countPoints(program: Program): number {
  let points = 0;
  for (const { domain } of program.statements) {
    const box = boundingBox(domain);
    points += domain.dims.reduce((product, { name }) => {
      const { lo, hi } = box.get(name) ?? { lo: 0, hi: 0 };
      return product * Math.max(0, hi - lo + 1);
    }, 1);
  }
  return points;
}

/** The instances that may write into the box. */
function restrictStatement(statement: Statement, box: Box): Statement {
  const { domain } = statement;
  const loops = new Set(statement.loops);
  const dims = new Map(domain.dims.map((d) => [d.name, d]));
  const guards: Constraint[] = [];
  for (const [d, index] of statement.write.index.entries()) {
    const { lo, hi } = defined(box[d], `dimension ${d} of ${statement.write.tensor}`);
    if (index.kind === "opaque") continue;
    const dim = bareDim(index, dims, loops);
    if (dim !== undefined) dims.set(dim.name, tighten(dim, index.affine.constant, { lo, hi }));
    else {
      guards.push(lessOrEqual(constant(lo), index.affine));
      guards.push(lessOrEqual(index.affine, constant(hi)));
    }
  }
  const restricted: Domain = {
    ...domain,
    dims: domain.dims.map((d) => dims.get(d.name) ?? d),
    guards: [...domain.guards, ...guards],
  };
  return { ...statement, domain: restricted };
}

/** The dim of a coordinate `dim + c`, if constants bound it. */
function bareDim(
  index: Extract<Index, { kind: "affine" }>,
  dims: ReadonlyMap<string, Dim>,
  loops: ReadonlySet<string>,
): Dim | undefined {
  const [term, second] = index.affine.terms;
  if (term === undefined || second !== undefined || term.coefficient !== 1) return undefined;
  const dim = dims.get(term.variable);
  if (dim === undefined || loops.has(dim.name)) return undefined;
  return dim.lower.terms.length === 0 && dim.upper.terms.length === 0 ? dim : undefined;
}

function tighten(dim: Dim, shift: number, { lo, hi }: Interval): Dim {
  const lower = Math.max(dim.lower.constant, lo - shift);
  const upper = Math.min(dim.upper.constant, hi - shift + 1);
  return { ...dim, lower: constant(lower), upper: constant(upper) };
}

/** What the statements that write into needed boxes read. */
function* readsOf(
  program: Program,
  needed: ReadonlyMap<string, Box>,
): Generator<readonly [string, Box]> {
  for (const statement of program.statements) {
    const box = needed.get(statement.write.tensor);
    if (box === undefined) continue;
    const { domain, reads } = restrictStatement(statement, box);
    const ranges = boundingBox(domain);
    for (const read of reads) yield [read.tensor, readBox(program, read, ranges)];
  }
}

/** A box around the elements that a read may touch. */
function readBox(program: Program, read: Access, ranges: ReadonlyMap<string, Interval>): Box {
  const range = (name: string): Interval => ranges.get(name) ?? { lo: 0, hi: 0 };
  return wholeBox(program, read.tensor).map((whole, d) => {
    const index = read.index[d];
    if (index === undefined || index.kind === "opaque") return whole;
    const { lo, hi } = intervalOf(index.affine, range);
    return { lo: Math.max(lo, whole.lo), hi: Math.min(hi, whole.hi) };
  });
}

/** Makes a tensor's box cover another; keeps the same box where it does. */
function include(needed: Map<string, Box>, tensor: string, box: Box): void {
  const before = needed.get(tensor);
  if (box.some(({ lo, hi }) => lo > hi)) return;
  if (before === undefined) {
    needed.set(tensor, box);
    return;
  }
  const after = before.map(({ lo, hi }, d) => ({
    lo: Math.min(lo, box[d]?.lo ?? lo),
    hi: Math.max(hi, box[d]?.hi ?? hi),
  }));
  const grown = after.some(({ lo, hi }, d) => lo !== before[d]?.lo || hi !== before[d]?.hi);
  if (grown) needed.set(tensor, after);
}

function prune(nodes: readonly ProgramNode[], kept: ReadonlySet<string>): readonly ProgramNode[] {
  return flatMap(nodes, (node): readonly ProgramNode[] => {
    if (node.kind === "statement") return kept.has(node.statement) ? [node] : [];
    const body = prune(node.body, kept);
    return body.length === 0 ? [] : [{ ...node, body }];
  });
}
