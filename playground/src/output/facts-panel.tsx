import { type Signal, signal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import type { CompileJob } from "../compile/compile-source.ts";
import { lastGood } from "../state.ts";
import { startWorker, type WorkerHandle } from "../worker-client.ts";
import { CodeView } from "./code-view.tsx";

/** The facts of a job: null while they are counted. */
const shown: Signal<{ readonly job: CompileJob; readonly text: string } | null> = signal(null);
const fault: Signal<string | null> = signal<string | null>(null);

let worker: WorkerHandle | null = null;
let asked: CompileJob | null = null;

/** Asks for the facts of the latest job; one that is still being counted is given up. */
async function count(job: CompileJob): Promise<void> {
  if (asked === job) return;
  if (asked !== null && shown.peek()?.job !== asked) {
    worker?.terminate();
    worker = null;
  }
  asked = job;
  worker ??= startWorker();
  try {
    const text = await worker.call({ kind: "facts", job });
    if (asked !== job) return;
    fault.value = null;
    shown.value = { job, text };
  } catch (error) {
    if (asked === job) fault.value = error instanceof Error ? error.message : String(error);
  }
}

/** What the kernels ask of a device, counted from their text, without running them. */
export function FactsPanel(): JSX.Element {
  useSignalEffect(() => {
    const good = lastGood.value;
    if (good !== null) void count(good.job);
  });
  if (fault.value !== null) return <p class="fault">{fault.value}</p>;
  if (shown.value === null) return <p class="empty">Counting…</p>;
  const isOld = shown.value.job !== lastGood.value?.job;
  return (
    <div class={isOld ? "stale fill" : "fill"}>
      <CodeView text={shown.value.text} language="ir" label="Facts of the kernels" />
    </div>
  );
}
