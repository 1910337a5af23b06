// What recurrent layers have in common: their sizes, and what their references and ONNX's operators are made of.

/** Steps, rows of a batch, and channels. */
export const [T, B, C] = [128, 16, 128];

/** What all weights are multiplied by. */
export const scale = 0.125;

/** @param {number} x */
export const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/**
 * Results of whole sequences in float64, made once per inputs: one element depends on all before.
 * @param {(inputs: any) => Float64Array} make
 * @returns {(inputs: any, at: number) => number}
 */
export function wholeSequence(make) {
  const made = new WeakMap();
  return (inputs, at) => {
    if (!made.has(inputs)) made.set(inputs, make(inputs));
    return made.get(inputs)[at];
  };
}

/**
 * What ONNX's recurrent layers need before them: scaled weights `W1`, `U1`, transposed as it has them, and the state `h1`.
 * @param {number} scale
 */
export function onnxWeights(scale) {
  return [
    { op: "Constant", inputs: [], output: "scale", attributes: { value_float: scale } },
    { op: "Mul", inputs: ["W", "scale"], output: "Ws" },
    { op: "Mul", inputs: ["U", "scale"], output: "Us" },
    { op: "Transpose", inputs: ["Ws"], output: "Wt", attributes: { perm: [1, 0] } },
    { op: "Transpose", inputs: ["Us"], output: "Ut", attributes: { perm: [1, 0] } },
    { op: "Reshape", inputs: ["Wt", "weights"], output: "W1" },
    { op: "Reshape", inputs: ["Ut", "weights"], output: "U1" },
    { op: "Reshape", inputs: ["h0", "state"], output: "h1" },
  ];
}

/** `sum over i of x(row, i) * W(i, c)` for all rows. */
export function product(x, W, rows, inner, columns, offset = 0) {
  const y = new Float64Array(rows * columns);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < inner; i++) {
      const factor = x[offset + r * inner + i];
      for (let c = 0; c < columns; c++) y[r * columns + c] += factor * W[i * columns + c];
    }
  }
  return y;
}
