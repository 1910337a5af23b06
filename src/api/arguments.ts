/** From the arguments of a call to sizes and tensors. */

import { uncalledDefinitions } from "../frontend/calls/call-graph.ts";
import { directiveSizes, type SizeSources, sizeSymbols } from "../frontend/sizes.ts";
import type { Definition, Module, TypeNode } from "../frontend/syntax/ast.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import {
  givenShape,
  readTensorInput,
  type TensorInput,
  type TensorInputs,
} from "../runtime/tensor-input.ts";
import { checkSizes } from "../support/check-call-shape.ts";
import { checkCall } from "./check-call.ts";
import { deduceSizes } from "./deduce-shapes.ts";
import { adviceText } from "./type-text.ts";

/** Arguments, sorted by what they are to the compiler. */
export interface SplitArguments {
  /** The values of parameters that have to be known to compile, and what bare arrays tell. */
  readonly sizes: Readonly<Record<string, number>>;
  /** The shapes that the arguments tell, by tensor. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  /** All other arguments. */
  readonly tensors: TensorInputs;
}

/** What every call of a definition needs to know of it. */
export interface Callee {
  readonly definition: Definition;
  readonly module: Module;
  readonly types: ReadonlyMap<string, TypeNode>;
  /** The scalar parameters that have to be known to compile. */
  readonly parameters: ReadonlySet<string>;
  /** What `#! sizes` says. */
  readonly defaults: Readonly<Record<string, number>>;
}

/** Looks at a definition once, for all its calls. */
export function calleeOf(definition: Definition, module: Module): Callee {
  const symbols = sizeSymbols(definition, module);
  return {
    definition,
    module,
    types: new Map(definition.parameters.map((p) => [p.name.name, p.type])),
    parameters: new Set(symbols.filter((s) => s.kind === "parameter").map((s) => s.name)),
    defaults: directiveSizes(module),
  };
}

/**
 * Splits the arguments of a call, and finds the sizes that they determine.
 *
 * @param explicit sizes that the caller gives by name.
 * @throws RuntimeFault `argument` naming what is missing, unknown, or of a wrong kind or rank; if a
 *   compile-time parameter is no integer; if the length of a bare array fits no size or too many.
 */
export function splitArguments(
  { definition, types, parameters, defaults }: Callee,
  given: TensorInputs,
  explicit: Readonly<Record<string, number>> = {},
): SplitArguments {
  checkSizes(`"${definition.name.name}"`, explicit);
  checkCall(definition, parameters, given);
  const [numbers, extents] = [new Map<string, number>(), new Map<string, readonly number[]>()];
  const [lengths, kept] = [new Map<string, number>(), new Map<string, TensorInput>()];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (parameters.has(name)) {
      numbers.set(name, parameterValue(name, value));
      continue;
    }
    kept.set(name, value);
    const type = types.get(name);
    const read = readTensorInput(
      name,
      value,
      type === undefined ? "give a tensor" : adviceText(type),
    );
    const shape = givenShape(read);
    if (shape !== null) extents.set(name, shape);
    else if (read.kind === "array") lengths.set(name, read.data.length);
  }
  // Any name is an entry of a map; `__proto__` sets none of a record.
  const [sizes, shapes, tensors] = [
    Object.fromEntries(numbers),
    Object.fromEntries(extents),
    Object.fromEntries(kept),
  ];
  const known = { explicit: { ...sizes, ...explicit }, shapes, defaults };
  return { sizes: { ...deduceSizes(definition, lengths, known), ...sizes }, shapes, tensors };
}

function parameterValue(name: string, value: TensorInput): number {
  const held = typeof value === "object" && "data" in value ? value.data : value;
  const number = ArrayBuffer.isView(held) && held.length === 1 ? held[0] : held;
  if (typeof number === "number" && Number.isInteger(number)) return number;
  throw new RuntimeFault(
    "argument",
    `parameter "${name}" is needed to compile: give it as an integer, for example ${name}: 1`,
  );
}

/** The definition of that name, or the only one that no other calls; undefined if there is none. */
export function findDefinition(module: Module, name: string | undefined): Definition | undefined {
  if (name !== undefined) return module.definitions.find((d) => d.name.name === name);
  const [only, ...others] = uncalledDefinitions(module);
  return others.length === 0 ? only : undefined;
}

/** Where the sizes of a call come from: explicit ones, its arguments, then `#! sizes`. */
export function sizeSources(
  { defaults }: Callee,
  given: SplitArguments,
  explicit: Readonly<Record<string, number>> = {},
): SizeSources {
  return { explicit: { ...given.sizes, ...explicit }, shapes: given.shapes, defaults };
}
