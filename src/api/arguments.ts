/** From the arguments of a call to sizes and tensors. */
import type { Definition, Module } from "../frontend/ast.ts";
import { directiveSizes, type SizeSources, sizeSymbols } from "../frontend/sizes.ts";
import type { TensorInput, TensorInputs } from "../runtime/check-arguments.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import { checkCall } from "./check-call.ts";

/** Arguments, sorted by what they are to the compiler. */
export interface SplitArguments {
  /** The values of parameters that have to be known to compile. */
  readonly sizes: Readonly<Record<string, number>>;
  /** The shapes that the arguments tell, by tensor. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  /** All other arguments. */
  readonly tensors: TensorInputs;
}

/**
 * Splits the arguments of a call of a definition.
 * @throws RuntimeFault `argument` naming what is missing, unknown, or of a wrong kind or rank; if a
 *   compile-time parameter is no integer.
 */
export function splitArguments(definition: Definition, given: TensorInputs): SplitArguments {
  const ranks = new Map(
    definition.parameters.map((p) => [p.name.name, p.type.dimensions?.length ?? 0]),
  );
  const parameters = new Set(
    sizeSymbols(definition)
      .filter((s) => s.kind === "parameter")
      .map((s) => s.name),
  );
  checkCall(definition, parameters, given);
  const sizes: Record<string, number> = {};
  const shapes: Record<string, readonly number[]> = {};
  const tensors: Record<string, TensorInput> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (parameters.has(name)) {
      sizes[name] = parameterValue(name, value);
      continue;
    }
    tensors[name] = value;
    const shape = shapeOf(value, ranks.get(name));
    if (shape !== undefined) shapes[name] = shape;
  }
  return { sizes, shapes, tensors };
}

/** The shape of an argument; undefined for a bare array that does not tell. */
function shapeOf(value: TensorInput, rank: number | undefined): readonly number[] | undefined {
  if (typeof value === "number") return [];
  if (!ArrayBuffer.isView(value)) return value.shape;
  if (rank === 1) return [value.length];
  return rank === 0 && value.length === 1 ? [] : undefined;
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

/** The definition of that name, or the only one; undefined if there is none such. */
export function findDefinition(module: Module, name: string | undefined): Definition | undefined {
  const { definitions } = module;
  if (name === undefined) return definitions.length === 1 ? definitions[0] : undefined;
  return definitions.find((d) => d.name.name === name);
}

/** Where the sizes of a call come from: explicit ones, its arguments, then `#! sizes`. */
export function sizeSources(
  module: Module,
  given: SplitArguments,
  explicit: Readonly<Record<string, number>> = {},
): SizeSources {
  return {
    explicit: { ...given.sizes, ...explicit },
    shapes: given.shapes,
    defaults: directiveSizes(module),
  };
}
