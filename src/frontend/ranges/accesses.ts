import { flatMap } from "../../support/flat-map.ts";
import type { Typed, TypedAccess, TypedStatement } from "../names/typed.ts";
import { typedOperands } from "../names/typed.ts";

/** A condition that decides whether an access is evaluated. */
export interface GuardedBy {
  readonly condition: Typed;
  /** What the condition is where the access is evaluated. */
  readonly holds: boolean;
}

/** A read and the conditions between it and the statement. */
export interface GuardedAccess {
  readonly access: TypedAccess;
  readonly guards: readonly GuardedBy[];
}

/** The reads of a statement in the order of the text: left side, then value; inner ones last. */
export function eachAccess(statement: TypedStatement): readonly GuardedAccess[] {
  return flatMap([...statement.left, statement.value], (e) => accessesIn(e, []));
}

/** The accesses that `exists` clauses name: they take part in range inference and are not read. */
export function eachExisting(statement: TypedStatement): readonly GuardedAccess[] {
  return flatMap(statement.exists, (access) => accessesIn(access, []));
}

function accessesIn(e: Typed, guards: readonly GuardedBy[]): readonly GuardedAccess[] {
  if (e.kind === "select" && e.pads !== true) {
    return [
      ...accessesIn(e.condition, guards),
      ...accessesIn(e.whenTrue, [...guards, { condition: e.condition, holds: true }]),
      ...accessesIn(e.whenFalse, [...guards, { condition: e.condition, holds: false }]),
    ];
  }
  if (e.kind === "binary" && (e.operator === "and" || e.operator === "or")) {
    const right = [...guards, { condition: e.left, holds: e.operator === "and" }];
    return [...accessesIn(e.left, guards), ...accessesIn(e.right, right)];
  }
  const inside = flatMap(typedOperands(e), (part) => accessesIn(part, guards));
  return e.kind === "access" ? [{ access: e, guards }, ...inside] : inside;
}
