import { attention } from "./attention.js";
import { convolutions } from "./convolution.js";
import { matmuls } from "./matmul.js";
import { rows } from "./rows.js";

/** Everything that is measured. @type {readonly import("./case.js").Case[]} */
export const cases = [...matmuls, ...convolutions, ...rows, attention];
