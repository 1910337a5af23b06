/** Recognises `x combined with e` in the body of an ordinary statement, for any monoid. */
import { affineEquals } from "../affine.ts";
import { type Expression, mapExpression, operands } from "../expression.ts";
import type { Monoid } from "../monoid.ts";

/** True when both are the same tree with the same types. */
export function sameExpression(a: Expression, b: Expression): boolean {
  if (a.kind !== b.kind || a.type !== b.type || !sameNode(a, b)) return false;
  const [left, right] = [operands(a), operands(b)];
  return (
    left.length === right.length &&
    left.every((e, i) => {
      const f = right[i];
      return f !== undefined && sameExpression(e, f);
    })
  );
}

/** Compares what a node is, apart from its operands. */
function sameNode(a: Expression, b: Expression): boolean {
  switch (a.kind) {
    case "literal":
      return b.kind === "literal" && Object.is(a.value, b.value);
    case "read":
      return b.kind === "read" && a.read === b.read && a.component === b.component;
    case "coordinate":
      return b.kind === "coordinate" && affineEquals(a.affine, b.affine);
    case "state":
      return b.kind === "state" && a.side === b.side && a.component === b.component;
    case "unary":
      return b.kind === "unary" && a.operator === b.operator;
    case "binary":
      return b.kind === "binary" && a.operator === b.operator;
    case "call":
      return b.kind === "call" && a.function === b.function;
    case "cast":
      return b.kind === "cast" && a.narrow === b.narrow;
    case "select":
      return b.kind === "select";
  }
}

/** True when both monoids combine and project alike; names do not matter. */
export function sameMonoid(a: Monoid, b: Monoid): boolean {
  const [left, right] = [partsOf(a), partsOf(b)];
  return (
    left.length === right.length &&
    left.every((e, i) => {
      const f = right[i];
      return f !== undefined && sameExpression(e, f);
    })
  );
}

function partsOf(m: Monoid): readonly Expression[] {
  return [...m.identity, ...m.combine, m.project];
}

/** `combine(left, right)` with expressions for both states. */
export function combineStates(
  monoid: Monoid,
  left: readonly Expression[],
  right: readonly Expression[],
): readonly Expression[] {
  return monoid.combine.map((e) =>
    mapExpression(e, (node) => {
      if (node.kind !== "state") return undefined;
      return (node.side === "left" ? left : right)[node.component];
    }),
  );
}

/** Matches a part of `combine` whose `own` side is the own element; collects the other side. */
function matches(
  pattern: Expression,
  e: Expression,
  own: ReadonlySet<number>,
  ownSide: "left" | "right",
  found: Map<number, Expression>,
): boolean {
  if (pattern.kind === "state" && pattern.side === ownSide) {
    return e.kind === "read" && own.has(e.read) && e.component === pattern.component;
  }
  if (pattern.kind === "state") {
    const before = found.get(pattern.component);
    if (before === undefined) found.set(pattern.component, e);
    return e.type === pattern.type && (before === undefined || sameExpression(before, e));
  }
  const [left, right] = [operands(pattern), operands(e)];
  if (pattern.kind !== e.kind || !sameNode(pattern, e) || left.length !== right.length)
    return false;
  return left.every((p, i) => {
    const f = right[i];
    return f !== undefined && matches(p, f, own, ownSide, found);
  });
}

/**
 * The state that `body` combines with the own element, which the reads in `own` name: `e` for the
 * body `x + e` or `e + x` and the sum. Undefined when the body is nothing of the kind.
 */
export function matchUpdate(
  monoid: Monoid,
  body: readonly Expression[],
  own: ReadonlySet<number>,
): readonly Expression[] | undefined {
  for (const ownSide of ["left", "right"] as const) {
    const found = new Map<number, Expression>();
    const all =
      monoid.combine.length === body.length &&
      monoid.combine.every((p, c) => {
        const e = body[c];
        return e !== undefined && matches(p, e, own, ownSide, found);
      });
    const states = monoid.state.map((_, c) => found.get(c));
    if (all && states.every((e) => e !== undefined)) return states;
  }
  return undefined;
}
