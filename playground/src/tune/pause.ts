/** A run that may be made to wait. */
export interface Pause {
  set(isPaused: boolean): void;
  /** Resolves when nothing is paused. */
  readonly over: () => Promise<void>;
}

/** Not paused. */
export function createPause(): Pause {
  let waiting: { readonly over: Promise<void>; readonly end: () => void } | null = null;
  return {
    set: (isPaused) => {
      if (!isPaused) {
        waiting?.end();
        waiting = null;
      } else if (waiting === null) {
        let end = (): void => undefined;
        const over = new Promise<void>((resolve) => {
          end = resolve;
        });
        waiting = { over, end };
      }
    },
    over: async () => {
      while (waiting !== null) await waiting.over;
    },
  };
}
