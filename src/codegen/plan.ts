/**
 * A Plan: everything that a runtime needs to execute a compiled definition.
 *
 * ```
 * plan := buffers, kernels, steps
 * step := dispatch kernel | repeat variable in 0..extent { step* } | zero buffer
 * ```
 * No host write happens between steps: a kernel inside a repeat reads the repeat's index as an
 * immediate, or from a table of uniforms with a dynamic offset that is filled once. So does the
 * offset of a view arrive, which holds for the whole plan: a step variable of its own.
 */
import type { ElementType } from "../support/scalar-type.ts";
import { spanOfView, type TensorLayout } from "../support/strided-view.ts";
import { storedBytes } from "../support/words.ts";
import type { Kernel } from "./kernel.ts";

/**
 * A buffer of the plan: elements in row-major order, those of less than 32 bits side by side in words,
 * of which there is a whole number.
 */
export interface PlanBuffer {
  readonly id: string;
  /** The tensor it holds, as the user named it; for temporaries, a name for messages. */
  readonly name: string;
  /** `inout` is supplied by the caller and updated; `output` is made by the run. */
  readonly role: "input" | "output" | "inout" | "temporary";
  readonly type: ElementType;
  /** Temporaries may have more dimensions than their tensor: folds and slices come first. */
  readonly shape: readonly number[];
  /**
   * The bytes that are bound of it where kernels take it in whole vectors: more than its elements
   * have. Those after them mean nothing, and are overwritten.
   */
  readonly bytes?: number;
  /** The first and last of `steps` (top level) that touches it, for sharing memory. */
  readonly live: readonly [number, number];
  /** How the caller's tensor has to lie, where it is not dense at the start of what is bound. */
  readonly layout?: BufferLayout;
}

/** Strides and offset that a kernel is made for: what differs from them needs another plan. */
export interface BufferLayout extends TensorLayout {
  /**
   * The step variable that holds the offset of the first element in memory, divided by
   * `offsetMultiple`; null without an offset.
   */
  readonly variable: string | null;
}

/** The bytes that a buffer takes; of a view, from its first element to its last. */
export function bytesOfBuffer({ type, shape, bytes, layout }: PlanBuffer): number {
  if (layout !== undefined) return storedBytes(type, [spanOfView(shape, layout.strides)]);
  return bytes ?? storedBytes(type, shape);
}

/** The step variable of the offset of a tensor. */
export function offsetVariable(tensor: string): string {
  return `offset of ${tensor}`;
}

/**
 * Buffers of the caller in a buffer of the device that is also written: those that kernels see as
 * one, whose common range is bound once.
 */
export interface SharedBuffer {
  /** What bindings name. */
  readonly id: string;
  /** Ids of buffers of the plan, in one buffer of the device; their offsets count from its start. */
  readonly members: readonly string[];
  /** Ids of all buffers of the plan in the same buffer of the device, those of other types too. */
  readonly set: readonly string[];
}

export type Step =
  | { readonly kind: "dispatch"; readonly kernel: number }
  | {
      readonly kind: "repeat";
      readonly variable: string;
      readonly extent: number;
      readonly body: readonly Step[];
    }
  /** Fills the whole buffer with zero words. */
  | { readonly kind: "zero"; readonly buffer: string };

/** What a kernel has to do in one execution of the plan: see kernel-work.ts. */
export interface KernelWork {
  /** Bytes of the elements that it reads and writes of its buffers, each once a dispatch. */
  readonly bytes: number;
  /** Operations on floats that the program has; a function counts as one. */
  readonly operations: number;
}

/** A kernel with its text. Binding `n` of group 0 is `bindings[n]`. */
export interface PlanKernel {
  readonly kernel: Kernel;
  readonly wgsl: string;
  readonly entryPoint: string;
  readonly bindings: readonly { readonly buffer: string; readonly access: "read" | "read_write" }[];
  /** Absent in plans that were read from data. */
  readonly work?: KernelWork;
}

export interface Plan {
  readonly name: string;
  readonly buffers: readonly PlanBuffer[];
  /** Absent where there are none. */
  readonly shared?: readonly SharedBuffer[];
  readonly kernels: readonly PlanKernel[];
  readonly steps: readonly Step[];
  /**
   * How kernels learn step indices. `immediate`: slot `s` is word `s` of the immediate data.
   * `table`: slot `s` is uniform binding `bindings.length + s`, 4 bytes of a table whose entry `i`
   * holds the word `i` at offset `256 * i`, bound with a dynamic offset.
   */
  readonly stepIndices: "immediate" | "table";
}

/** The largest number of repetitions over all repeats of a plan: entries of the step table. */
export function stepTableLength(steps: readonly Step[]): number {
  let length = 0;
  for (const step of steps) {
    if (step.kind === "repeat") length = Math.max(length, step.extent, stepTableLength(step.body));
  }
  return length;
}

/** Dispatches that one execution of the steps makes. */
export function dispatchCount(steps: readonly Step[]): number {
  let count = 0;
  for (const step of steps) {
    if (step.kind === "dispatch") count += 1;
    if (step.kind === "repeat") count += step.extent * dispatchCount(step.body);
  }
  return count;
}
