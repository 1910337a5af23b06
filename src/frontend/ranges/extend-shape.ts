import { diagnose } from "../../diagnostics/diagnostic.ts";
import { type Affine, type Constraint, type Interval, isConstant } from "../../ir/affine.ts";
import type { TypedStatement } from "../names/typed.ts";
import { printExpression } from "../syntax/print-ast.ts";
import { type AffineContext, affineOf, baseVariables } from "./affine-of.ts";
import { type Enclosure, guardCondition } from "./enclosure.ts";
import type { StatementRanges } from "./infer-statement.ts";
import type { InferenceState } from "./inference-state.ts";
import { choosingIndices } from "./left-hull.ts";
import { statementConstraints, valueRange } from "./statement-domain.ts";

/** Makes the target as large as the statement's writes, or checks them against its shape. */
export function extendShape(
  statement: TypedStatement,
  ranges: StatementRanges,
  around: Enclosure,
  state: InferenceState,
): void {
  const { context } = ranges;
  const cases = guardCondition(around.guards, context).cases;
  const sets = cases.map((guard) =>
    writingPoints(statement, ranges, statementConstraints(around.loops, ranges, guard)),
  );
  const before = state.shapes.get(statement.target);
  const affine = statement.left.map((index) => affineOf(index, context));
  if (before === undefined && affine.includes(undefined)) {
    state.report(diagnose("TC3012", { tensor: statement.target }, statement.node.target.span));
    state.tainted.add(statement.target);
    return;
  }
  const covered = affine.map((a) => (a === undefined ? null : reachOf(a, sets, context)));
  const given = statement.given === undefined ? undefined : before;
  const fixed = state.declared.get(statement.target) ?? given;
  for (const [dimension, reach] of covered.entries()) {
    if (reach !== null) checkWrite(statement, dimension, reach, fixed?.[dimension], state);
  }
  const grown = covered.map((reach, d) => Math.max(before?.[d] ?? 0, (reach?.hi ?? -1) + 1));
  state.shapes.set(statement.target, fixed ?? grown);
  state.reaches.set(statement, covered);
  const all = state.written.get(statement.target);
  state.written.set(
    statement.target,
    covered.map((reach, d) => (all === undefined ? reach : union(all[d] ?? null, reach))),
  );
}

/**
 * The points that write: a reduction stores an element for each value of its left indices, also
 * where nothing is reduced. So the indices that the left ones do not depend on do not count.
 */
function writingPoints(
  statement: TypedStatement,
  { ranges, context }: StatementRanges,
  all: readonly Constraint[],
): readonly Constraint[] {
  if (statement.operator === "=") return all;
  const choosing = choosingIndices(statement, { ranges, context });
  const dropped = statement.indices.map((i) => i.name).filter((name) => !choosing.has(name));
  return all.filter((c) => {
    const used = baseVariables(c.affine, context);
    return !dropped.some((name) => used.has(name));
  });
}

/** The least and greatest value over several sets; empty (`lo > hi`) without points. */
function reachOf(
  affine: Affine,
  sets: readonly Parameters<typeof valueRange>[0][],
  context: AffineContext,
): Interval {
  if (isConstant(affine) && sets.length === 1) {
    return { lo: affine.constant, hi: affine.constant };
  }
  let reach: Interval = { lo: Infinity, hi: -Infinity };
  for (const set of sets) {
    const range = valueRange(set, affine, context);
    if (range !== "empty") reach = union(reach, range) ?? reach;
  }
  return reach;
}

function union(a: Interval | null, b: Interval | null): Interval | null {
  if (a === null || b === null) return null;
  return { lo: Math.min(a.lo, b.lo), hi: Math.max(a.hi, b.hi) };
}

function checkWrite(
  statement: TypedStatement,
  dimension: number,
  reach: Interval,
  size: number | undefined,
  state: InferenceState,
): void {
  // The call's own indices are checked where it stands.
  const written = statement.node.target.indices[dimension - (statement.given ?? 0)];
  if (written === undefined) return;
  const [tensor, index] = [statement.target, printExpression(written)];
  if (reach.lo < 0) {
    const where = narrowed(statement, dimension, state);
    const data = { tensor, dimension, index, value: reach.lo };
    const full = where === undefined ? data : { ...data, where };
    state.report(diagnose("TC3005", full, written.span));
  }
  if (size === undefined || reach.hi < size) return;
  const value = Math.max(size, reach.lo);
  const named = written.kind === "name" && state.symbols.sizes.has(written.name);
  const data = { tensor, dimension, size, index, value, ...(named ? { named: index } : {}) };
  const declared = state.symbols.tensors.get(tensor)?.span;
  const labels = declared === undefined ? [] : [{ span: declared, text: "declared here" }];
  state.report(diagnose("TC3004", data, written.span, { labels }));
}

/**
 * The range of the only index in a written dimension that keeps it from being negative; undefined
 * when there are several, or when no value is left.
 */
function narrowed(
  statement: TypedStatement,
  dimension: number,
  state: InferenceState,
): string | undefined {
  const found = state.statements.get(statement);
  const left = statement.left[dimension];
  const affine =
    found === undefined || left === undefined ? undefined : affineOf(left, found.context);
  const [term, ...others] = affine?.terms ?? [];
  if (affine === undefined || term === undefined || others.length > 0) return undefined;
  const index = statement.indices.find((i) => i.name === term.variable);
  const range = found?.ranges.get(term.variable)?.interval;
  if (index === undefined || range === undefined) return undefined;
  const { coefficient } = term;
  const bound = -affine.constant / coefficient;
  const [lo, hi] =
    coefficient > 0
      ? [Math.max(range.lo, Math.ceil(bound)), range.hi]
      : [range.lo, Math.min(range.hi, Math.floor(bound))];
  return lo <= hi ? `${index.source} in ${lo}:${hi + 1}` : undefined;
}
