/** Where lines are kept: what the stores of Node and of browsers have in common. They know nothing of the lines. */

/** Lines that are kept. */
export interface Store {
  /**
   * All lines, the oldest first; none where nothing was kept yet. Rejects where they cannot be read. A list that was given
   * may grow, and does not change otherwise: one that stayed as it was is not looked through again.
   */
  read(): Promise<readonly string[]>;
  /** Appends lines, each whole or not at all. Rejects where they cannot be kept. */
  append(lines: readonly string[]): Promise<void>;
  /**
   * Puts what `change` makes of all lines in their place, at once or not at all; nothing is appended meanwhile. Returns
   * what is there now. Rejects where they cannot be kept.
   */
  rewrite(change: (lines: readonly string[]) => readonly string[]): Promise<readonly string[]>;
  /** For messages: a path, or `memory`. */
  readonly name: string;
}

/** A store that lives as long as the program, with some lines to begin with. */
export function memoryStore(lines: readonly string[] = []): Store {
  let kept: readonly string[] = [...lines];
  return {
    name: "memory",
    read: () => Promise.resolve(kept),
    append: (more) => {
      kept = [...kept, ...more];
      return Promise.resolve();
    },
    rewrite: (change) => {
      kept = [...change(kept)];
      return Promise.resolve(kept);
    },
  };
}
