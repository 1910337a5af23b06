/**
 * Purpose: spreads the operands of a kernel's reductions over the lanes of a subgroup: what all lanes
 * need alike, each lane loads (and computes) for one step of the reduction, or for one of the points
 * that each of them has, and the others get it by broadcasts.
 *
 * ```
 * lane n                                   lane n
 *   serial ko, unroll ki in 0..L             serial ko
 *     C += A(m, L*ko + ki) * B(..., n)         sequence
 *                                     -->        A_part(m, L*ko + n) = A(m, L*ko + n)
 *                                                unroll ki in 0..L
 *                                                  C += A_part(m, L*ko + ki) * B(..., n)
 *                                          place A_part in lanes at ko
 *
 * lane n                                   lane n
 *   serial k, unroll mi in 0..2*L            serial k
 *     C(mi) += A(mi, k) * B(k, n)              sequence
 *                                     -->        unroll mj in 0..2
 *                                                  A_part(L*mj + n, k) = A(L*mj + n, k)
 *                                                unroll mi in 0..2*L
 *                                                  C(mi) += A_part(mi, k) * B(k, n)
 *                                          place A_part in lanes at k
 * ```
 * The steps that the lanes loaded may then be counted instead of written out: `serial ki in 0..L`. Points
 * stay written out: their lanes are known.
 * Requires: a kernel with one lane loop of as many iterations as a subgroup has lanes, whose reductions
 * have as many steps, or points, written out. Ensures: the same program with more statements, and the
 * kernel with them in place; whether it is legal is asked of verifySchedule.
 */
import { flatMap } from "../../../support/flat-map.ts";
import { type Affine, add, coefficientOf, constant, substitute, variable } from "../../affine.ts";
import { expandTemporary } from "../../algebraic/expand.ts";
import { materialise, variablesOfValue } from "../../algebraic/materialise.ts";
import { type Expression, operands, readNumbers } from "../../expression.ts";
import {
  findStatement,
  isScatter,
  type Program,
  parallelDims,
  reducedDims,
  type Statement,
} from "../../program.ts";
import {
  band,
  eachLeaf,
  type Leaf,
  type LeafContext,
  type Loop,
  type Schedule,
  type ScheduleNode,
  sequence,
} from "../../schedule.ts";
import { bind } from "../../scheduling/bind.ts";
import { mapBandOf } from "../../scheduling/map-node.ts";
import { place } from "../../scheduling/place.ts";

/** What lanes load for each other: a step of the reduction each, or a point. */
export type SpreadOver = "steps" | "points";

/** A reduction that all lanes of a subgroup step through together. */
interface Update {
  readonly statement: Statement;
  readonly context: LeafContext;
  /** The loop over lanes. */
  readonly lane: Loop;
  /** The dim that is dealt to them, and its written out loop: as many iterations, or a multiple. */
  readonly dim: string;
  readonly dealt: Loop;
  /** The reduced dim, and its innermost loop that is not written out. */
  readonly reduced: string;
  readonly outer: Loop;
}

function bindingOf({ leaf }: LeafContext, dim: string): Affine {
  return leaf.binding.get(dim) ?? constant(0);
}

/** The loop of a leaf on a level that moves a dim so. */
function loopOf(context: LeafContext, dim: string, on: Loop["on"], coefficient: number) {
  const bound = bindingOf(context, dim);
  return context.loops.find((l) => l.on === on && coefficientOf(bound, l.id) === coefficient);
}

/** What the lanes that run an update can deal to each other; null for nothing. */
type Dealt = Pick<Update, "dim" | "dealt" | "reduced" | "outer">;

function dealtSteps(statement: Statement, context: LeafContext, lanes: number): Dealt | null {
  for (const dim of reducedDims(statement)) {
    const outer = loopOf(context, dim, "serial", lanes);
    const dealt = loopOf(context, dim, "unroll", 1);
    if (outer !== undefined && dealt?.extent === lanes) {
      return { dim, dealt, reduced: dim, outer };
    }
  }
  return null;
}

function dealtPoints(statement: Statement, context: LeafContext, lanes: number): Dealt | null {
  const outer = context.loops.findLast((l) => l.on === "serial");
  const reduced = reducedDims(statement).find(
    (d) => outer !== undefined && coefficientOf(bindingOf(context, d), outer.id) !== 0,
  );
  if (outer === undefined || reduced === undefined) return null;
  for (const dim of parallelDims(statement)) {
    const dealt = loopOf(context, dim, "unroll", 1);
    if (dealt !== undefined && dealt.extent % lanes === 0) return { dim, dealt, reduced, outer };
  }
  return null;
}

function updateOf(
  program: Program,
  context: LeafContext,
  lanes: number,
  over: SpreadOver,
): Update | null {
  const { leaf, loops } = context;
  const statement = findStatement(program, leaf.statement);
  if (leaf.phase !== "update" || statement === undefined || isScatter(statement)) return null;
  const [lane, more] = loops.filter((l) => l.on === "lane" && l.extent > 1);
  if (lane === undefined || more !== undefined || lane.extent !== lanes) return null;
  const deal = over === "steps" ? dealtSteps : dealtPoints;
  const dealt = deal(statement, context, lanes);
  return dealt === null ? null : { statement, context, lane, ...dealt };
}

/** Adds what the quotients among the variables depend on. */
function withNumerators(s: Statement, names: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set(names);
  for (const q of [...s.domain.quotients].reverse()) {
    if (all.has(q.name)) for (const t of q.numerator.terms) all.add(t.variable);
  }
  return all;
}

/** A kernel with the program that it is of, and what was spread so far. */
export interface Spread {
  readonly program: Program;
  readonly schedule: Schedule;
  /** Ids of the statements that load for all lanes. */
  readonly statements: readonly string[];
  /** Where these put it. */
  readonly tensors: ReadonlySet<string>;
  /** The written out loops over the steps that they loaded. */
  readonly steps: ReadonlySet<string>;
}

function nothingSpread(program: Program, schedule: Schedule): Spread {
  return { program, schedule, statements: [], tensors: new Set(), steps: new Set() };
}

/** Whether a value is the same in all lanes, differs by what is dealt and by step, and is not spread yet. */
function isSpreadable(u: Update, value: Expression, done: ReadonlySet<string>): boolean {
  const reads = readNumbers(value);
  if (reads.length === 0) return false;
  if (reads.some((n) => done.has(u.statement.reads[n]?.tensor ?? ""))) return false;
  const used = withNumerators(u.statement, variablesOfValue(u.statement, value));
  if (!used.has(u.dim) || !used.has(u.reduced)) return false;
  return [...used].every((d) => coefficientOf(bindingOf(u.context, d), u.lane.id) === 0);
}

/** The largest parts of an expression that can be spread. */
function spreadableParts(
  u: Update,
  e: Expression,
  done: ReadonlySet<string>,
): readonly Expression[] {
  if (isSpreadable(u, e, done)) return [e];
  return flatMap(operands(e), (part) => spreadableParts(u, part, done));
}

/** The updates of a kernel, with what of them can be spread. */
function spreadable(
  { program, schedule, tensors }: Spread,
  lanes: number,
  over: SpreadOver,
): readonly { readonly update: Update; readonly value: Expression }[] {
  return flatMap(eachLeaf(schedule.root), (context) => {
    const update = updateOf(program, context, lanes, over);
    if (update === null) return [];
    const parts = flatMap(update.statement.body, (e) => spreadableParts(update, e, tensors));
    return parts.map((value) => ({ update, value }));
  });
}

/** The copies of loops of an update that another leaf beside it needs. */
function copiesOf(
  u: Update,
  inside: readonly Loop[],
  used: ReadonlySet<string>,
  name: string,
): ReadonlyMap<string, Loop> {
  const { dealt, lane } = u;
  const wanted = inside.filter(
    (l) => used.has(l.id) && (l.id !== dealt.id || l.extent > lane.extent),
  );
  const copied = (l: Loop): Loop => ({
    id: `${l.id}.${name}`,
    extent: l.id === dealt.id ? l.extent / lane.extent : l.extent,
    on: l.on === "vector" ? "unroll" : l.on,
  });
  return new Map(wanted.map((l) => [l.id, copied(l)]));
}

/** Puts the statement that fills the lanes before the steps that use it; null if it does not fit. */
function insertPart(root: ScheduleNode, u: Update, part: Statement): ScheduleNode | null {
  const dims = part.domain.dims.map((d) => d.name);
  const bound = new Map(dims.map((d) => [d, bindingOf(u.context, d)]));
  const moved = (d: string): boolean =>
    d !== u.dim &&
    [u.dealt, u.lane].some((l) => coefficientOf(bound.get(d) ?? constant(0), l.id) !== 0);
  if (dims.some(moved)) return null;
  const used = new Set(flatMap([...bound.values()], (a) => a.terms.map((t) => t.variable)));
  let fits = true;
  const node = mapBandOf(root, u.dealt.id, (b) => {
    const at = b.loops.findIndex((l) => l.id === u.outer.id) + 1;
    const inside = b.loops.slice(at);
    fits = at > 0 && b.child === u.context.leaf;
    const copies = copiesOf(u, inside, used, part.id);
    const rename = (l: string): Affine | undefined => {
      const copy = copies.get(l);
      if (l === u.dealt.id) {
        const own = variable(u.lane.id);
        return copy === undefined ? own : add(own, variable(copy.id, u.lane.extent));
      }
      return copy === undefined ? undefined : variable(copy.id);
    };
    const binding = new Map([...bound].map(([d, a]) => [d, substitute(a, rename)]));
    const leaf: Leaf = { kind: "leaf", statement: part.id, phase: "whole", binding };
    const body = sequence([band([...copies.values()], leaf), band(inside, b.child)]);
    return band(b.loops.slice(0, at), body);
  });
  return fits ? node : null;
}

/**
 * Gives each iteration of the program loops a copy of its own of what a statement writes. Registers
 * hold one copy all the same; but where the statement is left out of some iterations, only this shows
 * that none reads what an earlier one wrote.
 */
function expandOver(program: Program, { write: { tensor }, loops }: Statement): Program {
  return loops.reduceRight((before, loop) => {
    const result = expandTemporary(before, { tensor, loop });
    return result.kind === "refused" ? before : result.program;
  }, program);
}

function spreadOne(before: Spread, update: Update, value: Expression): Spread | null {
  const { program, schedule } = before;
  const result = materialise(program, { statement: update.statement.id, value });
  if (result.kind === "refused") return null;
  const known = new Set(program.statements.map((s) => s.id));
  const added = result.program.statements.find((s) => !known.has(s.id));
  const expanded = added === undefined ? result.program : expandOver(result.program, added);
  const part = expanded.statements.find((s) => !known.has(s.id));
  const root = part === undefined ? null : insertPart(schedule.root, update, part);
  if (part === undefined || root === null) return null;
  const { tensor } = part.write;
  const placed = place(
    { ...schedule, root },
    { target: { kind: "tensor", tensor }, space: "lanes", at: update.outer.id, fold: null },
  );
  return {
    program: expanded,
    schedule: placed,
    statements: [...before.statements, part.id],
    tensors: new Set([...before.tensors, tensor]),
    steps: new Set([...before.steps, ...(update.dim === update.reduced ? [update.dealt.id] : [])]),
  };
}

/** The statements of a kernel with something to spread, once their steps or points are written out. */
export function spreadCandidates(
  program: Program,
  schedule: Schedule,
  lanes: number,
  over: SpreadOver,
): ReadonlySet<string> {
  const updates = spreadable(nothingSpread(program, schedule), lanes, over);
  return new Set(updates.map(({ update }) => update.statement.id));
}

/** Spreads all that can be spread of some statements of a kernel; null if that is nothing. */
export function spreadOperands(
  program: Program,
  schedule: Schedule,
  lanes: number,
  over: SpreadOver,
  wanted: ReadonlySet<string>,
): Spread | null {
  let current = nothingSpread(program, schedule);
  const failed = new Set<Expression>();
  for (;;) {
    const before = current;
    const next = spreadable(before, lanes, over).find(
      ({ update, value }) => wanted.has(update.statement.id) && !failed.has(value),
    );
    if (next === undefined) return current.statements.length === 0 ? null : current;
    const after = spreadOne(before, next.update, next.value);
    if (after === null) failed.add(next.value);
    else current = after;
  }
}

/** The kernel with the steps that lanes loaded counted: its text has each point of a step once. */
export function countSteps({ schedule, steps }: Spread): Schedule {
  return { ...schedule, root: [...steps].reduce((n, id) => bind(n, id, "serial"), schedule.root) };
}
