/**
 * Which rows are stored so that no two workgroups touch one vector of memory, and two invocations only at
 * the ends of their rows: what a barrier can keep apart.
 *
 * ```
 * workgroup g   | row of invocation 0 | row of 1 | row of 2 | row of 3 |     4 * 509 elements,
 * vectors       |    |    |    |    |    |    |    |    |    |    |    |     509 vectors
 * ```
 */

import { builtinOf } from "../build.ts";
import { type Kernel, type KernelArray, type KernelExpression, roomOf } from "../kernel.ts";
import { expressionKey, statementsOf } from "../walk-kernel.ts";
import { type Row, width } from "./aligned-rows.ts";
import { boundsOf } from "./condition-bounds.ts";
import { type IndexFacts, indexRange } from "./index-range.ts";
import { addLinear, type LinearTerm, linearIndex } from "./linear-index.ts";
import { noteLoads, ownArrays } from "./stored-elements.ts";

/** Where the invocations of a kernel go along rows. */
export interface RowPlace {
  /** The loops around, each of which all invocations of a workgroup make. */
  readonly around: readonly KernelExpression[];
  /** Which rows there are; undefined where all. */
  readonly condition: KernelExpression | undefined;
  readonly facts: IndexFacts;
}

/** The arrays that one statement stores to and nothing loads from, in memory of whole vectors. */
export function arraysOfOneStore(kernel: Kernel): ReadonlyMap<string, KernelArray> {
  const stores = new Map<string, number>();
  const loads = new Set<string>();
  for (const s of statementsOf(kernel)) {
    if (s.kind === "store") stores.set(s.array, (stores.get(s.array) ?? 0) + 1);
    noteLoads(s, loads);
  }
  const own = ownArrays(kernel);
  const suits = (a: KernelArray): boolean =>
    a.space === "storage" && a.view !== true && a.scalar !== "bool" && roomOf(a) % width === 0;
  const found = kernel.arrays.filter(
    (a) => suits(a) && own.has(a.id) && stores.get(a.id) === 1 && !loads.has(a.id),
  );
  return new Map(found.map((a) => [a.id, a]));
}

/** Whether different values of the terms are blocks of memory that have no element in common. */
function areApart(terms: readonly LinearTerm[], block: number, facts: IndexFacts): boolean {
  let span = block;
  for (const { expression, factor } of [...terms].sort((a, b) => a.factor - b.factor)) {
    const hi = indexRange(expression, facts)?.hi;
    if (hi === undefined || factor < span) return false;
    span += factor * hi;
  }
  return true;
}

/** The numbers of workgroups, in dimensions that have several. */
function workgroupNumbers({ kernel }: IndexFacts): readonly KernelExpression[] {
  const all = (["workgroup-x", "workgroup-y", "workgroup-z"] as const).map(builtinOf);
  return all.filter((_, d) => (kernel.grid[d] ?? 1) > 1);
}

/**
 * Whether the rows of which a condition holds end where the array or a vector does: the rows after them,
 * with which the last one would share a vector, are nobody's otherwise.
 */
function endsWhole(
  { array, linear }: Row,
  extent: number,
  condition: KernelExpression,
  facts: IndexFacts,
): boolean {
  const [bound, more] = boundsOf(condition);
  if (bound?.operator !== "min" || more !== undefined || !isComparison(condition)) return false;
  const number = linearIndex(bound.bounded, facts);
  const rest = number === undefined ? undefined : addLinear(linear, number, -extent);
  if (rest === undefined || rest.terms.size > 0) return false;
  const end = extent * (bound.limit + 1) + rest.constant;
  return end % width === 0 || end === (array.elements ?? array.length);
}

/** Whether a condition is one comparison. */
function isComparison(e: KernelExpression): boolean {
  return e.kind === "binary" && e.operator !== "and" && e.operator !== "or";
}

/**
 * Whether the invocations of a workgroup have rows one after the other with nothing between, that are
 * together whole vectors, others for each workgroup and each iteration of the loops around.
 */
export function isClosed(row: Row, extent: number, place: RowPlace): boolean {
  const { around, condition, facts } = place;
  const { terms, constant } = row.linear;
  const { workgroupSize } = facts.kernel;
  const block = extent * workgroupSize;
  if (block % width !== 0 || constant % width !== 0) return false;
  const invocation = expressionKey(builtinOf("local-index"));
  if (workgroupSize > 1 && terms.get(invocation)?.factor !== extent) return false;
  const others = [...terms].filter(([key]) => key !== invocation);
  const moving = [...workgroupNumbers(facts), ...around].map(expressionKey);
  const areMoving = others.length === moving.length && moving.every((key) => terms.has(key));
  const ofOthers = others.map(([, term]) => term);
  if (!areMoving || ofOthers.some((t) => t.factor % width !== 0)) return false;
  if (!areApart(ofOthers, block, facts)) return false;
  return condition === undefined || endsWhole(row, extent, condition, facts);
}
