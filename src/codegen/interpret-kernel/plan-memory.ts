/** The memory of a plan's buffers: what callers give laid out as kernels expect it, and back. */

import { defined, invariant } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { own } from "../../support/own.ts";
import {
  allocate,
  computedAs,
  elementBytes,
  elementCount,
  type NarrowType,
  rowMajorStrides,
  type TensorData,
  toElement,
} from "../../support/scalar-type.ts";
import {
  elementPositions,
  extentOfView,
  type StridedView,
  viewFrom,
} from "../../support/strided-view.ts";
import {
  elementsPerWord,
  packWord,
  packWords,
  unpackPart,
  unpackWords,
  wordCount,
} from "../../support/words.ts";
import type { Plan, PlanBuffer } from "../plan.ts";
import type { FaultLog } from "./fault.ts";
import { type BufferMemory, initialisedMemory, poisonedMemory, viewAs } from "./memory.ts";

/** The memory of each buffer, and of what several share, by id. */
export interface PlanMemory {
  readonly memory: ReadonlyMap<string, BufferMemory>;
  /** The elements of a tensor of the caller, in the order of its indices; reports what is missing. */
  read(buffer: PlanBuffer, faults: FaultLog): TensorData;
  /** Fills the elements of a buffer with zeros, as a step does: not what is after them. */
  zero(id: string): void;
  /** Reports what was written between the elements of views. */
  reportStrays(faults: FaultLog): void;
}

/** What a caller gives. */
export interface GivenMemory {
  readonly inputs: Readonly<Record<string, TensorData>>;
  /** Of the first element in memory, in elements, by tensor; 0 for those that are left out. */
  readonly offsets: Readonly<Record<string, number>>;
  readonly races: boolean;
}

/** True if the kernels see a buffer as words of several elements; float16 may be a type of theirs. */
function isPacked(plan: Plan, { id, type }: PlanBuffer): boolean {
  const holder = plan.shared?.find(({ members }) => members.includes(id))?.id ?? id;
  const arrays = flatMap(plan.kernels, ({ kernel }) =>
    kernel.arrays.filter((a) => a.buffer === holder),
  );
  return elementsPerWord(type) > 1 && arrays.every((a) => a.scalar !== "float16");
}

function inputOf(buffer: PlanBuffer, inputs: GivenMemory["inputs"]): TensorData | null {
  if (buffer.role === "output" || buffer.role === "temporary") return null;
  const count = elementCount(buffer.shape);
  const input = defined(own(inputs, buffer.name), "input", buffer.name);
  invariant(
    input.length === count,
    `input ${buffer.name} has ${input.length} elements, not ${count}`,
  );
  return input;
}

/** The words, or elements, of a dense buffer that mean something; padding follows. */
function usedOf({ type, shape }: PlanBuffer, packed: boolean): number {
  const count = elementCount(shape);
  return packed ? wordCount(type, count) : count;
}

/** Inputs are copied; everything that the plan itself has to fill is poisoned. */
function denseMemory(buffer: PlanBuffer, given: GivenMemory, packed: boolean): BufferMemory {
  const used = usedOf(buffer, packed);
  const size = packed ? 4 : elementBytes(buffer.type);
  const all = buffer.bytes === undefined ? used : buffer.bytes / size;
  const data = packed ? new Uint32Array(all) : allocate(buffer.type, all);
  const input = inputOf(buffer, given.inputs);
  if (input === null) return poisonedMemory(data, given.races);
  data.set(packed ? packWords(buffer.type, input) : input.map(toElement(buffer.type)));
  return initialisedMemory(data, given.races, used);
}

/** A tensor in memory that has more than its elements. */
interface Placed {
  readonly buffer: PlanBuffer;
  readonly view: StridedView;
  /** Elements that a word of the memory holds. */
  readonly per: number;
}

function placedIn(plan: Plan, buffer: PlanBuffer, given: GivenMemory): Placed {
  const strides = buffer.layout?.strides ?? rowMajorStrides(buffer.shape);
  const shifted = typeof buffer.layout?.offsetMultiple === "number";
  const first = shifted ? (own(given.offsets, buffer.name) ?? 0) : 0;
  const view = viewFrom(buffer.shape, strides, first);
  return { buffer, view, per: isPacked(plan, buffer) ? elementsPerWord(buffer.type) : 1 };
}

/** Words of memory up to the last element of the tensors in it. */
function wordsOf(tensors: readonly Placed[]): number {
  const ends = tensors.map(({ view, per }) => {
    const extent = extentOfView(view.shape, view.strides);
    return extent === null ? 0 : Math.ceil((view.offset + extent.last + 1) / per);
  });
  return Math.max(1, ...ends);
}

function put({ buffer, view, per }: Placed, memory: BufferMemory, input: TensorData): void {
  const scalars = viewAs(memory.data, per > 1 ? "uint32" : computedAs(buffer.type));
  const convert = toElement(buffer.type);
  for (const [n, position] of elementPositions(view).entries()) {
    const word = Math.floor(position / per);
    const value = input[n] ?? 0;
    // A word has no value before an element in it has one.
    const before = memory.written[word] === 1 ? (scalars[word] ?? 0) : 0;
    scalars[word] =
      per > 1
        ? replacePart(buffer.type as NarrowType, before, position % per, value)
        : convert(value);
    memory.written[word] = 1;
  }
}

function replacePart(type: NarrowType, word: number, position: number, value: number): number {
  const parts = Array.from({ length: elementsPerWord(type) }, (_, n) =>
    n === position ? value : unpackPart(type, word, n),
  );
  return packWord(type, parts);
}

function viewMemory(tensors: readonly Placed[], given: GivenMemory): BufferMemory {
  const memory = poisonedMemory(new Uint32Array(wordsOf(tensors)), given.races);
  for (const placed of tensors) {
    const input = inputOf(placed.buffer, given.inputs);
    if (input !== null) put(placed, memory, input);
  }
  return memory;
}

/** Elements that the caller gets although nothing wrote them are a fault. */
function reportUnwritten(
  buffer: PlanBuffer,
  what: "word" | "element",
  at: number,
  faults: FaultLog,
): void {
  if (at < 0) return;
  const fault = { kind: "uninitialised", kernel: "", array: buffer.name, path: "" } as const;
  faults.add(fault, () => `${what} ${at} of the result ${buffer.name} was never written`);
}

function readPlaced({ buffer, view, per }: Placed, m: BufferMemory, faults: FaultLog): TensorData {
  const positions = elementPositions(view);
  const scalars = viewAs(m.data, per > 1 ? "uint32" : computedAs(buffer.type));
  const result = allocate(buffer.type, positions.length);
  let unwritten = -1;
  for (const [n, position] of positions.entries()) {
    const word = Math.floor(position / per);
    if (m.written[word] === 0 && unwritten < 0) unwritten = n;
    const value = scalars[word] ?? 0;
    result[n] = per > 1 ? unpackPart(buffer.type as NarrowType, value, position % per) : value;
  }
  reportUnwritten(buffer, "element", unwritten, faults);
  return result;
}

function readDense(
  buffer: PlanBuffer,
  { data, written }: BufferMemory,
  packed: boolean,
  faults: FaultLog,
): TensorData {
  const used = usedOf(buffer, packed);
  const missing = written.indexOf(0);
  reportUnwritten(buffer, packed ? "word" : "element", missing < used ? missing : -1, faults);
  if (!packed || !(data instanceof Uint32Array)) return data.slice(0, used);
  return unpackWords(buffer.type, data, elementCount(buffer.shape));
}

/** Makes the memory of a plan. */
export function planMemory(plan: Plan, given: GivenMemory): PlanMemory {
  const memory = new Map<string, BufferMemory>();
  const placed = new Map<string, readonly Placed[]>();
  const holderOf = (id: string): string =>
    plan.shared?.find(({ members }) => members.includes(id))?.id ?? id;
  for (const buffer of plan.buffers) {
    const { id, layout } = buffer;
    if (layout === undefined) memory.set(id, denseMemory(buffer, given, isPacked(plan, buffer)));
    else {
      const others = placed.get(holderOf(id)) ?? [];
      placed.set(holderOf(id), [...others, placedIn(plan, buffer, given)]);
    }
  }
  for (const [id, tensors] of placed) memory.set(id, viewMemory(tensors, given));
  return {
    memory,
    read: (buffer, faults) => {
      const holder = holderOf(buffer.id);
      const found = defined(memory.get(holder), "buffer", holder);
      const one = placed.get(holder)?.find((p) => p.buffer === buffer);
      if (one !== undefined) return readPlaced(one, found, faults);
      return readDense(buffer, found, isPacked(plan, buffer), faults);
    },
    zero: (id) => {
      const { data, written } = defined(memory.get(id), "buffer", id);
      const buffer = plan.buffers.find((b) => b.id === id);
      const isDense = buffer !== undefined && buffer.layout === undefined;
      const end = isDense ? usedOf(buffer, isPacked(plan, buffer)) : data.length;
      data.fill(0, 0, end);
      written.fill(1, 0, end);
    },
    reportStrays: (faults) => {
      for (const [id, tensors] of placed) {
        const found = defined(memory.get(id), "buffer", id);
        reportStray(id, tensors, found, faults);
      }
    },
  };
}

function reportStray(
  id: string,
  tensors: readonly Placed[],
  { written }: BufferMemory,
  faults: FaultLog,
): void {
  const own = new Uint8Array(written.length);
  for (const { view, per } of tensors) {
    for (const position of elementPositions(view)) own[Math.floor(position / per)] = 1;
  }
  const at = written.findIndex((set, word) => set === 1 && own[word] === 0);
  if (at < 0) return;
  const fault = { kind: "out-of-bounds", kernel: "", array: id, path: "" } as const;
  faults.add(fault, () => `word ${at} of ${id}, which belongs to no tensor in it, was written`);
}
