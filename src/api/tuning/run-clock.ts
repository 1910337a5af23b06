/** The time of a tuning run: it stands still while nobody asks for the next event. */

/** A clock with an end. */
export interface RunClock {
  /** Milliseconds, without those in which it stood still. */
  now(): number;
  /** Aborts when the time is over. */
  readonly deadline: AbortSignal;
  stop(): void;
  goOn(): void;
}

/** What timers take at most. */
const longestTimer = 2 ** 31 - 1;

/** A clock that runs, from `startedMs` of `performance.now` for so many milliseconds, which may be without end. */
export function startClock(startedMs: number, ms: number): RunClock {
  const end = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [paused, since] = [0, 0];
  const now = (): number => performance.now() - paused;
  const arm = (): void => {
    const left = Math.max(1, Math.ceil(startedMs + ms - now()));
    timer = setTimeout(() => end.abort(), Math.min(left, longestTimer));
  };
  arm();
  return {
    now,
    deadline: end.signal,
    stop: () => {
      clearTimeout(timer);
      since = performance.now();
    },
    goOn: () => {
      paused += performance.now() - since;
      arm();
    },
  };
}
