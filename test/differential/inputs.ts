/** Values for the tensors that a caller supplies. */
import { elementTypeOf, type Program, type Tensor } from "../../src/ir/program.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import { allocate, elementCount, type TensorData } from "../../src/support/scalar-type.ts";
import type { Population } from "./generate-tc.ts";

/** Tensor data by name. */
export type Inputs = Readonly<Record<string, TensorData>>;

/** `int32` values reach below 0 and beyond most tensors: they serve as indices. */
function drawValue(random: Random, tensor: Tensor, population: Population): number {
  switch (tensor.components[0]) {
    case "float32":
      return population === "integers" ? random.integer(-3, 5) : 4 * random.next() - 2;
    case "int32":
      return random.integer(-2, 10);
    case "uint32":
      return random.integer(0, 8);
    default:
      return random.integer(0, 2);
  }
}

/**
 * Inputs for a program. `integers`: floats are whole numbers in [-3, 5), so that a program made for
 * them has exact results. `reals`: floats are uniform in [-2, 2).
 */
export function drawInputs(program: Program, population: Population, seed: number): Inputs {
  const random = seededRandom(seed ^ 0x51ed270b);
  const supplied = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  return Object.fromEntries(
    supplied.map((t) => {
      const data = allocate(elementTypeOf(t), elementCount(t.shape));
      for (let i = 0; i < data.length; i++) data[i] = drawValue(random, t, population);
      return [t.name, data];
    }),
  );
}
