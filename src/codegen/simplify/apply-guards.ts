/**
 * Purpose: says in an index what the conditions around it say, where only they keep it in bounds, so
 * that Tint can prove it: `x[k - 1]` where `k >= 1` becomes `x[max(k, 1) - 1]`, and `x[12 * g + 3 * l]`
 * where `4 * g + l <= 5` becomes `x[3 * min(4 * g + l, 5)]`. Branches whose conditions cannot hold together go.
 *
 * Requires: names of variables are unique in the kernel. Ensures: the kernel computes the same, for
 * a value under its condition is its own maximum or minimum with the bound.
 */
import { flatMap } from "../../support/flat-map.ts";
import { addIndex, indexLiteral, indexType, scaleIndex } from "../build.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { mapKernelExpression, mapOwnExpressions } from "../rewrite-kernel.ts";
import { expressionKey, someKernelExpression, statementsOf } from "../walk-kernel.ts";
import { type Bound, boundsOf } from "./condition-bounds.ts";
import { type IndexFacts, indexRange, withRange } from "./index-range.ts";
import { addLinear, linearIndex, sidesOf } from "./linear-index.ts";

type Body = readonly KernelStatement[];

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

function limited(e: KernelExpression, { operator, limit }: Bound): KernelExpression {
  return { kind: "binary", operator, left: e, right: indexLiteral(limit), type: indexType };
}

/** A sum with a multiple of what is bounded in it, taken out; undefined where there is none. */
function limitedSum(
  index: KernelExpression,
  bound: Bound,
  facts: IndexFacts,
): KernelExpression | undefined {
  const [sum, part] = [linearIndex(index, facts), linearIndex(bound.bounded, facts)];
  const [first] = part?.terms ?? [];
  if (sum === undefined || part === undefined || first === undefined) return undefined;
  const [key, { factor }] = first;
  const times = (sum.terms.get(key)?.factor ?? 0) / factor;
  if (!Number.isInteger(times) || times <= 0) return undefined;
  const rest = addLinear(sum, part, -times);
  const isPlain = rest.constant >= 0 && [...rest.terms.values()].every((t) => t.factor > 0);
  if (!isPlain || [...part.terms.keys()].some((k) => rest.terms.has(k))) return undefined;
  return addIndex(scaleIndex(limited(bound.bounded, bound), times), sidesOf(rest).plus);
}

/** An index in bounds for all that Tint knows, if the conditions keep it there. */
function provable(index: KernelExpression, array: string, place: Place): KernelExpression {
  const length = place.lengths.get(array);
  if (length === undefined) return index;
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
      .reduce<KernelExpression>(limited, node);
  });
  if (isInside(said)) return said;
  const sums = place.bounds.map((bound) => limitedSum(index, bound, place.facts));
  return sums.find((sum) => sum !== undefined && isInside(sum)) ?? index;
}

/** The same statement, alone, with what the bounds say in the indices of its own. */
function applyToOwn(s: KernelStatement, place: Place): KernelStatement {
  if (place.bounds.length === 0) return s;
  const mapLoads = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) => {
      if (node.kind !== "load") return undefined;
      const index = provable(node.index, node.array, place);
      return index === node.index ? node : { ...node, index };
    });
  const own = mapOwnExpressions(s, mapLoads);
  if (own.kind !== "store" && own.kind !== "atomic") return own;
  return { ...own, index: provable(own.index, own.array, place) };
}

/** Whether bounds leave some expression no value: nothing is executed under them all. */
function areContrary(bounds: readonly Bound[]): boolean {
  return bounds.some(
    (least) =>
      least.operator === "max" &&
      bounds.some((b) => b.operator === "min" && b.key === least.key && b.limit < least.limit),
  );
}

function applyToStatement(s: KernelStatement, place: Place): Body {
  const own = applyToOwn(s, place);
  switch (own.kind) {
    case "loop": {
      // Tint does not know where the loop may end earlier.
      const range = { lo: 0, hi: Math.max(0, own.extent - 1) };
      const inside = { ...place, facts: withRange(place.facts, own.variable, range) };
      return [{ ...own, body: applyTo(own.body, inside) }];
    }
    case "if": {
      const said = boundsOf(own.condition).filter(({ bounded }) => isFixed(bounded, place));
      const bounds = [...place.bounds, ...said];
      // Tint refuses a literal index outside of an array wherever it stands.
      if (areContrary(bounds)) return applyTo(own.else, place);
      const then = applyTo(own.then, { ...place, bounds });
      const otherwise = applyTo(own.else, place);
      return then.length + otherwise.length === 0 ? [] : [{ ...own, then, else: otherwise }];
    }
    default:
      return [own];
  }
}

function applyTo(body: Body, place: Place): Body {
  const variables = new Map(place.facts.variables);
  const here: Place = { ...place, facts: { ...place.facts, variables } };
  return flatMap(body, (s) => {
    const applied = applyToStatement(s, here);
    const range = s.kind === "declare" && !s.mutable ? indexRange(s.value, here.facts) : undefined;
    if (s.kind === "declare" && range !== undefined) variables.set(s.name, range);
    return applied;
  });
}

/** Puts into indices what the conditions around them say. */
export function applyGuards(kernel: Kernel): Kernel {
  if (!statementsOf(kernel).some((s) => s.kind === "if")) return kernel;
  const lengths = new Map(
    kernel.arrays.filter((a) => a.view !== true).map((a) => [a.id, a.length]),
  );
  const facts: IndexFacts = { kernel, variables: new Map() };
  return { ...kernel, body: applyTo(kernel.body, { lengths, facts, bounds: [] }) };
}
