/** A plan made ready for a device, and its ways to run. */
import { bytesOfBuffer, type Plan } from "../codegen/plan.ts";
import { bytesText } from "../support/bytes-text.ts";
import { checkAliases, checkArguments } from "./check-arguments.ts";
import { checkPlan } from "./check-plan.ts";
import { scoped } from "./device-context.ts";
import {
  createPlanEncoder,
  fillsWithZero,
  type PlanPipelines,
  planTableLength,
} from "./encode-plan.ts";
import { kernelSpec, zeroSpec } from "./pipelines.ts";
import { placeArguments } from "./place-arguments.ts";
import { createScratch } from "./plan-scratch.ts";
import type { BufferPool } from "./pool.ts";
import { type Profile, profilePlan } from "./profile-plan.ts";
import {
  measureRuns,
  type PlanHost,
  type ReadyPlan,
  type RunOptions,
  runPlan,
  type TensorOutputs,
} from "./run-plan.ts";
import { RuntimeFault } from "./runtime-fault.ts";
import { countDispatches, createSubmissions } from "./submissions.ts";
import type { TensorInputs } from "./tensor-input.ts";
import { measurePlan, type Timing, type TimingOptions } from "./timing.ts";

/** How a plan is made ready. */
export interface LoadOptions {
  /** Called when one more of its pipelines is there, with how many are, and of how many. */
  readonly onCompiled?: (done: number, total: number) => void;
}

/** A plan whose pipelines are compiled. */
export interface LoadedPlan extends Disposable {
  readonly plan: Plan;
  /** Allocates temporaries and the step table. `run` and `time` do it by themselves. */
  prepare(): Promise<void>;
  /**
   * Executes the plan and resolves when it is under way: `read` waits for it. A plan of many dispatches is
   * submitted in parts of at most 100 ms, as far as its dispatches allow it and earlier runs tell.
   * Resolves with the outputs and the inout tensors by name. An inout tensor on the device is
   * updated in place and returned; one given as an array is copied first.
   * Rejects with RuntimeFault; after `argument`, nothing was run.
   */
  run(inputs: TensorInputs, options?: RunOptions): Promise<TensorOutputs>;
  /**
   * After `prepare`: writes the plan into the caller's pass. No submission, no copy, no host
   * write. `io` holds all inputs, outputs and inout tensors, on the device. The plan's temporaries
   * are in use until the commands are submitted: dispose of it only then.
   * Throws RuntimeFault `argument`, `misuse` or `device-lost`.
   */
  encode(pass: GPUComputePassEncoder, io: TensorInputs): void;
  /** Measures one execution, with outputs of its own and copies of inout tensors. */
  time(inputs: TensorInputs, options?: TimingOptions): Promise<Timing>;
  /** Measures it like `time`, then each of its kernels, and what came before the first execution. */
  profile(inputs: TensorInputs, options?: TimingOptions): Promise<Profile>;
  /** Gives the temporaries back. Also under `Symbol.dispose`. */
  dispose(): void;
}

/**
 * Checks the plan against the device and compiles its pipelines, all at the same time.
 * @throws RuntimeFault `unsupported`, `shader` or `device-lost`.
 */
export async function loadPlan(
  host: PlanHost,
  plan: Plan,
  { onCompiled }: LoadOptions = {},
): Promise<LoadedPlan> {
  const { context, pool } = host;
  checkPlan(plan, context.device);
  const started = performance.now();
  const pipelines = await compilePlan(host, plan, onCompiled);
  const history = { pipelinesMs: performance.now() - started, hasRun: false };
  let preparing: Promise<ReadyPlan> | null = null;
  let ready: ReadyPlan | null = null;
  let disposed = false;
  const usable = (): void => {
    context.check();
    if (disposed) throw new RuntimeFault("misuse", `plan "${plan.name}" was disposed`);
  };
  const prepare = async (): Promise<ReadyPlan> => {
    usable();
    if (ready !== null) return ready;
    preparing ??= makeReady(host, plan, pipelines);
    try {
      const made = await preparing;
      if (disposed) made.scratch.release();
      usable();
      ready = made;
      return made;
    } finally {
      preparing = null;
    }
  };
  const dispose = (): void => {
    disposed = true;
    ready?.scratch.release();
    ready = null;
  };
  return {
    plan,
    prepare: async () => {
      await prepare();
    },
    run: async (inputs, options = {}) => {
      const prepared = ready ?? (await prepare());
      usable();
      history.hasRun = true;
      return await retryWithMemory(pool, plan, () =>
        runPlan(host, plan, prepared, inputs, options),
      );
    },
    encode: (pass, io) => {
      usable();
      if (ready === null) {
        throw new RuntimeFault("misuse", `plan "${plan.name}": call prepare() before encode()`);
      }
      const roles = ["input", "inout", "output"] as const;
      const expected = { required: roles, allowed: roles, hostAllowed: false };
      const found = checkArguments(plan, context.device, io, expected);
      checkAliases(plan, found);
      const { bound, indices } = placeArguments(plan, found, context.device.limits);
      history.hasRun = true;
      ready.encoder.encode(pass, new Map([...ready.scratch.places, ...bound]), indices);
    },
    ...measurements(host, plan, prepare, history),
    dispose,
    [Symbol.dispose]: dispose,
  };
}

function measurements(
  host: PlanHost,
  plan: Plan,
  prepare: () => Promise<ReadyPlan>,
  history: { readonly pipelinesMs: number; hasRun: boolean },
): Pick<LoadedPlan, "time" | "profile"> {
  return {
    time: async (inputs, options) =>
      await measureRuns(host, plan, await prepare(), inputs, async (clock, once) => {
        history.hasRun = true;
        return await measurePlan(clock, once, options);
      }),
    profile: async (inputs, options) =>
      await measureRuns(host, plan, await prepare(), inputs, async (clock, once) => {
        const before = { ...history };
        history.hasRun = true;
        return await profilePlan(clock, plan, once, before, options);
      }),
  };
}

/**
 * A plan with its pipelines and temporaries, to be encoded into places that the caller chooses. Whoever asks for it
 * releases its scratch.
 * @throws RuntimeFault `unsupported`, `shader`, `out-of-memory` or `device-lost`.
 */
export async function openPlan(host: PlanHost, plan: Plan): Promise<ReadyPlan> {
  checkPlan(plan, host.context.device);
  return await makeReady(host, plan, await compilePlan(host, plan, undefined));
}

async function compilePlan(
  host: PlanHost,
  plan: Plan,
  onCompiled: LoadOptions["onCompiled"],
): Promise<PlanPipelines> {
  const zeroes = fillsWithZero(plan.steps);
  const specs = [
    ...plan.kernels.map((kernel) => kernelSpec(kernel, plan.stepIndices)),
    ...(zeroes ? [zeroSpec(1), zeroSpec(4)] : []),
  ];
  let done = 0;
  const compiled = await host.pipelines.compile(specs, () => {
    done += 1;
    onCompiled?.(done, specs.length);
  });
  const kernels = compiled.slice(0, plan.kernels.length);
  const [scalar, vector] = compiled.slice(plan.kernels.length);
  const zero = scalar !== undefined && vector !== undefined ? { scalar, vector } : null;
  return { kernels, zero };
}

async function makeReady(host: PlanHost, plan: Plan, pipelines: PlanPipelines): Promise<ReadyPlan> {
  const { context, pool } = host;
  return await retryWithMemory(pool, plan, async () => {
    const scratch = createScratch(plan, pool);
    try {
      const length = planTableLength(plan);
      const table = await scoped(context, `prepare plan "${plan.name}"`, () => {
        scratch.allocate();
        return length > 0 ? host.tables.get(length) : null;
      });
      const { word } = host.tables;
      const encoder = createPlanEncoder(context.device, plan, pipelines, table, word);
      const submissions = createSubmissions(context.device, countDispatches(plan.steps));
      return { encoder, scratch, submissions };
    } catch (error) {
      scratch.discard();
      throw error;
    }
  });
}

/**
 * Free buffers may be in the way of others: without them, a second attempt.
 * @throws RuntimeFault `out-of-memory` saying how much the plan takes, and what else is in use.
 */
async function retryWithMemory<T>(
  pool: BufferPool,
  plan: Plan,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
  }
  pool.trim();
  try {
    return await attempt();
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    const bytes = plan.buffers.reduce((sum, b) => sum + bytesOfBuffer(b), 0);
    const others = bytesText(pool.statistics().bytesInUse);
    const needs = `its tensors take ${bytesText(bytes)}, and ${others} are in use`;
    throw new RuntimeFault("out-of-memory", `${error.message}; ${needs}`);
  }
}

function isOutOfMemory(error: unknown): error is RuntimeFault {
  return error instanceof RuntimeFault && error.kind === "out-of-memory";
}
