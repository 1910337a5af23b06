import { didYouMean } from "../support/edit-distance.ts";
import type { Program } from "./program.ts";

/**
 * The program with some of its temporaries as outputs, so that what they hold in the end is seen.
 * Names of outputs change nothing.
 * @throws RangeError naming a tensor that the program does not have, or only takes.
 */
export function keepTensors(program: Program, names: readonly string[]): Program {
  if (names.length === 0) return program;
  const { name, tensors } = program;
  for (const kept of names) {
    if (tensors.some((t) => t.name === kept && t.role !== "input")) continue;
    const known = tensors.flatMap((t) => (t.role === "input" ? [] : [t.name]));
    const meant = didYouMean(kept, known);
    const next = meant === undefined ? `it makes ${known.join(", ")}` : `did you mean "${meant}"?`;
    throw new RangeError(`temporaries: "${name}" makes no tensor "${kept}"; ${next}`);
  }
  return {
    ...program,
    tensors: tensors.map((t) =>
      t.role === "temporary" && names.includes(t.name) ? { ...t, role: "output" } : t,
    ),
  };
}
