/**
 * The ranges of a statement's indices by trying values: an index gets those for which an access
 * stays inside of its tensor, whatever the other indices are.
 */
import type { Assign, Expression } from "../../../src/frontend/syntax/ast.ts";
import {
  as,
  type Cell,
  cellsOf,
  compile,
  isAffine,
  meaningOf,
  operandsOf,
  type Scope,
} from "./expressions.ts";

/** All integers from `lo` to `hi`; none when `lo > hi`. */
export interface Interval {
  readonly lo: number;
  readonly hi: number;
}

/** An index with the values that it takes. */
export interface RangedIndex {
  readonly name: string;
  readonly cell: Cell;
  /** True when it occurs on the left side. */
  readonly left: boolean;
  /** Half-open; may depend on loops and on indices before it. */
  readonly lower: () => number;
  readonly upper: () => number;
  /** The loops and other indices that the ends use. */
  readonly uses: ReadonlySet<Cell>;
  readonly hull: Interval;
}

/** The indices of a statement as its text shows them: those on the left side, and the others. */
export function namesOf(statement: Assign, outer: Scope): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>();
  const ranged = new Set(
    statement.clauses.flatMap((c) => (c.kind === "range" ? [c.name.name] : [])),
  );
  const scope: Scope = { ...outer, indices: new Map(), lets: letsOf(statement) };
  const meet = (name: string, inIndex: boolean, onLeft: boolean): void => {
    const meaning = ranged.has(name) ? undefined : meaningOf(name, scope);
    if (meaning?.kind === "let") visit(meaning.value, inIndex, onLeft);
    else if (ranged.has(name) || (meaning === undefined && inIndex)) {
      found.set(name, found.get(name) === true || onLeft);
    }
  };
  const visit = (e: Expression, inIndex: boolean, onLeft: boolean): void => {
    if (e.kind === "name") meet(e.name, inIndex, onLeft);
    const access = e.kind === "apply" && outer.world.tensors.has(e.name.name);
    for (const part of operandsOf(e)) visit(part, inIndex || access, onLeft);
  };
  for (const index of statement.target.indices) visit(index, true, true);
  visit(statement.value, false, false);
  for (const access of existingOf(statement)) visit(access, false, false);
  for (const name of ranged) if (!found.has(name)) found.set(name, false);
  return found;
}

/** The `name = value` clauses of a statement. */
export function letsOf(statement: Assign): ReadonlyMap<string, Expression> {
  return new Map(
    statement.clauses.flatMap((c) => (c.kind === "let" ? [[c.name.name, c.value] as const] : [])),
  );
}

/** The accesses that `exists` clauses name: they range indices, and nothing reads them. */
function existingOf(statement: Assign): readonly Expression[] {
  return statement.clauses.flatMap((c) => (c.kind === "exists" ? [c.access] : []));
}

/** An access and the conditions that decide whether it is evaluated. */
interface Read {
  readonly tensor: string;
  readonly indices: readonly Expression[];
  readonly padded: boolean;
  readonly guards: readonly Expression[];
}

function readsOf(e: Expression, guards: readonly Expression[], scope: Scope): readonly Read[] {
  const inner = (part: Expression): readonly Read[] => readsOf(part, guards, scope);
  const guarded = guardedBy(e, scope);
  if (guarded !== undefined) {
    const { condition, parts } = guarded;
    const below = parts.flatMap((part) => readsOf(part, [...guards, condition], scope));
    return [...inner(condition), ...below];
  }
  const meaning = e.kind === "name" ? meaningOf(e.name, scope) : undefined;
  if (meaning?.kind === "let") return inner(meaning.value);
  const below = operandsOf(e).flatMap(inner);
  if (e.kind === "pad") {
    const [first, ...rest] = below;
    return first === undefined ? [] : [{ ...first, padded: true }, ...rest];
  }
  if (e.kind !== "apply" || !scope.world.tensors.has(e.name.name)) return below;
  return [{ tensor: e.name.name, indices: e.arguments, padded: false, guards }, ...below];
}

/** The condition that decides which of the parts are evaluated; undefined when all are. */
function guardedBy(
  e: Expression,
  scope: Scope,
): { readonly condition: Expression; readonly parts: readonly Expression[] } | undefined {
  if (e.kind === "conditional") {
    return { condition: e.condition, parts: [e.then, e.otherwise] };
  }
  if (e.kind === "binary" && (e.operator === "&&" || e.operator === "||")) {
    return { condition: e.left, parts: [e.right] };
  }
  const chooses = e.kind === "apply" && e.name.name === "select";
  if (!chooses || scope.world.tensors.has("select")) return undefined;
  const [no, yes, condition] = e.arguments;
  if (no === undefined || yes === undefined || condition === undefined) return undefined;
  return { condition, parts: [yes, no] };
}

/** `0 <= index < size` for the affine index of an access. */
interface Demand {
  readonly index: Expression;
  readonly size: number;
}

interface State {
  readonly statement: Assign;
  readonly scope: Scope;
  readonly names: ReadonlyMap<string, boolean>;
  /** The statement's own indices. */
  readonly own: ReadonlySet<Cell>;
  /** Of loops and of the indices that have a range. */
  readonly hulls: Map<Cell, Interval>;
  readonly ranged: Map<string, RangedIndex>;
}

function demandsOf(state: State, read: Read): readonly Demand[] {
  const { scope, own } = state;
  const shape = scope.world.tensors.get(read.tensor)?.shape;
  if (shape === undefined) return [];
  const shielding = new Set(
    read.guards.flatMap((g) => [...cellsOf(g, scope)]).filter((cell) => own.has(cell)),
  );
  return read.indices.flatMap((index, d): readonly Demand[] => {
    const shielded = [...cellsOf(index, scope)].some((cell) => shielding.has(cell));
    if (shielded || !isAffine(index, scope)) return [];
    return [{ index: frozen(index, scope), size: shape[d] ?? 0 }];
  });
}

/** Calls `body` for every combination of values of the cells; an empty one stands at its start. */
function everywhere(cells: readonly [Cell, Interval][], body: () => boolean): boolean {
  const [first, ...rest] = cells;
  if (first === undefined) return body();
  const [cell, { lo, hi }] = first;
  for (let v = lo; v <= Math.max(lo, hi); v++) {
    cell.value = v;
    if (!everywhere(rest, body)) return false;
  }
  return true;
}

/** An index of the statement. */
function cellOf(name: string, scope: Scope): Cell {
  const cell = scope.indices.get(name);
  if (cell === undefined) throw new Error(`${name} is no index`);
  return cell;
}

function boxOf(cells: Iterable<Cell>, state: State): readonly [Cell, Interval][] {
  return [...cells].map((cell) => {
    const hull = state.hulls.get(cell);
    if (hull === undefined) throw new Error("an index has no range yet");
    return [cell, hull];
  });
}

/** Beyond this no index can be of use: the product of all constants times all extents. */
function windowOf({ index, size }: Demand, others: readonly Interval[], scope: Scope): number {
  let product = 1;
  let sum = 0;
  const visit = (e: Expression, where: Scope): void => {
    const meaning = e.kind === "name" ? meaningOf(e.name, where) : undefined;
    const constant =
      e.kind === "integer" ? e.value : meaning?.kind === "size" ? meaning.value : undefined;
    if (meaning?.kind === "let") visit(meaning.value, where);
    if (meaning?.kind === "passed") visit(meaning.passed.value, meaning.passed.scope);
    if (constant !== undefined) {
      product *= Math.max(1, Math.abs(constant));
      sum += Math.abs(constant);
    }
    for (const part of operandsOf(e)) visit(part, where);
  };
  visit(index, scope);
  const reach = others.map((o) => Math.max(Math.abs(o.lo), Math.abs(o.hi)));
  return Math.min(20_000, product * (size + sum + reach.reduce((a, b) => a + b, 1)));
}

/** Where a condition on integers starts to hold, seen from below (`up`) or above; if it does. */
function halfLine(
  holds: (v: number) => boolean,
  reach: number,
): { readonly up: boolean; readonly from: number } | undefined {
  const [below, above] = [holds(-reach), holds(reach)];
  if (below === above) return undefined;
  const step = above ? 1 : -1;
  let v = -reach * step;
  while (!holds(v)) v += step;
  for (let n = 0; n < 64 && Math.abs(v + n * step) < reach; n++) {
    if (!holds(v + n * step)) return undefined;
  }
  return { up: above, from: v };
}

/** The values of the only open index for which the demand holds, whatever the others are. */
function solve(demand: Demand, name: string, state: State): Interval | undefined {
  const { scope } = state;
  const cell = cellOf(name, scope);
  const others = [...cellsOf(demand.index, scope)].filter((other) => other !== cell);
  const box = boxOf(others, state);
  const run = as(compile(demand.index, scope), "int32");
  const at = (v: number, test: () => boolean): boolean => {
    cell.value = v;
    return everywhere(box, test);
  };
  const hulls = box.map(([, hull]) => hull);
  const reach = windowOf(demand, hulls, scope);
  const low = halfLine((v) => at(v, () => run() >= 0), reach);
  const high = halfLine((v) => at(v, () => run() < demand.size), reach);
  if (low === undefined || high === undefined || low.up === high.up) return undefined;
  return low.up ? { lo: low.from, hi: high.from } : { lo: high.from, hi: low.from };
}

/** One round: every index that some demand mentions alone. */
function resolveDemands(demands: readonly Demand[], state: State): boolean {
  const { statement, scope, names } = state;
  const clauses = new Set(
    statement.clauses.flatMap((c) => (c.kind === "range" ? [c.name.name] : [])),
  );
  const solved = new Map<string, Interval>();
  for (const demand of demands) {
    const used = cellsOf(demand.index, scope);
    const open = [...names.keys()].filter(
      (name) => used.has(cellOf(name, scope)) && !state.ranged.has(name),
    );
    const [name] = open;
    if (name === undefined || open.length > 1 || clauses.has(name)) continue;
    const interval = solve(demand, name, state);
    if (interval === undefined) continue;
    const before = solved.get(name) ?? interval;
    solved.set(name, {
      lo: Math.max(before.lo, interval.lo),
      hi: Math.min(before.hi, interval.hi),
    });
  }
  for (const [name, { lo, hi }] of solved) {
    addRange(
      name,
      () => lo,
      () => hi + 1,
      new Set(),
      { lo, hi },
      state,
    );
  }
  return solved.size > 0;
}

function addRange(
  name: string,
  lower: () => number,
  upper: () => number,
  uses: ReadonlySet<Cell>,
  hull: Interval,
  state: State,
): void {
  const cell = cellOf(name, state.scope);
  const left = state.names.get(name) === true;
  state.ranged.set(name, { name, cell, left, lower, upper, uses, hull });
  state.hulls.set(cell, hull);
}

/** The `where`s of one index, once all that they use has a range. */
function resolveClauses(state: State): boolean {
  const { statement, scope, names } = state;
  const ranges = statement.clauses.flatMap((c) => (c.kind === "range" ? [c] : []));
  for (const name of new Set(ranges.map((c) => c.name.name))) {
    if (state.ranged.has(name)) continue;
    const own = ranges.filter((c) => c.name.name === name);
    const parts = own.map((c) => [frozen(c.lower, scope), frozen(c.upper, scope)] as const);
    const used = new Set(parts.flat().flatMap((e) => [...cellsOf(e, scope)]));
    if (![...names.keys()].every((n) => !used.has(cellOf(n, scope)) || state.ranged.has(n)))
      continue;
    const ends = parts.map(([low, high]) => ({
      low: as(compile(low, scope), "int32"),
      high: as(compile(high, scope), "int32"),
    }));
    const lower = (): number => Math.max(...ends.map((e) => e.low()));
    const upper = (): number => Math.min(...ends.map((e) => e.high()));
    addRange(name, lower, upper, used, hullOf(lower, upper, boxOf(used, state)), state);
    return true;
  }
  return false;
}

/** The least start and the greatest end of a range, over all values of what it depends on. */
export function hullOf(
  lower: () => number,
  upper: () => number,
  box: readonly [Cell, Interval][],
): Interval {
  let [lo, hi] = [Infinity, -Infinity];
  everywhere(box, () => {
    lo = Math.min(lo, lower());
    hi = Math.max(hi, upper() - 1);
    return true;
  });
  return { lo, hi };
}

/** An expression with the sizes of tensors replaced by what they are now. */
export function frozen(e: Expression, scope: Scope): Expression {
  switch (e.kind) {
    case "extent": {
      const value = scope.world.tensors.get(e.tensor.name)?.shape?.[e.dimension] ?? 0;
      return { kind: "integer", value, span: e.span };
    }
    case "unary":
      return { ...e, operand: frozen(e.operand, scope) };
    case "binary":
      return { ...e, left: frozen(e.left, scope), right: frozen(e.right, scope) };
    case "apply":
      return { ...e, arguments: e.arguments.map((a) => frozen(a, scope)) };
    default:
      return e;
  }
}

/**
 * The indices of a statement in an order in which their ends can be computed; undefined when one
 * has no range (yet). `patient`: reads of tensors without a shape may range indices later, so that
 * no index is ranged by the left side or by a padded access now.
 */
export function inferRanges(
  statement: Assign,
  outer: Scope,
  loops: ReadonlyMap<Cell, Interval>,
  patient: boolean,
): { readonly scope: Scope; readonly indices: readonly RangedIndex[] } | undefined {
  const names = namesOf(statement, outer);
  const cells = new Map([...names.keys()].map((name): [string, Cell] => [name, { value: 0 }]));
  const scope: Scope = { ...outer, indices: cells, lets: letsOf(statement) };
  const state: State = {
    statement,
    scope,
    names,
    own: new Set(cells.values()),
    hulls: new Map(loops),
    ranged: new Map(),
  };
  const { name, indices } = statement.target;
  const target: Read = { tensor: name.name, indices, padded: false, guards: [] };
  const reads = [...indices, statement.value, ...existingOf(statement)].flatMap((e) =>
    readsOf(e, [], scope),
  );
  // `x /= e` reads x.
  if (statement.operator === "/=") reads.push(target);
  const waits =
    patient && reads.some((r) => scope.world.tensors.get(r.tensor)?.shape === undefined);
  const plain = (): readonly Demand[] =>
    reads.filter((r) => !r.padded).flatMap((r) => demandsOf(state, r));
  const left = (): readonly Demand[] => demandsOf(state, target);
  const padded = (): readonly Demand[] =>
    reads
      .filter((r) => r.padded)
      .flatMap((r) => demandsOf(state, r))
      .filter((d) => d.index.kind === "name");
  while (state.ranged.size < names.size) {
    const progress =
      resolveClauses(state) ||
      resolveDemands(plain(), state) ||
      (!waits && (resolveDemands(left(), state) || resolveDemands(padded(), state)));
    if (!progress) return undefined;
  }
  return { scope, indices: ordered(state) };
}

/** As the text has them, but each after those that its ends use. */
function ordered(state: State): readonly RangedIndex[] {
  const found = new Map<string, RangedIndex>();
  const visit = (name: string): void => {
    const index = state.ranged.get(name);
    if (index === undefined || found.has(name)) return;
    for (const other of state.names.keys()) {
      if (index.uses.has(cellOf(other, state.scope))) visit(other);
    }
    found.set(name, index);
  };
  for (const name of state.names.keys()) visit(name);
  return [...found.values()];
}
