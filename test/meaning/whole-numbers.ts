import { seededRandom } from "../../src/support/random.ts";
import { allocate, elementCount } from "../../src/support/scalar-type.ts";
import type { Case } from "./agreement.ts";

/** Small whole numbers, so that sums and products are exact. */
export const wholeNumbers: Case["inputs"] = (program) => {
  const random = seededRandom(1);
  const supplied = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  return Object.fromEntries(
    supplied.map((t) => {
      const [type = "float32"] = t.components;
      const data = allocate(type, elementCount(t.shape));
      for (let n = 0; n < data.length; n++) {
        data[n] = type === "bool" ? random.integer(0, 2) : random.integer(-2, 6);
      }
      return [t.name, data];
    }),
  );
};
