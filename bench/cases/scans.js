// Running sums and maxima: what a result of a row is made of is all that stands before it.

/** @typedef {import("./case.js").Case} Case */

/**
 * All results of a row in float64, made once per inputs.
 * @param {(before: number, x: number) => number} step
 * @param {number} first
 * @param {number} length
 * @returns {Case["element"]}
 */
function running(step, first, length) {
  const made = new WeakMap();
  return (inputs, at) => {
    if (!made.has(inputs)) {
      const results = new Float64Array(inputs.x.length);
      for (let i = 0; i < results.length; i++) {
        results[i] = step(i % length === 0 ? first : (results[i - 1] ?? first), inputs.x[i]);
      }
      made.set(inputs, results);
    }
    return made.get(inputs)[at];
  };
}

/**
 * @param {string} op
 * @param {number} rows
 * @param {number} length
 */
function common(op, rows, length) {
  return {
    source: `def scan(float(N, L) x) -> (y) { y(n, i) ${op} x(n, j) where i in 0:L, j in 0:i + 1 }`,
    inputs: { x: [rows, length] },
    output: { name: "y", shape: [rows, length] },
    operations: rows * length,
    bytes: 8 * rows * length,
  };
}

/**
 * @param {string} name
 * @param {number} rows
 * @param {number} length
 * @returns {Case}
 */
function sum(name, rows, length) {
  return {
    name,
    ...common("+=!", rows, length),
    terms: length,
    element: running((before, x) => before + x, 0, length),
    jax:
      ({ numpy }) =>
      (x) =>
        numpy.cumsum(x, 1),
    tfjs: (tf) => (x) => tf.cumsum(x, 1),
    onnx: [{ op: "CumSum", inputs: ["x", "axis"], output: "y" }],
    constants: { axis: [1] },
  };
}

/** @type {Case} */
const maximum = {
  name: "running maximum 16x65536",
  ...common("max=!", 16, 65536),
  terms: 1,
  element: running(Math.max, -Infinity, 65536),
  unsupported: {
    "jax-js": "it has no running maximum",
    tfjs: "it has no running maximum",
    onnxruntime: "it has no running maximum",
  },
};

/** @type {readonly Case[]} */
export const scans = [
  sum("cumulative sum 16x65536", 16, 65536),
  sum("cumulative sum 1x2^20", 1, 2 ** 20),
  maximum,
];
