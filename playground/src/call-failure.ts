/** A failure that a person can do something about. */
export class CallFailure extends Error {
  /** What to do, one sentence. */
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.name = "CallFailure";
    this.next = next;
  }
}

/** A failure in sentences: what happened, and what to do. */
export function failureText(error: unknown): string {
  const next = error instanceof CallFailure && error.next !== "" ? ` ${error.next}` : "";
  return `${error instanceof Error ? error.message : String(error)}.${next}`;
}

/** A request that was ended on purpose. */
export class Stopped extends Error {
  constructor() {
    super("stopped");
    this.name = "Stopped";
  }
}
