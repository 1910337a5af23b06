/** Definitions on a device: what they are to their callers. */

import type { Profile } from "../runtime/profile-plan.ts";
import type { TensorOutputs } from "../runtime/run-plan.ts";
import type { TensorInputs } from "../runtime/tensor-input.ts";
import type { Timing, TimingOptions } from "../runtime/timing.ts";
import type { Mapping, PolicyName } from "../support/mapping-file.ts";
import type { CompilationStatistics } from "./compilations.ts";
import type { Compilation } from "./compile-for-device.ts";
import type { CompilerWorker } from "./compiler-worker.ts";
import type { KernelTuner } from "./kernel-tuner.ts";
import type {
  DeviceInputs,
  DeviceOutputs,
  DeviceTensors,
  EncodeTensors,
  SizesFor,
} from "./typed-arguments.ts";
import type { Signature, SignaturesOf } from "./typed-source.ts";

export interface DefineOptions {
  /**
   * `default`: the heuristic; `naive`: one thread per element; or answers by path. An answer that is
   * not legal for some sizes is replaced, one that is not asked for is passed over: see
   * `Kernel.compilations`. A path that is misspelt is refused.
   */
  readonly options?: PolicyName | Mapping;
  /** Temporaries that calls return with the outputs, by name: what they hold in the end. */
  readonly temporaries?: readonly string[];
  /** The name of the source in messages. */
  readonly file?: string;
  /**
   * Compiles in its thread, made by `createWorker` of `tc-wgsl/worker`: the results and errors are
   * the same, and nothing else has to wait.
   */
  readonly worker?: Pick<CompilerWorker, "compile">;
  /**
   * Made by `createTuner` of `tc-wgsl/tune`: calls run as it knows to be fast, and what it does not know it times in the
   * background after the first call, on data of its own. Results are right all the while. Given `options` win.
   */
  readonly tuner?: KernelTuner;
  /**
   * How many compilations are kept of each definition, for as many sets of sizes and strides: 32 by
   * default. The least recently used are dropped, with their temporaries.
   */
  readonly keep?: number;
}

/** Values by the names of sizes. */
type AnySizes = Readonly<Record<string, number>>;

export interface CallOptions<Results = TensorInputs, Sizes = AnySizes> {
  /** Tensors or buffers on the device to write outputs into; the others are made by the call. */
  readonly outputs?: Results;
  /** Sizes that the arguments do not tell; they win over `#! sizes`. */
  readonly sizes?: Sizes;
  /**
   * Aborting it rejects the call with its reason, also while it compiles. What is submitted runs to
   * its end: the call then resolves as if nothing had happened.
   */
  readonly signal?: AbortSignal;
}

export interface TimeOptions<Sizes = AnySizes> extends TimingOptions {
  /** Sizes that the arguments do not tell; they win over `#! sizes`. */
  readonly sizes?: Sizes;
}

/**
 * A definition on a device. It is compiled on the first call with new sizes, and on the first with
 * new strides where tensors are views. Sizes come from the
 * shapes of the arguments, from integer arguments that have to be known to compile, then from
 * `#! sizes`. All methods throw or reject with RuntimeFault, and with TcError where the source does
 * not fit the sizes.
 */
export interface Kernel<
  Inputs = TensorInputs,
  Outputs = TensorOutputs,
  OnDevice = TensorInputs,
  ToEncode = TensorInputs,
  Sizes = AnySizes,
> extends Disposable,
    KernelCall<Inputs, Outputs, OnDevice, Sizes> {
  /**
   * Compiles for these sizes, and allocates temporaries. Where `encode` will get views: for tensors
   * that lie as those in `io`, which are all inputs, outputs and in-place tensors. Without `io` it
   * compiles twice where buffers that end with the last element need kernels of their own.
   */
  prepare(sizes?: Sizes, io?: OnDevice): Promise<void>;
  /** Compiles ahead for each of these sizes; rejects if they are more than are kept. */
  prepare(list: readonly Sizes[]): Promise<void>;
  /**
   * After `prepare`: writes the work into the caller's pass, synchronously. `io` holds all inputs,
   * outputs and in-place tensors, on the device. Sizes that their shapes do not tell are those of the
   * latest `prepare`. Submit what is encoded before as many other sizes are used as are kept.
   */
  encode(pass: GPUComputePassEncoder, io: ToEncode): void;
  /** Measures one execution, with outputs of its own. */
  time(inputs: Inputs, options?: TimeOptions<Sizes>): Promise<Timing>;
  /** Measures one execution, each of its kernels, and what came before the first execution. */
  profile(inputs: Inputs, options?: TimeOptions<Sizes>): Promise<Profile>;
  /** What it was compiled to so far, by sizes and layouts; how given options were taken. */
  compilations(): readonly Compilation[];
  /** How many compilations there are and were. */
  statistics(): CompilationStatistics;
  /** Gives the temporaries of all sizes back; a later call compiles again. */
  dispose(): void;
}

/** A method's type, so that a kernel of a known source may stand where any kernel may. */
type KernelCall<Inputs, Outputs, OnDevice, Sizes> = {
  /**
   * Runs the definition; resolves with its outputs when it is under way. Arguments are typed arrays
   * with their shapes, nested arrays, tensors or buffers on the device, and numbers. A bare typed
   * array will do where its length and the other arguments leave one shape.
   */
  call(inputs: Inputs, options?: CallOptions<OnDevice, Sizes>): Promise<Outputs>;
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
          DeviceTensors<Head>,
          EncodeTensors<Head>,
          SizesFor<Head>
        >;
      }
    : Kernels;
