// Time against size over five octaves.
import { matmul } from "./matmul.js";
import { gelu, softmax } from "./rows.js";

/** @typedef {import("./case.js").Case} Case */

/**
 * @param {string} curve
 * @param {number} size
 * @param {Case} benchCase
 * @returns {Case}
 */
const point = (curve, size, benchCase) => ({
  ...benchCase,
  name: `scaling ${curve} ${size}`,
  curve,
  size,
});

/** @type {readonly Case[]} */
export const scaling = [
  ...[32, 64, 128, 256, 512, 1024].map((n) => point("matmul", n, matmul(n, n, n, ""))),
  ...[64, 128, 256, 512, 1024, 2048].map((n) => point("softmax", n, softmax(n, n))),
  ...[17, 18, 19, 20, 21, 22].map((bits) => point("gelu", 2 ** bits, gelu(2 ** bits))),
];
