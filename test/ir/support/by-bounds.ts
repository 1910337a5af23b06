import type { Interpretation } from "../../../src/ir/interpret/interpret.ts";
import type { Expected } from "../../../src/ir/interpret/judge.ts";
import { elementTypeOf, type Program } from "../../../src/ir/program.ts";

/** What a reference says of outputs, to be judged by its bounds alone, however wide they are. */
export function byBounds(program: Program, reference: Interpretation): readonly Expected[] {
  return program.tensors.flatMap((tensor): readonly Expected[] => {
    const found = reference.tensors.get(tensor.name);
    if (found === undefined || (tensor.role !== "output" && tensor.role !== "inout")) return [];
    const { data, bound } = found;
    return [
      {
        name: tensor.name,
        type: elementTypeOf(tensor),
        values: data,
        scale: Number.MAX_VALUE,
        ...(bound === undefined ? {} : { bound }),
      },
    ];
  });
}
