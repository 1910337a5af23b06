import { attention } from "./attention.js";
import { convolutions } from "./convolution.js";
import { gru } from "./gru.js";
import { matmuls } from "./matmul.js";
import { recurrent } from "./recurrent.js";
import { relatives } from "./relatives.js";
import { rows } from "./rows.js";
import { scaling } from "./scaling.js";
import { scans } from "./scans.js";
import { tables } from "./tables.js";

/** @typedef {import("./case.js").Case} Case */

/** @type {Readonly<Record<string, readonly Case[]>>} */
const groups = {
  cases: [...matmuls, ...convolutions, ...rows, attention],
  recurrent: [...recurrent, gru, ...scans, ...tables],
  relatives,
  scaling,
};

/** Everything that is measured, in the order of the groups. @type {readonly Case[]} */
export const cases = Object.entries(groups).flatMap(([group, members]) =>
  members.map((member) => ({ ...member, group })),
);
