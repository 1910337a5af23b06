/** The arguments of a call against what the source declares, before the sizes are known. */

import type { Definition, TypeNode } from "../frontend/syntax/ast.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import { givenShape, readTensorInput, type TensorInputs } from "../runtime/tensor-input.ts";
import { didYouMean } from "../support/edit-distance.ts";
import { own } from "../support/own.ts";
import { adviceText, shapeText, typeText } from "./type-text.ts";

/**
 * Refuses arguments of which no sizes could make sense, so that a tensor that is missing is not
 * reported as a size that is.
 *
 * @param optional parameters that need not be given, since the source may do so.
 * @throws RuntimeFault `argument` naming the tensor that is missing, unknown, or of a wrong kind or
 *   rank.
 */
export function checkCall(
  definition: Definition,
  optional: ReadonlySet<string>,
  given: TensorInputs,
): void {
  const { parameters, results } = definition;
  const called = definition.name.name;
  const names = parameters.map((p) => p.name.name);
  if (!isObject(given) || Array.isArray(given) || ArrayBuffer.isView(given)) {
    const example = `${called}({ ${names.join(", ")} })`;
    throw fault(`"${called}" takes one object with its tensors by name: ${example}`);
  }
  const known = new Set([...names, ...results.map((r) => r.name.name)]);
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown !== undefined) throw unknownTensor(called, unknown, names);
  for (const { name, type } of parameters) {
    const value: unknown = own(given, name.name);
    if (value !== undefined) checkValue(name.name, type, value);
    else if (!optional.has(name.name)) {
      throw tensorFault(name.name, `missing; it is declared \`${typeText(type)} ${name.name}\``);
    }
  }
}

function unknownTensor(called: string, name: string, known: readonly string[]): RuntimeFault {
  const meant = didYouMean(name, known);
  const hint = meant === undefined ? `it has ${known.join(", ")}` : `did you mean "${meant}"?`;
  return fault(`"${called}" has no tensor "${name}" here; ${hint}`);
}

function checkValue(name: string, type: TypeNode, value: unknown): void {
  const rank = type.dimensions?.length ?? 0;
  const given = readTensorInput(name, value, adviceText(type));
  if (given.kind === "number" && rank > 0) {
    throw tensorFault(name, `is \`${typeText(type)}\`, got the number ${given.value}`);
  }
  const shape = givenShape(given);
  if (shape !== null && shape.length !== rank) {
    const found = `got rank ${shape.length} ([${shape.join(", ")}])`;
    throw tensorFault(name, `has rank ${rank} (${shapeText(type)}), ${found}`);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function tensorFault(name: string, what: string): RuntimeFault {
  return fault(`tensor "${name}": ${what}`);
}

function fault(message: string): RuntimeFault {
  return new RuntimeFault("argument", message);
}
