// Products that gpu.md adds to the cases of the benchmark: operands that lie in rows or columns, few rows, many channels.
import { matmul } from "../cases/matmul.js";

/** A product whose operands lie as `NT` or `TN` say. */
function product(/** @type {string} */ name, order, M, K, N) {
  const plain = matmul(M, K, N, name);
  const a =
    order === "TN"
      ? { type: "K,M", at: "k, m", shape: [K, M] }
      : { type: "M,K", at: "m, k", shape: [M, K] };
  const b =
    order === "NT"
      ? { type: "N,K", at: "n, k", shape: [N, K] }
      : { type: "K,N", at: "k, n", shape: [K, N] };
  const source = `def product(float(${a.type}) A, float(${b.type}) B) -> (C) {
  C(m, n) +=! A(${a.at}) * B(${b.at})
}`;
  return { ...plain, name, source, inputs: { A: a.shape, B: b.shape } };
}

/** Each with what the estimate of its roofline needs. */
export const added = [
  product("matmul NT 1024", "NT", 1024, 1024, 1024),
  product("matmul TN 1024", "TN", 1024, 1024, 1024),
  product("linear 64x4096x4096", "NT", 64, 4096, 4096),
  product("linear 8x4096x4096", "NT", 8, 4096, 4096),
  {
    name: "conv 1x1 256->256 56x56",
    source: "def conv(float(C,H,W) I, float(F,C) K) -> (O) { O(f, h, w) +=! I(c, h, w) * K(f, c) }",
    inputs: { I: [256, 56, 56], K: [256, 256] },
    operations: 2 * 256 * 256 * 56 * 56,
    bytes: 4 * (2 * 256 * 56 * 56 + 256 * 256),
  },
];
