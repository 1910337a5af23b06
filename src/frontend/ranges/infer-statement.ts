import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/span.ts";
import { type Affine, constant, type Interval } from "../../ir/affine.ts";
import { flatMap } from "../../support/flat-map.ts";
import { eachTyped, type Typed, type TypedStatement } from "../names/typed.ts";
import { eachAccess, eachExisting, type GuardedAccess } from "./accesses.ts";
import { type AffineContext, affineOf, baseVariables, findQuotient } from "./affine-of.ts";
import {
  endVariables,
  type RangeBounds,
  type RangeEnds,
  rangeBounds,
  rangeEnds,
} from "./range-bounds.ts";
import { solveDemand } from "./solve-demand.ts";

/** What a statement's ranges depend on. */
export interface InferenceScope {
  /** The shapes of tensors as far as they are written. */
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** The sizes of inlined definitions. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The shape of the target, but for what this statement writes; undefined if there is none. */
  readonly leftShape: readonly number[] | undefined;
  /** The hulls of the enclosing loops. */
  readonly loops: ReadonlyMap<string, Interval>;
  /** Wait for shapes that are not known yet, rather than range an index by a fallback. */
  readonly patient: boolean;
  readonly report: Report;
}

/** The ranges of a statement's indices. */
export interface StatementRanges {
  /** In an order in which bounds only use earlier indices. */
  readonly ranges: ReadonlyMap<string, RangeBounds>;
  readonly context: AffineContext;
}

export type Inferred =
  | { readonly kind: "ranges"; readonly ranges: StatementRanges }
  | {
      readonly kind: "open";
      readonly indices: readonly string[];
    };

/** `0 <= affine < size`, asked for by an access. */
interface Demand {
  readonly affine: Affine;
  readonly size: number;
  readonly tensor: string;
  readonly dimension: number;
  readonly span: Span;
}

interface State {
  readonly statement: TypedStatement;
  readonly scope: InferenceScope;
  readonly context: AffineContext;
  readonly clauses: ReadonlyMap<string, RangeEnds>;
  /** Hulls of loops and of the indices that have a range. */
  readonly known: Map<string, Interval>;
  readonly ranges: Map<string, RangeBounds>;
}

/**
 * Infers the ranges of a statement's indices, as language.md, Ranges: clauses are final; in rounds,
 * every index that a constraint mentions alone gets the largest interval that satisfies all of
 * those; where nothing else ranges an index, the shaped left side and bare padded accesses do.
 * An index without a range leaves the statement open.
 */
export function inferStatement(statement: TypedStatement, scope: InferenceScope): Inferred {
  const taken = new Set([...statement.indices.map((i) => i.name), ...scope.loops.keys()]);
  const context: AffineContext = {
    quotients: [],
    shapeOf: (name) => scope.shapes.get(name),
    sizeOf: (name) => scope.sizes.get(name),
    taken,
  };
  const state: State = {
    statement,
    scope,
    context,
    clauses: clauseEnds(statement, context, scope.report),
    known: new Map(scope.loops),
    ranges: new Map(),
  };
  const accesses = [...eachAccess(statement), ...eachExisting(statement)];
  const waits = scope.patient && accesses.some((a) => !scope.shapes.has(a.access.tensor));
  const demands = flatMap(accesses, (a) => accessDemands(a, state));
  const open = (): readonly string[] =>
    statement.indices.map((i) => i.name).filter((name) => !state.known.has(name));
  while (open().length > 0) {
    const found =
      resolveClauses(state) ||
      resolveDemands(demands, state) ||
      (!waits &&
        (resolveDemands(leftDemands(state), state) ||
          resolveDemands(paddedDemands(accesses, state), state)));
    if (!found) return { kind: "open", indices: open() };
  }
  return { kind: "ranges", ranges: { ranges: inOrder(state), context } };
}

function clauseEnds(
  statement: TypedStatement,
  context: AffineContext,
  report: Report,
): ReadonlyMap<string, RangeEnds> {
  const ends = new Map<string, RangeEnds>();
  for (const clause of statement.clauses) {
    let own = rangeEnds(clause.lower, clause.upper, context);
    if (own === undefined) {
      const source = statement.indices.find((i) => i.name === clause.index)?.source ?? clause.index;
      report(diagnose("TC3007", { index: source }, clause.span));
      own = { lower: [constant(0)], upper: [constant(1)] };
    }
    const before = ends.get(clause.index) ?? { lower: [], upper: [] };
    ends.set(clause.index, {
      lower: [...before.lower, ...own.lower],
      upper: [...before.upper, ...own.upper],
    });
  }
  return ends;
}

/** The demands of an access: none when padded, none in dimensions that a guard shields. */
function accessDemands({ access, guards }: GuardedAccess, state: State): readonly Demand[] {
  const shape = state.scope.shapes.get(access.tensor);
  if (shape === undefined || access.fill !== null) return [];
  const own = new Set(state.statement.indices.map((i) => i.name));
  const shielding = new Set(
    flatMap(guards, (g) => indexNames(g.condition)).filter((n) => own.has(n)),
  );
  return flatMap(access.indices, (index, dimension): readonly Demand[] => {
    if (indexNames(index).some((name) => shielding.has(name))) return [];
    const affine = affineOf(index, state.context);
    if (affine === undefined) return [];
    return [
      { affine, size: shape[dimension] ?? 0, tensor: access.tensor, dimension, span: index.span },
    ];
  });
}

function indexNames(e: Typed): readonly string[] {
  return flatMap(eachTyped(e), (node) => (node.kind === "index" ? [node.name] : []));
}

/** What the left side asks for when its tensor has a shape. */
function leftDemands(state: State): readonly Demand[] {
  const { target, left } = state.statement;
  const shape = state.scope.leftShape;
  if (shape === undefined) return [];
  return flatMap(left, (index, dimension): readonly Demand[] => {
    const affine = affineOf(index, state.context);
    if (affine === undefined) return [];
    return [{ affine, size: shape[dimension] ?? 0, tensor: target, dimension, span: index.span }];
  });
}

function paddedDemands(accesses: readonly GuardedAccess[], state: State): readonly Demand[] {
  return flatMap(
    accesses.filter(({ access }) => access.fill !== null),
    (a) => accessDemands({ ...a, access: { ...a.access, fill: null } }, state),
  ).filter((d) => {
    const name = bareIndex(d.affine);
    return name !== undefined && findQuotient(state.context, name) === undefined;
  });
}

/** The index that the expression is, if it is one alone. */
function bareIndex(a: Affine): string | undefined {
  const [term] = a.terms;
  const bare = a.terms.length === 1 && term?.coefficient === 1 && a.constant === 0;
  return bare ? term.variable : undefined;
}

/** Gives indices with clauses their ranges, once all that the clauses use is known. */
function resolveClauses(state: State): boolean {
  let found = false;
  for (const [name, ends] of state.clauses) {
    if (state.known.has(name)) continue;
    if (!endVariables(ends, state.context).every((used) => state.known.has(used))) continue;
    const bounds = rangeBounds(name, ends, state.known, state.context);
    state.ranges.set(name, bounds);
    state.known.set(name, bounds.interval);
    found = true;
  }
  return found;
}

/** One round: all indices that some demand mentions alone, together. */
function resolveDemands(demands: readonly Demand[], state: State): boolean {
  const solved = new Map<string, Interval>();
  const bare = new Map<string, Demand>();
  for (const demand of demands) {
    const name = onlyOpenIndex(demand, state);
    if (name === undefined) continue;
    const range = { lo: 0, hi: demand.size - 1 };
    const interval = solveDemand(demand.affine, range, name, state.known, state.context);
    if (interval === undefined) continue;
    const before = solved.get(name) ?? { lo: -Infinity, hi: Infinity };
    solved.set(name, {
      lo: Math.max(before.lo, interval.lo),
      hi: Math.min(before.hi, interval.hi),
    });
    if (bareIndex(demand.affine) === name) checkAgreement(name, demand, bare, state);
  }
  for (const [name, { lo, hi }] of solved) {
    const end = Math.max(lo, hi + 1);
    const ends = { lower: [constant(lo)], upper: [constant(end)] };
    const bounds = rangeBounds(name, ends, state.known, state.context);
    state.ranges.set(name, bounds);
    state.known.set(name, bounds.interval);
  }
  return solved.size > 0;
}

/** The one index of a demand that has no range yet; none when a clause will range it. */
function onlyOpenIndex(demand: Demand, state: State): string | undefined {
  const open = [...baseVariables(demand.affine, state.context)].filter((n) => !state.known.has(n));
  const [name] = open;
  return open.length === 1 && name !== undefined && !state.clauses.has(name) ? name : undefined;
}

/** Two tensors that are accessed at a bare index must have the same size there. */
function checkAgreement(
  name: string,
  demand: Demand,
  bare: Map<string, Demand>,
  state: State,
): void {
  const before = bare.get(name);
  bare.set(name, before ?? demand);
  if (before === undefined || before.size === demand.size) return;
  const index = state.statement.indices.find((i) => i.name === name)?.source ?? name;
  const describe = (d: Demand): string =>
    `dimension ${d.dimension} of \`${d.tensor}\` has size ${d.size}`;
  const labels = [{ span: before.span, text: `here 0:${before.size}` }];
  const data = { index, first: describe(before), second: describe(demand) };
  state.scope.report(diagnose("TC3002", data, demand.span, { labels }));
}

/** The ranges in the statement's order of indices, but each after those that its bounds use. */
function inOrder(state: State): ReadonlyMap<string, RangeBounds> {
  const ordered = new Map<string, RangeBounds>();
  const visit = (name: string): void => {
    const bounds = state.ranges.get(name);
    if (bounds === undefined || ordered.has(name)) return;
    const used = flatMap([bounds.lower, bounds.upper], (a) => [...baseVariables(a, state.context)]);
    for (const earlier of used) visit(earlier);
    ordered.set(name, bounds);
  };
  for (const { name } of state.statement.indices) visit(name);
  return ordered;
}
