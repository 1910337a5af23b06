/**
 * Purpose: (Program, Schedule, Limits) to a Plan.
 *
 * Requires: a verified program and schedule. Ensures: the plan computes what the program means, in
 * the order and the memory that the schedule names. Neither Options nor the name of an operator is
 * known here.
 */

import { readsStart } from "../ir/dependences/reads-start.ts";
import { synchronise } from "../ir/legality/synchronise.ts";
import { callerShape, elementTypeOf, type Program, type Tensor, tensorOf } from "../ir/program.ts";
import {
  type Band,
  eachKernel,
  isKernel,
  type Loop,
  placeOfTensor,
  type Schedule,
  type ScheduleNode,
} from "../ir/schedule.ts";
import { invariant } from "../support/assert.ts";
import type { Limits } from "../support/device-profile.ts";
import { flatMap } from "../support/flat-map.ts";
import { type Kept, keptUnder } from "../support/kept.ts";
import type { ElementType } from "../support/scalar-type.ts";
import { storedBytes } from "../support/words.ts";
import type { Kernel, KernelArray } from "./kernel.ts";
import { kernelWork } from "./kernel-work.ts";
import { lowerKernel } from "./lower/kernel.ts";
import type { KernelSource } from "./lower/kernel-context.ts";
import { arrayNames } from "./lower/scope.ts";
import { sharedMemories } from "./lower/shared-memories.ts";
import { type LoweredKernel, renamedKernel, sourceText } from "./lower/source-text.ts";
import {
  type BufferLayout,
  offsetVariable,
  type Plan,
  type PlanBuffer,
  type PlanKernel,
  type SharedBuffer,
  type Step,
} from "./plan.ts";
import { printWgsl } from "./print-wgsl/print-wgsl.ts";
import { type KernelPass, kernelPasses, runPasses } from "./simplify/passes.ts";

/** How kernels are made; all of it may be left out. */
export interface GenerateOptions {
  /** From a kernel as it was lowered to the one of the plan: all there are, if left out. */
  readonly passes?: readonly KernelPass[];
  /** Called after a kernel is lowered, and after each pass over it. */
  readonly onPass?: (run: KernelPassRun) => void;
  /** Kernels of an earlier compilation for the same device, by what they were lowered from. */
  readonly kept?: Kept<LoweredKernel>;
}

/** What a pass made of a kernel. */
export interface KernelPassRun {
  /** Lowering is no pass over kernels: it has no kernel before. */
  readonly pass: Pick<KernelPass, "name" | "does" | "why">;
  readonly before: Kernel | null;
  readonly after: Kernel;
}

const lowering: KernelPassRun["pass"] = {
  name: "lower",
  does: "makes kernel IR of the leaves and loops of a kernel's schedule",
  why: "kernel IR begins here: all passes after it are from kernels to kernels",
};

/** Compiles a scheduled program for a device. */
export function generate(
  program: Program,
  schedule: Schedule,
  limits: Limits,
  options: GenerateOptions = {},
): Plan {
  const kernels = lowerKernels(program, schedule, limits, options);
  const stepIndices = limits.features.immediates ? "immediate" : "table";
  const zeros = zeroSteps(program, schedule, [...kernels.values()]);
  const steps = [...zeros, ...stepsOf(schedule.root, [...kernels.keys()])];
  const lowered = [...kernels.values()];
  const work = workOf(program, schedule, kernels);
  return {
    name: program.name,
    buffers: buffersOf(program, lowered, steps),
    ...sharedBuffers(program),
    kernels: lowered.map((kernel, n): PlanKernel => {
      return { kernel, ...printWgsl(kernel, stepIndices), ...work[n] };
    }),
    steps,
    stepIndices,
  };
}

function workOf(
  program: Program,
  schedule: Schedule,
  kernels: ReadonlyMap<Band, Kernel>,
): readonly Pick<PlanKernel, "work">[] {
  return [...eachKernel(schedule.root)].flatMap(({ kernel: band, host }) => {
    const kernel = kernels.get(band);
    return kernel === undefined ? [] : [{ work: kernelWork(program, band, host, kernel) }];
  });
}

/** Whether a node executes nothing. */
function isEmpty(node: ScheduleNode): boolean {
  switch (node.kind) {
    case "leaf":
      return false;
    case "sequence":
      return node.children.every(isEmpty);
    case "band":
      return node.loops.some((l) => l.extent === 0) || isEmpty(node.child);
  }
}

/**
 * The kernels of a schedule that execute something, in the order of the plan's, with the loops of the host around
 * each.
 */
export function executedKernels(
  root: ScheduleNode,
): readonly { readonly kernel: Band; readonly host: readonly Loop[] }[] {
  return [...eachKernel(root)].filter(
    ({ kernel, host }) =>
      !isIdle(kernel) && !isEmpty(kernel) && host.every((loop) => loop.extent !== 0),
  );
}

/** The kernels of a schedule that execute something, in order, as kernel IR. */
function lowerKernels(
  program: Program,
  schedule: Schedule,
  limits: Limits,
  options: GenerateOptions,
): ReadonlyMap<Band, Kernel> {
  const barriers = synchronise(program, schedule);
  const kernels = new Map<Band, Kernel>();
  for (const { kernel, host } of executedKernels(schedule.root)) {
    const name = `${program.name}_${kernels.size}`;
    const source = { name, program, schedule, kernel, host, barriers, limits };
    kernels.set(kernel, makeKernel(source, options));
  }
  return kernels;
}

/** Lowers a kernel and runs the passes over it, where an earlier compilation has not. */
function makeKernel(source: KernelSource, options: GenerateOptions): Kernel {
  const { passes = kernelPasses, onPass, kept } = options;
  const known = kept && sourceText(source);
  const before = known && keptUnder(kept, known.text);
  if (before) {
    const kernel = renamedKernel(before, source.name, known.spans);
    kept.now.set(known.text, { kernel, spans: known.spans });
    return kernel;
  }
  const raw = lowerKernel(source);
  const steps = new Map(source.host.map((l) => [l.id, l.extent]));
  onPass?.({ pass: lowering, before: null, after: raw });
  const kernel = runPasses(passes, raw, { steps, limits: source.limits }, (pass, was, after) =>
    onPass?.({ pass, before: was, after }),
  );
  if (known) kept.now.set(known.text, { kernel, spans: known.spans });
  return kernel;
}

/** True for a kernel without any workgroup. */
function isIdle(kernel: Band): boolean {
  return kernel.loops.some((l) => l.on === "grid" && l.extent === 0);
}

function stepsOf(node: ScheduleNode, kernels: readonly Band[]): readonly Step[] {
  switch (node.kind) {
    case "leaf":
      invariant(false, "a leaf outside any kernel");
      break;
    case "sequence":
      return flatMap(node.children, (c) => stepsOf(c, kernels));
    case "band": {
      if (isKernel(node)) {
        const kernel = kernels.indexOf(node);
        return kernel < 0 ? [] : [{ kind: "dispatch", kernel }];
      }
      return repeats(node.loops, stepsOf(node.child, kernels));
    }
  }
}

function repeats(loops: readonly Loop[], body: readonly Step[]): readonly Step[] {
  return [...loops].reverse().reduce<readonly Step[]>((inner, loop) => {
    invariant(loop.on === "host", `a ${loop.on} loop outside any kernel`);
    if (loop.extent === 0 || inner.length === 0) return [];
    if (loop.extent === 1) return inner;
    return [{ kind: "repeat", variable: loop.id, extent: loop.extent, body: inner }];
  }, body);
}

function isStored(schedule: Schedule, tensor: string): boolean {
  const place = placeOfTensor(schedule, tensor);
  return place === undefined || place.space === "storage";
}

/** Fills what the program may see before anything wrote it. */
function zeroSteps(
  program: Program,
  schedule: Schedule,
  kernels: readonly Kernel[],
): readonly Step[] {
  const bound = new Set(flatMap(kernels, (k) => k.arrays.map((a) => a.buffer)));
  return flatMap(
    [...readsStart(program)].filter((name) => isStored(schedule, name)),
    (name) => {
      const tensor = tensorOf(program, name);
      // Written whole by its own statements; around its elements lie those of others.
      if (tensor.layout !== undefined) return [];
      const buffers = arrayNames(tensor);
      // A temporary that no kernel touches has no buffer.
      const kept = buffers.filter((buffer) => tensor.role !== "temporary" || bound.has(buffer));
      return kept.map((buffer): Step => ({ kind: "zero", buffer }));
    },
  );
}

/** The buffers of the tensors that live in storage, and of scratch slices. */
function buffersOf(
  program: Program,
  kernels: readonly Kernel[],
  steps: readonly Step[],
): readonly PlanBuffer[] {
  const arrays = new Map<string, KernelArray>();
  for (const array of flatMap(kernels, (k) => k.arrays)) {
    const { buffer, length } = array;
    if (buffer !== undefined && length >= (arrays.get(buffer)?.length ?? 0)) {
      arrays.set(buffer, array);
    }
  }
  return flatMap(program.tensors, (tensor) =>
    flatMap(arrayNames(tensor), (id, c): readonly PlanBuffer[] => {
      const array = arrays.get(id);
      if (tensor.role === "temporary" && array === undefined) return [];
      const whole = tensor.role !== "temporary" || array === undefined;
      const shape = whole ? callerShape(tensor) : [array.length];
      const live = liveRange(id, kernels, steps);
      const type = c === 0 ? elementTypeOf(tensor) : (tensor.components[c] ?? "float32");
      const more = { ...paddedTo(type, shape, array), ...bufferLayout(tensor) };
      return [{ id, name: tensor.name, role: tensor.role, type, shape, live, ...more }];
    }),
  );
}

/** What kernels take of a buffer, if that is more than its elements. */
function paddedTo(
  type: ElementType,
  shape: readonly number[],
  array: KernelArray | undefined,
): Pick<PlanBuffer, "bytes"> {
  if (array === undefined || array.view === true || array.elements === undefined) return {};
  const bytes = storedBytes(array.scalar, [array.length]);
  return bytes > storedBytes(type, shape) ? { bytes } : {};
}

function bufferLayout({ name, layout }: Tensor): { readonly layout?: BufferLayout } {
  if (layout === undefined) return {};
  const variable = layout.offsetMultiple === null ? null : offsetVariable(name);
  return { layout: { ...layout, variable } };
}

function sharedBuffers(program: Program): { readonly shared?: readonly SharedBuffer[] } {
  const memories = new Set(sharedMemories(program).values());
  return memories.size === 0 ? {} : { shared: [...memories] };
}

/** The first and last top-level step that touches a buffer; [0, 0] when none does. */
function liveRange(
  id: string,
  kernels: readonly Kernel[],
  steps: readonly Step[],
): readonly [number, number] {
  const uses = flatMap(steps, (step, i) => (touches(step, id, kernels) ? [i] : []));
  return [uses[0] ?? 0, uses.at(-1) ?? 0];
}

function touches(step: Step, id: string, kernels: readonly Kernel[]): boolean {
  switch (step.kind) {
    case "zero":
      return step.buffer === id;
    case "repeat":
      return step.body.some((s) => touches(s, id, kernels));
    case "dispatch":
      return (kernels[step.kernel]?.arrays ?? []).some((a) => a.buffer === id);
  }
}
