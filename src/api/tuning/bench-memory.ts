/**
 * Memory that candidates run in: of the bench alone, never the user's.
 *
 * Behind each tensor, inside its binding, lies a guard zone of NaNs: what reads there has NaNs in its results, what
 * writes there is found out. Outputs and temporaries are poisoned before an execution whose results count; tensors that
 * are updated are copied anew before each, outside of the time that counts.
 */
import { bytesOfBuffer, type Plan, type PlanBuffer, type Step } from "../../codegen/plan.ts";
import { scoped } from "../../runtime/device-context.ts";
import type { BoundBuffer } from "../../runtime/encode-plan.ts";
import type { Scratch } from "../../runtime/plan-scratch.ts";
import type { PlanHost } from "../../runtime/run-plan.ts";
import { readBuffer } from "../../runtime/tensor.ts";
import { defined } from "../../support/assert.ts";
import { elementCount } from "../../support/scalar-type.ts";
import {
  packWords,
  paddedBytes,
  storedBytes,
  unpackWords,
  wordCount,
} from "../../support/words.ts";
import type { Results } from "./gate-case.ts";
import type { GateInputs } from "./gate-inputs.ts";

/** A tensor of the caller, as plans describe it. */
export type CallerBuffer = Pick<PlanBuffer, "name" | "role" | "type" | "shape">;

/** Bytes behind each tensor that mean nothing. */
export const guardBytes = 4096;

/** NaN as float32, and twice as float16; far from all that is drawn as an integer. */
export const notANumber = 0x7fff7fff;

/** Finite as float32 and as float16; no small integer. */
export const finitePoison = 0x4b3d4b3d;

/** Copies of updated tensors take at most so many bytes, and are at most so many. */
const mostCloneBytes = 2 ** 26;
const mostClones = 16;

/** Results of an execution, and the first thing that was written where nothing belongs. */
export interface BenchResults {
  readonly results: Results;
  readonly stray: string | null;
  /** The words of all results, for comparison bit by bit. */
  readonly words: readonly Uint32Array[];
}

/** The memory for all plans of one program at one set of sizes. */
export interface BenchMemory {
  /** Uploads inputs under a name. */
  load(name: string, inputs: GateInputs): Promise<void>;
  /** Where a plan finds its buffers; `copy` says in which copy the tensors that it updates are. */
  places(
    plan: Plan,
    scratch: Scratch,
    name: string,
    copy?: number,
  ): ReadonlyMap<string, BoundBuffer>;
  /** Poisons what a plan has to write, and restores what it updates. */
  poison(
    encoder: GPUCommandEncoder,
    plan: Plan,
    scratch: Scratch,
    name: string,
    word: number,
  ): void;
  /** Restores the first `copies` copies of what is updated. */
  restore(encoder: GPUCommandEncoder, name: string, copies: number): void;
  /** Makes copies of what is updated, up to `wanted`; how many there are now. */
  copies(wanted: number): Promise<number>;
  /** The results after an execution that began with `word` as poison. */
  read(plan: Plan, word: number): Promise<BenchResults>;
}

function bytesOf({ type, shape }: CallerBuffer): number {
  return paddedBytes(storedBytes(type, shape));
}

/** Buffers that steps fill with zeros. */
export function zeroedBuffers(steps: readonly Step[]): ReadonlySet<string> {
  return new Set(
    steps.flatMap((step) => {
      if (step.kind === "repeat") return [...zeroedBuffers(step.body)];
      return step.kind === "zero" ? [step.buffer] : [];
    }),
  );
}

interface State {
  readonly host: PlanHost;
  readonly tensors: readonly CallerBuffer[];
  /** Inputs, and what updated tensors begin with, by the name of the inputs and by tensor. */
  readonly loaded: Map<string, ReadonlyMap<string, GPUBuffer>>;
  readonly outputs: Map<string, GPUBuffer>;
  /** Copies of updated tensors, each by tensor. */
  readonly updated: Map<string, GPUBuffer>[];
  /** Words to copy poison from, by word. */
  readonly poisons: Map<number, GPUBuffer>;
}

function acquire({ host }: State, bytes: number): GPUBuffer {
  return host.pool.acquire(bytes, "storage");
}

function sizeOf(state: State, tensor: CallerBuffer): number {
  const { maxStorageBufferBindingSize, maxBufferSize } = state.host.context.device.limits;
  const most = Math.min(maxStorageBufferBindingSize, maxBufferSize);
  const bytes = bytesOf(tensor);
  return Math.max(bytes, Math.min(bytes + guardBytes, most - (most % 16)));
}

function inouts({ tensors }: State): readonly CallerBuffer[] {
  return tensors.filter(({ role }) => role === "inout");
}

function addCopy(state: State): void {
  const made = inouts(state).map((t) => [t.name, acquire(state, sizeOf(state, t))] as const);
  state.updated.push(new Map(made));
}

function load(state: State, inputs: GateInputs): ReadonlyMap<string, GPUBuffer> {
  const { device } = state.host.context;
  const given = state.tensors.filter(({ role }) => role === "input" || role === "inout");
  return new Map(
    given.map((tensor) => {
      const bytes = sizeOf(state, tensor);
      const words = new Uint32Array(bytes / 4).fill(notANumber);
      words.set(packWords(tensor.type, defined(inputs[tensor.name], "input", tensor.name)));
      const buffer = acquire(state, bytes);
      device.queue.writeBuffer(buffer, 0, words);
      return [tensor.name, buffer];
    }),
  );
}

/** A buffer full of a word, as large as any that is to be poisoned. */
function poisonSource(state: State, word: number, bytes: number): GPUBuffer {
  const { pool, context } = state.host;
  const known = state.poisons.get(word);
  if (known !== undefined && known.size >= bytes) return known;
  if (known !== undefined) pool.release(known);
  const made = acquire(state, bytes);
  context.device.queue.writeBuffer(made, 0, new Uint32Array(bytes / 4).fill(word));
  state.poisons.set(word, made);
  return made;
}

function restore(state: State, encoder: GPUCommandEncoder, name: string, copies: number): void {
  const origin = defined(state.loaded.get(name), "inputs", name);
  for (const updated of state.updated.slice(0, copies)) {
    for (const [tensor, target] of updated) {
      const source = defined(origin.get(tensor), "inout", tensor);
      const bytes = Math.min(source.size, target.size);
      encoder.copyBufferToBuffer(source, 0, target, 0, bytes);
    }
  }
}

function poison(
  state: State,
  encoder: GPUCommandEncoder,
  plan: Plan,
  scratch: Scratch,
  name: string,
  word: number,
): void {
  const temporaries = plan.buffers.flatMap((planned) => {
    const place = scratch.places.get(planned.id);
    return place === undefined
      ? []
      : [{ buffer: place.buffer, offset: place.offset, bytes: bytesOfBuffer(planned) }];
  });
  const outputs = state.tensors.flatMap((tensor) => {
    const buffer = state.outputs.get(tensor.name);
    return buffer === undefined ? [] : [{ buffer, offset: 0, bytes: sizeOf(state, tensor) }];
  });
  const updated = inouts(state).map((tensor) => {
    const buffer = defined(state.updated[0]?.get(tensor.name), "inout", tensor.name);
    const offset = bytesOf(tensor);
    return { buffer, offset, bytes: sizeOf(state, tensor) - offset };
  });
  const targets = [...temporaries, ...outputs, ...updated].filter(({ bytes }) => bytes > 0);
  const source = poisonSource(state, word, Math.max(16, ...targets.map(({ bytes }) => bytes)));
  restore(state, encoder, name, 1);
  for (const { buffer, offset, bytes } of targets) {
    encoder.copyBufferToBuffer(source, 0, buffer, offset, bytes);
  }
}

async function read(state: State, plan: Plan, word: number): Promise<BenchResults> {
  const { context, pool } = state.host;
  const zeros = zeroedBuffers(plan.steps);
  const found = await Promise.all(
    state.tensors.flatMap((tensor) => {
      const buffer = state.outputs.get(tensor.name) ?? state.updated[0]?.get(tensor.name);
      if (buffer === undefined) return [];
      const bytes = sizeOf(state, tensor);
      return [
        readBuffer(context, pool, { buffer, offset: 0, bytes }).then((data) => {
          return { tensor, words: new Uint32Array(data) };
        }),
      ];
    }),
  );
  let stray: string | null = null;
  const results = found.map(({ tensor, words }) => {
    const { name, type, shape } = tensor;
    // What is filled with zeros is filled to its binding's end.
    if (!zeros.has(name)) {
      const at = words.subarray(bytesOf(tensor) / 4).findIndex((w) => w !== word);
      if (at >= 0) stray ??= `word ${at} behind ${name} was written`;
    }
    return [name, unpackWords(type, words, elementCount(shape))] as const;
  });
  // The word that tensors without elements have is nobody's to write.
  const all = found.map(({ tensor: { type, shape }, words }) =>
    words.subarray(0, wordCount(type, elementCount(shape))),
  );
  return { results: Object.fromEntries(results), stray, words: all };
}

/** Memory without inputs; rejects with RuntimeFault `out-of-memory`. `host` gives it back when it is destroyed. */
export async function createBenchMemory(
  host: PlanHost,
  tensors: readonly CallerBuffer[],
): Promise<BenchMemory> {
  const state: State = {
    host,
    tensors,
    loaded: new Map(),
    outputs: new Map(),
    updated: [],
    poisons: new Map(),
  };
  const doing = async (what: string, act: () => void): Promise<void> =>
    await scoped(host.context, what, act);
  await doing("allocate tensors of a bench", () => {
    for (const tensor of tensors) {
      if (tensor.role !== "output") continue;
      state.outputs.set(tensor.name, acquire(state, sizeOf(state, tensor)));
    }
    addCopy(state);
  });
  return {
    load: async (name, inputs) => {
      await doing("upload inputs of a bench", () => {
        state.loaded.set(name, load(state, inputs));
      });
    },
    places: (plan, scratch, name, copy = 0) => placesOf(state, plan, scratch, name, copy),
    poison: (encoder, plan, scratch, name, word) =>
      poison(state, encoder, plan, scratch, name, word),
    restore: (encoder, name, copies) => restore(state, encoder, name, copies),
    copies: async (wanted) => {
      const bytes = inouts(state).reduce((sum, t) => sum + sizeOf(state, t), 0);
      const most = Math.min(mostClones, Math.floor(mostCloneBytes / Math.max(1, bytes)), wanted);
      if (state.updated.length < most) {
        await doing("copy updated tensors of a bench", () => {
          while (state.updated.length < most) addCopy(state);
        });
      }
      return Math.max(1, Math.min(state.updated.length, most));
    },
    read: async (plan, word) => await read(state, plan, word),
  };
}

function placesOf(
  state: State,
  plan: Plan,
  scratch: Scratch,
  name: string,
  copy: number,
): ReadonlyMap<string, BoundBuffer> {
  const zeros = zeroedBuffers(plan.steps);
  const bound = new Map(scratch.places);
  for (const planned of plan.buffers) {
    const { id, role } = planned;
    if (role === "temporary") continue;
    const buffer =
      role === "inout"
        ? state.updated[copy]?.get(planned.name)
        : (state.outputs.get(planned.name) ?? state.loaded.get(name)?.get(planned.name));
    const size = zeros.has(id) ? bytesOfBuffer(planned) : sizeOf(state, planned);
    bound.set(id, { buffer: defined(buffer, "buffer", id), offset: 0, size });
  }
  return bound;
}
