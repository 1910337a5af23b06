// A gated recurrent unit: T steps of a batch of B, C channels, the input's product hoisted for everybody.

import { B, C, onnxWeights, product, scale, sigmoid, T, wholeSequence } from "./layers.js";

/** @typedef {import("./case.js").Case} Case */

/** @type {Case} */
export const gru = {
  name: `gru T=${T} B=${B} C=${C}`,
  // The gates in the order of ONNX: update, reset, candidate; the reset gate stands behind the product.
  source: `def gru(float(T,B,I) x, float(B,C) h0, float(I,3*C) W, float(C,3*C) U) -> (h) {
  p(t, b, k) +=! x(t, b, i) * (${scale} * W(i, k))
  for t in T {
    if t == 0 { z(t, b, k) +=! h0(b, j) * (${scale} * U(j, k)) }
    else      { z(t, b, k) +=! h(t - 1, b, j) * (${scale} * U(j, k)) }
    u(t, b, j) = sigmoid(p(t, b, j) + z(t, b, j)) where j in 0:C
    r(t, b, j) = sigmoid(p(t, b, C + j) + z(t, b, C + j)) where j in 0:C
    n(t, b, j) = tanh(p(t, b, 2*C + j) + r(t, b, j) * z(t, b, 2*C + j)) where j in 0:C
    if t == 0 { h(t, b, j) = u(t, b, j) * h0(b, j) + (1 - u(t, b, j)) * n(t, b, j) where j in 0:C }
    else { h(t, b, j) = u(t, b, j) * h(t - 1, b, j) + (1 - u(t, b, j)) * n(t, b, j) where j in 0:C }
  }
}`,
  inputs: { x: [T, B, C], h0: [B, C], W: [C, 3 * C], U: [C, 3 * C] },
  output: { name: "h", shape: [T, B, C] },
  operations: 12 * T * B * C * C + 12 * T * B * C,
  bytes: 4 * (2 * T * B * C + 6 * C * C + B * C),
  terms: 3 * C,
  element: wholeSequence(({ x, h0, W, U }) => {
    const h = new Float64Array(T * B * C);
    const p = product(x, W, T * B, C, 3 * C);
    let state = Float64Array.from(h0);
    for (let t = 0; t < T; t++) {
      const z = product(state, U, B, C, 3 * C);
      state = state.map((before, at) => {
        const own = Math.floor(at / C) * 3 * C + (at % C);
        const fed = (g) => scale * p[t * B * 3 * C + own + g * C];
        const kept = sigmoid(fed(0) + scale * z[own]);
        const reset = sigmoid(fed(1) + scale * z[own + C]);
        return kept * before + (1 - kept) * Math.tanh(fed(2) + reset * scale * z[own + 2 * C]);
      });
      h.set(state, t * B * C);
    }
    return h;
  }),
  jax:
    ({ numpy, nn }) =>
    (x, h0, W, U) => {
      const p = numpy.matmul(numpy.reshape(x, [T * B, C]), numpy.multiply(W, scale));
      const rows = numpy.split(p, T, 0);
      const scaled = numpy.multiply(U, scale);
      const all = [];
      let state = h0;
      for (const row of rows) {
        const z = numpy.matmul(state.ref, scaled.ref);
        const [pu, pr, pn] = numpy.split(row, 3, 1);
        const [zu, zr, zn] = numpy.split(z, 3, 1);
        const kept = nn.sigmoid(numpy.add(pu, zu));
        const reset = nn.sigmoid(numpy.add(pr, zr));
        const fresh = numpy.tanh(numpy.add(pn, numpy.multiply(reset, zn)));
        const old = numpy.multiply(kept.ref, state);
        state = numpy.add(old, numpy.multiply(numpy.subtract(1, kept), fresh));
        all.push(state.ref);
      }
      for (const rest of [state, scaled]) rest.dispose();
      return numpy.stack(all);
    },
  tfjs: (tf) => (x, h0, W, U) => {
    const flat = tf.matMul(tf.reshape(x, [T * B, C]), tf.mul(W, scale));
    const rows = tf.unstack(tf.reshape(flat, [T, B, 3 * C]));
    const scaled = tf.mul(U, scale);
    const all = [];
    let state = h0;
    for (const row of rows) {
      const [pu, pr, pn] = tf.split(row, 3, 1);
      const [zu, zr, zn] = tf.split(tf.matMul(state, scaled), 3, 1);
      const kept = tf.sigmoid(tf.add(pu, zu));
      const fresh = tf.tanh(tf.add(pn, tf.mul(tf.sigmoid(tf.add(pr, zr)), zn)));
      state = tf.add(tf.mul(kept, state), tf.mul(tf.sub(1, kept), fresh));
      all.push(state);
    }
    return tf.stack(all);
  },
  onnx: [
    ...onnxWeights(scale),
    {
      op: "GRU",
      inputs: ["x", "W1", "U1", "", "", "h1"],
      output: "Y",
      attributes: { hidden_size: C, linear_before_reset: 1 },
    },
    { op: "Reshape", inputs: ["Y", "flat"], output: "h" },
  ],
  constants: { weights: [1, 3 * C, C], state: [1, B, C], flat: [T, B, C] },
  unranked: { onnxruntime: "its GRU runs on the CPU" },
};
