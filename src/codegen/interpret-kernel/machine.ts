/**
 * The state of a kernel's execution, shared by the closures that it was compiled to.
 *
 * Invocations of a workgroup have their registers side by side: the closures take the offset of an
 * invocation's registers, `base`. Register 0 is the local index. All values are numbers, as
 * scalar-semantics.ts describes them.
 *
 * Values without meaning (poison) cost nothing until a load meets one: it raises `suspect`, and from
 * then on each statement also computes, by closures that are compiled only then, which of its values
 * depend on poison.
 */
import { defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { allocate, type TensorData } from "../../support/scalar-type.ts";
import type { FragmentType, Kernel, KernelArray } from "../kernel.ts";
import { eachKernelExpression, eachKernelStatement, statementExpressions } from "../walk-kernel.ts";
import type { FaultKind, FaultLog } from "./fault.ts";
import { type BufferMemory, poisonedMemory, stampStride, viewAs } from "./memory.ts";
import type { KernelObserver } from "./observer.ts";

/** The times that a race detector counts; they only grow, over all kernels of a plan. */
export interface Clock {
  /** Barriers that workgroups reached and workgroups that began. */
  epoch: number;
  dispatch: number;
}

/** An array of the kernel as the closures see it. */
export interface ArrayView {
  readonly array: KernelArray;
  readonly data: TensorData;
  readonly written: Uint8Array;
  /** Accesses at or beyond it are faults. */
  readonly length: number;
  /** Undefined where no race is possible or none is to be looked for. */
  readonly shadow: BufferMemory["shadow"] | undefined;
}

/** A fragment of each subgroup, row by row, one after the other. */
export interface FragmentRegisters {
  readonly type: FragmentType;
  readonly values: Float64Array;
  /** 1 for elements that depend on poison. */
  readonly tainted: Uint8Array;
}

export interface Machine {
  readonly kernel: Kernel;
  readonly arrays: ReadonlyMap<string, ArrayView>;
  readonly registers: Float64Array;
  /** 1 for registers whose value depends on poison; kept only while `suspect`. */
  readonly tainted: Uint8Array;
  /** The first register of each variable. */
  readonly variables: ReadonlyMap<string, number>;
  /** Where registers without a variable begin. */
  readonly temporaries: number;
  /** Registers of one invocation. */
  readonly stride: number;
  /** Matrices that subgroups hold, by name. */
  readonly fragments: ReadonlyMap<string, FragmentRegisters>;
  readonly group: Float64Array;
  readonly steps: Float64Array;
  readonly clock: Clock;
  readonly faults: FaultLog;
  /** Who looks on; null for nobody. */
  readonly observer: KernelObserver | null;
  /** Who is running. */
  invocation: number;
  suspect: boolean;
  /** First stamps of the present times, see memory.ts: between barriers, and of the dispatch. */
  workgroupEpoch: number;
  storageEpoch: number;
  dispatchEpoch: number;
  /** The present workgroup's number in its dispatch. */
  groupNumber: number;
}

/** Where each variable lives: names are unique but for scopes apart, which may share registers. */
function variableRegisters(kernel: Kernel): { slots: Map<string, number>; count: number } {
  const widths = new Map<string, number>();
  for (const s of eachKernelStatement(kernel.body)) {
    if (s.kind === "loop") widths.set(s.variable, Math.max(widths.get(s.variable) ?? 1, 1));
    if (s.kind === "declare" || s.kind === "exchange") {
      widths.set(s.name, Math.max(widths.get(s.name) ?? 1, s.type.width));
    }
  }
  const slots = new Map<string, number>();
  let count = 1;
  for (const [name, width] of widths) {
    slots.set(name, count);
    count += width;
  }
  return { slots, count };
}

/** Registers that closures of the kernel may ask for besides, at most. */
function temporaryCount(kernel: Kernel): number {
  let count = 0;
  for (const s of eachKernelStatement(kernel.body)) {
    for (const e of flatMap(statementExpressions(s), (part) => eachKernelExpression(part))) {
      if (e.kind === "load" && e.type.width > 1) count += 1;
      if (e.kind === "vector" && e.components.length === 1) count += 1;
    }
  }
  return count;
}

/** Fragments by name; those that share one are never there at once. */
function fragmentRegisters(kernel: Kernel): ReadonlyMap<string, FragmentRegisters> {
  const subgroups = Math.ceil(kernel.workgroupSize / (kernel.subgroupSize ?? 1));
  const found = new Map<string, FragmentRegisters>();
  for (const s of eachKernelStatement(kernel.body)) {
    if (s.kind !== "fragment") continue;
    const { type } = s;
    const count = subgroups * type.rows * type.columns;
    const values = new Float64Array(count);
    found.set(s.name, { type, values, tainted: new Uint8Array(count) });
  }
  return found;
}

function arrayView(
  kernel: Kernel,
  array: KernelArray,
  memory: ReadonlyMap<string, BufferMemory>,
  races: boolean,
): ArrayView {
  const { scalar, length, space } = array;
  if (space !== "storage") {
    const words = space === "private" ? length * kernel.workgroupSize : length;
    const tracked = races && space === "workgroup" && !array.atomic;
    const own = poisonedMemory(allocate(scalar, words), tracked);
    const { written, shadow } = own;
    return { array, data: own.data, written, length, shadow: tracked ? shadow : undefined };
  }
  const buffer = defined(memory.get(array.buffer ?? ""), "memory of buffer", array.buffer);
  const written = kernel.arrays.some((a) => a.buffer === array.buffer && a.access !== "read");
  return {
    array,
    data: viewAs(buffer.data, scalar),
    written: buffer.written,
    length: Math.min(length, buffer.data.length),
    shadow: races && written && !array.atomic ? buffer.shadow : undefined,
  };
}

/** A machine for the kernel over these buffers; nothing has run. */
export function createMachine(
  kernel: Kernel,
  memory: ReadonlyMap<string, BufferMemory>,
  options: {
    readonly races: boolean;
    readonly clock: Clock;
    readonly faults: FaultLog;
    readonly observer: KernelObserver | null;
  },
): Machine {
  const { slots, count } = variableRegisters(kernel);
  const stride = count + temporaryCount(kernel);
  const views = kernel.arrays.map(
    (array) => [array.id, arrayView(kernel, array, memory, options.races)] as const,
  );
  return {
    kernel,
    arrays: new Map(views),
    registers: new Float64Array(stride * kernel.workgroupSize),
    tainted: new Uint8Array(stride * kernel.workgroupSize),
    variables: slots,
    temporaries: count,
    stride,
    fragments: fragmentRegisters(kernel),
    group: new Float64Array(3),
    steps: new Float64Array(kernel.steps.length),
    clock: options.clock,
    faults: options.faults,
    observer: options.observer,
    invocation: 0,
    suspect: false,
    workgroupEpoch: 0,
    storageEpoch: 0,
    dispatchEpoch: 0,
    groupNumber: 0,
  };
}

/** Orders the accesses of the present workgroup before a barrier, or of another one, with the rest. */
export function beginEpoch(m: Machine, memory: "workgroup" | "storage" | "both"): void {
  m.clock.epoch += 1;
  if (memory !== "storage") m.workgroupEpoch = m.clock.epoch * stampStride;
  if (memory !== "workgroup") m.storageEpoch = m.clock.epoch * stampStride;
}

/** Reports a fault of the running invocation; `what` starts the message. */
export function report(
  m: Machine,
  kind: FaultKind,
  array: string | null,
  path: string,
  what: () => string,
): void {
  m.faults.add({ kind, kernel: m.kernel.name, array, path }, () => {
    const who = `invocation ${m.invocation} of workgroup (${[...m.group].join(", ")})`;
    return `${m.kernel.name}: ${what()}, ${who}, at ${path}`;
  });
}
