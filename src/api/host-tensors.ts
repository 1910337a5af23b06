import type { Program } from "../ir/program.ts";
import { checkArguments } from "../runtime/check-arguments.ts";
import type { ArrayInput, NestedArray, TensorInputs } from "../runtime/tensor-input.ts";
import type { HalfArray, TensorData } from "../support/scalar-type.ts";
import { callerBuffers } from "./call-layouts.ts";

/** A tensor in the memory of the host: dense, row-major. */
export interface HostTensor {
  readonly data: TensorData;
  readonly shape: readonly number[];
}

/** Tensors by the names that the source gives them. */
export type HostTensors = Readonly<Record<string, HostTensor>>;

/** What may be given for a tensor on the host; a number or a boolean only for one of rank 0. */
export type HostInput = TensorData | HalfArray | number | boolean | NestedArray | ArrayInput;

/** Host tensors, and scalars, by the names that the source gives them. */
export type HostInputs = Readonly<Record<string, HostInput>>;

/**
 * The elements of a program's inputs, by tensor.
 * @throws RuntimeFault `argument` naming the tensor that is missing, unknown or does not fit.
 */
export function readHostTensors(
  program: Program,
  given: TensorInputs,
): Readonly<Record<string, TensorData>> {
  const roles = ["input", "inout"] as const;
  return readTensors(program, given, roles);
}

/**
 * The elements of a program's results, by tensor.
 * @throws RuntimeFault `argument` naming the tensor that is missing, unknown or does not fit.
 */
export function readHostResults(
  program: Program,
  given: TensorInputs,
): Readonly<Record<string, TensorData>> {
  return readTensors(program, given, ["inout", "output"]);
}

function readTensors(
  program: Program,
  given: TensorInputs,
  roles: readonly ("input" | "inout" | "output")[],
): Readonly<Record<string, TensorData>> {
  const buffers = callerBuffers(program);
  const expected = { required: roles, allowed: roles, hostAllowed: true };
  const found = checkArguments({ name: program.name, buffers }, null, given, expected);
  const entries = [...found].flatMap(([name, argument]) =>
    argument.kind === "host" ? [[name, argument.data] as const] : [],
  );
  return Object.fromEntries(entries);
}
