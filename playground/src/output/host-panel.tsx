import { type Signal, signal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { failureText } from "../call-failure.ts";
import type { CompileJob } from "../compile/compile-source.ts";
import { detailOf, lastGood } from "../state.ts";
import { CodeView } from "./code-view.tsx";

/** The module of the latest job that it was made of. */
const shown: Signal<{ readonly job: CompileJob; readonly js: string | Error } | null> =
  signal(null);

async function make(job: CompileJob): Promise<void> {
  if (shown.peek()?.job === job) return;
  const found = await detailOf("host", job);
  if (found !== null) shown.value = { job, js: found instanceof Error ? found : found.js };
}

/** A module of JavaScript that runs the kernels: made when it is looked at. */
export function HostPanel(): JSX.Element {
  useSignalEffect(() => {
    const good = lastGood.value;
    if (good !== null) void make(good.job);
  });
  const js = shown.value?.js;
  if (js === undefined) return <p class="empty">Writing…</p>;
  if (js instanceof Error) {
    return (
      <p class="fault" role="alert">
        The module was not written: {failureText(js)}
      </p>
    );
  }
  return <CodeView text={js} language="js" label="Host code in JavaScript" />;
}
