/** The points of checked statements, by plain enumeration. */
import type {
  CheckedAccess,
  CheckedDefinition,
  CheckedExpression,
  CheckedNode,
  CheckedStatement,
} from "../../../src/frontend/checked.ts";
import type { Affine, Constraint } from "../../../src/ir/affine.ts";

/** Values of loops, dims and quotients by name. */
export type Values = ReadonlyMap<string, number>;

export function evaluate({ terms, constant }: Affine, values: Values): number {
  return terms.reduce(
    (sum, t) => sum + t.coefficient * (values.get(t.variable) ?? Number.NaN),
    constant,
  );
}

export function holds({ kind, affine }: Constraint, values: Values): boolean {
  const value = evaluate(affine, values);
  return kind === "zero" ? value === 0 : value >= 0;
}

/** A statement at one point. */
export interface Instance {
  readonly statement: CheckedStatement;
  readonly values: Values;
}

/** Every statement at each of its points, in no order that means anything. */
export function* eachInstance(definition: CheckedDefinition): Generator<Instance> {
  for (const node of definition.body) yield* instancesOf(node, new Map());
}

function* instancesOf(node: CheckedNode, values: Values): Generator<Instance> {
  if (node.kind === "loop") {
    for (const inside of along(node, values))
      for (const inner of node.body) yield* instancesOf(inner, inside);
    return;
  }
  let points: readonly Values[] = [values];
  for (const dim of node.dims) points = points.flatMap((point) => [...along(dim, point)]);
  for (const point of points) {
    const all = new Map(point);
    for (const { name, numerator, divisor } of node.quotients) {
      all.set(name, Math.floor(evaluate(numerator, all) / divisor));
    }
    if (node.guards.every((guard) => holds(guard, all))) yield { statement: node, values: all };
  }
}

function* along(
  range: { readonly name: string; readonly lower: Affine; readonly upper: Affine },
  values: Values,
): Generator<Values> {
  const end = evaluate(range.upper, values);
  for (let v = evaluate(range.lower, values); v < end; v++)
    yield new Map(values).set(range.name, v);
}

/** The reads of a statement, those in indices included. */
export function readsOf({ value, left }: CheckedStatement): readonly CheckedAccess[] {
  const opaque = left.flatMap((index) => (index.kind === "opaque" ? [index.expression] : []));
  return [value, ...opaque].flatMap(readsIn);
}

function readsIn(e: CheckedExpression): readonly CheckedAccess[] {
  switch (e.kind) {
    case "literal":
    case "coordinate":
      return [];
    case "access": {
      const inner = e.access.index.flatMap((index) =>
        index.kind === "opaque" ? readsIn(index.expression) : [],
      );
      return [e.access, ...inner];
    }
    case "unary":
    case "cast":
      return readsIn(e.operand);
    case "binary":
      return [e.left, e.right].flatMap(readsIn);
    case "select":
      return [e.condition, e.whenTrue, e.whenFalse].flatMap(readsIn);
    case "call":
      return e.arguments.flatMap(readsIn);
  }
}
