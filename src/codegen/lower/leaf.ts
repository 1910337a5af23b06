/**
 * Leaves: one instance of a statement, or of a phase of its reduction, as kernel statements.
 *
 * The domain's constraints that the loops do not imply become a guard. Where the target is private
 * memory, constraints on the parallel dims are dropped instead: what lies outside the domain is
 * computed from clamped reads and never stored, and the code stays straight.
 */
import {
  type Affine,
  addConstant,
  affineEquals,
  type Constraint,
  coefficientOf,
  constant,
  isConstant,
  scale,
  substitute,
  subtract,
  variable,
} from "../../ir/affine.ts";
import { type Domain, domainConstraints, type Quotient } from "../../ir/domain.ts";
import { readNumbers } from "../../ir/expression.ts";
import {
  findTensor,
  isScatter,
  parallelDims,
  reducedDims,
  type Statement,
  tensorOf,
} from "../../ir/program.ts";
import type { LeafContext, Phase } from "../../ir/schedule.ts";
import { defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv, floorDiv } from "../../support/integer.ts";
import { remember } from "../../support/remember.ts";
import { allOf, divideIndex } from "../build.ts";
import type { Block } from "./block.ts";
import { atComponent } from "./expression.ts";
import { lowerBlockEdge, lowerPhase } from "./phase.ts";
import {
  arrayNames,
  isInRegisters,
  type KernelContext,
  type LeafCheck,
  ofDims,
  type Scope,
} from "./scope.ts";
import { readName } from "./separated-reads.ts";
import { conditionOf, indexOf, isImplied, rangeOf, tighten } from "./variables.ts";

/** The constraints of a domain that are not the definitions of its quotients. */
const bounds: (domain: Domain) => readonly Constraint[] = remember((domain) =>
  domainConstraints({ ...domain, quotients: [] }),
);

/** Whether a constraint depends on one of the dims, through quotients too. */
function involves(domain: Domain, c: Constraint, dims: ReadonlySet<string>): boolean {
  const names = new Set(c.affine.terms.map((t) => t.variable));
  for (const q of [...domain.quotients].reverse()) {
    if (names.has(q.name)) for (const t of q.numerator.terms) names.add(t.variable);
  }
  return [...names].some((n) => dims.has(n));
}

/**
 * Whether all that a phase reads is written before the kernel or a barrier, or is the invocation's
 * own: a clamped read could otherwise meet another invocation's write.
 */
function readsSettled(context: KernelContext, statement: Statement, phase: Phase): boolean {
  const parts = phase === "init" ? (statement.reduction?.init ?? []) : statement.body;
  const direct = new Set(readNumbers(...parts));
  // An index computed at run time reads more than the body shows.
  const gathers = statement.reads.some((r) => r.index.some((i) => i.kind === "opaque"));
  return statement.reads.every((access, n) => {
    const layout = context.layouts.get(access.tensor);
    const name = readName(statement.id, phase, access.tensor);
    const own = isInRegisters(layout) || context.separated.has(name);
    return !(gathers || direct.has(n)) || own || !context.written.has(access.tensor);
  });
}

/** Whether what a constraint keeps out lies outside of the written tensor, where no one looks. */
function isTensorEdge(context: KernelContext, statement: Statement, c: Constraint): boolean {
  const { shape } = defined(
    findTensor(context.program, statement.write.tensor),
    statement.write.tensor,
  );
  return statement.write.index.some((index, d) => {
    if (index.kind !== "affine" || c.kind === "zero") return false;
    const above = subtract(constant((shape[d] ?? 0) - 1), index.affine);
    return affineEquals(c.affine, index.affine) || affineEquals(c.affine, above);
  });
}

/** What the domain says to a phase of a statement, in all of its instances. */
function checksOf(
  context: KernelContext,
  statement: Statement,
  phase: Phase,
): readonly LeafCheck[] {
  const key = `${phase} ${statement.id}`;
  const known = context.checks.get(key);
  if (known !== undefined) return known;
  const checks = findChecks(context, statement, phase);
  context.checks.set(key, checks);
  return checks;
}

function findChecks(
  context: KernelContext,
  statement: Statement,
  phase: Phase,
): readonly LeafCheck[] {
  const reduced = new Set(reducedDims(statement));
  const all = bounds(statement.domain);
  const mine =
    phase === "init" || phase === "finish"
      ? all.filter((c) => !involves(statement.domain, c, reduced))
      : all;
  const layout = context.layouts.get(statement.write.tensor);
  const storesPrivately = isInRegisters(layout);
  const toAccumulator = phase === "init" || phase === "update";
  const mayClamp = readsSettled(context, statement, phase);
  const dropped = (c: Constraint): boolean => {
    if (!mayClamp || involves(statement.domain, c, reduced)) return false;
    return toAccumulator || (storesPrivately && isTensorEdge(context, statement, c));
  };
  return mine.map((bound) => ({ bound, dropped: dropped(bound) }));
}

/** What a leaf must check, and whether it dropped something that the domain says. */
function guardOf(
  scope: Scope,
  phase: Phase,
): { readonly kept: readonly Constraint[]; readonly exact: boolean } {
  const { statement, context } = scope;
  const kept: Constraint[] = [];
  let exact = true;
  for (const { bound, dropped } of checksOf(context, statement, phase)) {
    const here = { kind: bound.kind, affine: ofDims(scope, bound.affine) };
    if (isImplied(here, context.variables)) continue;
    if (dropped) exact = false;
    else kept.push(tighten(here, context.variables));
  }
  return { kept, exact };
}

/** An index variable for a quotient, computed where it is used. */
function quotientValue(context: KernelContext, q: Quotient, numerator: Affine): Affine {
  if (isConstant(numerator)) return constant(floorDiv(numerator.constant, q.divisor));
  const { lo, hi } = rangeOf(numerator, context.variables);
  // A negative numerator is moved up by a multiple of the divisor, and the quotient back down.
  const shift = lo < 0 ? ceilDiv(-lo, q.divisor) : 0;
  const raised = addConstant(numerator, shift * q.divisor);
  const expression = divideIndex(indexOf(raised, context.variables), q.divisor);
  const name = `quotient ${JSON.stringify([raised, q.divisor])}`;
  const range = {
    lo: floorDiv(lo, q.divisor) + shift,
    hi: floorDiv(hi, q.divisor) + shift,
  };
  context.variables.set(name, { range, expression });
  return addConstant(scale(variable(name), 1), -shift);
}

function withQuotients(scope: Scope): Scope {
  if (scope.statement.domain.quotients.length === 0) return scope;
  const dims = new Map(scope.dims);
  for (const q of scope.statement.domain.quotients) {
    const known = q.numerator.terms.every((t) => dims.has(t.variable));
    if (!known) continue;
    const numerator = substitute(q.numerator, (name) => dims.get(name));
    dims.set(q.name, quotientValue(scope.context, q, numerator));
  }
  return { ...scope, dims };
}

/** The surroundings of one leaf instance. */
export function leafScope(
  context: KernelContext,
  leaf: LeafContext["leaf"],
  loops: ReadonlyMap<string, Affine>,
  lane: Scope["lane"],
  block: Block,
): Scope {
  const statement = defined(
    context.program.statements.find((s) => s.id === leaf.statement),
    "statement",
    leaf.statement,
  );
  const dims = new Map<string, Affine>();
  const ofLoop = (l: string): Affine | undefined => loops.get(l);
  for (const [d, a] of leaf.binding) dims.set(d, substitute(a, ofLoop));
  return { context, statement, block, loops, dims, exact: true, lane, state: null };
}

/** Emits one leaf instance into a block. */
export function lowerLeaf(
  context: KernelContext,
  leaf: LeafContext["leaf"],
  loops: ReadonlyMap<string, Affine>,
  lane: Scope["lane"],
  block: Block,
): void {
  const { phase } = leaf;
  emitGuarded(leafScope(context, leaf, loops, lane, block), phase, (s) => lowerPhase(s, phase));
}

/** Emits what stands around the updates of a block, for the elements of one update. */
export function lowerEdgeOfBlock(scope: Scope, edge: "before" | "behind"): void {
  // As the init: for elements that have an accumulator.
  emitGuarded(scope, "init", (s) => lowerBlockEdge(s, edge));
}

function emitGuarded(outer: Scope, phase: Phase, emit: (scope: Scope) => void): void {
  const lane = outer.lane;
  const oneByOne = (width: number, variable: string): void => {
    for (let n = 0; n < width; n++) emitGuarded(atComponent(outer, variable, n), phase, emit);
  };
  if (lane !== null && !canBeWide(outer, lane)) {
    oneByOne(lane.width, lane.variable);
    return;
  }
  const scope = withQuotients(outer);
  const { kept, exact } = guardOf(scope, phase);
  if (lane !== null && kept.some((c) => coefficientOf(c.affine, lane.variable) !== 0)) {
    oneByOne(lane.width, lane.variable);
    return;
  }
  const condition = allOf(kept.map((c) => conditionOf(c, scope.context.variables)));
  if (condition === undefined) {
    emit({ ...scope, exact });
    return;
  }
  const exchanged = exchangedArrays(scope);
  scope.block.guard(condition, exchanged, (block) => emit({ ...scope, block, exact }));
}

/** The registers of other lanes that a statement reads. */
function exchangedArrays({ context, statement }: Scope): ReadonlySet<string> {
  const arrays = flatMap(statement.reads, ({ tensor }) => {
    const layout = context.layouts.get(tensor);
    const inLanes = layout?.kind === "box" && layout.deal !== null;
    return inLanes ? arrayNames(tensorOf(context.program, tensor)) : [];
  });
  return new Set(arrays);
}

/** Scatters, quotients and own reads of what is written go one component after the other. */
function canBeWide(scope: Scope, lane: NonNullable<Scope["lane"]>): boolean {
  const { statement } = scope;
  const index = statement.write.index.every((i) => i.kind === "affine");
  const carriers = parallelDims(statement).filter(
    (d) => coefficientOf(scope.dims.get(d) ?? constant(0), lane.variable) !== 0,
  );
  return (
    !isScatter(statement) &&
    index &&
    carriers.length === 1 &&
    statement.domain.quotients.length === 0
  );
}
