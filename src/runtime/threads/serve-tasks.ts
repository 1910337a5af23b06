import { sentError, type TaskMessage, type ThreadMessage } from "./messages.ts";
import { ownPort } from "./thread.ts";

/**
 * Inside of a thread: says that it is ready, then does what it is told. Needs a `perform` that throws, or rejects with,
 * what its caller is to see.
 */
export function serveTasks<Task, Result, News>(
  perform: (task: Task, tell: (news: News) => void) => Result | Promise<Result>,
): void {
  const port = ownPort();
  const post = (message: ThreadMessage<Result, News>): void => port.post(message);
  port.listen((data) => {
    const { id, task } = data as TaskMessage<Task>;
    const done = (result: Result): void => post({ kind: "done", id, result });
    const failed = (error: unknown): void => post({ kind: "failed", id, error: sentError(error) });
    try {
      const result = perform(task, (news) => post({ kind: "news", id, news }));
      if (result instanceof Promise) result.then(done, failed);
      else done(result);
    } catch (error) {
      failed(error);
    }
  });
  post({ kind: "ready" });
}
