/** What every example computes, in plain loops; imports nothing of the compiler. */
import { convolution } from "./convolution.ts";
import { linearAlgebra } from "./linear-algebra.ts";
import { lookUp } from "./look-up.ts";
import { normalisation } from "./normalisation.ts";
import type { References } from "./plain.ts";
import { recurrent } from "./recurrent.ts";
import { sequence } from "./sequence.ts";
import { simulation } from "./simulation.ts";
import { transformer } from "./transformer.ts";

/** By the name of the example's file. */
export const references: References = {
  ...convolution,
  ...linearAlgebra,
  ...lookUp,
  ...normalisation,
  ...recurrent,
  ...sequence,
  ...simulation,
  ...transformer,
};
