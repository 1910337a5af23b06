import { type Signal, signal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import type { CompileJob } from "../compile/compile-source.ts";
import { detailOf, lastGood } from "../state.ts";
import { CodeView } from "./code-view.tsx";

/** The module of the latest job that it was made of. */
const shown: Signal<{ readonly job: CompileJob; readonly js: string } | null> = signal(null);

async function make(job: CompileJob): Promise<void> {
  if (shown.peek()?.job === job) return;
  const found = await detailOf("host", job);
  if (found !== null) shown.value = { job, js: found.js };
}

/** A module of JavaScript that runs the kernels: made when it is looked at. */
export function HostPanel(): JSX.Element {
  useSignalEffect(() => {
    const good = lastGood.value;
    if (good !== null) void make(good.job);
  });
  if (shown.value === null) return <p class="empty">Writing…</p>;
  return <CodeView text={shown.value.js} language="js" label="Host code in JavaScript" />;
}
