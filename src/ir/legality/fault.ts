/** Why a schedule is not legal for its program. */
export interface Fault {
  /**
   * - structure: the tree is malformed, or a leaf does not bind its statement's dims
   * - coverage: instances are left out, or done more often than is harmless
   * - order: a dependence is turned around
   * - reach: a value would have to cross between workgroups within a dispatch
   * - race: two invocations use one cell with nothing between them
   * - place: a value is needed where its memory does not exist or was not written
   * - barrier: a barrier is needed where not every invocation comes
   */
  readonly kind: "structure" | "coverage" | "order" | "reach" | "race" | "place" | "barrier";
  readonly statements: readonly string[];
  readonly message: string;
  /**
   * The grid loop in which two accesses are apart that must not be. They are apart whatever the
   * other loops of the grid are: no schedule is legal that has this loop on the grid.
   */
  readonly apartIn?: string;
}

/** A fault of one or two statements. */
export function fault(kind: Fault["kind"], statements: readonly string[], message: string): Fault {
  return { kind, statements: [...new Set(statements)], message };
}
