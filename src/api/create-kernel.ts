/** A definition as a function: from the arguments of a call to a plan, and what it gives. */
import { hasErrors } from "../diagnostics/diagnostic.ts";
import { type SizeSources, solveSizes } from "../frontend/sizes.ts";
import type { Definition, Module } from "../frontend/syntax/ast.ts";
import type { LoadedPlan } from "../runtime/load-plan.ts";
import type { TensorOutputs } from "../runtime/run-plan.ts";
import type { Runtime as DeviceRuntime } from "../runtime/runtime.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import type { TensorInputs } from "../runtime/tensor-input.ts";
import { checkOptions, checkSizes, type OptionNames } from "../support/check-call-shape.ts";
import { abortable } from "./abortable.ts";
import {
  type Callee,
  calleeOf,
  type SplitArguments,
  sizeSources,
  splitArguments,
} from "./arguments.ts";
import {
  type CallLayouts,
  callLayouts,
  denseCall,
  exactCall,
  mayBeViews,
  mayLackPadding,
} from "./call-layouts.ts";
import { type Compilations, createCompilations } from "./compilations.ts";
import type { Sizes } from "./compile-for-device.ts";
import type { CallOptions, DefineOptions, Kernel, TimeOptions } from "./kernel.ts";
import { createKnownArguments } from "./known-arguments.ts";
import { TcError } from "./tc-error.ts";

const defaultKeep = 32;

const callNames: OptionNames<CallOptions> = { outputs: true, sizes: true, signal: true };

/** A definition of a source. */
export interface Defined {
  readonly source: string;
  readonly module: Module;
  readonly definition: Definition;
  readonly options: DefineOptions;
}

/** What the calls of a kernel share. */
interface Calls {
  readonly name: string;
  readonly keep: number;
  readonly callee: Callee;
  readonly compilations: Compilations;
  /** Sizes, and the tensors of a call. */
  find(
    inputs: TensorInputs,
    explicit?: Readonly<Record<string, number>>,
  ): { readonly sizes: Sizes; readonly tensors: TensorInputs };
  sizesFor(sources: SizeSources): Sizes;
  layoutsFor(sizes: Sizes, tensors: TensorInputs): CallLayouts;
}

function createCalls(runtime: DeviceRuntime, defined: Defined): Calls {
  const { source, options } = defined;
  const { name } = defined.definition.name;
  const { keep = defaultKeep } = options;
  const compilations = createCompilations(runtime, { ...options, source, name, keep });
  const callee = calleeOf(defined.definition, defined.module);
  const sizesFor = createSizeSolver(defined, callee);
  return {
    name,
    keep,
    callee,
    compilations,
    sizesFor,
    find: (inputs, explicit = {}) => {
      const given = splitArguments(callee, inputs, explicit);
      return { sizes: sizesFor(sizeSources(callee, given, explicit)), tensors: given.tensors };
    },
    layoutsFor: (sizes, tensors) =>
      mayBeViews(tensors) || mayLackPadding(tensors)
        ? callLayouts(runtime, compilations.tensors(sizes), tensors)
        : denseCall,
  };
}

/** What a call needs a compilation for. */
interface CalledFor {
  readonly sizes: Sizes;
  readonly layouts: CallLayouts;
}

/** A definition as a function; compiled when it is called. */
export function createKernel(runtime: DeviceRuntime, defined: Defined): Kernel {
  const calls = createCalls(runtime, defined);
  const { name, callee, compilations, find, sizesFor, layoutsFor } = calls;
  const known = createKnownArguments<CalledFor>();
  let latest: Readonly<Record<string, number>> = {};
  const run = async (inputs: TensorInputs, call: CallOptions = {}): Promise<TensorOutputs> => {
    checkOptions(`"${name}"`, call, callNames);
    const { outputs, signal } = call;
    signal?.throwIfAborted();
    let tensors = inputs;
    const look = (): CalledFor => {
      const found = find(inputs, call.sizes);
      tensors = found.tensors;
      const layouts = layoutsFor(found.sizes, { ...tensors, ...outputs });
      return { sizes: found.sizes, layouts };
    };
    const isPlain = outputs === undefined && call.sizes === undefined;
    const { sizes, layouts } = isPlain ? known.get(inputs, look) : look();
    return await compilations.use(sizes, layouts, signal, async (plan) => {
      await abortable(plan.prepare(), signal);
      // From here to the submission nothing waits.
      return await plan.run(tensors, outputs === undefined ? {} : { outputs });
    });
  };
  /** Measures by a method of the plan. */
  const measure =
    <Measured>(
      by: (plan: LoadedPlan, tensors: TensorInputs, call: TimeOptions) => Promise<Measured>,
    ) =>
    async (inputs: TensorInputs, call: TimeOptions = {}): Promise<Measured> => {
      const { sizes, tensors } = find(inputs, call.sizes);
      const layouts = layoutsFor(sizes, tensors);
      return await compilations.use(sizes, layouts, undefined, (plan) => by(plan, tensors, call));
    };
  return Object.assign(run, {
    prepare: async (explicit: SizesToPrepare = {}, io?: TensorInputs) => {
      latest = await prepareAll(calls, isList(explicit) ? explicit : [explicit], io);
    },
    encode: (pass: GPUComputePassEncoder, io: TensorInputs) => {
      const given = splitArguments(callee, io);
      const sources = sizeSources(callee, given);
      const sizes = sizesFor({ ...sources, defaults: { ...sources.defaults, ...latest } });
      const layouts = layoutsFor(sizes, given.tensors);
      const plan = compilations.find(sizes, layouts);
      if (plan !== undefined) return plan.encode(pass, given.tensors);
      throw notPrepared(name, sizes, layouts);
    },
    time: measure((plan, tensors, call) => plan.time(tensors, call)),
    profile: measure((plan, tensors, call) => plan.profile(tensors, call)),
    compilations: compilations.all,
    statistics: compilations.statistics,
    dispose: compilations.dispose,
    [Symbol.dispose]: compilations.dispose,
  });
}

/** Prepares for each of some sizes; the last ones, all of them. */
async function prepareAll(
  { name, keep, callee, compilations, sizesFor, layoutsFor }: Calls,
  list: readonly Readonly<Record<string, number>>[],
  io: TensorInputs | undefined,
): Promise<Readonly<Record<string, number>>> {
  if (list.length > keep) throw tooMany(name, list.length, keep);
  let latest: Sizes = new Map();
  for (const one of list) {
    checkSizes(`"${name}"`, one);
    const given = io === undefined ? noArguments : splitArguments(callee, io, one);
    const sizes = sizesFor(sizeSources(callee, given, one));
    // Without tensors to look at, for those of the runtime and for buffers of any size.
    const layouts = io === undefined ? [denseCall, exactCall] : [layoutsFor(sizes, given.tensors)];
    await Promise.all(
      layouts.map((own) => compilations.use(sizes, own, undefined, (plan) => plan.prepare())),
    );
    latest = sizes;
  }
  return Object.fromEntries(latest);
}

type SizesToPrepare =
  | Readonly<Record<string, number>>
  | readonly Readonly<Record<string, number>>[];

function isList(sizes: SizesToPrepare): sizes is readonly Readonly<Record<string, number>>[] {
  return Array.isArray(sizes);
}

const noArguments: SplitArguments = { sizes: {}, shapes: {}, tensors: {} };

function tooMany(name: string, count: number, keep: number): RuntimeFault {
  const advice = `define(source, { keep: ${2 * count} })`;
  return new RuntimeFault(
    "argument",
    `"${name}": prepare for ${count} sizes, ${keep} compilations are kept: ${advice}`,
  );
}

function notPrepared(name: string, sizes: Sizes, { layouts, padded }: CallLayouts): RuntimeFault {
  const text = [...sizes].map(([size, value]) => `${size}: ${value}`).join(", ");
  const views = Object.keys(layouts);
  const which = views.length > 0 ? `${views.join(", ")} lie as they do` : "buffers are as small as";
  const [io, why] = views.length === 0 && padded ? ["", ""] : [", io", `, where ${which} here`];
  return new RuntimeFault(
    "misuse",
    `"${name}": call prepare({ ${text} }${io}) before encode${why}`,
  );
}

/** Solutions that are kept: calls repeat a few shapes. */
const keptSolutions = 64;

/**
 * Finds sizes, and remembers what it found.
 * @throws TcError naming the sizes that are missing or contradict.
 */
function createSizeSolver(
  { source, options }: Defined,
  { definition, module }: Callee,
): (sources: SizeSources) => Sizes {
  const known = new Map<string, Sizes>();
  return (sources) => {
    const key = JSON.stringify([sources.explicit, sources.shapes, sources.defaults]);
    const found = known.get(key);
    if (found !== undefined) return found;
    const { sizes, diagnostics } = solveSizes(definition, module, sources);
    if (hasErrors(diagnostics)) throw new TcError(diagnostics, source, options.file);
    if (known.size >= keptSolutions) known.clear();
    known.set(key, sizes);
    return sizes;
  };
}
