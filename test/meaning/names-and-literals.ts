/** What names and literals stand for. */
import type { Snippet } from "./snippet.ts";

const names: readonly Snippet[] = [
  {
    title: "words of WGSL are names of tensors, sizes, indices and loops",
    head: "float(var) array, float(loop, var) texture, float _x, float __y) -> (struct, let, _)",
    body: `const(override) = array(override) * _x + __y
      struct(enum, while) = texture(enum, while) + const(while)
      let(switch) +=! struct(discard, switch)
      for break in loop { _(break, continue) = let(continue) where continue in 0:var }`,
    sizes: { var: 2, loop: 2 },
    inputs: { array: [1, 2], texture: [1, 2, 3, 4], _x: [10], __y: [1] },
    expect: {
      struct: [
        [12, 23],
        [14, 25],
      ],
      let: [26, 48],
      _: [
        [26, 48],
        [26, 48],
      ],
    },
  },
  {
    title: "names of types and functions of WGSL are names",
    head: "float(f32) u32, float(f32) vec4) -> (mat2x2f, main)",
    body: "mat2x2f(atomic) = u32(atomic) + vec4(atomic)\nmain(ptr) max=! mat2x2f(i) where ptr in 0:f32",
    sizes: { f32: 2 },
    inputs: { u32: [1, 2], vec4: [3, 4] },
    expect: { mat2x2f: [4, 6], main: [6, 6] },
  },
  {
    title: "a parameter hides the function of its name",
    head: "float(2) exp, float log) -> (y)",
    body: "y(i) = exp(i) + log",
    inputs: { exp: [1, 2], log: [10] },
    expect: { y: [11, 12] },
  },
  {
    title: "parameters hide `select` and `clamp`",
    head: "float(2, 2, 2) select, float(2) clamp) -> (y, z)",
    body: "y(i) +=! select(i, j, k)\nz(i) = clamp(1 - i)",
    inputs: { select: [1, 2, 3, 4, 5, 6, 7, 8], clamp: [1, 2] },
    expect: { y: [10, 26], z: [2, 1] },
  },
  {
    title: "a loop hides a size",
    head: "float(N) x) -> (y)",
    body: "for N in 2 { y(N) = x(N) }",
    sizes: { N: 3 },
    inputs: { x: [1, 2, 3] },
    expect: { y: [1, 2] },
  },
  {
    title: "a name after `where` hides a loop, and may use one before it",
    head: "float(4) x) -> (y)",
    body: "for t in 2 { y(t) = x(k) where t = 2, k = t - 1 }",
    inputs: { x: [1, 2, 3, 4] },
    expect: { y: [0, 0, 2] },
  },
  {
    title: "a loop inside hides the one around of the same name",
    head: "float(2) x) -> (y)",
    body: "for t in 3 { for t in 2 { y(t) = x(t) + (t == 0 ? 10.0 : 20.0) } }",
    inputs: { x: [1, 2] },
    expect: { y: [11, 22] },
  },
];

const literals: readonly Snippet[] = [
  {
    title: "literals of all forms",
    head: ") -> (a, b, c, d, e, g, h, k)",
    body: "a = 3\nb = 3.0\nc = .5\nd = 25e-2\ne = 3E5\ng = 0x1F + 0Xa\nh = true\nk = -inf",
    expect: { a: 3, b: 3, c: 0.5, d: 0.25, e: 300000, g: 41, h: 1, k: -Infinity },
  },
  {
    title: "the extremes of the integers",
    head: ") -> (a, b, c)",
    body: "a = -2147483648\nb = 2147483647\nc = uint32(0) + 4294967295",
    expect: { a: -2147483648, b: 2147483647, c: 4294967295 },
  },
  {
    title: "a statement ends where the next begins",
    head: "float(2) x) -> (y, z)",
    body: "y(i) = x(i) -1.0 z(i) = -y(i) z(i) += y(i) * 3.0",
    inputs: { x: [1, 2] },
    expect: { y: [0, 1], z: [0, 2] },
  },
  {
    title: "the bang of an operator touches it, another negates",
    head: "bool(2) x, bool s) -> (s, n)",
    body: "s &&= !x(i)\nn +=! int32(!x(i))",
    inputs: { x: [0, 0], s: [1] },
    expect: { s: 1, n: 2 },
  },
  {
    title: "`<=>` clauses are read and have no effect",
    head: "float(2) x) -> (y)",
    body: "y(i) = x(i) <=> foo(x)\ny(i) += 1.0 where i in 0:1 <=> bar",
    inputs: { x: [1, 2] },
    expect: { y: [2, 2] },
  },
  {
    title: "sizes of literals, and computed ones",
    head: "float(3) x) -> (float(2 * N - 1) y)",
    body: "y(i) = x(i) where i in 0:N",
    sizes: { N: 2 },
    inputs: { x: [1, 2, 3] },
    expect: { y: [1, 2, 0] },
  },
  {
    title: "the arms of nested choices are guarded by all conditions above",
    head: "float(2) x) -> (y)",
    body: "y(i) = i < 1 ? 0.0 : i < 3 ? x(i - 1) : i < 4 && i > 2 ? x(i - 2) : -1.0 where i in 0:5",
    inputs: { x: [1, 2] },
    expect: { y: [0, 1, 2, 2, -1] },
  },
];

/** Snippets about names and literals. */
export const namesAndLiterals: readonly Snippet[] = [...names, ...literals];
