/** Definitions as functions on a device. */
import { compile } from "../compile.ts";
import { hasErrors } from "../diagnostics/diagnostic.ts";
import type { Definition, Module } from "../frontend/ast.ts";
import { solveSizes } from "../frontend/sizes.ts";
import type { Options } from "../ir/decisions.ts";
import type { TensorInputs } from "../runtime/check-arguments.ts";
import type { LoadedPlan } from "../runtime/load-plan.ts";
import type { TensorOutputs } from "../runtime/run-plan.ts";
import type { Runtime as DeviceRuntime } from "../runtime/runtime.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import type { Timing, TimingOptions } from "../runtime/timing.ts";
import { sizeSources, splitArguments } from "./arguments.ts";
import { check } from "./check.ts";
import { TcError } from "./tc-error.ts";

export interface DefineOptions {
  /** `default`: the heuristic; `naive`: one thread per element; or answers by path. */
  readonly options?: "default" | "naive" | Options;
  /** The name of the source in messages. */
  readonly file?: string;
}

export interface CallOptions {
  /** Tensors or buffers on the device to write outputs into; the others are made by the call. */
  readonly outputs?: TensorInputs;
  /** Aborting it rejects the call with its reason, if nothing was submitted yet. */
  readonly signal?: AbortSignal;
}

/**
 * A definition on a device. It is compiled on the first call with new sizes, which come from the
 * shapes of the arguments, from integer arguments that have to be known to compile, then from
 * `#! sizes`. All methods throw or reject with RuntimeFault, and with TcError where the source does
 * not fit the sizes.
 */
export interface Kernel extends Disposable {
  /**
   * Runs the definition; resolves with its outputs when it is under way. Arguments are typed arrays
   * with their shapes, tensors or buffers on the device, and numbers. A bare typed array tells its
   * shape for one dimension only.
   */
  (inputs: TensorInputs, options?: CallOptions): Promise<TensorOutputs>;
  /** Compiles for these sizes, and allocates temporaries. */
  prepare(sizes?: Readonly<Record<string, number>>): Promise<void>;
  /**
   * After `prepare`: writes the work into the caller's pass, synchronously. `io` holds all inputs,
   * outputs and in-place tensors, on the device. Sizes that their shapes do not tell are those of the
   * latest `prepare`.
   */
  encode(pass: GPUComputePassEncoder, io: TensorInputs): void;
  /** Measures one execution, with outputs of its own. */
  time(inputs: TensorInputs, options?: TimingOptions): Promise<Timing>;
  /** Gives the temporaries of all sizes back; a later call compiles again. */
  dispose(): void;
}

/** The definitions of a source, by name. */
export type Kernels = Readonly<Record<string, Kernel>>;

/** Executes definitions on one device. */
export interface Runtime extends DeviceRuntime {
  /**
   * The definitions of a source as functions.
   * @throws TcError, its message the rendered diagnostics, if the source has errors that no sizes
   *   could mend.
   */
  define(source: string, options?: DefineOptions): Kernels;
}

/** Adds `define` to a runtime that executes plans. */
export function withDefine(runtime: DeviceRuntime): Runtime {
  return {
    ...runtime,
    define: (source, options = {}) => {
      const { diagnostics, module } = check(source);
      if (hasErrors(diagnostics)) throw new TcError(diagnostics, source, options.file);
      const kernels = module.definitions.map((definition): readonly [string, Kernel] => {
        const { name } = definition.name;
        return [name, createKernel(runtime, { source, module, definition, options })];
      });
      return Object.fromEntries(kernels);
    },
  };
}

interface Defined {
  readonly source: string;
  readonly module: Module;
  readonly definition: Definition;
  readonly options: DefineOptions;
}

/** A compilation under way; `plan` once it is there. */
interface Compilation {
  readonly loading: Promise<LoadedPlan>;
  plan: LoadedPlan | null;
}

/** The compilations of a definition, by sizes. */
interface Compilations {
  /** Compiles unless that was done before. */
  get(sizes: Sizes): Promise<LoadedPlan>;
  /** What is compiled already. */
  find(sizes: Sizes): LoadedPlan | undefined;
  dispose(): void;
}

type Sizes = ReadonlyMap<string, number>;

function createKernel(runtime: DeviceRuntime, defined: Defined): Kernel {
  const compilations = createCompilations(runtime, defined);
  let latest: Readonly<Record<string, number>> = {};
  const { definition, module } = defined;
  const find = (inputs: TensorInputs): { sizes: Sizes; tensors: TensorInputs } => {
    const given = splitArguments(definition, inputs);
    return { sizes: sizesFor(defined, sizeSources(module, given)), tensors: given.tensors };
  };
  const run = async (inputs: TensorInputs, options: CallOptions = {}): Promise<TensorOutputs> => {
    const { outputs, signal } = options;
    signal?.throwIfAborted();
    const { sizes, tensors } = find(inputs);
    const plan = await compilations.get(sizes);
    signal?.throwIfAborted();
    return await plan.run(tensors, outputs === undefined ? {} : { outputs });
  };
  return Object.assign(run, {
    prepare: async (explicit: Readonly<Record<string, number>> = {}) => {
      const none = { sizes: {}, shapes: {}, tensors: {} };
      const sizes = sizesFor(defined, sizeSources(module, none, explicit));
      await (await compilations.get(sizes)).prepare();
      latest = Object.fromEntries(sizes);
    },
    encode: (pass: GPUComputePassEncoder, io: TensorInputs) => {
      const given = splitArguments(definition, io);
      const sources = sizeSources(module, given);
      const sizes = sizesFor(defined, { ...sources, defaults: { ...sources.defaults, ...latest } });
      const plan = compilations.find(sizes);
      if (plan !== undefined) return plan.encode(pass, given.tensors);
      const text = [...sizes].map(([name, value]) => `${name}: ${value}`).join(", ");
      const { name } = definition.name;
      throw new RuntimeFault("misuse", `"${name}": call prepare({ ${text} }) before encode`);
    },
    time: async (inputs: TensorInputs, options?: TimingOptions) => {
      const { sizes, tensors } = find(inputs);
      return await (await compilations.get(sizes)).time(tensors, options);
    },
    dispose: compilations.dispose,
    [Symbol.dispose]: compilations.dispose,
  });
}

/** @throws TcError naming the sizes that are missing or contradict. */
function sizesFor(
  { source, definition, options }: Defined,
  sources: Parameters<typeof solveSizes>[1],
): Sizes {
  const { sizes, diagnostics } = solveSizes(definition, sources);
  if (hasErrors(diagnostics)) throw new TcError(diagnostics, source, options.file);
  return sizes;
}

function createCompilations(runtime: DeviceRuntime, defined: Defined): Compilations {
  const known = new Map<string, Compilation>();
  const keyOf = (sizes: Sizes): string => JSON.stringify([...sizes]);
  const start = (sizes: Sizes): Compilation => {
    const key = keyOf(sizes);
    const compilation: Compilation = { loading: load(runtime, defined, sizes), plan: null };
    known.set(key, compilation);
    compilation.loading.then(
      (plan) => {
        if (known.get(key) === compilation) compilation.plan = plan;
        else plan.dispose();
      },
      () => {
        if (known.get(key) === compilation) known.delete(key);
      },
    );
    return compilation;
  };
  return {
    get: (sizes) => (known.get(keyOf(sizes)) ?? start(sizes)).loading,
    find: (sizes) => known.get(keyOf(sizes))?.plan ?? undefined,
    dispose: () => {
      for (const { plan } of known.values()) plan?.dispose();
      known.clear();
    },
  };
}

async function load(
  runtime: DeviceRuntime,
  { source, definition, options }: Defined,
  sizes: Sizes,
): Promise<LoadedPlan> {
  const compiled = compile(source, {
    def: definition.name.name,
    sizes: Object.fromEntries(sizes),
    profile: runtime.profile,
    ...(options.options === undefined ? {} : { options: options.options }),
  });
  if (!compiled.ok) throw new TcError(compiled.diagnostics, source, options.file);
  return await runtime.load(compiled.plan);
}
