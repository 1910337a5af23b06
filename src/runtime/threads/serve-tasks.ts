import { sentError, type TaskMessage, type ThreadMessage } from "./messages.ts";
import { ownPort } from "./thread.ts";

/**
 * Inside of a thread: says that it is ready, then does what it is told. Needs a `perform` that throws
 * what its caller is to see.
 */
export function serveTasks<Task, Result, News>(
  perform: (task: Task, tell: (news: News) => void) => Result,
): void {
  const port = ownPort();
  const post = (message: ThreadMessage<Result, News>): void => port.post(message);
  port.listen((data) => {
    const { id, task } = data as TaskMessage<Task>;
    try {
      const result = perform(task, (news) => post({ kind: "news", id, news }));
      post({ kind: "done", id, result });
    } catch (error) {
      post({ kind: "failed", id, error: sentError(error) });
    }
  });
  post({ kind: "ready" });
}
