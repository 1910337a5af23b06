/** A broken invariant of the compiler itself: always our bug, never the user's. */
export class InternalCompilerError extends Error {
  override readonly name: string = "InternalCompilerError";
}

/** Throws {@link InternalCompilerError} unless `condition` holds. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InternalCompilerError(message);
}

/** Closes a `switch` over a union: fails to type-check when a variant was forgotten. */
export function assertNever(value: never): never {
  throw new InternalCompilerError(`unexpected variant: ${JSON.stringify(value)}`);
}

/**
 * The value, which must be there: for look-ups whose success an invariant promises. `name` is told
 * apart from `what`, so that no text is made where nothing is missing.
 */
export function defined<T>(value: T | undefined, what: string, name?: string | number): T {
  if (value !== undefined) return value;
  throw new InternalCompilerError(`missing ${what}${name === undefined ? "" : ` ${name}`}`);
}
