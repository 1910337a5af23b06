/** Types of 8 and 16 bits, and float16. */
import type { Snippet } from "./snippet.ts";

const integers: readonly Snippet[] = [
  {
    title: "int8 values are computed as int32 and wrap where they are stored",
    head: "int8(4) a, int8(4) b) -> (int8(4) y, s)",
    body: "y(i) = a(i) + b(i)\ns(i) = a(i) + b(i)",
    inputs: { a: [127, -128, 100, -1], b: [1, -1, 100, 1] },
    expect: { y: [-128, 127, -56, 0], s: [128, -129, 200, 0] },
  },
  {
    title: "uint8 wraps modulo 256, also below zero",
    head: "uint8(3) a, int b) -> (uint8(3) y)",
    body: "y(i) = a(i) + b",
    inputs: { a: [0, 1, 255], b: [-2] },
    expect: { y: [254, 255, 253] },
  },
  {
    title: "int16 and uint16 wrap where they are stored",
    head: "int(4) a) -> (int16(4) y, uint16(4) z)",
    body: "y(i) = a(i)\nz(i) = a(i)",
    inputs: { a: [32768, -32769, 65536, 7] },
    expect: { y: [-32768, 32767, 0, 7], z: [32768, 32767, 0, 7] },
  },
  {
    title: "a cast to int8 wraps, one of a float first goes toward zero and saturates at int32",
    head: "int(3) a, float(4) x) -> (y, z, u)",
    body: "y(i) = int8(a(i))\nz(i) = int8(x(i))\nu(i) = uint8(x(i))",
    inputs: { a: [200, -200, 5], x: [200.7, -1.5, 3e9, -3e9] },
    expect: { y: [-56, 56, 5], z: [-56, -1, -1, 0], u: [200, 0, 0, 0] },
  },
  {
    title: "narrow operands promote as int32 and uint32 do",
    head: "uint8(1) a, int8(1) b, uint16(1) c) -> (s, t, f)",
    body: "s(i) = a(i) - b(i)\nt(i) = a(i) - c(i)\nf(i) = a(i) * 0.5",
    inputs: { a: [1], b: [-5], c: [2] },
    expect: { s: [6], t: [4294967295], f: [0.5] },
  },
  {
    title: "a sum wraps only in the end",
    head: "int8(4) a) -> (int8 y, uint8 z)",
    body: "y +=! a(i) * 100\nz +=! a(i)",
    inputs: { a: [100, 100, -100, 27] },
    expect: { y: -100, z: 127 },
  },
  {
    title: "reductions of narrow results start from the extremes of their type",
    head: "int8(3) a) -> (int8(2) least, uint16(2) most)",
    body: "least(j) min=! a(i) where j in 0:2, i in 0:0+3*j\nmost(j) max=! a(i) where j in 0:2, i in 0:0+3*j",
    inputs: { a: [5, 3, 4] },
    expect: { least: [127, 3], most: [0, 5] },
  },
  {
    title: "operators that reset wrap also where nothing is reduced",
    head: "uint16(3) a) -> (int8(3) y, uint8(3) z)",
    body: "y(i) *=! a(i)\nz(i) +=! 100 * a(i)",
    inputs: { a: [65535, 200, 3] },
    expect: { y: [-1, -56, 3], z: [156, 32, 44] },
  },
  {
    title: "a term of a minimum wraps before it is compared",
    head: "int(3) a) -> (int8 y)",
    body: "y min=! a(i)",
    inputs: { a: [5, 200, 90] },
    expect: { y: -56 },
  },
  {
    title: "a histogram of bytes counts modulo 256",
    head: "uint8(N) a) -> (uint8(3) h)",
    body: "h(a(i)) +=! 100",
    inputs: { a: [0, 2, 2, 2, 9] },
    sizes: { N: 5 },
    expect: { h: [100, 0, 44] },
  },
  {
    title: "an arg reduction into bytes stores its index",
    head: "float(3) x) -> (uint8 y)",
    body: "y argmax=! x(i)",
    inputs: { x: [1, 3, 2] },
    expect: { y: 1 },
  },
  {
    title: "a narrow tensor is updated in place",
    head: "int8(5) x) -> (x)",
    body: "x(i) += 100\nx(i) *= 2",
    inputs: { x: [27, 28, -128, 0, 1] },
    expect: { x: [-2, 0, -56, -56, -54] },
  },
  {
    title: "bytes serve as indices",
    head: "uint8(4) i, float(3) t) -> (y)",
    body: "y(k) = t(i(k))",
    inputs: { i: [2, 0, 1, 200], t: [1, 2, 3] },
    expect: { y: [3, 1, 2, 0] },
  },
  {
    title: "rows that end within a word",
    head: "uint8(3, 3) a) -> (uint8(3, 3) y)",
    body: "y(i, j) = a(j, i) + 1",
    inputs: { a: [1, 2, 3, 4, 5, 6, 7, 8, 255] },
    expect: {
      y: [
        [2, 5, 8],
        [3, 6, 9],
        [4, 7, 0],
      ],
    },
  },
  {
    title: "a part of a narrow result that nothing writes is 0",
    head: ") -> (int8(6) y)",
    body: "y(i) = -1 where i in 2:4",
    expect: { y: [0, 0, -1, -1, 0, 0] },
  },
];

const halves: readonly Snippet[] = [
  {
    title: "a real literal next to float16 is float16, an integer too",
    head: "half(2) x) -> (half(2) y)",
    body: "y(i) = x(i) * 0.5 + 3",
    inputs: { x: [1, -4] },
    expect: { y: [3.5, 1] },
  },
  {
    title: "float32 beats float16, float16 beats integers",
    head: "half(1) h, float(1) f, int(1) n) -> (a, half(1) b)",
    body: "a(i) = h(i) + f(i)\nb(i) = h(i) + n(i)",
    inputs: { h: [0.5], f: [1e6], n: [3] },
    expect: { a: [1000000.5], b: [3.5] },
  },
  {
    title: "sums of float16 are computed in float32",
    head: "half(4) x) -> (half y, float z)",
    body: "y +=! x(i) * x(i) * 0.125\nz +=! x(i) * x(i)",
    inputs: { x: [256, 256, 0, 512] },
    expect: { y: 49152, z: 393216 },
  },
  {
    title: "integers become float16, float16 becomes integers toward zero",
    head: "int(2) n, half(2) x) -> (half(2) y, k)",
    body: "y(i) = n(i)\nk(i) = int(x(i))",
    inputs: { n: [7, -2048], x: [2.75, -2.75] },
    expect: { y: [7, -2048], k: [2, -2] },
  },
  {
    title: "functions of float16 give float16",
    head: "half(2) x) -> (half(2) y)",
    body: "y(i) = sqrt(x(i)) + max(x(i), 2.0) / 4.0",
    inputs: { x: [4, 16] },
    expect: { y: [3, 8] },
  },
  {
    title: "float16 is scattered into",
    head: "int(4) at, half(4) x, half(3) y) -> (y)",
    body: "y(at(i)) += x(i)",
    inputs: { at: [0, 2, 2, 7], x: [1, 2, 3, 4], y: [10, 20, 30] },
    expect: { y: [11, 20, 35] },
  },
  {
    title: "float16 is updated in place",
    head: "half(3) x) -> (x)",
    body: "x(i) += 0.5",
    inputs: { x: [1, 2, -0.5] },
    expect: { x: [1.5, 2.5, 0] },
  },
  {
    title: "a temporary of float16 values is float16",
    head: "half(3) x) -> (half(3) y)",
    body: "t(i) = x(i) + 1.0\ny(i) = t(2 - i) * t(i)",
    inputs: { x: [1, 2, 3] },
    expect: { y: [8, 9, 8] },
  },
];

export const narrowTypes: readonly Snippet[] = [...integers, ...halves];
