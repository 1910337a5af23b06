// Convolutions and pooling of pictures, batch of one.
import { dot } from "./reference.js";

/** @typedef {import("./case.js").Case} Case */

/** Peers that want NHWC get their inputs transposed once, before the clock starts. */
const height = 56;

/**
 * @param {number} C input channels
 * @param {number} F output channels
 * @param {number} R the side of the window, odd; the border is padded
 * @returns {Case}
 */
function convolution(C, F, R) {
  const [H, W, pad] = [height, height, (R - 1) / 2];
  return {
    name: `conv ${R}x${R} ${C}->${F} ${H}x${W}`,
    source: `def conv(float(C,H,W) I, float(F,C,R,R) K) -> (O) {
  O(f, h, w) +=! pad(I(c, h + r - ${pad}, w + s - ${pad})) * K(f, c, r, s)
    where h in 0:H, w in 0:W
}`,
    inputs: { I: [C, H, W], K: [F, C, R, R] },
    output: { name: "O", shape: [F, H, W] },
    operations: 2 * F * C * H * W * R * R,
    bytes: 4 * (C * H * W + F * C * R * R + F * H * W),
    terms: C * R * R,
    element: ({ I, K }, at) => {
      const [f, h, w] = [Math.floor(at / (H * W)), Math.floor(at / W) % H, at % W];
      return dot(C * R * R, (t) => {
        const [c, r, s] = [Math.floor(t / (R * R)), Math.floor(t / R) % R, t % R];
        const [y, x] = [h + r - pad, w + s - pad];
        const inside = y >= 0 && y < H && x >= 0 && x < W;
        return inside ? I[(c * H + y) * W + x] * K[f * C * R * R + t] : 0;
      });
    },
    jax:
      ({ lax, numpy }) =>
      (I, K) =>
        lax.conv(numpy.expandDims(I, 0), K, [1, 1], "SAME"),
    tfjs: (tf) => {
      const cache = new Map();
      const once = (tensor, order) => {
        if (!cache.has(tensor)) cache.set(tensor, tf.keep(tf.transpose(tensor, order)));
        return cache.get(tensor);
      };
      return (I, K) => tf.conv2d(once(I, [1, 2, 0]), once(K, [2, 3, 1, 0]), 1, "same");
    },
    tfjsLayout: "HWC",
    onnx: [
      { op: "Reshape", inputs: ["I", "shape"], output: "batch" },
      {
        op: "Conv",
        inputs: ["batch", "K"],
        output: "picture",
        attributes: { pads: [pad, pad, pad, pad], kernel_shape: [R, R] },
      },
      { op: "Reshape", inputs: ["picture", "flat"], output: "O" },
    ],
    constants: { shape: [1, C, H, W], flat: [F, H, W] },
  };
}

/** @type {Case} */
const depthwise = (() => {
  const [C, H, W] = [64, height, height];
  return {
    name: `depthwise 3x3 ${C} ${H}x${W}`,
    source: `def depthwise(float(C,H,W) I, float(C,R,S) K) -> (O) {
  O(c, h, w) +=! pad(I(c, h + r - 1, w + s - 1)) * K(c, r, s) where h in 0:H, w in 0:W
}`,
    inputs: { I: [C, H, W], K: [C, 3, 3] },
    output: { name: "O", shape: [C, H, W] },
    operations: 18 * C * H * W,
    bytes: 8 * C * H * W,
    terms: 9,
    element: ({ I, K }, at) => {
      const [c, h, w] = [Math.floor(at / (H * W)), Math.floor(at / W) % H, at % W];
      return dot(9, (t) => {
        const [y, x] = [h + Math.floor(t / 3) - 1, w + (t % 3) - 1];
        const inside = y >= 0 && y < H && x >= 0 && x < W;
        return inside ? I[(c * H + y) * W + x] * K[c * 9 + t] : 0;
      });
    },
    tfjs: (tf) => {
      const cache = new Map();
      const once = (tensor, make) => {
        if (!cache.has(tensor)) cache.set(tensor, tf.keep(tf.tidy(make)));
        return cache.get(tensor);
      };
      return (I, K) =>
        tf.depthwiseConv2d(
          once(I, () => tf.transpose(I, [1, 2, 0])),
          once(K, () => tf.expandDims(tf.transpose(K, [1, 2, 0]), 3)),
          1,
          "same",
        );
    },
    tfjsLayout: "HWC",
    onnx: [
      { op: "Reshape", inputs: ["I", "shape"], output: "batch" },
      { op: "Reshape", inputs: ["K", "window"], output: "weights" },
      {
        op: "Conv",
        inputs: ["batch", "weights"],
        output: "picture",
        attributes: { pads: [1, 1, 1, 1], kernel_shape: [3, 3], group: C },
      },
      { op: "Reshape", inputs: ["picture", "flat"], output: "O" },
    ],
    constants: { shape: [1, C, H, W], window: [C, 1, 3, 3], flat: [C, H, W] },
    unsupported: { "jax-js": "its convolutions have no groups" },
  };
})();

/** @type {Case} */
const maxPool = (() => {
  const [C, H] = [64, 112];
  const P = H / 2;
  return {
    name: `max pool 2x2 ${C} ${H}x${H}`,
    source: `def pool(float(C,H,W) I) -> (O) {
  O(c, h, w) max=! I(c, 2*h + r, 2*w + s) where r in 0:2, s in 0:2
}`,
    inputs: { I: [C, H, H] },
    output: { name: "O", shape: [C, P, P] },
    operations: C * H * H,
    bytes: 5 * C * H * H,
    terms: 1,
    element: ({ I }, at) => {
      const [c, h, w] = [Math.floor(at / (P * P)), Math.floor(at / P) % P, at % P];
      const at0 = (c * H + 2 * h) * H + 2 * w;
      return Math.max(I[at0], I[at0 + 1], I[at0 + H], I[at0 + H + 1]);
    },
    jax:
      ({ lax, numpy }) =>
      (I) =>
        lax.reduceWindow(I, numpy.max, [1, 2, 2], [1, 2, 2]),
    tfjs: (tf) => {
      const cache = new Map();
      return (I) => {
        if (!cache.has(I)) cache.set(I, tf.keep(tf.transpose(I, [1, 2, 0])));
        return tf.maxPool(cache.get(I), 2, 2, "valid");
      };
    },
    tfjsLayout: "HWC",
    onnx: [
      { op: "Reshape", inputs: ["I", "shape"], output: "batch" },
      {
        op: "MaxPool",
        inputs: ["batch"],
        output: "picture",
        attributes: { kernel_shape: [2, 2], strides: [2, 2] },
      },
      { op: "Reshape", inputs: ["picture", "flat"], output: "O" },
    ],
    constants: { shape: [1, C, H, H], flat: [C, P, P] },
  };
})();

/** @type {readonly Case[]} */
export const convolutions = [convolution(32, 64, 3), convolution(64, 64, 1), depthwise, maxPool];
