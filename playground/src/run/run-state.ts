/** Running: opens a device, runs, times, compares with the reference; each may be stopped. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { CallFailure, Stopped } from "../call-failure.ts";
import type { CompiledView } from "../compile/compile-source.ts";
import {
  type Answered,
  type Good,
  gpu,
  inputChoices,
  lastGood,
  latestGood,
  setGpu,
} from "../state.ts";
import { type Answerer, startWorker, type WorkerHandle } from "../worker-client.ts";
import type { RunJob, TensorValue, TimeAnswer, VerifyAnswer } from "../worker-protocol.ts";
import type { GpuState } from "./gpu-state.ts";
import { outdatedBy } from "./outdated-by.ts";

/** What is going on. */
export type RunPhase =
  | "idle"
  | "compiling"
  | "opening"
  | "running"
  | "timing"
  | "comparing"
  | "reference"
  | "measuring";

/** What a run gave. */
export interface RunResult {
  readonly job: RunJob;
  /** Of its source: see `CompiledView`. */
  readonly meaning: string;
  readonly outputs: readonly TensorValue[];
  /** Null for the reference. */
  readonly ms: number | null;
  readonly notes: readonly string[];
  readonly by: "device" | "reference";
  /** What each kernel has to do. */
  readonly work: CompiledView["work"];
}

/** What was found out about a result: null as long as it is not known. */
export interface Findings {
  readonly timing: TimeAnswer | null;
  readonly verified: VerifyAnswer | null;
  readonly faults: readonly RunFault[];
}

export interface RunFault {
  readonly what: string;
  readonly message: string;
  readonly next: string;
}

export const phase: Signal<RunPhase> = signal<RunPhase>("idle");
export const result: Signal<RunResult | null> = signal<RunResult | null>(null);
const noFindings: Findings = { timing: null, verified: null, faults: [] };
export const findings: Signal<Findings> = signal<Findings>(noFindings);

/** What the result is of, where a run would give another one now; null where it would not. */
export const outdated: ReadonlySignal<string | null> = computed(() => {
  const [found, good] = [result.value, lastGood.value];
  if (found === null || good === null) return null;
  return outdatedBy(found, { job: jobOf(good), meaning: good.compiled.meaning });
});

/** True where running takes the device, false where only the reference can. */
export const hasDevice: ReadonlySignal<boolean> = computed(() =>
  ["unknown", "opening", "lost", "ready"].includes(gpu.value.kind),
);

/** Points that the reference computes for a comparison: about two seconds. */
const pointsToCompare = 4_000_000;
/** Points that it computes alone, without bounds of errors: some seconds, which may be stopped. */
const pointsOfReference = 40_000_000;
/** Devices that may be lost in {@link lossWindowMs} before the page stops opening new ones. */
const mostLosses = 3;
const lossWindowMs = 30_000;

let device: WorkerHandle | null = null;
let opening: Promise<GpuState> | null = null;
let reference: WorkerHandle | null = null;
/** Counts runs: what belongs to an older one is not shown. */
let turn = 0;
const losses: number[] = [];

function onGpu(state: GpuState): void {
  setGpu(state);
  if (state.kind === "lost") losses.push(performance.now());
}

/** Opens a device if none is open; in the page itself where workers have no WebGPU. */
export async function openDevice(): Promise<GpuState> {
  if (device !== null && gpu.value.kind === "ready") return gpu.value;
  // Who runs while the page opens one by itself waits for that.
  const mine = opening ?? openAnother();
  opening = mine;
  const state = await mine;
  if (opening === mine) opening = null;
  return state;
}

async function openAnother(): Promise<GpuState> {
  setGpu({ kind: "opening" });
  device?.terminate();
  const mine = startWorker({ onGpu });
  device = mine;
  let state = await mine.call({ kind: "open" }).catch(refused);
  // It was stopped, and another one may be opening.
  if (device !== mine) return gpu.value;
  if (state.kind === "no-api" && "gpu" in navigator) {
    mine.terminate();
    const { openInPage } = await import("./in-page.ts");
    if (device !== mine) return gpu.value;
    const inPage = openInPage(onGpu);
    device = inPage;
    state = await inPage.call({ kind: "open" }).catch(refused);
    if (device !== inPage) return gpu.value;
  }
  setGpu(state);
  return state;
}

function refused(error: Error): GpuState {
  return { kind: "refused", message: error.message };
}

/** What is to be run of what compiled, with the inputs that the visitor or the source says. */
export function jobOf(good: Good): RunJob {
  return {
    source: good.source,
    def: good.def ?? "",
    sizes: sizesFor(good),
    plan: good.compiled.plan,
    inputs: { ...written(good), ...inputChoices.value },
  };
}

/** What the source says of its inputs. */
function written({ outline }: Answered): RunJob["inputs"] {
  const pairs = Object.entries(outline.inputs);
  return Object.fromEntries(pairs.map(([name, text]) => [name, { kind: "words", text }] as const));
}

/** All sizes by name: the reference must have those that the plan was compiled for. */
function sizesFor({ sizes }: Answered): Readonly<Record<string, number>> {
  return Object.fromEntries(
    sizes.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])),
  );
}

/** Runs what the latest text becomes on the device, else on the reference; nothing where it has errors. */
export async function run(): Promise<void> {
  if (lastGood.value === null || phase.value !== "idle") return;
  turn += 1;
  const mine = turn;
  const isMine = (): boolean => mine === turn;
  phase.value = "compiling";
  try {
    if ((await latestGood()) === null || !isMine()) return;
    findings.value = noFindings;
    const isReady = await deviceReady(isMine);
    // For a device that has just opened the kernels may be others.
    const good = await latestGood();
    if (good === null || !isMine()) return;
    const job = jobOf(good);
    if (!isReady) return await runReference(good, job, isMine);
    if (device === null) return;
    phase.value = "running";
    const answer = await device.call({ kind: "run", job });
    if (!isMine()) return;
    const { work, meaning } = good.compiled;
    result.value = { job, meaning, ...answer, by: "device", work };
    await timeAndCompare(job, answer.outputs, isMine);
  } catch (error) {
    if (isMine()) tell("run", error);
  } finally {
    if (isMine()) phase.value = "idle";
  }
}

/**
 * Does something else on the device, in place of a run, which can be stopped as one. Null where there is no device, or a
 * run is under way.
 */
export async function onDevice<T>(act: (opened: Answerer) => Promise<T>): Promise<T | null> {
  if (phase.value !== "idle") return null;
  turn += 1;
  const mine = turn;
  const isMine = (): boolean => mine === turn;
  try {
    if (!(await deviceReady(isMine)) || !isMine() || device === null) return null;
    phase.value = "measuring";
    return await act(device);
  } finally {
    if (isMine()) phase.value = "idle";
  }
}

/** Whether a device is open, after trying; a lost one is opened again unless that happens often. */
async function deviceReady(isMine: () => boolean): Promise<boolean> {
  if (!hasDevice.value) return false;
  const recent = losses.filter((at) => at > performance.now() - lossWindowMs).length;
  if (gpu.value.kind === "lost" && recent >= mostLosses) {
    throw new CallFailure(
      `the device was lost ${recent} times in ${lossWindowMs / 1000} s`,
      "Wait a little, and choose smaller sizes.",
    );
  }
  if (isMine()) phase.value = "opening";
  return (await openDevice()).kind === "ready";
}

async function runReference(
  { compiled: { meaning } }: Good,
  job: RunJob,
  isMine: () => boolean,
): Promise<void> {
  phase.value = "reference";
  reference ??= startWorker();
  const outputs = await reference.call({ kind: "reference", job, maxPoints: pointsOfReference });
  if (!isMine()) return;
  result.value = { job, meaning, outputs, ms: null, notes: [], by: "reference", work: {} };
}

/** One after the other: the reference would take its cores from a software adapter that is timed. */
async function timeAndCompare(
  job: RunJob,
  outputs: readonly TensorValue[],
  isMine: () => boolean,
): Promise<void> {
  phase.value = "comparing";
  reference ??= startWorker();
  try {
    const verified = await reference.call({
      kind: "verify",
      job,
      outputs,
      maxPoints: pointsToCompare,
    });
    if (!isMine()) return;
    findings.value = { ...findings.value, verified };
  } catch (error) {
    if (isMine()) tell("compare with the reference", error);
  }
  if (!isMine() || device === null) return;
  phase.value = "timing";
  try {
    const timing = await device.call({ kind: "time" });
    if (isMine()) findings.value = { ...findings.value, timing };
  } catch (error) {
    if (isMine()) tell("measure the time", error);
  }
}

function tell(what: string, error: unknown): void {
  if (error instanceof Stopped) return;
  const fault = {
    what,
    message: error instanceof Error ? error.message : String(error),
    next: error instanceof CallFailure ? error.next : "",
  };
  findings.value = { ...findings.value, faults: [...findings.value.faults, fault] };
}

/** Ends a run, with whatever it has: workers are ended, the next run starts new ones. */
export function stopRun(): void {
  turn += 1;
  reference?.terminate();
  reference = null;
  if (["running", "timing", "opening", "measuring"].includes(phase.value)) {
    device?.terminate();
    device = null;
    opening = null;
    setGpu({ kind: "unknown" });
  }
  phase.value = "idle";
}
