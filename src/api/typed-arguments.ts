/** The arguments and results of definitions whose source is known when the program is checked. */

import type { GpuTensor } from "../runtime/tensor.ts";
import type {
  ArrayInput,
  BufferInput,
  NestedArray,
  OnnxTensor,
  TensorInput,
} from "../runtime/tensor-input.ts";
import type { HalfArray } from "../support/scalar-type.ts";
import type { HostInputs, HostTensor, HostTensors } from "./host-tensors.ts";
import type {
  ArrayOf,
  Declared,
  DeclaredAs,
  GivenOf,
  RequiredOf,
  Signature,
  SignaturesOf,
  SizesOf,
} from "./typed-source.ts";

/** The arguments of a call on a device. */
export type DeviceInputs<Head extends Signature> = Arguments<
  Head,
  GpuTensor | BufferInput | OnnxTensor
>;

/** The arguments of a call on the host. */
export type HostInputsOf<Head extends Signature> = Arguments<Head, never>;

/** Tensors on the device under the names of a definition, each of which may be left out. */
export type DeviceTensors<Head extends Signature> = {
  readonly [Name in GivenOf<Head>]?: TensorInput;
};

/** Tensors on the device for `encode`, which makes none: all inputs and all results. */
export type EncodeTensors<Head extends Signature> = {
  readonly [Name in RequiredOf<Head> | Head["results"][number]["name"]]: TensorInput;
} & DeviceTensors<Head>;

/** Values for the sizes of a definition. */
export type SizesFor<Head extends Signature> = [SizesOf<Head>] extends [never]
  ? Readonly<Record<string, never>>
  : { readonly [Size in SizesOf<Head>]?: number };

/** What a call on a device gives. */
export type DeviceOutputs<Head extends Signature> = {
  readonly [Result in Head["results"][number] as Result["name"]]: GpuTensor<
    ArrayOf<DeclaredAs<Head, Result["name"]>>
  >;
};

/** What a call on the host gives. */
export type HostOutputsOf<Head extends Signature> = {
  readonly [Result in Head["results"][number] as Result["name"]]: HostTensor & {
    readonly data: ArrayOf<DeclaredAs<Head, Result["name"]>>;
  };
};

type Arguments<Head extends Signature, OnDevice> = {
  readonly [Name in RequiredOf<Head>]: Argument<DeclaredAs<Head, Name>, OnDevice>;
} & {
  readonly [Name in Exclude<GivenOf<Head>, RequiredOf<Head>>]?: Argument<
    DeclaredAs<Head, Name>,
    OnDevice
  >;
};

type Argument<Tensor extends Declared, OnDevice> =
  | OnDevice
  | NestedArray
  | GivenArray<Tensor>
  | (ArrayInput & { readonly data: GivenArray<Tensor> | readonly number[] })
  | (Tensor["isTensor"] extends true ? never : number | boolean);

/** A `float16` may also be given by its bits. */
type GivenArray<Tensor extends Declared> =
  | ArrayOf<Tensor>
  | (Tensor["type"] extends "float16" | "half" ? Uint16Array | HalfArray : never);

/** The arguments of the definition of a source that is called so, or of its only one. */
export type HostInputsFor<Source extends string, Def extends string> =
  ChosenHead<Source, Def> extends infer Head extends Signature ? HostInputsOf<Head> : HostInputs;

/** What the definition of a source gives that is called so, or its only one. */
export type HostOutputsFor<Source extends string, Def extends string> =
  ChosenHead<Source, Def> extends infer Head extends Signature ? HostOutputsOf<Head> : HostTensors;

/** Null where the source is not literal, and where several definitions could be meant. */
type ChosenHead<Source extends string, Def extends string> =
  SignaturesOf<Source> extends infer Heads extends readonly Signature[]
    ? string extends Def
      ? Heads extends readonly [infer Only]
        ? Only
        : null
      : Extract<Heads[number], { readonly name: Def }>
    : null;
