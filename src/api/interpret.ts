import { lowerSource } from "../compile.ts";
import { hasErrors } from "../diagnostics/diagnostic.ts";
import { interpret as interpretProgram } from "../ir/interpret/interpret.ts";
import { elementTypeOf, type Program } from "../ir/program.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import { defined, invariant } from "../support/assert.ts";
import { bytesText } from "../support/bytes-text.ts";
import { checkOptions, checkSourceText, type OptionNames } from "../support/check-call-shape.ts";
import { optionKinds } from "../support/option-kinds.ts";
import {
  allocate,
  type ElementType,
  elementCount,
  type TensorData,
  toElement,
} from "../support/scalar-type.ts";
import { calleeOf, findDefinition, splitArguments } from "./arguments.ts";
import { check } from "./check.ts";
import {
  type HostInputs,
  type HostTensor,
  type HostTensors,
  readHostTensors,
} from "./host-tensors.ts";
import { TcError } from "./tc-error.ts";
import type { HostInputsFor, HostOutputsFor } from "./typed-arguments.ts";

/** Which definition to interpret, and what its inputs do not tell. */
export interface InterpretRequest {
  /** May be left out when the source has one definition. */
  readonly def?: string;
  /** Sizes and compile-time parameters; they win over shapes, those over `#! sizes`. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** More loop iterations than about so many are refused; no limit by default. */
  readonly maxPoints?: number;
  /** Temporaries to return with the outputs. */
  readonly temporaries?: readonly string[];
  /** The name of the source in messages. */
  readonly file?: string;
}

/** What an {@link InterpretRequest} may have. */
export const interpretNames: OptionNames<InterpretRequest> = {
  def: optionKinds.def,
  sizes: true,
  maxPoints: true,
  temporaries: optionKinds.temporaries,
  file: true,
};

/** A definition with its sizes, and the elements of its inputs. */
export interface Reference {
  readonly program: Program;
  readonly inputs: Readonly<Record<string, TensorData>>;
}

/**
 * Computes what a definition means, in float64 by plain loops: the reference that every other
 * execution is measured by. Sizes come from the shapes of the inputs, and from the lengths of bare
 * arrays where these leave one size open. Outputs are rounded to their types. If the source is
 * literal, inputs and outputs are typed by what it declares.
 *
 * @throws TcError for mistakes in the source, RuntimeFault `argument` for inputs that do not fit, `unsupported` for what
 * takes more memory than there is, or more than `maxPoints`.
 */
export function interpret<const Source extends string, const Def extends string = string>(
  source: Source,
  inputs: HostInputsFor<Source, Def>,
  request?: InterpretRequest & { readonly def?: Def },
): HostOutputsFor<Source, Def>;
export function interpret(
  source: string,
  inputs: HostInputs,
  request: InterpretRequest = {},
): HostTensors {
  checkSourceText("interpret", source);
  checkOptions("interpret", request, interpretNames);
  const { program, inputs: data } = openReference(source, inputs, request);
  const { maxPoints = Number.MAX_SAFE_INTEGER } = request;
  const { tensors, faults, complete } = interpretProgram(program, data, { maxPoints });
  invariant(faults.length === 0, `checked inputs do not fit: ${faults.join("; ")}`);
  if (!complete) {
    throw new RuntimeFault(
      "unsupported",
      `the reference takes more than ${maxPoints.toLocaleString("en")} loop iterations for this; it is for small sizes`,
    );
  }
  const entries = [...tensors].map(([name, result]): readonly [string, HostTensor] => {
    const tensor = defined(
      program.tensors.find((t) => t.name === name),
      "tensor",
      name,
    );
    return [name, { data: roundedTo(elementTypeOf(tensor), result.data), shape: tensor.shape }];
  });
  return Object.fromEntries(entries);
}

/** Values of the reference as elements of a type. */
export function roundedTo(type: ElementType, values: Float64Array): TensorData {
  const data = allocate(type, values.length);
  data.set(values.map(toElement(type)));
  return data;
}

/**
 * The program of a definition for the given inputs, and their elements.
 * @throws TcError for mistakes in the source, RuntimeFault `argument` for inputs that do not fit.
 */
export function openReference(
  source: string,
  inputs: HostInputs,
  request: InterpretRequest,
): Reference {
  const { def, sizes } = request;
  const { module, diagnostics } = check(source, {
    ...(def === undefined ? {} : { def }),
    ...(sizes === undefined ? {} : { sizes }),
  });
  // Before the arguments: a declaration that cannot be read would make wrong ones of them.
  if (hasErrors(diagnostics)) throw new TcError(diagnostics, source, request.file);
  const definition = findDefinition(module, request.def);
  const given =
    definition === undefined
      ? { sizes: {}, shapes: {}, tensors: inputs }
      : splitArguments(calleeOf(definition, module), inputs, request.sizes);
  const lowered = lowerSource(source, {
    ...(request.def === undefined ? {} : { def: request.def }),
    ...(request.temporaries === undefined ? {} : { temporaries: request.temporaries }),
    sizes: { ...given.sizes, ...request.sizes },
    shapes: given.shapes,
  });
  if (!lowered.ok) throw new TcError(lowered.diagnostics, source, request.file);
  checkMemory(lowered.program);
  return { program: lowered.program, inputs: readHostTensors(lowered.program, given.tensors) };
}

/** The reference keeps every tensor in float64, and beside it the error bound where it is asked. */
const mostBytes = 8 * 2 ** 30;

function checkMemory({ tensors }: Program): void {
  const sizes = tensors.map((t) => 8 * t.components.length * elementCount(t.shape));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= mostBytes) return;
  const largest = tensors[sizes.indexOf(Math.max(...sizes))];
  throw new RuntimeFault(
    "unsupported",
    `the reference would take ${bytesText(bytes)}, most of it for tensor "${largest?.name}" of shape [${largest?.shape.join(", ")}]; it is for small sizes: run it on a device`,
  );
}
