/**
 * Reductions whose states come in order: to combine them takes less, see `ordered` in monoid.ts.
 *
 * An accumulator is updated by one invocation, in the order of the loops between its init and its
 * update. Where these give a later state a component that is not less, the init sets that component to
 * that of the first state, and nothing has to compare it from then on. Where there may be no first
 * state the init has to know.
 *
 * If moreover the place within a block of states makes no difference (`grain`), the written out updates
 * of a block change the other components alone, and that one is set behind them where the others
 * became better.
 */
import {
  type Affine,
  type Constraint,
  coefficientOf,
  constant,
  intervalOf,
  substitute,
} from "../../ir/affine.ts";
import { domainConstraints } from "../../ir/domain.ts";
import type { Expression } from "../../ir/expression.ts";
import type { Ordered } from "../../ir/monoid.ts";
import { parallelDims, type Statement } from "../../ir/program.ts";
import type { LeafContext, Loop } from "../../ir/schedule.ts";
import { defined } from "../../support/assert.ts";
import { gcd } from "../../support/integer.ts";

/** How a reduction is updated whose states come in order. */
export interface OrderedUpdates {
  readonly ordered: Ordered;
  /** Component `ordered.by` of a state, over the statement's dims. */
  readonly position: Affine;
  /** The reduced dims of the first state, over the loops around init and update. */
  readonly first: ReadonlyMap<string, Affine>;
  /** Of the domain: there are states if and only if these hold for the first one's dims. */
  readonly constraints: readonly Constraint[];
  /** Where several updates in a row are of one block; null where none are. */
  readonly block: BlockLoop | null;
}

/** A loop each of whose iterations updates an accumulator with states of one block only. */
export interface BlockLoop {
  readonly loop: string;
  /** The loops inside of it that go through the states, all written out. */
  readonly inside: ReadonlySet<string>;
}

/** The update's loops that are not around the init. */
function loopsBetween(init: LeafContext, update: LeafContext): readonly Loop[] {
  const shared = update.loops.findIndex((l, n) => init.loops[n]?.id !== l.id);
  return shared < 0 ? [] : update.loops.slice(shared);
}

/** The position of a state, if it is a function of dims alone. */
function positionOf(statement: Statement, e: Expression | undefined): Affine | null {
  if (e?.kind !== "coordinate") return null;
  const dims = new Set(statement.domain.dims.map((d) => d.name));
  return e.affine.terms.every((t) => dims.has(t.variable)) ? e.affine : null;
}

/** Whether loops, outermost first, never lead back along an affine function of them. */
function neverFalls(loops: readonly Loop[], position: Affine): boolean {
  let inside = 0;
  for (const loop of [...loops].reverse()) {
    const step = coefficientOf(position, loop.id);
    if (step < inside) return false;
    inside += step * (loop.extent - 1);
  }
  return true;
}

/** Whether a constraint that holds for some states of an accumulator holds for the first one. */
function leavesFirst(bound: Constraint, loops: readonly Loop[], moving: readonly Loop[]): boolean {
  const steps = moving.map((l) => coefficientOf(bound.affine, l.id));
  if (steps.every((s) => s === 0)) return true;
  if (bound.kind === "zero") return false;
  const extents = new Map(loops.map((l) => [l.id, l.extent]));
  const range = intervalOf(bound.affine, (id) => ({ lo: 0, hi: (extents.get(id) ?? 1) - 1 }));
  return range.lo >= 0 || steps.every((s) => s <= 0);
}

/** The innermost loop whose iterations have several states each, of one block, written out. */
function blockLoop(
  update: LeafContext,
  moving: readonly Loop[],
  position: Affine,
  grain: number,
): BlockLoop | null {
  const loop = moving.findLast((l) => l.on === "serial");
  if (loop === undefined || grain === 1) return null;
  const below = update.loops.slice(update.loops.findIndex((l) => l.id === loop.id) + 1);
  const inOneText = below.every((l) => l.extent === 1 || l.on === "unroll" || l.on === "vector");
  const inside = new Set(below.filter((l) => moving.includes(l)).map((l) => l.id));
  if (!inOneText || inside.size === 0) return null;
  let [last, step] = [0, gcd(grain, position.constant)];
  for (const { id, extent } of update.loops) {
    const coefficient = coefficientOf(position, id);
    if (inside.has(id)) last += coefficient * (extent - 1);
    else if (extent > 1) step = gcd(step, coefficient);
  }
  return last < step ? { loop: loop.id, inside } : null;
}

/**
 * How the updates of a statement's reduction are ordered in a kernel with these leaves; null where
 * that is not known, or makes no difference.
 *
 * Requires a verified schedule, which executes every update once.
 */
export function orderedUpdates(
  statement: Statement,
  leaves: readonly LeafContext[],
): OrderedUpdates | null {
  const { reduction, domain } = statement;
  const ordered = reduction?.monoid.ordered ?? null;
  if (reduction === null || ordered === null || reduction.init !== null) return null;
  const position = positionOf(statement, statement.body[ordered.by]);
  const own = leaves.filter((c) => c.leaf.statement === statement.id);
  const [init, second] = own.filter((c) => c.leaf.phase === "init");
  const [update, other] = own.filter((c) => c.leaf.phase === "update");
  if (init === undefined || update === undefined || second !== undefined || other !== undefined) {
    return null;
  }
  if (position === null || domain.quotients.length > 0) return null;
  const bound = (a: Affine): Affine => substitute(a, (dim) => update.leaf.binding.get(dim));
  const reduced = new Map(
    reduction.dims.map((d) => [d, defined(update.leaf.binding.get(d), "binding of", d)]),
  );
  const moves = (maps: Iterable<Affine | undefined>, loop: Loop): boolean =>
    [...maps].some((a) => coefficientOf(a ?? constant(0), loop.id) !== 0);
  const between = loopsBetween(init, update);
  const moving = between.filter((l) => l.extent > 1 && moves(reduced.values(), l));
  const elements = parallelDims(statement).map((d) => update.leaf.binding.get(d));
  const oneAfterTheOther = (l: Loop): boolean => l.on === "serial" || l.on === "unroll";
  if (!moving.every((l) => oneAfterTheOther(l) && !moves(elements, l))) return null;
  if (!neverFalls(moving, bound(position))) return null;
  const constraints = domainConstraints(domain).filter((c) =>
    reduction.dims.some((d) => coefficientOf(c.affine, d) !== 0),
  );
  const kept = constraints.every((c) =>
    leavesFirst({ ...c, affine: bound(c.affine) }, update.loops, moving),
  );
  if (!kept) return null;
  const start = (a: Affine): Affine =>
    substitute(a, (id) => (between.some((l) => l.id === id) ? constant(0) : undefined));
  const first = new Map([...reduced].map(([d, a]) => [d, start(a)]));
  const block = blockLoop(update, moving, bound(position), ordered.grain);
  return { ordered, position, first, constraints, block };
}
