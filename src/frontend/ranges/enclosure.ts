import type { Interval } from "../../ir/affine.ts";
import type { TypedLoop, TypedNode } from "../names/typed.ts";
import type { GuardedBy } from "./accesses.ts";
import type { AffineContext } from "./affine-of.ts";
import { always, both, type Condition, conditionOf } from "./condition.ts";

/** What encloses a statement. */
export interface Enclosure {
  readonly loops: readonly TypedLoop[];
  readonly intervals: ReadonlyMap<string, Interval>;
  /** The conditions of the enclosing `if`s. */
  readonly guards: readonly GuardedBy[];
}

/** The outside of a definition. */
export const nothingAround: Enclosure = { loops: [], intervals: new Map(), guards: [] };

/** The branches of an `if`, each with what holds in it. */
export function branchGuards(
  node: Extract<TypedNode, { kind: "if" }>,
): readonly { readonly body: readonly TypedNode[]; readonly guards: readonly GuardedBy[] }[] {
  const refuted: GuardedBy[] = [];
  const branches = node.branches.map(({ condition, body }) => {
    const guards = [...refuted, { condition, holds: true }];
    refuted.push({ condition, holds: false });
    return { body, guards };
  });
  return [...branches, { body: node.otherwise, guards: refuted }];
}

/** What the enclosing `if`s say, in a statement's context. */
export function guardCondition(guards: readonly GuardedBy[], context: AffineContext): Condition {
  return guards
    .map((g) => conditionOf(g.condition, g.holds, context))
    .reduce((left, right) => both(left, right), always);
}
