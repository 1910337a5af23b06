// Layers of LSTM: T steps of a batch of B, C channels, the input's product hoisted for everybody. The gates are in the
// order of ONNX: input, output, forget, candidate.

import { B, C, onnxWeights, product, scale, sigmoid, T, wholeSequence } from "./layers.js";

/** @typedef {import("./case.js").Case} Case */

/** All steps of a layer from a state, in float64. */
function layer(x, W, U, h0, c0) {
  const h = new Float64Array(T * B * C);
  let state = Float64Array.from(h0);
  const cell = Float64Array.from(c0);
  const p = product(x, W, T * B, C, 4 * C);
  for (let t = 0; t < T; t++) {
    const z = product(state, U, B, C, 4 * C);
    const gate = (b, g, j) => {
      const at = b * 4 * C + g * C + j;
      return scale * (z[at] + p[t * B * 4 * C + at]);
    };
    state = state.map((_, at) => {
      const [b, j] = [Math.floor(at / C), at % C];
      const fresh = sigmoid(gate(b, 0, j)) * Math.tanh(gate(b, 3, j));
      cell[at] = sigmoid(gate(b, 2, j)) * cell[at] + fresh;
      return sigmoid(gate(b, 1, j)) * Math.tanh(cell[at]);
    });
    h.set(state, t * B * C);
  }
  return h;
}

/** A layer for jax-js: the states of all steps, T * B by C. */
function jaxLayer({ numpy, nn }, x, W, U, h0, c0) {
  const p = numpy.matmul(numpy.reshape(x, [T * B, C]), numpy.multiply(W, scale));
  const rows = numpy.split(p, T, 0);
  const scaled = numpy.multiply(U, scale);
  const all = [];
  let [state, cell] = [h0, c0];
  for (const row of rows) {
    const z = numpy.add(numpy.matmul(state, scaled.ref), row);
    const [i, o, f, g] = numpy.split(z, 4, 1);
    const kept = numpy.multiply(nn.sigmoid(f), cell);
    cell = numpy.add(kept, numpy.multiply(nn.sigmoid(i), numpy.tanh(g)));
    state = numpy.multiply(nn.sigmoid(o), numpy.tanh(cell.ref));
    all.push(state.ref);
  }
  for (const rest of [state, cell, scaled]) rest.dispose();
  return numpy.stack(all);
}

/** A layer for TensorFlow.js. */
function tfjsLayer(tf, x, W, U, h0, c0) {
  const flat = tf.matMul(tf.reshape(x, [T * B, C]), tf.mul(W, scale));
  const rows = tf.unstack(tf.reshape(flat, [T, B, 4 * C]));
  const scaled = tf.mul(U, scale);
  const all = [];
  let [state, cell] = [h0, c0];
  for (const row of rows) {
    const z = tf.add(tf.matMul(state, scaled), row);
    const [i, o, f, g] = tf.split(z, 4, 1);
    const kept = tf.mul(tf.sigmoid(f), cell);
    cell = tf.add(kept, tf.mul(tf.sigmoid(i), tf.tanh(g)));
    state = tf.mul(tf.sigmoid(o), tf.tanh(cell));
    all.push(state);
  }
  return tf.stack(all);
}

const unranked = { onnxruntime: "its LSTM runs on the CPU" };
const constants = { weights: [1, 4 * C, C], state: [1, B, C], flat: [T, B, C] };

/** @type {Case} */
const lstm = {
  name: `lstm T=${T} B=${B} C=${C}`,
  source: `def lstm(float(T,B,I) x, float(B,C) h0, float(B,C) c0, float(I,4*C) W, float(C,4*C) U)
    -> (h) {
  p(t, b, k) +=! x(t, b, i) * (${scale} * W(i, k))
  for t in T {
    if t == 0 { z(t, b, k) +=! h0(b, j) * (${scale} * U(j, k)) }
    else      { z(t, b, k) +=! h(t - 1, b, j) * (${scale} * U(j, k)) }
    z(t, b, k) += p(t, b, k)
    if t == 0 { c(t, b, j) = sigmoid(z(t, b, 2*C + j)) * c0(b, j) where j in 0:C }
    else      { c(t, b, j) = sigmoid(z(t, b, 2*C + j)) * c(t - 1, b, j) where j in 0:C }
    c(t, b, j) += sigmoid(z(t, b, j)) * tanh(z(t, b, 3*C + j)) where j in 0:C
    h(t, b, j) = sigmoid(z(t, b, C + j)) * tanh(c(t, b, j)) where j in 0:C
  }
}`,
  inputs: { x: [T, B, C], h0: [B, C], c0: [B, C], W: [C, 4 * C], U: [C, 4 * C] },
  output: { name: "h", shape: [T, B, C] },
  operations: 16 * T * B * C * C + 20 * T * B * C,
  bytes: 4 * (2 * T * B * C + 8 * C * C + 2 * B * C),
  terms: 4 * C,
  element: wholeSequence(({ x, h0, c0, W, U }) => layer(x, W, U, h0, c0)),
  jax: (jax) => (x, h0, c0, W, U) => jaxLayer(jax, x, W, U, h0, c0),
  tfjs: (tf) => (x, h0, c0, W, U) => tfjsLayer(tf, x, W, U, h0, c0),
  onnx: [
    ...onnxWeights(scale),
    { op: "Reshape", inputs: ["c0", "state"], output: "c1" },
    {
      op: "LSTM",
      inputs: ["x", "W1", "U1", "", "", "h1", "c1"],
      output: "Y",
      attributes: { hidden_size: C },
    },
    { op: "Reshape", inputs: ["Y", "flat"], output: "h" },
  ],
  constants,
  unranked,
};

const numbers = [1, 2, 3];
const nothing = new Float64Array(B * C);

/** A step of a layer, as text. @param {number} n @param {string} x its input, an element of */
const step = (n, x) => `    z${n}(b, k) +=! ${x} * (${scale} * W${n}(i, k))
    z${n}(b, k) += h${n}(b, j) * (${scale} * U${n}(j, k))
    c${n}(b, j) = sigmoid(z${n}(b, 2*C + j)) * c${n}(b, j)
        + sigmoid(z${n}(b, j)) * tanh(z${n}(b, 3*C + j)) where j in 0:C
    h${n}(b, j) = sigmoid(z${n}(b, C + j)) * tanh(c${n}(b, j)) where j in 0:C`;

/** @type {Case} */
const stacked = {
  name: `stacked lstm of ${numbers.length} T=${T} B=${B} C=${C}`,
  // All layers take a step at a time, from a state of zeros: whatever need not is the compiler's to find.
  source: `def stacked(float(T,B,C) x, ${numbers.map((n) => `float(C,4*C) W${n}, float(C,4*C) U${n}`).join(", ")})
    -> (h) {
${numbers.map((n) => `  h${n}(b, j) = 0.0 where b in 0:B, j in 0:C\n  c${n}(b, j) = 0.0 where b in 0:B, j in 0:C`).join("\n")}
  for t in T {
${numbers.map((n) => step(n, n === 1 ? "x(t, b, i)" : `h${n - 1}(b, i)`)).join("\n")}
    h(t, b, j) = h${numbers.length}(b, j)
  }
}`,
  inputs: Object.fromEntries([
    ["x", [T, B, C]],
    ...numbers.flatMap((n) => ["W", "U"].map((name) => [`${name}${n}`, [C, 4 * C]])),
  ]),
  output: { name: "h", shape: [T, B, C] },
  operations: numbers.length * (16 * T * B * C * C + 20 * T * B * C),
  bytes: 4 * (2 * T * B * C + numbers.length * 8 * C * C),
  terms: 4 * C,
  element: wholeSequence((inputs) =>
    numbers.reduce(
      (x, n) => layer(x, inputs[`W${n}`], inputs[`U${n}`], nothing, nothing),
      inputs.x,
    ),
  ),
  jax:
    (jax) =>
    (x, ...weights) =>
      numbers.reduce((below, _, n) => {
        const [h0, c0] = [jax.numpy.zeros([B, C]), jax.numpy.zeros([B, C])];
        return jaxLayer(jax, below, weights[2 * n], weights[2 * n + 1], h0, c0);
      }, x),
  tfjs:
    (tf) =>
    (x, ...weights) =>
      numbers.reduce((below, _, n) => {
        const [h0, c0] = [tf.zeros([B, C]), tf.zeros([B, C])];
        return tfjsLayer(tf, below, weights[2 * n], weights[2 * n + 1], h0, c0);
      }, x),
  onnx: [
    { op: "Constant", inputs: [], output: "scale", attributes: { value_float: scale } },
    ...numbers.flatMap((n) => [
      ...["W", "U"].flatMap((name) => [
        { op: "Mul", inputs: [`${name}${n}`, "scale"], output: `${name}s${n}` },
        {
          op: "Transpose",
          inputs: [`${name}s${n}`],
          output: `${name}t${n}`,
          attributes: { perm: [1, 0] },
        },
        { op: "Reshape", inputs: [`${name}t${n}`, "weights"], output: `${name}r${n}` },
      ]),
      {
        op: "LSTM",
        inputs: [n === 1 ? "x" : `h${n - 1}`, `Wr${n}`, `Ur${n}`],
        output: `Y${n}`,
        attributes: { hidden_size: C },
      },
      {
        op: "Reshape",
        inputs: [`Y${n}`, "flat"],
        output: n === numbers.length ? "h" : `h${n}`,
      },
    ]),
  ],
  constants: { weights: constants.weights, flat: constants.flat },
  unranked,
};

/** @type {readonly Case[]} */
export const lstms = [lstm, stacked];
