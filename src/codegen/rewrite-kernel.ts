/** Rebuilding kernel IR: the same object comes back where nothing changed. */
import { flatMap } from "../support/flat-map.ts";
import type { KernelExpression, KernelStatement } from "./kernel.ts";
import { uniteOrigins } from "./origin.ts";
import { kernelOperands } from "./walk-kernel.ts";

/** The same node over other operands, as many as `kernelOperands` gives. */
function withKernelOperands(
  e: KernelExpression,
  parts: readonly KernelExpression[],
): KernelExpression {
  const [a = e, b = e, c = e] = parts;
  switch (e.kind) {
    case "literal":
    case "variable":
    case "builtin":
    case "step":
      return e;
    case "load":
      return { ...e, index: a };
    case "unary":
    case "cast":
      return { ...e, operand: a };
    case "binary":
      return { ...e, left: a, right: b };
    case "select":
      return { ...e, condition: a, whenTrue: b, whenFalse: c };
    case "call":
      return { ...e, arguments: parts };
    case "vector":
      return { ...e, components: parts };
    case "component":
      return { ...e, vector: a };
    case "pack":
      return { ...e, parts };
    case "unpack":
      return { ...e, word: a, position: b };
  }
}

/** The same node with its direct operands mapped. */
export function mapOperands(
  e: KernelExpression,
  map: (operand: KernelExpression) => KernelExpression,
): KernelExpression {
  switch (e.kind) {
    case "literal":
    case "variable":
    case "builtin":
    case "step":
      return e;
    case "load": {
      const index = map(e.index);
      if (index === e.index) return e;
      const { array, type, origin } = e;
      if (origin === undefined) return { kind: "load", array, index, type };
      return { kind: "load", array, index, type, origin };
    }
    case "binary": {
      const [left, right] = [map(e.left), map(e.right)];
      if (left === e.left && right === e.right) return e;
      return { kind: "binary", operator: e.operator, left, right, type: e.type };
    }
    default: {
      const before = kernelOperands(e);
      const after = before.map(map);
      return after.every((part, i) => part === before[i]) ? e : withKernelOperands(e, after);
    }
  }
}

/** Rewrites bottom-up; `change` returns undefined to keep a node. */
export function mapKernelExpression(
  e: KernelExpression,
  change: (node: KernelExpression) => KernelExpression | undefined,
): KernelExpression {
  // One function for all nodes: there are many.
  const map = (node: KernelExpression): KernelExpression => {
    const rebuilt = mapOperands(node, map);
    return change(rebuilt) ?? rebuilt;
  };
  return map(e);
}

/** The first of two expressions that compute the same, with the origins of the loads of both. */
export function withOriginsOf(e: KernelExpression, other: KernelExpression): KernelExpression {
  if (e === other) return e;
  const parts = kernelOperands(other);
  let n = 0;
  const inside = mapOperands(e, (part) => {
    const twin = parts[n] ?? part;
    n += 1;
    return withOriginsOf(part, twin);
  });
  if (inside.kind !== "load" || other.kind !== "load" || other.origin === undefined) return inside;
  const origin = uniteOrigins(inside.origin ?? [], other.origin);
  return origin === inside.origin ? inside : { ...inside, origin };
}

function mapIndex<T extends { readonly index: KernelExpression }>(
  place: T,
  map: (e: KernelExpression) => KernelExpression,
): T {
  const index = map(place.index);
  return index === place.index ? place : { ...place, index };
}

function mapValue<T extends { readonly value: KernelExpression }>(
  s: T,
  map: (e: KernelExpression) => KernelExpression,
): T {
  const value = map(s.value);
  return value === s.value ? s : { ...s, value };
}

function mapExchange(
  s: KernelStatement & { kind: "exchange" },
  map: (e: KernelExpression) => KernelExpression,
): KernelStatement {
  const given = mapValue(s, map);
  if (given.how.kind !== "broadcast") return given;
  const lane = map(given.how.lane);
  return lane === given.how.lane ? given : { ...given, how: { ...given.how, lane } };
}

/** The same statement with its own expressions mapped; statements inside stay. */
export function mapOwnExpressions(
  s: KernelStatement,
  map: (e: KernelExpression) => KernelExpression,
): KernelStatement {
  switch (s.kind) {
    case "declare":
    case "assign":
      return mapValue(s, map);
    case "exchange":
      return mapExchange(s, map);
    case "store":
    case "atomic": {
      const [index, value] = [map(s.index), map(s.value)];
      return index === s.index && value === s.value ? s : { ...s, index, value };
    }
    case "if": {
      const condition = map(s.condition);
      return condition === s.condition ? s : { ...s, condition };
    }
    case "fragment": {
      const from = s.from.kind === "fill" ? s.from : mapIndex(s.from, map);
      return from === s.from ? s : { ...s, from };
    }
    case "store-fragment":
      return mapIndex(s, map);
    case "loop":
      return s.end === undefined ? s : { ...s, end: map(s.end) };
    case "barrier":
    case "multiply":
      return s;
  }
}

/**
 * Rewrites statements, inner ones first: `change` sees each statement after those inside it and
 * gives what stands in its place.
 */
export function mapKernelStatements(
  body: readonly KernelStatement[],
  change: (s: KernelStatement) => readonly KernelStatement[],
): readonly KernelStatement[] {
  return flatMap(body, (s) => {
    if (s.kind === "loop") return change({ ...s, body: mapKernelStatements(s.body, change) });
    if (s.kind === "if") {
      const inner = mapKernelStatements(s.then, change);
      return change({ ...s, then: inner, else: mapKernelStatements(s.else, change) });
    }
    return change(s);
  });
}
