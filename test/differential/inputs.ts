/** Values for the tensors that a caller supplies. */
import { elementTypeOf, type Program } from "../../src/ir/program.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import {
  allocate,
  type ElementType,
  elementCount,
  integerRange,
  type TensorData,
  toElement,
} from "../../src/support/scalar-type.ts";
import type { Population } from "./generate-tc.ts";

/** Tensor data by name. */
export type Inputs = Readonly<Record<string, TensorData>>;

/** Integers reach below 0 and beyond most tensors: they serve as indices. */
function drawValue(random: Random, type: ElementType, population: Population): number {
  switch (type) {
    case "float32":
    case "float16":
      return population === "integers" ? random.integer(-3, 5) : 4 * random.next() - 2;
    case "bool":
      return random.integer(0, 2);
    case "int32":
      return random.integer(-2, 10);
    case "uint32":
      return random.integer(0, 8);
    case "int8":
    case "int16":
      return random.chance(0.15) ? random.pick(integerRange(type)) : random.integer(-2, 10);
    case "uint8":
    case "uint16":
      return random.chance(0.15) ? random.pick(integerRange(type)) : random.integer(0, 8);
  }
}

/**
 * Inputs for a program. `integers`: floats are whole numbers in [-3, 5), so that a program made for
 * them has exact results. `reals`: floats are uniform in [-2, 2). Some narrow integers are the least
 * or the greatest of their type.
 */
export function drawInputs(program: Program, population: Population, seed: number): Inputs {
  const random = seededRandom(seed ^ 0x51ed270b);
  const supplied = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  return Object.fromEntries(
    supplied.map((t) => {
      const type = elementTypeOf(t);
      const data = allocate(type, elementCount(t.shape));
      const put = toElement(type);
      for (let i = 0; i < data.length; i++) data[i] = put(drawValue(random, type, population));
      return [t.name, data];
    }),
  );
}
