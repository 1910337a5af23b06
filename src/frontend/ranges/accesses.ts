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
export function* eachAccess(statement: TypedStatement): Generator<GuardedAccess> {
  for (const index of statement.left) yield* accessesIn(index, []);
  yield* accessesIn(statement.value, []);
}

/** The accesses that `exists` clauses name: they take part in range inference and are not read. */
export function* eachExisting(statement: TypedStatement): Generator<GuardedAccess> {
  for (const access of statement.exists) yield* accessesIn(access, []);
}

function* accessesIn(e: Typed, guards: readonly GuardedBy[]): Generator<GuardedAccess> {
  if (e.kind === "select" && e.pads !== true) {
    yield* accessesIn(e.condition, guards);
    yield* accessesIn(e.whenTrue, [...guards, { condition: e.condition, holds: true }]);
    yield* accessesIn(e.whenFalse, [...guards, { condition: e.condition, holds: false }]);
    return;
  }
  if (e.kind === "binary" && (e.operator === "and" || e.operator === "or")) {
    yield* accessesIn(e.left, guards);
    yield* accessesIn(e.right, [...guards, { condition: e.left, holds: e.operator === "and" }]);
    return;
  }
  if (e.kind === "access") yield { access: e, guards };
  for (const part of typedOperands(e)) yield* accessesIn(part, guards);
}
