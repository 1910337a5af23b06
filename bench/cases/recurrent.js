// Recurrent layers: T steps of a batch of B, C channels. The input's product is hoisted out of the
// loop for everybody.

import { B, C, onnxWeights, product, scale, sigmoid, T, wholeSequence } from "./layers.js";
import { lstms } from "./lstm.js";

/** @typedef {import("./case.js").Case} Case */

const steps = Array.from({ length: T }, (_, t) => t);

/** @type {Case} */
const elman = {
  name: `elman T=${T} B=${B} C=${C}`,
  source: `def elman(float(T,B,I) x, float(B,C) h0, float(I,C) W, float(C,C) U) -> (h) {
  p(t, b, c) +=! x(t, b, i) * (${scale} * W(i, c))
  for t in T {
    if t == 0 { a(t, b, c) +=! h0(b, k) * (${scale} * U(k, c)) }
    else      { a(t, b, c) +=! h(t - 1, b, k) * (${scale} * U(k, c)) }
    h(t, b, c) = tanh(a(t, b, c) + p(t, b, c))
  }
}`,
  inputs: { x: [T, B, C], h0: [B, C], W: [C, C], U: [C, C] },
  output: { name: "h", shape: [T, B, C] },
  operations: 4 * T * B * C * C + 2 * T * B * C,
  bytes: 4 * (2 * T * B * C + 2 * C * C + B * C),
  terms: 4 * C,
  element: wholeSequence(({ x, h0, W, U }) => {
    const h = new Float64Array(T * B * C);
    let state = Float64Array.from(h0);
    const p = product(x, W, T * B, C, C);
    for (const t of steps) {
      const a = product(state, U, B, C, C);
      state = a.map((value, at) => Math.tanh(scale * (value + p[t * B * C + at])));
      h.set(state, t * B * C);
    }
    return h;
  }),
  jax:
    ({ numpy }) =>
    (x, h0, W, U) => {
      const p = numpy.matmul(numpy.reshape(x, [T * B, C]), numpy.multiply(W, scale));
      const rows = numpy.split(p, T, 0);
      const scaled = numpy.multiply(U, scale);
      const all = [];
      let state = h0;
      for (const row of rows) {
        state = numpy.tanh(numpy.add(numpy.matmul(state, scaled.ref), row));
        all.push(state.ref);
      }
      state.dispose();
      scaled.dispose();
      return numpy.stack(all);
    },
  tfjs: (tf) => (x, h0, W, U) => {
    const p = tf.unstack(
      tf.reshape(tf.matMul(tf.reshape(x, [T * B, C]), tf.mul(W, scale)), [T, B, C]),
    );
    const scaled = tf.mul(U, scale);
    const all = [];
    let state = h0;
    for (const row of p) {
      state = tf.tanh(tf.add(tf.matMul(state, scaled), row));
      all.push(state);
    }
    return tf.stack(all);
  },
  onnx: [
    ...onnxWeights(scale),
    {
      op: "RNN",
      inputs: ["x", "W1", "U1", "", "", "h1"],
      output: "Y",
      attributes: { hidden_size: C },
    },
    { op: "Reshape", inputs: ["Y", "flat"], output: "h" },
  ],
  constants: { weights: [1, C, C], state: [1, B, C], flat: [T, B, C] },
  unranked: { onnxruntime: "its RNN runs on the CPU" },
};

/** @type {Case} */
const qrnn = {
  name: `qrnn T=${T} B=${B} C=${C}`,
  // Windows of two steps; the loop pools elementwise.
  source: `def qrnn(float(T,B,I) x, float(2,I,C) wz, float(2,I,C) wf, float(2,I,C) wo) -> (h) {
  z(t, b, c) +=! pad(x(t - k, b, i)) * (${scale} * wz(k, i, c)) where t in 0:T
  f(t, b, c) +=! pad(x(t - k, b, i)) * (${scale} * wf(k, i, c)) where t in 0:T
  o(t, b, c) +=! pad(x(t - k, b, i)) * (${scale} * wo(k, i, c)) where t in 0:T
  z(t, b, c) = tanh(z(t, b, c))
  f(t, b, c) = sigmoid(f(t, b, c))
  for t in T {
    if t == 0 { s(t, b, c) = (1 - f(t, b, c)) * z(t, b, c) }
    else      { s(t, b, c) = (1 - f(t, b, c)) * z(t, b, c) + f(t, b, c) * s(t - 1, b, c) }
  }
  h(t, b, c) = sigmoid(o(t, b, c)) * s(t, b, c)
}`,
  inputs: { x: [T, B, C], wz: [2, C, C], wf: [2, C, C], wo: [2, C, C] },
  output: { name: "h", shape: [T, B, C] },
  operations: 12 * T * B * C * C + 20 * T * B * C,
  bytes: 4 * (2 * T * B * C + 6 * C * C),
  terms: 4 * C,
  element: wholeSequence(({ x, wz, wf, wo }) => {
    const gates = [wz, wf, wo].map((w) => {
      const now = product(x, w.subarray(0, C * C), T * B, C, C);
      const before = product(x, w.subarray(C * C), T * B, C, C);
      return now.map((value, at) => scale * (value + (before[at - B * C] ?? 0)));
    });
    const [z, f, o] = gates;
    const h = new Float64Array(T * B * C);
    const s = new Float64Array(B * C);
    for (let at = 0; at < h.length; at++) {
      const keep = at < B * C ? 0 : sigmoid(f[at]) * s[at % (B * C)];
      s[at % (B * C)] = (1 - sigmoid(f[at])) * Math.tanh(z[at]) + keep;
      h[at] = sigmoid(o[at]) * s[at % (B * C)];
    }
    return h;
  }),
  jax:
    ({ numpy, nn }) =>
    (x, wz, wf, wo) => {
      const flat = numpy.reshape(x, [T * B, C]);
      const shifted = numpy.pad(flat.ref, [
        [B, 0],
        [0, 0],
      ]);
      const both = numpy.concatenate([flat, shifted.slice([0, T * B])], 1);
      const gate = (w) =>
        numpy.matmul(both.ref, numpy.multiply(numpy.reshape(w, [2 * C, C]), scale));
      const f = nn.sigmoid(gate(wf));
      const fresh = numpy.multiply(numpy.subtract(1, f.ref), numpy.tanh(gate(wz)));
      const o = nn.sigmoid(gate(wo));
      both.dispose();
      const [fs, zs] = [numpy.split(f, T, 0), numpy.split(fresh, T, 0)];
      let state = zs[0];
      fs[0].dispose();
      const all = [state.ref];
      for (const t of steps.slice(1)) {
        state = numpy.add(zs[t], numpy.multiply(fs[t], state));
        all.push(state.ref);
      }
      state.dispose();
      return numpy.reshape(numpy.multiply(o, numpy.concatenate(all, 0)), [T, B, C]);
    },
  tfjs: (tf) => (x, wz, wf, wo) => {
    const flat = tf.reshape(x, [T * B, C]);
    const shifted = tf.slice(
      tf.pad(flat, [
        [B, 0],
        [0, 0],
      ]),
      [0, 0],
      [T * B, C],
    );
    const both = tf.concat([flat, shifted], 1);
    const gate = (w) => tf.matMul(both, tf.mul(tf.reshape(w, [2 * C, C]), scale));
    const f = tf.sigmoid(gate(wf));
    const fresh = tf.mul(tf.sub(1, f), tf.tanh(gate(wz)));
    const o = tf.sigmoid(gate(wo));
    const fs = tf.unstack(tf.reshape(f, [T, B, C]));
    const zs = tf.unstack(tf.reshape(fresh, [T, B, C]));
    const all = [zs[0]];
    for (const t of steps.slice(1)) all.push(tf.add(zs[t], tf.mul(fs[t], all[t - 1])));
    return tf.mul(tf.reshape(o, [T, B, C]), tf.stack(all));
  },
  unsupported: { onnxruntime: "pooling over time would be a Scan, which it has on the CPU only" },
};

/** @type {readonly Case[]} */
export const recurrent = [elman, ...lstms, qrnn];
