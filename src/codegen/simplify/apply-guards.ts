/**
 * Purpose: says in an index what the conditions around it say, where only they keep it in bounds, so
 * that Tint can prove it: `x[k - 1]` where `k >= 1` becomes `x[max(k, 1) - 1]`.
 *
 * Requires: names of variables are unique in the kernel. Ensures: the kernel computes the same, for
 * a value under its condition is its own maximum or minimum with the bound.
 */
import { indexLiteral, indexType } from "../build.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { mapKernelExpression, mapOwnExpressions } from "../map-kernel.ts";
import { expressionKey, someKernelExpression } from "../walk-kernel.ts";
import { type IndexFacts, indexRange, withRange } from "./index-range.ts";

type Body = readonly KernelStatement[];

/** What a condition says of an expression: it is at least, or at most, a literal. */
interface Bound {
  readonly key: string;
  readonly operator: "max" | "min";
  readonly limit: number;
}

/** Where a statement stands. */
interface Place {
  readonly lengths: ReadonlyMap<string, number>;
  readonly facts: IndexFacts;
  readonly bounds: readonly Bound[];
}

/** Whether an expression has the same value wherever its variables are seen. */
function isFixed(e: KernelExpression, { facts }: Place): boolean {
  return !someKernelExpression(e, (node) => {
    if (node.kind === "variable") return !facts.variables.has(node.name);
    return node.kind === "load";
  });
}

/** `a op b` as `b op a`. */
const mirrored: ReadonlyMap<string, string> = new Map([
  ["<", ">"],
  ["<=", ">="],
  [">", "<"],
  [">=", "<="],
]);

/** What `a op literal` says of `a`: it is at least or at most the literal and an offset. */
const limits: ReadonlyMap<string, readonly (readonly ["max" | "min", number])[]> = new Map([
  [
    "==",
    [
      ["max", 0],
      ["min", 0],
    ],
  ],
  ["<", [["min", -1]]],
  ["<=", [["min", 0]]],
  [">", [["max", 1]]],
  [">=", [["max", 0]]],
]);

/** The bounds that a condition implies. */
function boundsOf(e: KernelExpression, place: Place): readonly Bound[] {
  if (e.kind !== "binary") return [];
  const { left, right, operator } = e;
  if (operator === "and") return [...boundsOf(left, place), ...boundsOf(right, place)];
  const literal = right.kind === "literal" ? right : left;
  const bounded = literal === right ? left : right;
  if (literal.kind !== "literal" || bounded.kind === "literal" || !isFixed(bounded, place)) {
    return [];
  }
  if (bounded.type.scalar !== "uint32" || bounded.type.width !== 1) return [];
  // With the literal on the left, the comparison reads the other way round.
  const relation = literal === right ? operator : (mirrored.get(operator) ?? operator);
  const key = expressionKey(bounded);
  return (limits.get(relation) ?? []).flatMap(([limiter, offset]): readonly Bound[] => {
    const limit = literal.value + offset;
    return limit < 0 || limit >= 2 ** 32 ? [] : [{ key, operator: limiter, limit }];
  });
}

/** An index in bounds for all that Tint knows, if the conditions keep it there. */
function provable(index: KernelExpression, array: string, place: Place): KernelExpression {
  const length = place.lengths.get(array);
  if (length === undefined || place.bounds.length === 0) return index;
  const isInside = (e: KernelExpression): boolean => {
    const range = indexRange(e, place.facts);
    return range !== undefined && range.hi < length;
  };
  if (isInside(index)) return index;
  const said = mapKernelExpression(index, (node) => {
    if (node.kind === "literal" || node.type.scalar !== "uint32") return undefined;
    const key = expressionKey(node);
    return place.bounds
      .filter((bound) => bound.key === key)
      .reduce<KernelExpression>(
        (left, { operator, limit }) => ({
          kind: "binary",
          operator,
          left,
          right: indexLiteral(limit),
          type: indexType,
        }),
        node,
      );
  });
  return isInside(said) ? said : index;
}

function applyToStatement(s: KernelStatement, place: Place): KernelStatement {
  const mapLoads = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) =>
      node.kind === "load"
        ? { ...node, index: provable(node.index, node.array, place) }
        : undefined,
    );
  const own = mapOwnExpressions(s, mapLoads);
  switch (own.kind) {
    case "store":
    case "atomic":
      return { ...own, index: provable(own.index, own.array, place) };
    case "loop": {
      // Tint does not know where the loop may end earlier.
      const range = { lo: 0, hi: Math.max(0, own.extent - 1) };
      const inside = { ...place, facts: withRange(place.facts, own.variable, range) };
      return { ...own, body: applyTo(own.body, inside) };
    }
    case "if": {
      const bounds = [...place.bounds, ...boundsOf(own.condition, place)];
      const then = applyTo(own.then, { ...place, bounds });
      return { ...own, then, else: applyTo(own.else, place) };
    }
    default:
      return own;
  }
}

function applyTo(body: Body, place: Place): Body {
  let { facts } = place;
  return body.map((s) => {
    const applied = applyToStatement(s, { ...place, facts });
    const range = s.kind === "declare" && !s.mutable ? indexRange(s.value, facts) : undefined;
    if (s.kind === "declare" && range !== undefined) facts = withRange(facts, s.name, range);
    return applied;
  });
}

/** Puts into indices what the conditions around them say. */
export function applyGuards(kernel: Kernel): Kernel {
  const lengths = new Map(
    kernel.arrays.filter((a) => a.view !== true).map((a) => [a.id, a.length]),
  );
  const facts: IndexFacts = { kernel, variables: new Map() };
  return { ...kernel, body: applyTo(kernel.body, { lengths, facts, bounds: [] }) };
}
