/** From what a user says of the inputs to the tensors that a plan takes. */

import { didYouMean } from "../support/edit-distance.ts";
import { own } from "../support/own.ts";
import { type ElementType, isFloat } from "../support/scalar-type.ts";
import type { HostTensor, HostTensors, Plan, PlanBuffer } from "./api.ts";
import { convertElements } from "./convert-elements.ts";
import { failed, type Outcome, success } from "./failure.ts";
import { generate, type InputSpec, parseInput } from "./generators.ts";
import type { Io } from "./io.ts";
import { type NpyArray, readNpy } from "./npy.ts";
import { shapeText } from "./preview.ts";
import { readBytes } from "./read-files.ts";

/** An input whose file, if it has one, is read; its shape may help to find the sizes. */
export type OpenedInput =
  | { readonly kind: "array"; readonly path: string; readonly array: NpyArray }
  | Exclude<InputSpec, { kind: "file" }>;

export type OpenedInputs = Readonly<Record<string, OpenedInput>>;

/** Reads the files of inputs: those of flags, and those of the source that no flag replaces. */
export async function openInputs(
  io: Io,
  fromFlags: Readonly<Record<string, InputSpec>>,
  fromSource: Readonly<Record<string, string>>,
): Promise<Outcome<OpenedInputs>> {
  const specs = new Map<string, InputSpec>();
  for (const [name, text] of Object.entries(fromSource)) {
    const spec = parseInput(name, text);
    if (!spec.ok) return spec;
    specs.set(name, spec.value);
  }
  const opened = new Map<string, OpenedInput>();
  for (const [name, spec] of new Map([...specs, ...Object.entries(fromFlags)])) {
    if (spec.kind !== "file") {
      opened.set(name, spec);
      continue;
    }
    const bytes = await readBytes(io, spec.path);
    if (!bytes.ok) return bytes;
    const array = readNpy(bytes.value, spec.path);
    if (!array.ok) return array;
    opened.set(name, { kind: "array", path: spec.path, array: array.value });
  }
  return success(Object.fromEntries(opened));
}

/** The shapes of the inputs that come from files. */
export function knownShapes(inputs: OpenedInputs): Readonly<Record<string, readonly number[]>> {
  const entries = Object.entries(inputs).flatMap(([name, input]) =>
    input.kind === "array" ? [[name, input.array.shape] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** The shapes of the inputs that come from files, for people. */
export function shapeNotes(inputs: OpenedInputs): readonly string[] {
  return Object.entries(inputs).flatMap(([name, input]) =>
    input.kind === "array" ? [`${name} is ${input.path}: ${shapeText(input.array.shape)}`] : [],
  );
}

/** Whole numbers among the inputs: they may be parameters that the compiler needs to know. */
export function knownNumbers(inputs: OpenedInputs): Readonly<Record<string, number>> {
  const entries = Object.entries(inputs).flatMap(([name, input]) =>
    input.kind === "number" && Number.isInteger(input.value) ? [[name, input.value] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** The tensors that a plan takes, with notes on what was converted. */
export interface BoundInputs {
  readonly tensors: HostTensors;
  readonly notes: readonly string[];
}

/**
 * A tensor for each that the plan takes. `compiled` are names that the compiler has already used
 * up: they are no tensors of the plan any more.
 */
export function bindInputs(
  plan: Plan,
  inputs: OpenedInputs,
  compiled: readonly string[],
): Outcome<BoundInputs> {
  const wanted = plan.buffers.filter((b) => b.role === "input" || b.role === "inout");
  const names = wanted.map((buffer) => buffer.name);
  for (const name of Object.keys(inputs)) {
    if (names.includes(name) || compiled.includes(name)) continue;
    const meant = didYouMean(name, names);
    return failed(
      `${plan.name} has no input ${name}`,
      meant === undefined ? `its inputs are ${names.join(", ")}` : `did you mean ${meant}?`,
    );
  }
  const tensors: (readonly [name: string, tensor: HostTensor])[] = [];
  const notes: string[] = [];
  for (const buffer of wanted) {
    const bound = bindOne(buffer, own(inputs, buffer.name));
    if (!bound.ok) return bound;
    tensors.push([buffer.name, bound.value.tensor]);
    if (bound.value.note !== null) notes.push(bound.value.note);
  }
  return success({ tensors: Object.fromEntries(tensors), notes });
}

function bindOne(
  { name, type, shape, role }: PlanBuffer,
  input: OpenedInput | undefined,
): Outcome<{ tensor: HostTensor; note: string | null }> {
  if (input === undefined) {
    const why = role === "inout" ? ", which is updated in place," : "";
    return failed(
      `nothing is given for ${name}${why} of type ${type} and shape ${shapeText(shape)}`,
      `write --in ${name}=${name.toLowerCase()}.npy or --in '${name}=${exampleInput(type, shape.length)}'`,
    );
  }
  if (input.kind !== "array") {
    const data = generate(input, name, type, shape);
    return data.ok ? success({ tensor: { data: data.value, shape }, note: null }) : data;
  }
  const found = input.array.shape;
  if (found.length !== shape.length || found.some((extent, d) => extent !== shape[d])) {
    return failed(
      `${name} has shape ${shapeText(shape)}, ${input.path} has ${shapeText(found)}`,
      "give an array of that shape, or other sizes with --size",
    );
  }
  const converted = convertElements(input.array, type, input.path);
  if (!converted.ok) return converted;
  const { data, note } = converted.value;
  return success({ tensor: { data, shape }, note });
}

/** An input that fits any tensor of a type and rank. */
function exampleInput(type: ElementType, rank: number): string {
  if (rank === 0) return "1";
  if (isFloat(type)) return "randn(1)";
  return type === "bool" ? "integers(1,0,2)" : "integers(1)";
}
