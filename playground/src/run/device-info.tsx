import type { JSX } from "preact";
import { Scroll } from "../shell/scroll.tsx";
import { gpu } from "../state.ts";
import { gpuTexts } from "./gpu-state.ts";

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
  const { adapter, software, where, profile } = state;
  return (
    <div class="device-info">
      <p>
        <b>{adapter}</b>
        {software ? ", which computes on the processor" : ""}; its device is open in{" "}
        {where === "worker" ? "a worker" : "the page"}.
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
