import type { CompileRequest, Runtime, TuneEvent, TuneRequest } from "./api.ts";
import type { Context } from "./context.ts";
import { startTuningProgress } from "./tell-tuning.ts";

/** All events of a tuning run, shown while they come. */
export async function tuneAndShow(
  context: Context,
  runtime: Runtime,
  source: string,
  { def, sizes }: Pick<CompileRequest, "def" | "sizes">,
): Promise<readonly TuneEvent[]> {
  const { io, line } = context;
  const abort = new AbortController();
  const stop = io.onInterrupt(() => abort.abort());
  const { effort, budgetMs, seed, approximate, adapter, db } = line;
  const request: TuneRequest = {
    ...{ sizes, effort, budgetMs, seed, approximate, adapter, db, signal: abort.signal },
    ...(def === undefined ? {} : { def }),
  };
  const events: TuneEvent[] = [];
  const progress = startTuningProgress(context);
  try {
    for await (const event of runtime.tune(source, request)) {
      events.push(event);
      progress.tell(event);
    }
  } finally {
    stop();
    progress.end();
  }
  return events;
}
