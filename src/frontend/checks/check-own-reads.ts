import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/span.ts";
import { type Interval, isConstant, subtract } from "../../ir/affine.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Symbols } from "../names/symbols.ts";
import {
  eachTyped,
  type StatementIndex,
  type Typed,
  type TypedAccess,
  type TypedStatement,
} from "../names/typed.ts";
import { type AffineContext, affineOf } from "../ranges/affine-of.ts";
import { extentText, isBare } from "../ranges/extent-text.ts";

/** What is known where a statement stands. */
export interface OwnReadScope {
  readonly symbols: Symbols;
  readonly context: AffineContext;
  readonly intervalOf: (index: string) => Interval | undefined;
  /** True when all that the target holds was written before, or comes from the caller. */
  readonly holdsValues: boolean;
  readonly textOf: (span: Span) => string;
  readonly report: Report;
}

/** A read of the target, and how far from the written element it is in each dimension. */
interface Shifted {
  readonly access: TypedAccess;
  readonly shift: readonly number[];
}

/**
 * Warns of a statement outside of loops that looks as if each element followed from the one before
 * it, `y(i) = x(i) + y(i - 1)`, but reads what its target held before. Reads to both sides (a
 * stencil), of places that are no constant distance away (`x(n - 1 - i)`), moves of elements, and
 * what combines an element with its neighbour are meant as they are, if the target holds values; but
 * for running sums. Reads that are kept in range, by `pad` or by `max(i - 1, 0)`, are as those beside them.
 */
export function checkOwnReads(statement: TypedStatement, scope: OwnReadScope): void {
  const { target, value, given } = statement;
  if (given !== undefined) return;
  const reads = flatMap(eachTyped(value), (e) =>
    e.kind === "access" && e.tensor === target ? [e] : [],
  );
  const shifted = flatMap(reads, (access) => shiftOf(access, statement, scope.context) ?? []);
  const far = shifted.filter(({ shift }) => signOf(shift) !== 0);
  const [first] = far;
  if (first === undefined || shifted.length < reads.length) return;
  if (!far.every(({ shift }) => signOf(shift) === signOf(first.shift))) return;
  const own = far.length < shifted.length || combines(statement);
  const meant = own ? !isRunningSum(statement, first.access) : isMove(value);
  if (scope.holdsValues && meant) return;
  const loop = loopText(statement, far, scope);
  if (loop === undefined) return;
  const read = scope.textOf(first.access.span);
  scope.report(diagnose("TC4011", { tensor: target, read, loop }, first.access.span));
}

function shiftOf(
  access: TypedAccess,
  { left }: TypedStatement,
  context: AffineContext,
): Shifted | undefined {
  const shift: number[] = [];
  for (const [d, index] of access.indices.entries()) {
    const written = left[d];
    const from = affineOf(unclamped(index), context);
    const to = written && affineOf(written, context);
    const distance = from === undefined || to === undefined ? undefined : subtract(from, to);
    if (distance === undefined || !isConstant(distance)) return undefined;
    shift.push(distance.constant);
  }
  return { access, shift };
}

/** An index that is kept in range, as in `y(max(i - 1, 0))`, without what keeps it there. */
function unclamped(index: Typed): Typed {
  const isLimited = index.kind === "binary" && /^(min|max)$/.test(index.operator);
  if (!isLimited) return index;
  const moves = (e: Typed): boolean => [...eachTyped(e)].some((n) => n.kind === "index");
  const [one, ...others] = [index.left, index.right].filter(moves);
  return one === undefined || others.length > 0 ? index : unclamped(one);
}

/** The sign of the first number that is not 0. */
function signOf(shift: readonly number[]): number {
  return Math.sign(shift.find((distance) => distance !== 0) ?? 0);
}

/** True where the statement combines into what its target holds. */
function combines({ operator, reset }: TypedStatement): boolean {
  return operator !== "=" && !reset;
}

/** `y(i) += y(i - 1)`, `y(i) = y(i) + y(i - 1)`; with `pad` it is a sum of neighbours in place. */
function isRunningSum({ target, operator, value }: TypedStatement, shifted: TypedAccess): boolean {
  if (shifted.fill !== null) return false;
  if (operator === "+") return value === shifted;
  if (operator !== "=" || value.kind !== "binary" || value.operator !== "+") return false;
  return [value.left, value.right].every((e) => e.kind === "access" && e.tensor === target);
}

/** True for a value that is only chosen among elements. */
function isMove(e: Typed): boolean {
  if (e.kind === "cast") return isMove(e.operand);
  if (e.kind === "select") return isMove(e.whenTrue) && isMove(e.whenFalse);
  return e.kind === "access" || e.kind === "literal";
}

/** The statement in a loop over each index along which it reads; undefined where that has no text. */
function loopText(
  statement: TypedStatement,
  far: readonly Shifted[],
  scope: OwnReadScope,
): string | undefined {
  const { node, left, indices } = statement;
  const dimensions = new Map<number, number>();
  for (const { shift } of far) {
    const d = shift.findIndex((distance) => distance !== 0);
    dimensions.set(d, shift[d] ?? 0);
  }
  const heads: string[] = [];
  const looped = new Set<string>();
  for (const [d, distance] of [...dimensions].sort(([a], [b]) => a - b)) {
    const name = left[d] === undefined ? undefined : onlyIndex(left[d]);
    const index = indices.find((i) => i.name === name);
    const range = index && rangeOf(statement, index, scope);
    if (index === undefined || range === undefined) return undefined;
    looped.add(index.source);
    heads.push(`for ${index.source} in ${distance > 0 ? `reversed(${range})` : range} { `);
  }
  const clauses = node.clauses.filter((c) => c.kind !== "range" || !looped.has(c.name.name));
  const where = clauses.map((c) => scope.textOf(c.span)).join(", ");
  const body = scope.textOf({ start: node.target.span.start, end: node.value.span.end });
  const whole = `${heads.join("")}${body}${where === "" ? "" : ` where ${where}`}`;
  return `${whole}${" }".repeat(heads.length)}`.replaceAll(/\s+/g, " ");
}

function onlyIndex(e: Typed): string | undefined {
  const names = new Set(flatMap(eachTyped(e), (n) => (n.kind === "index" ? [n.name] : [])));
  const [name, ...others] = names;
  return others.length === 0 ? name : undefined;
}

/** As it is written, or as it was inferred. */
function rangeOf(
  { node, target, value }: TypedStatement,
  { name, source }: StatementIndex,
  { symbols, context, intervalOf, textOf }: OwnReadScope,
): string | undefined {
  const written = node.clauses.filter((c) => c.kind === "range" && c.name.name === source);
  const [clause, ...others] = written;
  if (clause?.kind === "range" && others.length === 0) {
    return textOf({ start: clause.lower.span.start, end: clause.upper.span.end });
  }
  const interval = intervalOf(name);
  if (interval === undefined) return undefined;
  const end = interval.hi + 1;
  const [upper] = flatMap(eachTyped(value), (e) =>
    e.kind === "access" && e.tensor !== target
      ? flatMap(e.indices, (index, d) =>
          isBare(index, name) && context.shapeOf(e.tensor)?.[d] === end
            ? [extentText(e.tensor, d, symbols)]
            : [],
        )
      : [],
  );
  return `${interval.lo}:${upper ?? end}`;
}
