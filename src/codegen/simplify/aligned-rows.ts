/** Rows of memory that a loop goes along from neighbour to neighbour, and where in a vector they begin. */
import { floorMod, gcd } from "../../support/integer.ts";
import { indexLiteral } from "../build.ts";
import type { KernelArray, KernelExpression, KernelStatement } from "../kernel.ts";
import { type Origin, originOf, originOfAll } from "../origin.ts";
import { mapKernelExpression } from "../rewrite-kernel.ts";
import { expressionKey, someKernelExpression, visitOwnExpressions } from "../walk-kernel.ts";
import { decideExpression } from "./decide-conditions.ts";
import type { IndexFacts } from "./index-range.ts";
import { changedIn } from "./kernel-names.ts";
import { addLinear, type LinearIndex, linearIndex } from "./linear-index.ts";

type Loop = Extract<KernelStatement, { kind: "loop" }>;
type Load = Extract<KernelExpression, { kind: "load" }>;

/** Components of a vector. */
export const width = 4;

/** The elements `base + r` of an array in iterations `r`. */
export interface Row {
  readonly array: KernelArray;
  readonly base: KernelExpression;
  readonly linear: LinearIndex;
  /** Of the loads or of the store that go along it. */
  readonly origin?: Origin;
}

/** A row whose elements are loaded, by loads that are all alike. */
export interface LoadedRow extends Row {
  readonly load: Load;
}

/** How far from the beginning of a vector rows begin: the least and the most, whoever goes along them. */
export interface Offset {
  readonly lo: number;
  readonly hi: number;
}

/** What rows are looked for among. */
export interface RowArrays {
  readonly facts: IndexFacts;
  /** Those that may be loaded in vectors. */
  readonly loaded: ReadonlyMap<string, KernelArray>;
  /** Those that may be stored in vectors. */
  readonly stored: ReadonlyMap<string, KernelArray>;
}

/** Whether a value is that of all iterations, and can be computed before the first one. */
export function isFixed(value: KernelExpression, changed: ReadonlySet<string>): boolean {
  return !someKernelExpression(
    value,
    (e) => e.kind === "load" || (e.kind === "variable" && changed.has(e.name)),
  );
}

/**
 * The row that an index goes along. In a gather it is what is `changed` that says where the row begins.
 */
function asRow(
  index: KernelExpression,
  array: KernelArray,
  { variable }: Loop,
  changed: ReadonlySet<string>,
  facts: IndexFacts,
): Row | undefined {
  const linear = linearIndex(index, facts);
  const own = [...(linear?.terms ?? [])].filter(([, { expression }]) =>
    someKernelExpression(expression, (e) => e.kind === "variable" && e.name === variable),
  );
  const [[key, term] = [], more] = own;
  if (linear === undefined || key === undefined || more !== undefined) return undefined;
  if (term?.factor !== 1 || term.expression.kind !== "variable") return undefined;
  const terms = new Map(linear.terms);
  terms.delete(key);
  const atFirst = mapKernelExpression(index, (e) =>
    e.kind === "variable" && e.name === variable ? indexLiteral(0) : undefined,
  );
  const base = decideExpression(atFirst, facts);
  if (!isFixed(base, changed)) return undefined;
  return { array, base, linear: { terms, constant: linear.constant } };
}

/** The rows that every iteration loads from, once each. */
export function loadedRows(loop: Loop, { facts, loaded }: RowArrays): readonly LoadedRow[] {
  const found = new Map<string, LoadedRow>();
  const changed = changedIn(loop);
  for (const s of loop.body) {
    visitOwnExpressions(s, (e) => {
      const array = e.kind === "load" && e.type.width === 1 ? loaded.get(e.array) : undefined;
      if (e.kind !== "load" || array === undefined) return;
      const row = asRow(e.index, array, loop, changed, facts);
      if (row === undefined) return;
      const key = expressionKey(e);
      found.set(key, { ...row, load: e, ...originOfAll([found.get(key) ?? e, e]) });
    });
  }
  return [...found.values()];
}

/** The rows that every iteration stores to. */
export function storedRows(loop: Loop, { facts, stored }: RowArrays): readonly Row[] {
  const changed = changedIn(loop);
  return loop.body.flatMap((s) => {
    const array = s.kind === "store" && s.value.type.width === 1 ? stored.get(s.array) : undefined;
    if (s.kind !== "store" || array === undefined) return [];
    const row = asRow(s.index, array, loop, changed, facts);
    return row === undefined ? [] : { ...row, ...originOf(s) };
  });
}

/** Whether two rows always begin equally far from the beginning of a vector. */
export function isCongruent(a: Row, b: Row): boolean {
  const { terms, constant } = addLinear(a.linear, b.linear, -1);
  return constant % width === 0 && [...terms.values()].every((t) => t.factor % width === 0);
}

/** The most rows that begin equally far from the beginning of a vector. */
export function alignedTogether<T extends Row>(rows: readonly T[]): readonly T[] {
  const groups = rows.map((row) => rows.filter((other) => isCongruent(row, other)));
  return groups.reduce((best, group) => (group.length > best.length ? group : best), []);
}

/** How far from the beginning of a vector a row begins: something, and a multiple of what all terms are. */
export function offsetOf({ linear }: Row): Offset {
  const step = [...linear.terms.values()].reduce((g, t) => gcd(g, t.factor), width);
  const lo = floorMod(linear.constant, step);
  return { lo, hi: lo + width - step };
}
