import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import type { Constraint, Interval } from "../../ir/affine.ts";
import type { Quotient } from "../../ir/domain.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { CheckedDim, CheckedExpression, CheckedIndex, CheckedStatement } from "../checked.ts";
import { type CheckedBounds, checkAccess, type ReadScope } from "../checks/check-access.ts";

import { findCollisions } from "../checks/check-write.ts";
import { lintStatement } from "../checks/lint-statement.ts";
import type { ResolvedDefinition } from "../names/resolve-definition.ts";
import type { Symbols } from "../names/symbols.ts";
import type { Typed, TypedAccess, TypedStatement } from "../names/typed.ts";
import { toChecked } from "../to-checked.ts";
import { eachAccess } from "./accesses.ts";
import { type AffineContext, affineOf } from "./affine-of.ts";
import type { Conjunction } from "./condition.ts";
import type { Enclosure } from "./enclosure.ts";
import type { StatementRanges } from "./infer-statement.ts";
import type { InferredRanges } from "./inference-state.ts";
import { choosingIndices, scatteredLeft } from "./left-hull.ts";
import { loopRange, statementConstraints } from "./statement-domain.ts";

/** One case of a statement. */
export interface StatementPlace {
  readonly around: Enclosure;
  readonly ranges: StatementRanges;
  /** One case of the enclosing `if`s. */
  readonly guard: Conjunction;
  /** True outside of loops when no earlier statement writes the target. */
  readonly first: boolean;
  /** True when no earlier statement writes the target, and no parameter is it. */
  readonly introduces: boolean;
}

/** What is known about the whole definition. */
export interface StatementScope {
  readonly symbols: Symbols;
  readonly inferred: InferredRanges;
  readonly report: Report;
  /** Tensors that are 0 where nothing writes them, and may be read there. */
  readonly whole?: ReadonlySet<string>;
  /** The text between two offsets. */
  readonly textOf: (span: { readonly start: number; readonly end: number }) => string;
  readonly resolved: Pick<ResolvedDefinition, "types">;
}

/** Checks one case of a statement and puts it together. */
export function elaborateStatement(
  statement: TypedStatement,
  place: StatementPlace,
  scope: StatementScope,
): CheckedStatement {
  const { ranges } = place.ranges;
  const shapeOf = (name: string): readonly number[] | undefined => scope.inferred.shapes.get(name);
  const { quotients, sizeOf, taken } = place.ranges.context;
  const context: AffineContext = { quotients, shapeOf, sizeOf, taken };
  const intervals = new Map(place.around.intervals);
  for (const [name, range] of ranges) intervals.set(name, range.interval);
  const domain = statementConstraints(place.around.loops, place.ranges, place.guard);
  const reads = checkReads(statement, { domain, intervals, context }, scope);
  const convert = (e: Typed): CheckedExpression =>
    toChecked(e, { context, intervals, bounds: (access) => reads.get(access) });
  const left = statement.left.map((index): CheckedIndex => {
    const affine = affineOf(index, context);
    return affine === undefined
      ? { kind: "opaque", expression: convert(index) }
      : { kind: "affine", affine };
  });
  const shared = checkLeft(statement, place, { domain, intervals, context }, scope);
  const value = convert(statement.value);
  lintStatement(statement, {
    symbols: scope.symbols,
    context,
    intervalOf: (index) => intervals.get(index),
    holdsValues: holdsValues(statement, scope),
    typeOf: (tensor) => scope.resolved.types.get(tensor),
    looped: place.around.loops.length > 0,
    introduces: place.introduces,
    textOf: scope.textOf,
    report: scope.report,
  });
  const choosing = choosingIndices(statement, place.ranges);
  const dims = [...ranges].map(([name, range]): CheckedDim => {
    const index = statement.indices.find((i) => i.name === name);
    const reduced = index?.left !== true || shared.includes(name);
    const { lower, upper } = range;
    const span = index?.span ?? statement.span;
    const source = index?.source ?? name;
    return { name, lower, upper, source, reduced, choosing: choosing.has(name), span };
  });
  const extra = flatMap([...ranges.values()], (range) => range.extra);
  const guards = [...loopExtras(place, context), ...extra, ...place.guard];
  return {
    kind: "statement",
    target: statement.target,
    left,
    operator: statement.operator,
    reset: statement.reset && !(shared.length > 0 && startsFromZero(statement, place, scope)),
    dims,
    guards,
    quotients: usedQuotients({ left, value, guards }, context),
    value,
    written: statement.node.target.span,
    span: statement.span,
  };
}

/** True when the caller gives the target, or an earlier statement writes all of it. */
function holdsValues(statement: TypedStatement, { symbols, inferred }: StatementScope): boolean {
  const { target } = statement;
  if (symbols.tensors.get(target)?.role === "inout") return true;
  const shape = inferred.shapes.get(target) ?? [];
  for (const [earlier, reach] of inferred.reaches) {
    if (earlier === statement) return false;
    if (earlier.target !== target) continue;
    const whole = shape.every((size, d) => {
      const own = reach[d];
      return own === null || (own !== undefined && own.lo <= 0 && own.hi >= size - 1);
    });
    if (whole) return true;
  }
  return false;
}

/** The constraints of the enclosing loops that their lower and upper bounds do not say. */
function loopExtras(place: StatementPlace, context: AffineContext): readonly Constraint[] {
  const outer = new Map<string, Interval>();
  return flatMap(place.around.loops, (loop) => {
    const range = loopRange(loop, outer, context);
    outer.set(loop.name, range?.interval ?? { lo: 0, hi: -1 });
    return range?.extra ?? [];
  });
}

type Domain = Pick<ReadScope, "domain" | "intervals" | "context">;

/** What the checks of reads need, for reads in a domain. */
export function readScope(domain: Domain, scope: StatementScope): ReadScope {
  const written: ReadScope["written"] = (name) => {
    const role = scope.symbols.tensors.get(name)?.role;
    const made = role === "output" || role === "temporary";
    return made && scope.whole?.has(name) !== true ? scope.inferred.written.get(name) : undefined;
  };
  const describe: ReadScope["describe"] = (index) => {
    const text = scope.textOf(index.span);
    return scope.symbols.sizes.has(text) ? { text, named: text } : { text };
  };
  return { ...domain, written, describe, report: scope.report };
}

/** The bounds of every read, each checked. */
function checkReads(
  statement: TypedStatement,
  domain: Domain,
  scope: StatementScope,
): ReadonlyMap<TypedAccess, CheckedBounds> {
  const read = readScope(domain, scope);
  const found = new Map<TypedAccess, CheckedBounds>();
  for (const guarded of eachAccess(statement)) {
    const bounds = checkAccess(guarded, read);
    // A let is one access in several places: only what holds in all of them is its context.
    const context = found.has(guarded.access) ? [] : bounds.context;
    found.set(guarded.access, { ...bounds, context });
  }
  return found;
}

/**
 * The left indices that must be reduced over: several of their values write one element, or their
 * values depend on what is reduced over. With `=` and with arg reductions that is an error.
 */
function checkLeft(
  statement: TypedStatement,
  place: StatementPlace,
  { domain, intervals, context }: Domain,
  scope: StatementScope,
): readonly string[] {
  const affine = statement.left.map((index) => affineOf(index, context));
  const own = statement.indices.filter((i) => i.left).map((i) => i.name);
  const { shared, proved } = findCollisions(affine, own, intervals, domain, context);
  const { target, node } = statement;
  if (statement.operator === "=") {
    const [first] = shared;
    if (first === undefined) return [];
    const index = statement.indices.find((i) => i.name === first);
    if (affine.includes(undefined)) {
      scope.report(
        diagnose("TC4007", { tensor: target, operator: node.operator }, node.operatorSpan),
      );
    } else if (proved) {
      const data = { tensor: target, index: index?.source ?? first };
      scope.report(diagnose("TC3009", data, node.target.span));
    }
    return [];
  }
  const right = statement.indices.filter((i) => !i.left).map((i) => i.name);
  const scattered = scatteredLeft(statement, place.ranges, [...right, ...shared]);
  const all = [...shared, ...scattered];
  const isArg = statement.operator === "argmin" || statement.operator === "argmax";
  if (isArg && all.length > 0) {
    const indices = statement.indices.filter((i) => !i.left || all.includes(i.name));
    const data = { operator: node.operator, indices: indices.map((i) => i.source) };
    scope.report(diagnose("TC4002", data, node.operatorSpan));
  }
  return all;
}

/** True when a scatter's reset changes nothing: the tensor is new, and new tensors are 0. */
function startsFromZero(
  statement: TypedStatement,
  place: StatementPlace,
  scope: StatementScope,
): boolean {
  const role = scope.symbols.tensors.get(statement.target)?.role;
  const fresh = place.first && role !== "inout";
  return fresh && (statement.operator === "+" || statement.operator === "or");
}

/** The quotients that a statement's parts use, and those that these use. */
function usedQuotients(parts: unknown, context: AffineContext): readonly Quotient[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const inner of value) visit(inner);
    else if (typeof value === "object" && value !== null) {
      if ("variable" in value && typeof value.variable === "string") names.add(value.variable);
      for (const inner of Object.values(value)) visit(inner);
    }
  };
  visit(parts);
  for (const quotient of [...context.quotients].reverse()) {
    if (names.has(quotient.name)) visit(quotient.numerator);
  }
  return context.quotients.filter((q) => names.has(q.name));
}
