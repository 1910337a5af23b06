import { flatMap } from "../support/flat-map.ts";
import { foldInteger } from "./names/types.ts";
import type { Expression } from "./syntax/ast.ts";
import { eachExpressionNode } from "./syntax/walk-ast.ts";

const sizeOperators: Readonly<Record<string, string>> = {
  "+": "+",
  "-": "-",
  "*": "*",
  "/": "floorDiv",
  "%": "floorMod",
};

/** The value of a dimension; undefined when a size is missing or it is no size expression. */
export function evaluateSize(
  e: Expression,
  sizes: ReadonlyMap<string, number | undefined>,
): number | undefined {
  if (e.kind === "integer") return e.value;
  if (e.kind === "name") return sizes.get(e.name);
  if (e.kind === "unary" && e.operator === "-") {
    const value = evaluateSize(e.operand, sizes);
    return value === undefined ? undefined : -value;
  }
  if (e.kind !== "binary") return undefined;
  const [left, right] = [evaluateSize(e.left, sizes), evaluateSize(e.right, sizes)];
  if (left === undefined || right === undefined) return undefined;
  return foldInteger(sizeOperators[e.operator] ?? "", left, right);
}

/** True when an expression is made of integers, names and arithmetic only. */
export function isSizeExpression(e: Expression): boolean {
  return eachExpressionNode(e).every(
    (node) =>
      node.kind === "integer" ||
      node.kind === "name" ||
      (node.kind === "unary" && node.operator === "-") ||
      (node.kind === "binary" && Object.hasOwn(sizeOperators, node.operator)),
  );
}

/** A declared dimension of what is passed, and what it is. */
export interface ToldDimension {
  readonly dimension: Expression;
  readonly extent: number;
}

/**
 * Adds the sizes that extents tell to those that are known: a dimension that is a name alone, or
 * linear in the one name that is not known (`2 * N - 1 = 7` gives N = 4). A dimension that no integer
 * solves gets the next smaller one, which then contradicts it.
 */
export function solveDimensions(told: readonly ToldDimension[], values: Map<string, number>): void {
  // Names alone come first: of what contradicts them the message is clearer.
  for (const { dimension, extent } of told) {
    if (dimension.kind === "name" && !values.has(dimension.name)) {
      values.set(dimension.name, extent);
    }
  }
  let open = told;
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    open = open.filter((one) => !solveLinear(one, values));
  }
}

/** Sets the one name of a dimension that has no value, if the dimension is linear in it. */
function solveLinear({ dimension, extent }: ToldDimension, values: Map<string, number>): boolean {
  const names = flatMap(eachExpressionNode(dimension), (node) =>
    node.kind === "name" && !values.has(node.name) ? [node.name] : [],
  );
  const [name, ...others] = new Set(names);
  if (name === undefined || others.length > 0) return name === undefined;
  const at = (value: number): number =>
    evaluateSize(dimension, new Map(values).set(name, value)) ?? Number.NaN;
  const [zero, slope] = [at(0), at(1) - at(0)];
  const value = Math.floor((extent - zero) / slope);
  const divides = eachExpressionNode(dimension).some(
    (node) => node.kind === "binary" && (node.operator === "/" || node.operator === "%"),
  );
  const linear = !divides && slope !== 0 && [2, 3, value].every((x) => at(x) === zero + slope * x);
  if (linear) values.set(name, value);
  return linear;
}
