/** What a command ends with. */
export const exitCodes = {
  fine: 0,
  /** Errors in the source. */
  source: 1,
  /** Wrong usage; input that cannot be read or does not fit. */
  usage: 2,
  /** No usable adapter, or one that lacks what the kernels need. */
  adapter: 3,
  /** A result differs from the reference by more than rounding. */
  wrong: 4,
  regression: 5,
  /** A result that rounding may explain, or of which too little was compared. */
  undecided: 6,
  /** Our own bug. */
  internal: 70,
  /** Ended by SIGHUP, SIGINT or SIGTERM: 128 and the number of the signal, as shells have it. */
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitKind = keyof typeof exitCodes;

/** How a process ends that a signal asked to. */
export type SignalExit = Extract<ExitKind, "hungUp" | "interrupted" | "terminated">;

/** Why a command cannot go on, and in one line what its user can do about it. */
export interface Failure {
  readonly exit: ExitKind;
  readonly message: string;
  readonly next: string;
  /** Longer texts by name, for a report of a bug. */
  readonly details?: Readonly<Record<string, string>>;
}

/** A value, or why there is none. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export function success<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

/** The failure of a request that its user can put right; `exit` says otherwise. */
export function failed(
  message: string,
  next: string,
  exit: ExitKind = "usage",
  details?: Failure["details"],
): { readonly ok: false; readonly failure: Failure } {
  return {
    ok: false,
    failure: { exit, message, next, ...(details === undefined ? {} : { details }) },
  };
}
