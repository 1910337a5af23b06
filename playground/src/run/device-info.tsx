import type { JSX } from "preact";
import { Scroll } from "../shell/scroll.tsx";
import { gpu } from "../state.ts";
import { gpuTexts } from "./gpu-state.ts";
import { timeText } from "./time-text.ts";

const timerTexts = {
  wall: "It has no timestamps: times are those of a wall clock",
  "timestamp-query": "Times are timestamps of the device",
} as const;

/** The device that runs, and all that the compiler takes from it: what `tc-compile info` tells. */
export function DeviceInfo(): JSX.Element {
  const state = gpu.value;
  if (state.kind !== "ready") {
    const { what, next } = gpuTexts(state);
    return (
      <p>
        {what}. {next}
      </p>
    );
  }
  const { adapter, software, where, profile, timer } = state;
  return (
    <div class="device-info">
      <p>
        <b>{adapter}</b>
        {software ? ", which computes on the processor" : ""}; its device is open in{" "}
        {where === "worker" ? "a worker" : "the page"}.{" "}
        {timer === null
          ? ""
          : `${timerTexts[timer.kind]}, in steps of ${timeText(timer.quantumNs / 1000)}.`}
      </p>
      <p class="faint">
        The profile: what the compiler takes from the device, with its limits, as{" "}
        <code>tc-compile info</code> tells it of devices outside of browsers.
      </p>
      <Scroll label="Profile of the device">
        <pre>{JSON.stringify(profile, null, 2)}</pre>
      </Scroll>
    </div>
  );
}
