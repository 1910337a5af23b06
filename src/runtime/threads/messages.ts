/**
 * What is said between a page, or a program in Node, and a thread that works for it:
 *
 * ```
 * to the thread:   { id, task }
 * from the thread: ready, then for each task any number of news, then done or failed
 * ```
 * A thread is given one task at a time.
 */
import { InternalCompilerError } from "../../support/assert.ts";

/** Something to do, as structured cloning carries it. */
export interface TaskMessage<Task> {
  readonly id: number;
  readonly task: Task;
}

/** What a thread says; `ready` once, when it has loaded its program. */
export type ThreadMessage<Result, News> =
  | { readonly kind: "ready" }
  | { readonly kind: "news"; readonly id: number; readonly news: News }
  | { readonly kind: "done"; readonly id: number; readonly result: Result }
  | { readonly kind: "failed"; readonly id: number; readonly error: SentError };

/** An error as data: cloning forgets the classes of errors. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

/** An error, to be sent. */
export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), stack: undefined };
  const { name, message, stack } = error;
  return { name, message, stack };
}

/** The errors that the compiler throws. */
const errorClasses: ReadonlyMap<string, new (message: string) => Error> = new Map(
  [TypeError, RangeError, InternalCompilerError].map((made) => [made.name, made]),
);

/** The error that was sent: of its class, with its message and where it came from. */
export function receivedError({ name, message, stack }: SentError): Error {
  const error = new (errorClasses.get(name) ?? Error)(message);
  return stack === undefined ? error : Object.assign(error, { stack });
}
