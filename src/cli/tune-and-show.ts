import type { CompileRequest, Runtime, TuneEvent, TuneRequest } from "./api.ts";
import type { Context } from "./context.ts";
import type { SignalExit } from "./failure.ts";
import { startTuningProgress } from "./tell-tuning.ts";

/** A tuning run: all of its events, and what the process is to end with where it was asked to. */
interface Shown {
  readonly events: readonly TuneEvent[];
  readonly ended: SignalExit | null;
}

/** Tunes, and shows the events while they come. */
export async function tuneAndShow(
  context: Context,
  runtime: Runtime,
  source: string,
  { def, sizes }: Pick<CompileRequest, "def" | "sizes">,
): Promise<Shown> {
  const { io, line } = context;
  const abort = new AbortController();
  let ended: SignalExit | null = null;
  const stop = io.onInterrupt((exit) => {
    ended = exit;
    abort.abort();
  });
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
  return { events, ended };
}
