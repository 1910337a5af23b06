/** Calls of definitions. */
import type { Snippet } from "./snippet.ts";

const twice = "def twice(float(N) a) -> (b) { b(i) = 2.0 * a(i) }";
const scale = "def scale(float(N) a, float s) -> (a) { a(i) *= s }";
const stretch = "def stretch(float(N) a, int k) -> (b) { b(i) = a(i / k) where i in 0:N * k }";
const ends = "def ends(float(N) a) -> (low, high) {\nlow min=! a(i)\nhigh max=! a(i)\n}";

const values: readonly Snippet[] = [
  {
    title: "a call makes a whole tensor",
    before: twice,
    head: "float(3) x) -> (y)",
    body: "y = twice(x)",
    inputs: { x: [1, 2, 3] },
    expect: { y: [2, 4, 6] },
  },
  {
    title: "a call is a statement in its place",
    before: twice,
    head: "float(3) x) -> (y)",
    body: "t(i) = x(i) + 1.0\nu = twice(t)\ny(i) = u(i) + t(i)",
    inputs: { x: [1, 2, 3] },
    expect: { y: [6, 9, 12] },
  },
  {
    title: "a call makes several tensors",
    before: ends,
    head: "float(3) x) -> (s, t)",
    body: "(s, t) = ends(x)",
    inputs: { x: [2, 1, 3] },
    expect: { s: 1, t: 3 },
  },
  {
    title: "slices of one tensor take the results of one call",
    before: ends,
    head: "float(2, 3) x) -> (s)",
    body: "for t in 2 { (s(t, 0), s(t, 1)) = ends(x(t)) }",
    inputs: { x: [2, 1, 3, 6, 5, 4] },
    expect: {
      s: [
        [1, 3],
        [4, 6],
      ],
    },
  },
  {
    title: "sizes are those of what is passed, at each call",
    before: "def mean(float(N) a) -> (m) {\nm +=! a(i)\nm /= float(N)\n}",
    head: "float(4) x, float(2) y) -> (a, b)",
    body: "a = mean(x)\nb = mean(y)",
    inputs: { x: [1, 2, 3, 6], y: [1, 2] },
    expect: { a: 3, b: 1.5 },
  },
  {
    title: "sizes of a call are not those of its caller",
    before:
      "def dot(float(M, N) a, float(N) b) -> (c) { c(m) +=! a(m, n) * b(n) * float(10 * M + N) }",
    head: "float(N, M) x, float(M) y) -> (z)",
    body: "z = dot(x, y)",
    sizes: { N: 1, M: 3 },
    inputs: { x: [1, 2, 3], y: [1, 1, 1] },
    expect: { z: [78] },
  },
  {
    title: "indices, temporaries and loops of a call are its own",
    before: `def steps(float(N) t) -> (i) {
      g(j) = t(j)
      for s in 3 { for x in 2 { g(y) += float(s + x) where exists t(y) } }
      i(s) = g(s)
    }`,
    head: "float(2) x, float(2) y) -> (j)",
    body: "g(i) = y(i)\nfor s in 2 { j = steps(g) }\nj(i) += g(i) * x(i)",
    inputs: { x: [100, 100], y: [1, 2] },
    expect: { j: [110, 211] },
  },
  {
    title: "scalars are passed as expressions",
    before: scale,
    head: "float(3) x, float s) -> (x)",
    body: "x = scale(x, 2.0 * s)\nfor t in 2 { x = scale(x, t + 1) }",
    inputs: { x: [1, 2, 3], s: [0.5] },
    expect: { x: [2, 4, 6] },
  },
  {
    title: "a scalar may be an element of a tensor",
    before: scale,
    head: "float(3) x, float(3) w, int(3) n) -> (x)",
    body: "for t in 3 { x = scale(x, w(t)) }\nx = scale(x, n(1))",
    inputs: { x: [1, 2, 3], w: [2, 3, 0.5], n: [5, 10, 7] },
    expect: { x: [30, 60, 90] },
  },
  {
    title: "an integer in an index is known when compiling: constants, parameters, loops",
    before: `${stretch}\ndef pick(float(N) a, int k) -> (s) { s = a(k) }`,
    head: "float(2) x, int K) -> (y, z, s)",
    body: "y = stretch(x, 2)\nz = stretch(x, K)\nfor t in 2 { s(t) = pick(x, 1 - t) }",
    sizes: { K: 3 },
    inputs: { x: [1, 2] },
    expect: { y: [1, 1, 2, 2], z: [1, 1, 1, 2, 2, 2], s: [2, 1] },
  },
  {
    title: "a loop's index in a range of a call",
    before: "def head(float(N) a, int n) -> (s) { s +=! a(i) where i in 0:n + 1 }",
    head: "float(3) x) -> (y)",
    body: "for t in 3 { y(t) = head(x, t) }",
    inputs: { x: [1, 2, 3] },
    expect: { y: [1, 3, 6] },
  },
  {
    title: "a chain of calls",
    before: `${twice}
      def quarter(float(N) a) -> (b) { b(i) = 0.25 * a(i) }
      def half_of(float(N) a) -> (b) {\n t = twice(a)\n b = quarter(t)\n }`,
    head: "float(2) x) -> (y)",
    body: "y = half_of(x)\ny = half_of(y)",
    inputs: { x: [4, 8] },
    expect: { y: [1, 2] },
  },
  {
    title: "a scalar that is passed on, given as data, as a loop's index and as a constant",
    before: `def add(float(N) a, uint32 s) -> (b) { b(i) = a(i) + float(s) }
      def outer(float(N) a, uint32 s) -> (b) { b = add(a, s) }`,
    head: "float(2) x, uint32(2) u) -> (y, z, c)",
    body: "for t in 2 { y(t) = outer(x, u(t))\nz(t) = outer(x, uint32(t)) }\nc = outer(x, uint32(7))",
    inputs: { x: [1, 2], u: [10, 20] },
    expect: {
      y: [
        [11, 12],
        [21, 22],
      ],
      z: [
        [1, 2],
        [2, 3],
      ],
      c: [8, 9],
    },
  },
  {
    title: "types of results reach the caller, integers widen",
    before: "def count(float(N) a) -> (n) { n(i) = int32(a(i)) }",
    head: "float(2) x) -> (n, float(2) y)",
    body: "n = count(x)\nn(i) = n(i) / 2\ny = count(x)",
    inputs: { x: [3.5, 5.5] },
    expect: { n: [1, 2], y: [3, 5] },
  },
];

const slices: readonly Snippet[] = [
  {
    title: "slices give the leading indices",
    before: twice,
    head: "float(2, 3) x) -> (y)",
    body: "for t in 2 { y(1 - t) = twice(x(t)) }",
    inputs: { x: [1, 2, 3, 4, 5, 6] },
    expect: {
      y: [
        [8, 10, 12],
        [2, 4, 6],
      ],
    },
  },
  {
    title: "slices of two leading indices, and of constants",
    before: twice,
    head: "float(2, 2, 2) x) -> (y)",
    body: "y(0) = twice(x(1, 0))\ny(2) = twice(x(0, 1))",
    inputs: { x: [1, 2, 3, 4, 5, 6, 7, 8] },
    expect: {
      y: [
        [10, 12],
        [0, 0],
        [6, 8],
      ],
    },
  },
  {
    title: "a recurrence reads the slice that it wrote before",
    before: "def cell(float(B) x, float(B) h) -> (g) {\ng(b) = 2.0 * h(b)\ng(b) += x(b)\n}",
    head: "float(3, 2) x, float(2) h0) -> (h)",
    body: `for t in 3 {
      if t == 0 { h(t) = cell(x(t), h0) } else { h(t) = cell(x(t), h(t - 1)) }
    }`,
    inputs: { x: [1, 2, 3, 4, 5, 6], h0: [10, 20] },
    expect: {
      h: [
        [21, 42],
        [45, 88],
        [95, 182],
      ],
    },
  },
  {
    title: "a slice that an index read from data chooses",
    before: twice,
    head: "float(3, 2) x, int(2) I) -> (y)",
    body: "for t in 2 { y(t) = twice(x(I(t))) }",
    inputs: { x: [1, 2, 3, 4, 5, 6], I: [2, 0] },
    expect: {
      y: [
        [10, 12],
        [2, 4],
      ],
    },
  },
  {
    title: "the shape of the target reaches the largest slice",
    before: twice,
    head: "float(2) x) -> (y)",
    body: "y(2) = twice(x)",
    inputs: { x: [1, 2] },
    expect: {
      y: [
        [0, 0],
        [0, 0],
        [2, 4],
      ],
    },
  },
  {
    title: "the sizes of a slice's dimensions are those of the open ones",
    before: "def last(float(N) a) -> (s) { s = a(a.0 - 1) + float(N) }",
    head: "float(3, 2) x) -> (y)",
    body: "for t in 3 { y(t) = last(x(t)) }",
    inputs: { x: [1, 2, 3, 4, 5, 6] },
    expect: { y: [4, 6, 8] },
  },
];

const state: readonly Snippet[] = [
  {
    title: "arguments are passed by value, also where the target is one",
    before: "def roll(float(N) a) -> (b) {\nb(i) = a(N - 1 - i)\nb(i) += a(i)\n}",
    head: "float(3) x) -> (x)",
    body: "x = roll(x)\nx = roll(x)",
    inputs: { x: [1, 2, 4] },
    expect: { x: [10, 8, 10] },
  },
  {
    title: "a target that is an argument, in a loop",
    before:
      "def step(float(N) x, float(N) h) -> (g) {\ng(i) = h(i) + x(i)\ng(i) *= h(N - 1 - i)\n}",
    head: "float(2) x, float(2) h) -> (h)",
    body: "for t in 2 { h = step(x, h) }",
    inputs: { x: [1, 1], h: [1, 2] },
    expect: { h: [15, 16] },
  },
  {
    title: "the slice before and after overlap only in name",
    before: "def next(float(N) a) -> (b) { b(i) = a(i) + a(N - 1 - i) }",
    head: "float(2) x) -> (y)",
    body: "y(0) = next(x)\nfor t in 1:3 { y(t) = next(y(t - 1)) }",
    inputs: { x: [1, 2] },
    expect: {
      y: [
        [3, 3],
        [6, 6],
        [12, 12],
      ],
    },
  },
  {
    title: "a parameter that is a result is updated in place",
    before: scale,
    head: "float(2, 2) x) -> (x)",
    body: "for t in 2 { x(t) = scale(x(t), 10.0) }\nx(1) = scale(x(1), 2.0)",
    inputs: { x: [1, 2, 3, 4] },
    expect: {
      x: [
        [10, 20],
        [60, 80],
      ],
    },
  },
  {
    title: "what is updated in place is passed to another parameter by value",
    before: "def both(float(N) a, float(N) b) -> (a) {\na(i) = b(N - 1 - i)\na(i) += b(i)\n}",
    head: "float(2) x) -> (x)",
    body: "x = both(x, x)",
    inputs: { x: [1, 2] },
    expect: { x: [3, 3] },
  },
  {
    title: "a scalar read from what is updated in place is that of before the call",
    before: scale,
    head: "float(3) x) -> (x)",
    body: "x = scale(x, x(1) + 1.0)",
    inputs: { x: [1, 2, 3] },
    expect: { x: [3, 6, 9] },
  },
  {
    title: "an index read from what is updated in place is that of before the call",
    before: "def bump(int(N) a, int(N) b) -> (a) {\na(i) = 0\na(i) += b(i) + 1\n}",
    head: "int(2, 2) x) -> (x)",
    body: "x(1) = bump(x(1), x(x(1, 0)))",
    inputs: { x: [7, 8, 0, 5] },
    expect: {
      x: [
        [7, 8],
        [8, 9],
      ],
    },
  },
  {
    title: "a result that the definition adds to adds to the target",
    before: "def add(float(N) a) -> (b) { b(i) += a(i) }",
    head: "float(2, 2) x) -> (y)",
    body: "y(i) = 100.0 where i in 0:2\nfor t in 2 { y = add(x(t)) }",
    inputs: { x: [1, 2, 3, 4] },
    expect: { y: [104, 106] },
  },
  {
    title: "a result that the definition adds to is supplied by the caller's caller",
    before: "def add(float(N) a) -> (b) { b(i) += a(i) }",
    head: "float(2) x) -> (float(2) y)",
    body: "y = add(x)",
    inputs: { x: [1, 2], y: [10, 20] },
    expect: { y: [11, 22] },
  },
  {
    title: "what a definition does not write is 0 in the target, at every call",
    before: "def tips(float(N) a) -> (float(N) b) {\nb(0) = a(0)\nb(N - 1) = a(N - 1)\n}",
    head: "float(2, 3) x) -> (y)",
    body: "y(i) = 9.0 where i in 0:3\nfor t in 2 { y = tips(x(t)) }",
    inputs: { x: [1, 2, 3, 4, 5, 6] },
    expect: { y: [4, 0, 6] },
  },
  {
    title: "the target keeps what is beyond the shape of the result",
    before: "def head(float(N) a) -> (b) { b(i) = a(i) where i in 1:N - 1 }",
    head: "float(4) x, float(4) y) -> (y)",
    body: "y = head(x)",
    inputs: { x: [1, 2, 3, 4], y: [9, 9, 9, 9] },
    expect: { y: [0, 2, 3, 9] },
  },
  {
    title: "temporaries start as 0 at every call",
    before: `def late(float(N) a, int t) -> (s) {
      for k in 2 { if k == t { g(k) = a(k) } }
      s +=! g(i) where i in 0:2
    }`,
    head: "float(2) x) -> (y)",
    body: "for t in 2 { y(t) = late(x, t) }",
    inputs: { x: [1, 2] },
    expect: { y: [1, 2] },
  },
  {
    title: "a result that is gathered before it is written is 0 there, at every call",
    before: `def late(float(N) a, int(N) I) -> (b) {
      b(0) = 10.0
      c(i) = b(I(i)) + a(i)
      b(i) = c(i)
    }`,
    head: "float(2) x, int(2) I) -> (y)",
    body: "for t in 3 { y = late(x, I) }",
    inputs: { x: [1, 2], I: [0, 1] },
    expect: { y: [11, 2] },
  },
  {
    title: "a scattered result starts as 0 at every call",
    before: "def bins(int(N) a, float(M) w) -> (float(M) h) { h(a(i)) +=! 1.0 where exists w(j) }",
    head: "int(2, 3) x, float(1) w) -> (h)",
    body: "for t in 2 { h = bins(x(t), w) }",
    inputs: { x: [0, 0, 1, 2, 0, 2], w: [0] },
    expect: { h: [1] },
  },
  {
    title: "a gather outside of a result finds 0, also where the target is larger",
    before: "def take(float(N) a, int(N) I) -> (b) {\nb(i) = a(i)\nb(i) = b(I(i)) + 1.0\n}",
    head: "float(2) x, int(2) I, float(4) y) -> (y)",
    body: "y = take(x, I)",
    inputs: { x: [5, 6], I: [0, 3], y: [100, 100, 100, 100] },
    expect: { y: [6, 1, 100, 100] },
  },
  {
    title: "padding in a call begins outside of the slice",
    before:
      "def blur(float(N) a) -> (b) { b(i) = pad(a(i - 1)) + pad(a(i + 1), 0.5) where i in 0:N }",
    head: "float(2, 2) x) -> (y)",
    body: "for t in 2 { y(t) = blur(x(t)) }",
    inputs: { x: [1, 2, 3, 4] },
    expect: {
      y: [
        [2, 1.5],
        [4, 3.5],
      ],
    },
  },
  {
    title: "a call under a condition",
    before: twice,
    head: "float(2) x) -> (y)",
    body: "y(t, i) = 1.0 where t in 0:3, i in 0:2\nfor t in 3 { if t != 1 { y(t) = twice(x) } }",
    inputs: { x: [1, 2] },
    expect: {
      y: [
        [2, 4],
        [1, 1],
        [2, 4],
      ],
    },
  },
  {
    title: "a call in a reversed loop",
    before: "def step(float(N) a, float(N) b) -> (c) { c(i) = a(i) + 2.0 * b(i) }",
    head: "float(3, 2) x) -> (y)",
    body: `y(i, j) = 0.0 where i in 0:4, j in 0:2
      for t in reversed(0:3) { y(t) = step(x(t), y(t + 1)) }`,
    inputs: { x: [1, 2, 3, 4, 5, 6] },
    expect: {
      y: [
        [27, 34],
        [13, 16],
        [5, 6],
        [0, 0],
      ],
    },
  },
];

/** Snippets about calls. */
export const calls: readonly Snippet[] = [...values, ...slices, ...state];
