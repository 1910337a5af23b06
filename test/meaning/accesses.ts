/** Reads, writes, state. */
import type { Snippet } from "./snippet.ts";

const state: readonly Snippet[] = [
  {
    title: "a tensor is reversed in place",
    head: "float(4) x) -> (x)",
    body: "x(i) = x(3 - i)",
    inputs: { x: [1, 2, 3, 4] },
    expect: { x: [4, 3, 2, 1] },
  },
  {
    title: "a tensor is shifted in place both ways",
    head: "float(4) x, float(4) y) -> (x, y)",
    body: "x(i) = x(i + 1) where i in 0:3\ny(i + 1) = y(i) where i in 0:3",
    inputs: { x: [1, 2, 3, 4], y: [1, 2, 3, 4] },
    expect: { x: [2, 3, 4, 4], y: [1, 1, 2, 3] },
  },
  {
    title: "an update reads what was there before any element was written",
    head: "float(4) x) -> (x)",
    body: "x(i) += x(3 - i)",
    inputs: { x: [1, 2, 3, 4] },
    expect: { x: [5, 5, 5, 5] },
  },
  {
    title: "a reduction with a reset reads what was there before the reset",
    head: "float(3) x) -> (x)",
    body: "x(i) +=! x(j) where i in 0:3, j in 0:i + 1",
    inputs: { x: [1, 2, 3] },
    expect: { x: [1, 3, 6] },
  },
  {
    title: "a matrix is transposed in place",
    head: "float(2, 2) x) -> (x)",
    body: "x(i, j) = x(j, i)",
    inputs: { x: [1, 2, 3, 4] },
    expect: {
      x: [
        [1, 3],
        [2, 4],
      ],
    },
  },
  {
    title: "a result that is updated first is supplied by the caller",
    head: "float(3) x) -> (y)",
    body: "y(i) += x(i)",
    inputs: { x: [1, 2, 3], y: [10, 20, 30] },
    expect: { y: [11, 22, 33] },
  },
  {
    title: "`-=`, `*=` and `/=` take the whole right side",
    head: "float(2) y, float(2) a, float(2) b, float(2) c) -> (a, b, c)",
    body: "a(i) -= y(i) - 1.0\nb(i) *= y(i) + 1.0\nc(i) /= y(i) + 1.0",
    inputs: { y: [1, 2], a: [8, 6], b: [8, 6], c: [8, 6] },
    expect: { a: [8, 5], b: [16, 18], c: [4, 2] },
  },
  {
    title: "`/=` on integers rounds down",
    head: "int(2) x) -> (x)",
    body: "x(i) /= 2",
    inputs: { x: [-7, 7] },
    expect: { x: [-4, 3] },
  },
  {
    title: "`-=` over a reduction index subtracts every value",
    head: "float(2, 2) A) -> (y)",
    body: "y(i) = 10.0 where i in 0:2\ny(i) -= A(i, j)",
    inputs: { A: [1, 2, 3, 4] },
    expect: { y: [7, 3] },
  },
  {
    title: "a temporary may be written again and read between",
    head: "float(2) x) -> (y, z)",
    body: "t(i) = x(i) + 1.0\ny(i) = t(i)\nt(i) = x(i) * 10.0\nz(i) = t(i)",
    inputs: { x: [1, 2] },
    expect: { y: [2, 3], z: [10, 20] },
  },
  {
    title: "scalars are tensors without indices",
    head: "float(3) x) -> (y)",
    body: "s() +=! x(i)\ny(i) = x(i) / s()",
    inputs: { x: [1, 2, 5] },
    expect: { y: [0.125, 0.25, 0.625] },
  },
  {
    title: "a tensor's type is the promotion of all that is written to it",
    head: "float(2) x) -> (y)",
    body: "y(i) = 1 where i in 0:3\ny(i) = x(i) where i in 0:2",
    inputs: { x: [0.5, 1.5] },
    expect: { y: [0.5, 1.5, 1] },
  },
];

const writes: readonly Snippet[] = [
  {
    title: "elements between strided writes are 0",
    head: "float(3) x) -> (y, z)",
    body: "y(2 * i) = x(i)\nz(2 * i + 1) = x(i)",
    inputs: { x: [1, 2, 3] },
    expect: { y: [1, 0, 2, 0, 3], z: [0, 1, 0, 2, 0, 3] },
  },
  {
    title: "two strided writes interleave",
    head: "float(2) x) -> (y)",
    body: "y(2 * i) = x(i)\ny(2 * i + 1) = -x(i)",
    inputs: { x: [1, 2] },
    expect: { y: [1, -1, 2, -2] },
  },
  {
    title: "a strided write leaves the other elements as they are",
    head: "float(2) x, float(4) y) -> (y)",
    body: "y(2 * i) = x(i)",
    inputs: { x: [1, 2], y: [6, 7, 8, 9] },
    expect: { y: [1, 7, 2, 9] },
  },
  {
    title: "a write may run backwards",
    head: "float(3) x) -> (y)",
    body: "y(2 - i) = x(i)",
    inputs: { x: [1, 2, 3] },
    expect: { y: [3, 2, 1] },
  },
  {
    title: "a diagonal leaves the rest 0",
    head: "float(2) x) -> (D)",
    body: "D(i, i) = x(i)",
    inputs: { x: [1, 2] },
    expect: {
      D: [
        [1, 0],
        [0, 2],
      ],
    },
  },
  {
    title: "constant indices write single elements",
    head: ") -> (C)",
    body: "C(0) = 1.0\nC(2) = 3.0",
    expect: { C: [1, 0, 3] },
  },
  {
    title: "coordinates are coordinates",
    head: "float(3) x) -> (y)",
    body: "y(i) = x(i) where i in 1:3",
    inputs: { x: [1, 2, 3] },
    expect: { y: [0, 2, 3] },
  },
  {
    title: "the shape reaches the largest index of all writes",
    head: ") -> (y)",
    body: "y(i) = 1.0 where i in 0:2\ny(i) = 2.0 where i in 3:4",
    expect: { y: [1, 1, 0, 2] },
  },
  {
    title: "a declared shape wins, and the rest is 0",
    head: "float(2) x) -> (float(N + 1) y)",
    body: "y(i) = x(i)",
    sizes: { N: 3 },
    inputs: { x: [1, 2] },
    expect: { y: [1, 2, 0, 0] },
  },
  {
    title: "reductions into a quotient and into a sum of indices collect",
    head: "float(5) x, float(2) w) -> (y, z)",
    body: "y(i / 2) +=! x(i)\nz(i + j) +=! x(i) * w(j)",
    inputs: { x: [1, 2, 3, 4, 5], w: [1, 10] },
    expect: { y: [3, 7, 5], z: [1, 12, 23, 34, 45, 50] },
  },
  {
    title: "a scatter collects what goes to one element",
    head: "int(3) I, float(3) v) -> (float(4) G)",
    body: "G(I(b)) +=! v(b)",
    inputs: { I: [1, 3, 1], v: [1, 2, 3] },
    expect: { G: [0, 4, 0, 2] },
  },
  {
    title: "a scatter outside of the tensor is dropped",
    head: "int(4) I, float(4) v, float(3) G) -> (G)",
    body: "G(I(b)) += v(b)",
    inputs: { I: [-1, 3, 0, 100], v: [1, 2, 3, 4], G: [10, 20, 30] },
    expect: { G: [13, 20, 30] },
  },
  {
    title: "a scatter with a reset resets what it hits",
    head: "int(3) I, float(3) v, float(4) G) -> (G)",
    body: "G(I(b)) max=! v(b)",
    inputs: { I: [1, 1, 3], v: [2, 3, -1], G: [5, 5, 5, 5] },
    expect: { G: [5, 3, 5, -1] },
  },
  {
    title: "a scatter with a reset reads the target as it was",
    head: "int(3) x) -> (x)",
    body: "x((x(j) + 1) % 3) +=! x(j)",
    inputs: { x: [0, 0, 5] },
    expect: { x: [5, 0, 5] },
  },
  {
    title: "a scatter resets elements into which nothing is reduced",
    head: "int(3) I, float(3, 2) v, float(4) G) -> (G)",
    body: "G(I(b)) +=! v(b, k) where b in 0:3, k in 0:b",
    inputs: { I: [1, 2, 3], v: [1, 1, 1, 1, 1, 1], G: [7, 7, 7, 7] },
    expect: { G: [7, 0, 1, 2] },
  },
  {
    title: "a scatter in a loop happens in every step",
    head: "int(2) I, float(3) G) -> (G)",
    body: "for t in 3 { G(I(b)) += float(t) where b in 0:2 }",
    inputs: { I: [2, 0], G: [0, 0, 0] },
    expect: { G: [3, 0, 3] },
  },
];

const reads: readonly Snippet[] = [
  {
    title: "a gather outside of the tensor yields 0",
    head: "int(4) I, float(3) x) -> (y)",
    body: "y(i) = x(I(i))",
    inputs: { I: [2, -1, 3, 0], x: [1, 2, 3] },
    expect: { y: [3, 0, 0, 1] },
  },
  {
    title: "a gather in one of two dimensions",
    head: "int(3) I, float(2, 2) x) -> (y)",
    body: "y(i, j) = x(I(i), 1 - j)",
    inputs: { I: [1, 2, 0], x: [1, 2, 3, 4] },
    expect: {
      y: [
        [4, 3],
        [0, 0],
        [2, 1],
      ],
    },
  },
  {
    title: "a gather of a gather, and arithmetic on what is gathered",
    head: "int(3) I, float(3) x) -> (y, z)",
    body: "y(i) = x(I(I(i)))\nz(i) = x(I(i) + 1)",
    inputs: { I: [1, 2, 0], x: [1, 2, 3] },
    expect: { y: [3, 1, 2], z: [3, 0, 2] },
  },
  {
    title: "an index that is not affine yields 0 outside",
    head: "float(3) x) -> (y)",
    body: "y(i, j) = x(i * j) where i in 0:3, j in 0:3",
    inputs: { x: [10, 20, 30] },
    expect: {
      y: [
        [10, 10, 10],
        [10, 20, 30],
        [10, 30, 0],
      ],
    },
  },
  {
    title: "an index with `clamp`, `min` and `max` repeats the ends",
    head: "float(3) x) -> (y, z)",
    body: `y(i) = x(clamp(i - 1, 0, 2)) where i in 0:5
      z(i) = x(min(i, 2)) + x(max(i - 2, 0)) where i in 0:5`,
    inputs: { x: [1, 2, 3] },
    expect: { y: [1, 1, 2, 3, 3], z: [2, 3, 4, 5, 6] },
  },
  {
    title: "a padded read yields 0 outside",
    head: "float(3) x) -> (y)",
    body: "y(i) = pad(x(i - 1)) where i in 0:5",
    inputs: { x: [1, 2, 3] },
    expect: { y: [0, 1, 2, 3, 0] },
  },
  {
    title: "a padded read yields its value outside",
    head: "float(3) x) -> (y)",
    body: "y(i) = pad(x(i - 1), -1.5) where i in 0:5",
    inputs: { x: [1, 2, 3] },
    expect: { y: [-1.5, 1, 2, 3, -1.5] },
  },
  {
    title: "the value of a padded read may vary",
    head: "float(3) x) -> (y)",
    body: "y(i) = pad(x(i - 1), 10.0 * float(i)) where i in 0:5",
    inputs: { x: [1, 2, 3] },
    expect: { y: [0, 1, 2, 3, 40] },
  },
  {
    title: "the value of a padded read of integers may be a float",
    head: "int(2) x) -> (y)",
    body: "y(i) = pad(x(i), 0.5) where i in 0:3",
    inputs: { x: [1, 2] },
    expect: { y: [1, 2, 0.5] },
  },
  {
    title: "a padded gather yields its value outside",
    head: "int(3) I, float(2) x) -> (y)",
    body: "y(i) = pad(x(I(i)), 9.0)",
    inputs: { I: [-1, 1, 2], x: [1, 2] },
    expect: { y: [9, 2, 9] },
  },
  {
    title: "a bare index of a padded read takes the tensor's range",
    head: "float(2, 2) x) -> (y)",
    body: "y(n, h) = pad(x(n, h - 1)) where h in 0:3",
    inputs: { x: [1, 2, 3, 4] },
    expect: {
      y: [
        [0, 1, 2],
        [0, 3, 4],
      ],
    },
  },
  {
    title: "a varying value does not hide the bare index of a padded read",
    head: "float(2, 2) x) -> (y)",
    body: "y(n, h) = pad(x(n, h - 1), float(n)) where h in 0:3",
    inputs: { x: [1, 2, 3, 4] },
    expect: {
      y: [
        [0, 1, 2],
        [1, 3, 4],
      ],
    },
  },
  {
    title: "a padded window over an image keeps its size",
    head: "float(3) x, float(3) w) -> (y)",
    body: "y(h) +=! pad(x(h + k - 1)) * w(k) where h in 0:3",
    inputs: { x: [1, 2, 3], w: [1, 10, 100] },
    expect: { y: [210, 321, 32] },
  },
  {
    title: "padding begins outside of the final shape, before it elements are 0",
    head: ") -> (y)",
    body: `t(i) = 1.0 where i in 0:2
      y(i) = pad(t(i), 7.0) where i in 0:4
      t(i) = 2.0 where i in 2:3`,
    expect: { y: [1, 1, 0, 7] },
  },
  {
    title: "a tensor without elements is outside everywhere",
    head: "float(N) x, int(2) I) -> (y, z)",
    body: `t(i) = x(i) where i in 1:N
      t(i) += 1.0 where i in 1:N
      y(i) = pad(t(i), 7.0) where i in 0:2
      z(i) = t(I(i))`,
    sizes: { N: 1 },
    inputs: { x: [1], I: [0, 1] },
    expect: { y: [7, 7], z: [0, 0] },
  },
  {
    title: "a guard lets a read through where it is inside",
    head: "float(3) x) -> (y)",
    body: "y(i) = i > 0 ? x(i - 1) : -1.0 where i in 0:4",
    inputs: { x: [1, 2, 3] },
    expect: { y: [-1, 1, 2, 3] },
  },
  {
    title: "`&&` and `||` guard their right sides",
    head: "float(3) x) -> (y, z)",
    body: `y(i) = i > 0 && x(i - 1) > 1.0 where i in 0:4
      z(i) = i == 0 || x(i - 1) > 1.0 where i in 0:4`,
    inputs: { x: [1, 2, 3] },
    expect: { y: [0, 0, 1, 1], z: [1, 0, 1, 1] },
  },
  {
    title: "a chain of guards",
    head: "float(3) x) -> (y)",
    body: "y(i) = i < 2 ? 0.0 : i < 5 ? x(i - 2) : 10.0 where i in 0:6",
    inputs: { x: [1, 2, 3] },
    expect: { y: [0, 0, 1, 2, 3, 10] },
  },
  {
    title: "a guarded read does not narrow the range",
    head: "float(3) x) -> (y)",
    body: "y(i) = x(i) + (i > 0 ? x(i - 1) : 0.0)",
    inputs: { x: [1, 2, 3] },
    expect: { y: [1, 3, 5] },
  },
  {
    title: "a guard on data does not shield a read from the ranges",
    head: "float(3) x, float(4) m) -> (y)",
    body: "y(i) = m(i) > 0.0 ? x(i) : -1.0 where i in 0:3",
    inputs: { x: [1, 2, 3], m: [1, 0, 1, 0] },
    expect: { y: [1, -1, 3] },
  },
];

/** Snippets about tensors. */
export const accesses: readonly Snippet[] = [...state, ...writes, ...reads];
