/** Definitions as functions on a device. */
import { hasErrors } from "../diagnostics/diagnostic.ts";
import { type SizeSources, solveSizes } from "../frontend/sizes.ts";
import type { Definition, Module } from "../frontend/syntax/ast.ts";
import type { Options } from "../ir/decisions.ts";
import type { Profile } from "../runtime/profile-plan.ts";
import type { TensorOutputs } from "../runtime/run-plan.ts";
import type { Runtime as DeviceRuntime } from "../runtime/runtime.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import type { TensorInputs } from "../runtime/tensor-input.ts";
import type { Timing, TimingOptions } from "../runtime/timing.ts";
import { checkOptions, checkSourceText, type OptionNames } from "../support/check-call-shape.ts";
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
import { check } from "./check.ts";
import { type CompilationStatistics, createCompilations } from "./compilations.ts";
import type { Compilation, Sizes } from "./compile-for-device.ts";
import type { CompilerWorker } from "./compiler-worker.ts";
import { namedKernels } from "./named-kernels.ts";
import { TcError } from "./tc-error.ts";
import type { DeviceInputs, DeviceOutputs, DeviceTensors } from "./typed-arguments.ts";
import type { Signature, SignaturesOf } from "./typed-source.ts";

export interface DefineOptions {
  /**
   * `default`: the heuristic; `naive`: one thread per element; or answers by path. An answer that is
   * not legal for some sizes is replaced, one that is not asked for is passed over: see
   * `Kernel.compilations`. A path that is misspelt is refused.
   */
  readonly options?: "default" | "naive" | Options;
  /** The name of the source in messages. */
  readonly file?: string;
  /**
   * Compiles in its thread, made by `createWorker` of `tc-wgsl/worker`: the results and errors are
   * the same, and nothing else has to wait.
   */
  readonly worker?: Pick<CompilerWorker, "compile">;
  /**
   * How many compilations are kept of each definition, for as many sets of sizes and strides: 32 by
   * default. The least recently used are dropped, with their temporaries.
   */
  readonly keep?: number;
}

const defaultKeep = 32;

export interface CallOptions<Results = TensorInputs> {
  /** Tensors or buffers on the device to write outputs into; the others are made by the call. */
  readonly outputs?: Results;
  /** Sizes that the arguments do not tell; they win over `#! sizes`. */
  readonly sizes?: Readonly<Record<string, number>>;
  /**
   * Aborting it rejects the call with its reason, also while it compiles. What is submitted runs to
   * its end: the call then resolves as if nothing had happened.
   */
  readonly signal?: AbortSignal;
}

export interface TimeOptions extends TimingOptions {
  /** Sizes that the arguments do not tell; they win over `#! sizes`. */
  readonly sizes?: Readonly<Record<string, number>>;
}

/**
 * A definition on a device. It is compiled on the first call with new sizes, and on the first with
 * new strides where tensors are views. Sizes come from the
 * shapes of the arguments, from integer arguments that have to be known to compile, then from
 * `#! sizes`. All methods throw or reject with RuntimeFault, and with TcError where the source does
 * not fit the sizes.
 */
export interface Kernel<Inputs = TensorInputs, Outputs = TensorOutputs, OnDevice = TensorInputs>
  extends Disposable,
    KernelCall<Inputs, Outputs, OnDevice> {
  /**
   * Compiles for these sizes, and allocates temporaries. Where `encode` will get views: for tensors
   * that lie as those in `io`, which are all inputs, outputs and in-place tensors. Without `io` it
   * compiles twice where buffers that end with the last element need kernels of their own.
   */
  prepare(sizes?: Readonly<Record<string, number>>, io?: OnDevice): Promise<void>;
  /** Compiles ahead for each of these sizes; rejects if they are more than are kept. */
  prepare(list: readonly Readonly<Record<string, number>>[]): Promise<void>;
  /**
   * After `prepare`: writes the work into the caller's pass, synchronously. `io` holds all inputs,
   * outputs and in-place tensors, on the device. Sizes that their shapes do not tell are those of the
   * latest `prepare`. Submit what is encoded before as many other sizes are used as are kept.
   */
  encode(pass: GPUComputePassEncoder, io: OnDevice): void;
  /** Measures one execution, with outputs of its own. */
  time(inputs: Inputs, options?: TimeOptions): Promise<Timing>;
  /** Measures one execution, each of its kernels, and what came before the first execution. */
  profile(inputs: Inputs, options?: TimeOptions): Promise<Profile>;
  /** What it was compiled to so far, by sizes and layouts; how given options were taken. */
  compilations(): readonly Compilation[];
  /** How many compilations there are and were. */
  statistics(): CompilationStatistics;
  /** Gives the temporaries of all sizes back; a later call compiles again. */
  dispose(): void;
}

/** A method's type, so that a kernel of a known source may stand where any kernel may. */
type KernelCall<Inputs, Outputs, OnDevice> = {
  /**
   * Runs the definition; resolves with its outputs when it is under way. Arguments are typed arrays
   * with their shapes, nested arrays, tensors or buffers on the device, and numbers. A bare typed
   * array will do where its length and the other arguments leave one shape.
   */
  call(inputs: Inputs, options?: CallOptions<OnDevice>): Promise<Outputs>;
}["call"];

/** The definitions of a source, by name. */
export type Kernels = Readonly<Record<string, Kernel>>;

/**
 * The definitions of a literal source, with the names and types of their tensors; of any other
 * source, {@link Kernels}.
 */
export type KernelsOf<Source extends string> =
  SignaturesOf<Source> extends infer Heads extends readonly Signature[]
    ? {
        readonly [Head in Heads[number] as Head["name"]]: Kernel<
          DeviceInputs<Head>,
          DeviceOutputs<Head>,
          DeviceTensors<Head>
        >;
      }
    : Kernels;

/** Executes definitions on one device. */
export interface Runtime extends DeviceRuntime {
  /**
   * The definitions of a source as functions. If the source is literal, so that its text is known
   * when the program is checked, their arguments and results are typed by what it declares.
   * @throws TcError, its message the rendered diagnostics, if the source has errors that no sizes
   *   could mend.
   */
  define<const Source extends string>(source: Source, options?: DefineOptions): KernelsOf<Source>;
}

/** Adds `define` to a runtime that executes plans. */
export function withDefine(runtime: DeviceRuntime): Runtime {
  return {
    ...runtime,
    define: <const Source extends string>(source: Source, options: DefineOptions = {}) => {
      checkSourceText("define", source);
      checkOptions("define", options, defineNames);
      const { diagnostics, module } = check(source);
      if (hasErrors(diagnostics)) throw new TcError(diagnostics, source, options.file);
      const kernels = module.definitions.map((definition): readonly [string, Kernel] => {
        const { name } = definition.name;
        return [name, createKernel(runtime, { source, module, definition, options })];
      });
      return namedKernels(Object.fromEntries(kernels)) as KernelsOf<Source>;
    },
  };
}

const defineNames: OptionNames<DefineOptions> = {
  options: true,
  file: true,
  worker: true,
  keep: true,
};
const callNames: OptionNames<CallOptions> = { outputs: true, sizes: true, signal: true };

interface Defined {
  readonly source: string;
  readonly module: Module;
  readonly definition: Definition;
  readonly options: DefineOptions;
}

function createKernel(runtime: DeviceRuntime, defined: Defined): Kernel {
  const { source, options } = defined;
  const { name } = defined.definition.name;
  const { keep = defaultKeep } = options;
  const compilations = createCompilations(runtime, { ...options, source, name, keep });
  let latest: Readonly<Record<string, number>> = {};
  const callee = calleeOf(defined.definition, defined.module);
  const sizesFor = createSizeSolver(defined, callee);
  const find = (
    inputs: TensorInputs,
    explicit: Readonly<Record<string, number>> = {},
  ): { sizes: Sizes; tensors: TensorInputs } => {
    const given = splitArguments(callee, inputs, explicit);
    return { sizes: sizesFor(sizeSources(callee, given, explicit)), tensors: given.tensors };
  };
  const layoutsFor = (sizes: Sizes, tensors: TensorInputs): CallLayouts =>
    mayBeViews(tensors) || mayLackPadding(tensors)
      ? callLayouts(runtime, compilations.tensors(sizes), tensors)
      : denseCall;
  const run = async (inputs: TensorInputs, call: CallOptions = {}): Promise<TensorOutputs> => {
    checkOptions(`"${name}"`, call, callNames);
    const { outputs, signal } = call;
    signal?.throwIfAborted();
    const { sizes, tensors } = find(inputs, call.sizes);
    const layouts = layoutsFor(sizes, { ...tensors, ...outputs });
    return await compilations.use(sizes, layouts, signal, async (plan) => {
      await abortable(plan.prepare(), signal);
      // From here to the submission nothing waits.
      return await plan.run(tensors, outputs === undefined ? {} : { outputs });
    });
  };
  return Object.assign(run, {
    prepare: async (explicit: SizesToPrepare = {}, io?: TensorInputs) => {
      const list = isList(explicit) ? explicit : [explicit];
      if (list.length > keep) throw tooMany(name, list.length, keep);
      for (const one of list) {
        const given = io === undefined ? noArguments : splitArguments(callee, io, one);
        const sizes = sizesFor(sizeSources(callee, given, one));
        // Without tensors to look at, for those of the runtime and for buffers of any size.
        const calls =
          io === undefined ? [denseCall, exactCall] : [layoutsFor(sizes, given.tensors)];
        await Promise.all(
          calls.map((call) => compilations.use(sizes, call, undefined, (plan) => plan.prepare())),
        );
        latest = Object.fromEntries(sizes);
      }
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
    time: async (inputs: TensorInputs, call: TimeOptions = {}) => {
      const { sizes, tensors } = find(inputs, call.sizes);
      const layouts = layoutsFor(sizes, tensors);
      return await compilations.use(sizes, layouts, undefined, (plan) => plan.time(tensors, call));
    },
    profile: async (inputs: TensorInputs, call: TimeOptions = {}) => {
      const { sizes, tensors } = find(inputs, call.sizes);
      const plan = await compilations.get(sizes, layoutsFor(sizes, tensors));
      return await plan.profile(tensors, call);
    },
    compilations: compilations.all,
    statistics: compilations.statistics,
    dispose: compilations.dispose,
    [Symbol.dispose]: compilations.dispose,
  });
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
