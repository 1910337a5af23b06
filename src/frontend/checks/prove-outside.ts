import type { Span } from "../../diagnostics/span.ts";
import {
  type Affine,
  add,
  addConstant,
  type Constraint,
  constant,
  isConstant,
  lessOrEqual,
  nonnegative,
  scale,
  substitute,
  subtract,
  variable,
} from "../../ir/affine.ts";
import { isEmpty } from "../../ir/integer-set/is-empty.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Symbols } from "../names/symbols.ts";
import type { Typed, TypedNode, TypedStatement } from "../names/typed.ts";
import { eachAccess } from "../ranges/accesses.ts";
import { affineOf } from "../ranges/affine-of.ts";
import type { Expression } from "../syntax/ast.ts";

/** The range `[lower, upper)` of an index, over sizes and indices around it. */
interface Range {
  readonly lower: Affine;
  readonly upper: Affine;
}

type Ranges = ReadonlyMap<string, Range>;

/** What leaves its tensor, whatever the sizes are. */
export interface ProvedOutside {
  readonly code: "TC3003" | "TC3004" | "TC3005";
  readonly span: Span;
}

/**
 * Finds the indices that leave their tensors for all values of the sizes that `symbols` gives none,
 * where the statement runs at all. Of statements under no `if`, and of indices that `where` and `for`
 * range by affine bounds: then the greatest and the least value of an affine index are affine in the
 * sizes, and so is what would keep them inside.
 */
export function proveOutside(
  nodes: readonly TypedNode[],
  symbols: Symbols,
): readonly ProvedOutside[] {
  return outsideIn(nodes, new Map(), symbols);
}

function outsideIn(
  nodes: readonly TypedNode[],
  around: Ranges,
  symbols: Symbols,
): readonly ProvedOutside[] {
  return flatMap(nodes, (node): readonly ProvedOutside[] => {
    if (node.kind === "statement") return outsideOf(node, around, symbols);
    if (node.kind !== "loop") return [];
    const range = rangeOf(node.lower, node.upper);
    const inside = new Map(around);
    if (range === undefined) inside.delete(node.name);
    else inside.set(node.name, range);
    return outsideIn(node.body, inside, symbols);
  });
}

function outsideOf(
  statement: TypedStatement,
  around: Ranges,
  symbols: Symbols,
): readonly ProvedOutside[] {
  const ranges = new Map(around);
  for (const { name } of statement.indices) {
    const [clause, ...others] = statement.clauses.filter((c) => c.index === name);
    const range = clause && others.length === 0 ? rangeOf(clause.lower, clause.upper) : undefined;
    if (range === undefined) ranges.delete(name);
    else ranges.set(name, range);
  }
  const leaving = (tensor: string, d: number, index: Typed): "above" | "below" | undefined =>
    leaves(index, symbols.tensors.get(tensor)?.dimensions?.[d], ranges, symbols);
  const reads = flatMap(eachAccess(statement), ({ access, guards }) =>
    guards.length > 0 || access.fill !== null
      ? []
      : flatMap(access.indices, (index, d) =>
          leaving(access.tensor, d, index) === undefined
            ? []
            : [{ code: "TC3003", span: index.span } as const],
        ),
  );
  const writes = flatMap(statement.node.target.indices, ({ span }, d): readonly ProvedOutside[] => {
    const index = statement.left[d];
    const side = index && leaving(statement.target, d, index);
    return side === undefined ? [] : [{ code: side === "above" ? "TC3004" : "TC3005", span }];
  });
  return [...reads, ...writes];
}

/** The side on which an index leaves a dimension for all sizes. */
function leaves(
  index: Typed,
  dimension: Expression | undefined,
  ranges: Ranges,
  symbols: Symbols,
): "above" | "below" | undefined {
  const affine = symbolic(index);
  if (affine === undefined) return undefined;
  const least = extreme(affine, ranges, -1);
  if (least !== undefined && never([...least.when, nonnegative(least.value)], symbols)) {
    return "below";
  }
  const size = dimension && sizeAffine(dimension, symbols);
  const most = extreme(affine, ranges, 1);
  if (size === undefined || most === undefined) return undefined;
  const inside = lessOrEqual(most.value, addConstant(size, -1));
  return never([...most.when, inside], symbols) ? "above" : undefined;
}

/** True when no sizes satisfy the constraints; sizes are positive, parameters any integers. */
function never(constraints: readonly Constraint[], { sizes, tensors }: Symbols): boolean {
  const dimensions = flatMap([...tensors.values()], (t) => t.dimensions ?? []);
  const names = new Set(flatMap(dimensions, (e) => (e.kind === "name" ? [e.name] : [])));
  const positive = [...names]
    .filter((name) => sizes.has(name))
    .map((name) => nonnegative(addConstant(sizeVariable(name), -1)));
  return isEmpty([...positive, ...constraints]) === "empty";
}

/**
 * The greatest value (`sign` 1) or the least one (-1) that an affine expression takes, in terms of the
 * sizes, and when the point exists at which it does; undefined where a range is not known.
 */
function extreme(
  affine: Affine,
  ranges: Ranges,
  sign: 1 | -1,
): { readonly value: Affine; readonly when: readonly Constraint[] } | undefined {
  let value = affine;
  let when: readonly Affine[] = [];
  for (let round = 0; round <= ranges.size; round++) {
    const open = [value, ...when].flatMap((a) => a.terms.map((t) => t.variable));
    const names = [...new Set(open)].filter((name) => !isSize(name));
    if (names.length === 0) return { value, when: when.map(nonnegative) };
    if (names.some((name) => !ranges.has(name))) return undefined;
    // Those that no other bound uses come first: inner indices before outer ones.
    const inner = names.find((name) =>
      names.every((other) => other === name || !uses(ranges.get(other), name)),
    );
    const range = inner === undefined ? undefined : ranges.get(inner);
    if (inner === undefined || range === undefined) return undefined;
    const slope = value.terms.find((t) => t.variable === inner)?.coefficient ?? 0;
    const end = slope * sign > 0 ? addConstant(range.upper, -1) : range.lower;
    const at = (a: Affine): Affine => substitute(a, (name) => (name === inner ? end : undefined));
    value = at(value);
    when = [...when.map(at), addConstant(subtract(range.upper, range.lower), -1)];
  }
  return undefined;
}

function uses(range: Range | undefined, name: string): boolean {
  return [range?.lower, range?.upper].some((a) => a?.terms.some((t) => t.variable === name));
}

function rangeOf(lower: Typed, upper: Typed): Range | undefined {
  const [from, to] = [symbolic(lower), symbolic(upper)];
  return from === undefined || to === undefined ? undefined : { lower: from, upper: to };
}

const mark = "size ";

function sizeVariable(name: string): Affine {
  return variable(`${mark}${name}`);
}

function isSize(name: string): boolean {
  return name.startsWith(mark);
}

/** The expression as an affine function of indices and sizes; undefined where it divides. */
function symbolic(e: Typed): Affine | undefined {
  const nothing = (): undefined => undefined;
  const context = { quotients: [], shapeOf: nothing, sizeOf: nothing, taken: new Set<string>() };
  const named = sizesAsIndices(e);
  const affine = named && affineOf(named, context);
  return context.quotients.length > 0 ? undefined : affine;
}

function sizesAsIndices(e: Typed): Typed | undefined {
  if (e.kind === "literal" || e.kind === "index") return e;
  if (e.kind === "size") return { ...e, kind: "index", name: `${mark}${e.name}` };
  if (e.kind === "unary") {
    const operand = sizesAsIndices(e.operand);
    return operand && { ...e, operand };
  }
  if (e.kind !== "binary") return undefined;
  const [left, right] = [sizesAsIndices(e.left), sizesAsIndices(e.right)];
  return left && right && { ...e, left, right };
}

/** A declared dimension as an affine function of the sizes without a value. */
function sizeAffine(e: Expression, symbols: Symbols): Affine | undefined {
  if (e.kind === "integer") return constant(e.value);
  if (e.kind === "name") {
    const value = symbols.sizes.get(e.name);
    return value === undefined ? sizeVariable(e.name) : constant(value);
  }
  if (e.kind === "unary" && e.operator === "-") {
    const operand = sizeAffine(e.operand, symbols);
    return operand && scale(operand, -1);
  }
  if (e.kind !== "binary") return undefined;
  const [left, right] = [sizeAffine(e.left, symbols), sizeAffine(e.right, symbols)];
  if (left === undefined || right === undefined) return undefined;
  if (e.operator === "+") return add(left, right);
  if (e.operator === "-") return subtract(left, right);
  if (e.operator !== "*") return undefined;
  if (isConstant(left)) return scale(right, left.constant);
  return isConstant(right) ? scale(left, right.constant) : undefined;
}
