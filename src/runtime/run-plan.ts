/** Executing a plan: the caller's tensors, memory for the others, and what is submitted. */
import { bytesOfBuffer, type Plan } from "../codegen/plan.ts";
import { defined } from "../support/assert.ts";
import { paddedBytes } from "../support/words.ts";
import { type Argument, checkAliases, checkArguments } from "./check-arguments.ts";
import type { Clock, Sample } from "./clock.ts";
import { type DeviceContext, type Memory, scoped, scopedUnlessKnown } from "./device-context.ts";
import type { BoundBuffer, PlanEncoder } from "./encode-plan.ts";
import type { PipelineCache } from "./pipelines.ts";
import { placeArguments } from "./place-arguments.ts";
import type { Scratch } from "./plan-scratch.ts";
import type { BufferPool } from "./pool.ts";
import { RuntimeFault } from "./runtime-fault.ts";
import type { StepTables } from "./step-tables.ts";
import type { Submissions } from "./submissions.ts";
import { type GpuTensor, type TensorMaker, upload } from "./tensor.ts";
import type { TensorInputs } from "./tensor-input.ts";

/** Tensors on the device, by the names that the source gives them. */
export type TensorOutputs = Readonly<Record<string, GpuTensor>>;

export interface RunOptions {
  /** Tensors or buffers to write outputs into; the others are made by the run. */
  readonly outputs?: TensorInputs;
}

/** What a runtime shares between its plans. */
export interface PlanHost {
  readonly context: DeviceContext;
  readonly pool: BufferPool;
  readonly pipelines: PipelineCache;
  readonly tables: StepTables;
  readonly tensors: TensorMaker;
  clock(): Promise<Clock>;
}

/** A plan with its temporaries, ready to be encoded. */
export interface ReadyPlan {
  readonly encoder: PlanEncoder;
  readonly scratch: Scratch;
  readonly submissions: Submissions;
}

/** Buffers from the pool that one call holds. */
interface Holding {
  readonly bound: Map<string, BoundBuffer>;
  /** Of views, by step variable. */
  readonly offsets: Map<string, number>;
  /** By plan buffer. */
  readonly taken: Map<string, GPUBuffer>;
}

function checkRun(
  host: PlanHost,
  plan: Plan,
  inputs: TensorInputs,
  outputs: TensorInputs,
): ReadonlyMap<string, Argument> {
  const { device } = host.context;
  const read = ["input", "inout"] as const;
  const given = checkArguments(plan, device, inputs, {
    required: read,
    allowed: read,
    hostAllowed: true,
  });
  const targets = checkArguments(plan, device, outputs, {
    required: [],
    allowed: ["output"],
    hostAllowed: false,
  });
  const found = new Map([...given, ...targets]);
  checkAliases(plan, found);
  return found;
}

/** Gives each tensor of the plan a place: the caller's, or one from the pool, filled. */
function bind(
  host: PlanHost,
  plan: Plan,
  found: ReadonlyMap<string, Argument>,
  scratch: Scratch,
  holding: Holding,
): void {
  for (const [id, place] of scratch.places) holding.bound.set(id, place);
  const { bound, indices } = placeArguments(plan, found, host.context.device.limits);
  for (const [id, place] of bound) holding.bound.set(id, place);
  for (const [name, value] of indices) holding.offsets.set(name, value);
  for (const planned of plan.buffers) {
    const { id, role, type } = planned;
    const argument = found.get(id);
    if (role === "temporary" || argument?.kind === "device") continue;
    const buffer = host.pool.acquire(paddedBytes(bytesOfBuffer(planned)), "storage");
    holding.taken.set(id, buffer);
    holding.bound.set(id, { buffer, offset: 0 });
    if (argument !== undefined) upload(host.context.device, buffer, type, argument.data);
  }
}

/** The tensors of a call on the device. */
function memoryOf(
  { buffers }: Plan,
  found: ReadonlyMap<string, Argument>,
  { taken }: Holding,
): Memory {
  const [read, written]: [GPUBuffer[], GPUBuffer[]] = [[], []];
  for (const { id, role } of buffers) {
    const argument = found.get(id);
    const given = argument?.kind === "device" ? argument.buffer : undefined;
    if (given !== undefined && role !== "output") read.push(given);
    const target = given ?? taken.get(id);
    if (target !== undefined && role !== "input") written.push(target);
  }
  return { read, written };
}

function emptyHolding(): Holding {
  return { bound: new Map(), offsets: new Map(), taken: new Map() };
}

/**
 * Checks the arguments and executes the plan, in as many submissions as it takes; see `LoadedPlan.run`.
 */
export async function runPlan(
  host: PlanHost,
  plan: Plan,
  ready: ReadyPlan,
  inputs: TensorInputs,
  options: RunOptions,
): Promise<TensorOutputs> {
  const { context, pool } = host;
  const found = checkRun(host, plan, inputs, options.outputs ?? {});
  const holding = emptyHolding();
  try {
    // From the check to the submission nothing waits, so that no tensor becomes garbage between.
    const isMade = makesNothing(host, plan, found);
    await scopedUnlessKnown(context, `run plan "${plan.name}"`, isMade, () => {
      bind(host, plan, found, ready.scratch, holding);
      const wasBound = ready.submissions.submit((pass, next) =>
        ready.encoder.encode(pass, holding.bound, holding.offsets, next),
      );
      // Callers may have destroyed a buffer of their own since it was bound last.
      const isKnown = wasBound && allInUse(pool, holding.bound);
      return { isKnown, ...memoryOf(plan, found, holding) };
    });
  } catch (error) {
    for (const buffer of holding.taken.values()) pool.discard(buffer);
    throw error;
  }
  return collectOutputs(host, plan, found, holding);
}

/** Whether all that a run binds is there: nothing comes from the host, or where its views begin, and no buffer is made. */
function makesNothing(
  { pool }: PlanHost,
  { buffers }: Plan,
  found: ReadonlyMap<string, Argument>,
): boolean {
  const own = buffers.filter(({ id, role }) => role !== "temporary" && !found.has(id));
  const isThere = [...found.values()].every((a) => a.kind === "device" && a.offset === 0);
  return isThere && pool.hasFree(own.map((b) => paddedBytes(bytesOfBuffer(b))));
}

function allInUse(pool: BufferPool, bound: ReadonlyMap<string, BoundBuffer>): boolean {
  for (const { buffer } of bound.values()) if (!pool.isInUse(buffer)) return false;
  return true;
}

function collectOutputs(
  host: PlanHost,
  plan: Plan,
  found: ReadonlyMap<string, Argument>,
  holding: Holding,
): TensorOutputs {
  const outputs: (readonly [name: string, tensor: GpuTensor])[] = [];
  for (const { id, name, role, type, shape } of plan.buffers) {
    const taken = holding.taken.get(id);
    if (role === "input") {
      if (taken !== undefined) host.pool.release(taken);
    } else if (role !== "temporary") {
      const argument = found.get(id);
      if (taken !== undefined) outputs.push([name, host.tensors.adopt(type, shape, taken)]);
      else if (argument?.kind === "device") {
        const { buffer, offset, strides, own, owner } = argument;
        const range = { dtype: type, shape, buffer, offset, strides };
        outputs.push([name, owner ?? host.tensors.borrow(range, own)]);
      }
    }
  }
  return Object.fromEntries(outputs);
}

/**
 * Checks the arguments and measures executions with outputs of their own: `measure` gets the clock and
 * what encodes one. See `LoadedPlan.time` and `LoadedPlan.profile`.
 */
export async function measureRuns<T>(
  host: PlanHost,
  plan: Plan,
  ready: ReadyPlan,
  inputs: TensorInputs,
  measure: (clock: Clock, once: Sample) => Promise<T>,
): Promise<T> {
  const { context, pool } = host;
  const clock = await host.clock();
  // Held until the end, so that the caller's tensors stay what they are.
  const found = checkRun(host, plan, inputs, {});
  const holding = emptyHolding();
  const copies: { source: BoundBuffer; target: GPUBuffer; bytes: number }[] = [];
  try {
    await scoped(context, `measure plan "${plan.name}"`, () => {
      bind(host, plan, found, ready.scratch, holding);
      for (const [id, denseBytes] of updatedBindings(plan)) {
        const source = defined(holding.bound.get(id), "place of buffer", id);
        const bytes = source.size ?? denseBytes;
        const target = pool.acquire(bytes, "storage");
        copies.push({ source, target, bytes });
        holding.bound.set(id, { buffer: target, offset: 0, size: bytes });
      }
    });
    const measured = await measure(clock, {
      before: (encoder) => {
        for (const { source, target, bytes } of copies) {
          encoder.copyBufferToBuffer(source.buffer, source.offset, target, 0, bytes);
        }
      },
      encode: (pass) => ready.encoder.encode(pass, holding.bound, holding.offsets),
    });
    checkAlive(found);
    return measured;
  } finally {
    for (const buffer of holding.taken.values()) pool.release(buffer);
    for (const { target } of copies) pool.release(target);
  }
}

/** The bindings that hold tensors which are updated in place, and the bytes of dense ones. */
function updatedBindings({ buffers, shared = [] }: Plan): ReadonlyMap<string, number> {
  return new Map(
    buffers.flatMap((buffer): readonly (readonly [string, number])[] => {
      const { id, role } = buffer;
      if (role !== "inout") return [];
      const holder = shared.find(({ members }) => members.includes(id))?.id ?? id;
      return [[holder, bytesOfBuffer(buffer)]];
    }),
  );
}

/** Also keeps the tensors, and so their memory, alive until here. */
function checkAlive(found: ReadonlyMap<string, Argument>): void {
  for (const argument of found.values()) {
    if (argument.kind === "device" && argument.owner?.disposed === true) {
      throw new RuntimeFault("misuse", "a tensor was disposed while it was in use");
    }
  }
}
