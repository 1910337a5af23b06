// Attention: two contractions with a softmax between them.
import { dot } from "./reference.js";

const [H, T, D] = [8, 256, 64];
const scale = 1 / Math.sqrt(D);

/** @type {import("./case.js").Case} */
export const attention = {
  name: `attention ${H}x${T}x${D}`,
  source: `def attention(float(H,T,D) q, float(H,S,D) k, float(H,S,E) v) -> (o) {
  score(h, t, s) +=! q(h, t, d) * k(h, s, d)
  top(h, t) max=! score(h, t, s)
  e(h, t, s) = exp((score(h, t, s) - top(h, t)) * ${scale})
  sum(h, t) +=! e(h, t, s)
  o(h, t, c) +=! e(h, t, s) * v(h, s, c)
  o(h, t, c) = o(h, t, c) / sum(h, t)
}`,
  inputs: { q: [H, T, D], k: [H, T, D], v: [H, T, D] },
  output: { name: "o", shape: [H, T, D] },
  operations: 4 * H * T * T * D + 5 * H * T * T,
  bytes: 16 * H * T * D,
  terms: T + D,
  element: ({ q, k, v }, at) => {
    const [h, t, c] = [Math.floor(at / (T * D)), Math.floor(at / D) % T, at % D];
    const score = (s) => scale * dot(D, (d) => q[(h * T + t) * D + d] * k[(h * T + s) * D + d]);
    const scores = Array.from({ length: T }, (_, s) => score(s));
    const top = Math.max(...scores);
    const total = dot(T, (s) => Math.exp(scores[s] - top));
    return dot(T, (s) => Math.exp(scores[s] - top) * v[(h * T + s) * D + c]) / total;
  },
  jax:
    ({ nn, numpy }) =>
    (q, k, v) => {
      const score = numpy.matmul(q, numpy.transpose(k, [0, 2, 1]));
      return numpy.matmul(nn.softmax(numpy.multiply(score, scale), -1), v);
    },
  tfjs: (tf) => (q, k, v) => tf.matMul(tf.softmax(tf.mul(tf.matMul(q, k, false, true), scale)), v),
  onnx: [
    { op: "Transpose", inputs: ["k"], output: "kt", attributes: { perm: [0, 2, 1] } },
    { op: "MatMul", inputs: ["q", "kt"], output: "raw" },
    { op: "Constant", inputs: [], output: "scale", attributes: { value_float: scale } },
    { op: "Mul", inputs: ["raw", "scale"], output: "scores" },
    { op: "Softmax", inputs: ["scores"], output: "weights", attributes: { axis: -1 } },
    { op: "MatMul", inputs: ["weights", "v"], output: "o" },
  ],
};
