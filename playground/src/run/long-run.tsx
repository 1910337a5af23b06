import { useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { phase, type RunPhase, stopRun } from "./run-state.ts";

/** A run that takes longer is said to be long, in milliseconds. */
const longMs = 5_000;

/** What only the device can end, but by giving it up. */
const onDevice: readonly RunPhase[] = ["opening", "running", "timing"];

/** Of a run that takes long: that it does, and a way to end it, whichever part of the page is shown. */
export function LongRun(): JSX.Element | null {
  const isLong = useSignal(false);
  useSignalEffect(() => {
    isLong.value = false;
    if (!onDevice.includes(phase.value)) return;
    const timer = setTimeout(() => {
      isLong.value = true;
    }, longMs);
    return () => clearTimeout(timer);
  });
  if (!isLong.value) return null;
  return (
    <div class="notice" role="alert">
      <p>
        The device has worked on this for more than {longMs / 1000} s. Stop gives the device up, and
        the next run opens a new one; smaller sizes take less.
      </p>
      <button type="button" class="primary" onClick={stopRun}>
        <span aria-hidden="true">■</span> Stop the run
      </button>
    </div>
  );
}
