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

/** A request that was ended on purpose. */
export class Stopped extends Error {
  constructor() {
    super("stopped");
    this.name = "Stopped";
  }
}
