import { seededRandom } from "../../src/support/random.ts";
import { allocate, type TensorData } from "../../src/support/scalar-type.ts";
import type { Reference, Sizes } from "./references/plain.ts";

/**
 * Inputs of an example, in the ranges that it is made for and of the types that it has; with `whole`
 * only whole numbers, also where it takes reals.
 */
export function drawInputs(
  { inputs }: Reference,
  sizes: Sizes,
  typeOf: (name: string) => Parameters<typeof allocate>[0],
  { whole = false }: { readonly whole?: boolean } = {},
): Readonly<Record<string, TensorData>> {
  const random = seededRandom(7);
  const draw = (name: string): TensorData => {
    const { length, from, to, step } = inputs(sizes)[name];
    const data = allocate(typeOf(name), length);
    for (let n = 0; n < length; n++) {
      if (step !== undefined && !(whole && step < 1)) {
        data[n] = step * random.integer(from / step, to / step);
      } else data[n] = whole ? random.integer(-1, 3) : from + (to - from) * random.next();
    }
    return data;
  };
  return Object.fromEntries(Object.keys(inputs(sizes)).map((name) => [name, draw(name)]));
}
