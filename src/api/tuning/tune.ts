/** Tuning of one definition on one device: the planner, the bench and the search, joined. */
import { lowerSource } from "../../compile.ts";
import { adapterText } from "../../runtime/device.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import {
  checkOptions,
  checkSizes,
  checkSourceText,
  type OptionNames,
} from "../../support/check-call-shape.ts";
import { type Bench, isRefusal } from "../../tuner/bench.ts";
import type { Candidate, TuningTask } from "../../tuner/candidate.ts";
import { type Effort, efforts, type TuneEvent } from "../../tuner/events.ts";
import { runTuning } from "../../tuner/run-tuning.ts";
import type { Elsewhere, TuningOptions } from "../../tuner/session.ts";
import { sweepSizes } from "../../tuner/sweep-sizes.ts";
import { TcError } from "../tc-error.ts";
import { createDeviceBench, type MeasurementHooks } from "./device-bench.ts";
import { isUnplanned } from "./planned-task.ts";
import { createPlanner } from "./planner.ts";
import { type RunClock, startClock } from "./run-clock.ts";

/** What to tune, and how much that may cost. */
export interface TuneOptions
  extends Pick<TuningOptions, "signal" | "starts" | "skip" | "known" | "hooks"> {
  /** The definition; may be left out when the source has one. */
  readonly def?: string;
  /** Sizes and compile-time parameters; they win over `#! sizes`. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** `quick` by default. */
  readonly effort?: Effort;
  /** Milliseconds until the last event, in the place of the effort's, which only count from the first candidate. */
  readonly budget?: number;
  /** Of what is drawn at random; 1 by default. */
  readonly seed?: number;
  /** Whether algorithms that are inexact by definition may win; false by default. */
  readonly approximate?: boolean;
  /** Called around each measurement, and in no ordinary call. */
  readonly measuring?: MeasurementHooks;
  /**
   * Where candidates run: on the runtime's device by default. One in a process of its own (`createProcessBench` of
   * tc-wgsl/node) or in a worker (`createWorkerBench`) survives kernels that hang. It is closed by whoever made it; what
   * a function opens is part of the budget, and closed in the end.
   */
  readonly bench?: Bench | (() => Promise<Bench>);
}

const optionNames: OptionNames<TuneOptions> = {
  def: true,
  sizes: true,
  effort: true,
  budget: true,
  seed: true,
  signal: true,
  approximate: true,
  measuring: true,
  bench: true,
  starts: true,
  skip: true,
  known: true,
  hooks: true,
};

/** Of the time, what is kept to prove the winner at other sizes; what the search leaves of its own is added. */
const proofShares: Readonly<Record<Effort, number>> = {
  refine: 0,
  quick: 0,
  normal: 0.15,
  full: 0.1,
};

function checkBudget({ effort, budget }: TuneOptions): void {
  if (effort !== undefined && !Object.hasOwn(efforts, effort)) {
    const known = Object.keys(efforts).join(", ");
    throw new RangeError(`tune: \`effort\` is one of ${known}, got ${JSON.stringify(effort)}`);
  }
  if (budget !== undefined && !(budget > 0)) {
    throw new RangeError(`tune: \`budget\` is in milliseconds and above 0, got ${String(budget)}`);
  }
}

export function taskOf(
  source: string,
  { def, sizes, approximate = false }: TuneOptions,
): TuningTask {
  const named = def === undefined ? {} : { def };
  const lowered = lowerSource(source, { ...named, ...(sizes === undefined ? {} : { sizes }) });
  if (!lowered.ok) throw new TcError(lowered.diagnostics, source);
  return { source, def: lowered.program.name, sizes: lowered.sizes, approximate };
}

/** What is needed of a proof. */
interface Proof {
  readonly task: TuningTask;
  readonly bench: Bench;
  readonly clock: RunClock;
  /** When there is no more time, by the clock. */
  readonly endMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Passes a candidate through the gates at awkward sizes. */
async function elsewhere(
  candidate: Candidate,
  { task, bench, clock, endMs, signal }: Proof,
): Promise<Elsewhere> {
  // At its own sizes, too: there over the guards.
  for (const sizes of [task.sizes, ...sweepSizes(candidate, task.sizes)]) {
    const left = endMs - clock.now();
    if (left <= 0 || signal?.aborted === true) return { kind: "unknown" };
    const outcome = await bench.admit(candidate, {
      timeoutMs: left,
      sweep: [sizes],
      passed: true,
    });
    if (outcome.kind === "wrong") return { kind: "wrong", why: outcome.why };
    if (isRefusal(outcome)) return { kind: "unknown" };
  }
  return { kind: "right" };
}

/** What is needed of a runtime; its device only where there is no other bench. */
export type TunedRuntime = Pick<Runtime, "profile" | "adapter"> & Partial<Pick<Runtime, "device">>;

/** What the search is told. */
function searchOptions(
  { adapter }: TunedRuntime,
  { effort = "quick", budget, seed = 1, ...options }: TuneOptions,
  { now, deadline }: RunClock,
  { startedMs, allMs }: { readonly startedMs: number; readonly allMs: number },
): TuningOptions {
  const { signal, starts, skip, known, hooks } = options;
  return {
    effort,
    seed,
    startedMs,
    now,
    deadline,
    reserveMs: proofShares[effort] * allMs,
    adapter: adapterText(adapter),
    ...(budget === undefined ? {} : { budget: { ms: budget, candidates: Infinity } }),
    ...(signal === undefined ? {} : { signal }),
    ...(starts === undefined ? {} : { starts }),
    ...(skip === undefined ? {} : { skip }),
    ...(known === undefined ? {} : { known }),
    ...(hooks === undefined ? {} : { hooks }),
  };
}

async function openBench(
  { device, profile }: TunedRuntime,
  task: TuningTask,
  { bench, measuring }: TuneOptions,
): Promise<Bench> {
  if (bench !== undefined) return typeof bench === "function" ? await bench() : bench;
  if (device === undefined) throw new TypeError("tune: without a device, give a `bench`");
  const hooks = measuring === undefined ? {} : { hooks: measuring };
  return await createDeviceBench({ device, profile }, task, hooks);
}

async function* searching(
  runtime: TunedRuntime,
  task: TuningTask,
  options: TuneOptions,
): AsyncGenerator<TuneEvent> {
  const called = performance.now();
  const planner = createPlanner(task, runtime.profile);
  if (isUnplanned(planner)) throw new RangeError(`tune: ${planner.refused}`);
  const bench = await openBench(runtime, task, options);
  const { effort = "quick", budget } = options;
  const allMs = budget ?? efforts[effort].ms;
  const startedMs = budget === undefined ? performance.now() : called;
  // Of an effort's time the default may take more than there is.
  const clock = startClock(startedMs, budget ?? Number.POSITIVE_INFINITY);
  const proof: Proof = { task, bench, clock, endMs: startedMs + allMs, signal: options.signal };
  const told: TuningOptions = {
    ...searchOptions(runtime, options, clock, { startedMs, allMs }),
    prove: (candidate) => elsewhere(candidate, proof),
  };
  try {
    for await (const event of runTuning(task, planner, bench, told)) {
      // While nobody asks for the next event the run pauses.
      clock.stop();
      yield event;
      clock.goOn();
    }
  } finally {
    clock.stop();
    if (options.bench !== bench) await bench.close();
  }
}

/**
 * Searches the best mapping of a definition on a device, and proves each that it measures right. Data of its own is
 * measured on: nothing of the caller's is read or written. The last event is `done`, with the result; a signal ends the
 * search early with the best so far. While nobody asks for the next event the run pauses; that time does not count.
 * @throws TypeError and RangeError for options that are none; TcError for mistakes in the source; both at once.
 */
export function tune(
  runtime: TunedRuntime,
  source: string,
  options: TuneOptions = {},
): AsyncIterable<TuneEvent> {
  checkSourceText("tune", source);
  checkOptions("tune", options, optionNames);
  checkSizes("tune", options.sizes);
  checkBudget(options);
  return searching(runtime, taskOf(source, options), options);
}
