import type { JSX } from "preact";
import { answer, compiling, gpu, isRunnable } from "../state.ts";
import { gpuTexts } from "./gpu-state.ts";
import { Inputs } from "./inputs-form.tsx";
import { Results } from "./results.tsx";
import {
  findings,
  hasDevice,
  openDevice,
  phase,
  type RunPhase,
  run,
  stopRun,
} from "./run-state.ts";

/** Why it cannot begin; empty where it can. */
function idleText(): string {
  if (isRunnable.value || compiling.value) return "";
  return (answer.value?.optionsFault ?? null) === null
    ? "Mend the source first."
    : "Mend the choices of the mapping first.";
}

const phases: Readonly<Record<Exclude<RunPhase, "idle">, string>> = {
  compiling: "Compiling…",
  opening: "Opening the device…",
  running: "Running…",
  timing: "Measuring the time…",
  comparing: "Comparing with the reference…",
  reference: "Computing the reference…",
  measuring: "Measuring costs…",
};

/** Sizes, inputs, the run button, and what came out. */
export function RunPanel(): JSX.Element {
  return (
    <section class="run" aria-label="Run">
      <div class="run-bar">
        <RunButton />
        <kbd class="faint">Ctrl-Enter</kbd>
        <span role="status" class="faint">
          {phase.value === "idle" ? idleText() : phases[phase.value]}
        </span>
      </div>
      <div class="run-body">
        <DeviceNote />
        <Inputs />
        {findings.value.faults.map(({ what, message, next }) => (
          <div class="fault" role="alert" key={what}>
            <b>Could not {what}.</b> {message} {next}
          </div>
        ))}
        <Results />
      </div>
    </section>
  );
}

/** Runs, or stops what runs. */
export function RunButton(): JSX.Element {
  if (phase.value !== "idle") {
    return (
      <button type="button" class="run-button" onClick={stopRun}>
        <span aria-hidden="true">■</span> Stop
      </button>
    );
  }
  const title = hasDevice.value ? "Run" : "Run the reference";
  return (
    <button
      type="button"
      class="primary run-button"
      disabled={!isRunnable.value}
      onClick={() => void run()}
    >
      <span aria-hidden="true">▶</span> {title}
    </button>
  );
}

/** Why there is no device, where there is none. */
function DeviceNote(): JSX.Element | null {
  const state = gpu.value;
  if (state.kind === "ready" || state.kind === "unknown" || state.kind === "opening") return null;
  const { what, next } = gpuTexts(state);
  return (
    <div class="device-note" role="status">
      <p>
        <b>{what}.</b> {next}
      </p>
      {state.kind === "lost" ? null : (
        <p>
          The compiler works without it, and so does the reference, which computes small sizes on
          the CPU.
        </p>
      )}
      {state.kind === "lost" || state.kind === "refused" || state.kind === "no-adapter" ? (
        <button type="button" onClick={() => void openDevice()}>
          Try to open a device again
        </button>
      ) : null}
    </div>
  );
}
