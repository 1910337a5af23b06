import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { elementTypeOf, findTensor } from "../../src/ir/program.ts";
import { defined } from "../../src/support/assert.ts";
import { disagreements } from "../meaning/agreement.ts";
import { drawInputs } from "./draw-inputs.ts";
import { references } from "./references/all-references.ts";

const folder = new URL("../../examples/", import.meta.url);

test.each(Object.entries(references))(
  "%s means what the evaluator makes of its text, at all sizes",
  (name, reference) => {
    const source = readFileSync(new URL(`${name}.tc`, folder), "utf8");
    for (const sizes of reference.sizes) {
      const found = disagreements({
        source,
        sizes,
        inputs: (program) => {
          const typeOf = (input: string) =>
            elementTypeOf(defined(findTensor(program, input), input));
          return drawInputs(reference, sizes, typeOf);
        },
        // The reference does not round what is stored in 16 bits, the evaluator does.
        tolerance: reference.tolerance ?? 1e-9,
      });
      expect(found, JSON.stringify(sizes)).toEqual([]);
    }
  },
);
