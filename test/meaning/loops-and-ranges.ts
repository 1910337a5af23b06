/** Loops, branches, ranges. */
import type { Snippet } from "./snippet.ts";

const loops: readonly Snippet[] = [
  {
    title: "a branch that never runs for these sizes needs no ranges",
    head: "float(T, B) x) -> (y)",
    body: `for t in T {
        if t == 0 { y(t, b) = x(t, b) }
        else {
          before(b, c) = y(t - 1, c) * x(t, b)
          y(t, b) = before(b, b) + x(t, b)
        }
      }`,
    sizes: { T: 1, B: 2 },
    inputs: { x: [3, 4] },
    expect: { y: [[3, 4]] },
  },
  {
    title: "a loop that never runs leaves what it would write without elements",
    head: "float(N) x) -> (y, z)",
    body: `y(i) = x(i)
      for t in 1:N { w(i) = y(i) + 1.0
        z(i) = w(i) * x(i) }`,
    sizes: { N: 1 },
    inputs: { x: [3] },
    expect: { y: [3], z: [] },
  },
  {
    title: "a reversed loop reads what its last step wrote, behind a guard",
    head: "float(5) x) -> (y)",
    body: "for t in reversed(0:5) { y(t) = x(t) + (t < 4 ? y(t + 1) : 0.0) }",
    inputs: { x: [0, 1, 2, 3, 4] },
    expect: { y: [10, 10, 9, 7, 4] },
  },
  {
    title: "a reversed loop over a part starts at its upper end",
    head: ") -> (y)",
    body: "y(i) = 0.0 where i in 0:6\nfor t in reversed(1:4) { y(t) = y(t + 1) + 1.0 }",
    expect: { y: [0, 3, 2, 1, 0, 0] },
  },
  {
    title: "a reversed triangular loop inside of a loop counts down",
    head: ") -> (y)",
    body: `y(i, j) = -1 where i in 0:3, j in 0:3
      c(0) = 0
      for t in 3 { for s in reversed(0:t + 1) {
        y(t, s) = c(0)
        c(0) = c(0) + 1
      } }`,
    expect: {
      y: [
        [0, -1, -1],
        [2, 1, -1],
        [5, 4, 3],
      ],
    },
  },
  {
    title: "a triangular loop inside of a reversed loop counts up",
    head: ") -> (y)",
    body: `y(i, j) = -1 where i in 0:3, j in 0:3
      c(0) = 0
      for t in reversed(0:3) { for s in t:3 {
        y(t, s) = c(0)
        c(0) = c(0) + 1
      } }`,
    expect: {
      y: [
        [3, 4, 5],
        [-1, 1, 2],
        [-1, -1, 0],
      ],
    },
  },
  {
    title: "an `if` in a reversed loop sees the loop's own index",
    head: ") -> (y)",
    body: "for t in reversed(0:4) { if t == 3 { y(t) = 1 } else { y(t) = 2 * y(t + 1) } }",
    expect: { y: [8, 4, 2, 1] },
  },
  {
    title: "a padded read in a reversed loop is padded at the far end",
    head: "float(4) x) -> (y)",
    body: "for t in reversed(0:4) { y(t) = x(t) + pad(y(t + 1), 10.0) }",
    inputs: { x: [1, 1, 1, 1] },
    expect: { y: [14, 13, 12, 11] },
  },
  {
    title: "a reversed loop's index as data and in a range",
    head: ") -> (y)",
    body: "for t in reversed(0:3) { y(i) = 10 * t + i where i in 0:t + 1 }",
    expect: { y: [0, 11, 22] },
  },
  {
    title: "a loop's index in a range",
    head: ") -> (y)",
    body: "for t in 3 { y(i) = t where i in t:3 }",
    expect: { y: [0, 1, 2] },
  },
  {
    title: "a quotient of a reversed loop's index",
    head: ") -> (y)",
    body: "for t in reversed(0:5) { y(t) = t / 2 + 10 * (t % 2) }",
    expect: { y: [0, 10, 1, 11, 2] },
  },
  {
    title: "a loop with a start reads its last step",
    head: ") -> (y)",
    body: "y(0) = 1.0\nfor t in 1:4 { y(t) = 2.0 * y(t - 1) }",
    expect: { y: [1, 2, 4, 8] },
  },
  {
    title: "a loop that is empty for the sizes at hand does not run",
    head: "float(N) x) -> (y)",
    body: "y(i) = x(i)\nfor t in 1:N { y(0) = 9.0 }",
    sizes: { N: 1 },
    inputs: { x: [5] },
    expect: { y: [5] },
  },
  {
    title: "a statement's index hides the loop of the same name",
    head: ") -> (y)",
    body: "for t in 2 { y(t) = t + 1 where t in 0:3 }",
    expect: { y: [1, 2, 3] },
  },
  {
    title: "a statement in a loop adds up over the steps",
    head: ") -> (y)",
    body: "y(i) = 0.0 where i in 0:2\nfor t in 4 { y(i) = y(i) + float(t) }",
    expect: { y: [6, 6] },
  },
  {
    title: "a chain of branches takes the first that holds",
    head: ") -> (y)",
    body: `for t in 5 {
      if t == 0 { y(t) = 1 } else if t < 3 { y(t) = 2 } else { y(t) = 3 }
    }`,
    expect: { y: [1, 2, 2, 3, 3] },
  },
  {
    title: "branches under `||`, `!=` and `!`",
    head: ") -> (y)",
    body: `for t in 6 {
      y(t) = 0
      if t == 0 || t == 3 { y(t) += 1 }
      if t != 2 { y(t) += 10 }
      if !(t > 1 && t < 5) { y(t) += 100 }
      if t % 2 == 0 { y(t) += 1000 }
    }`,
    expect: { y: [1111, 110, 1000, 11, 1010, 110] },
  },
  {
    title: "a branch on two loops and a size",
    head: "float(N) x) -> (y)",
    body: "for t in N { for s in N { if s <= t && t + s < N { y(t, s) = 1 } else { y(t, s) = 2 } } }",
    sizes: { N: 3 },
    inputs: { x: [0, 0, 0] },
    expect: {
      y: [
        [1, 2, 2],
        [1, 1, 2],
        [1, 2, 2],
      ],
    },
  },
  {
    title: "a branch that resets an empty reduction resets",
    head: "float(3) x) -> (y)",
    body: `y(i) = 9.0 where i in 0:3
      for t in 2 { if t == 0 { y(i) +=! x(j) where i in 0:2, j in 0:t } }`,
    inputs: { x: [1, 2, 3] },
    expect: { y: [0, 0, 9] },
  },
  {
    title: "what a loop reads before it writes it in the body is of the last step",
    head: "float(3) x) -> (y)",
    body: `a(i) = 0.0 where i in 0:3
      for t in 3 {
        y(t, i) = a(i)
        a(i) = a(i) + x(i)
      }`,
    inputs: { x: [1, 2, 3] },
    expect: {
      y: [
        [0, 0, 0],
        [1, 2, 3],
        [2, 4, 6],
      ],
    },
  },
  {
    title: "a loop over the size of a tensor takes the size that it has there",
    head: ") -> (y, z)",
    body: `y(i) = 0 where i in 0:2
      for t in y.0 { z(t) = 1 }
      y(i) = 1 where i in 0:4`,
    expect: { y: [1, 1, 1, 1], z: [1, 1] },
  },
];

const ranges: readonly Snippet[] = [
  {
    title: "a range may use an index before it",
    head: "float(4) x) -> (y)",
    body: "y(i) +=! x(j) where i in 0:4, j in 0:i",
    inputs: { x: [1, 2, 3, 4] },
    expect: { y: [0, 1, 3, 6] },
  },
  {
    title: "a range may start at an index",
    head: "float(4) x) -> (y)",
    body: "y(i) +=! x(j) where i in 0:4, j in i:4",
    inputs: { x: [1, 2, 3, 4] },
    expect: { y: [10, 9, 7, 4] },
  },
  {
    title: "a left index may be bounded by a reduction index",
    head: "float(3) x) -> (y)",
    body: "y(j) +=! x(i) where j in 0:i + 1",
    inputs: { x: [1, 2, 3] },
    expect: { y: [6, 5, 3] },
  },
  {
    title: "several ranges of one index intersect",
    head: "float(4) x) -> (y)",
    body: "y(i) = x(i) where i in 1:4, i in 0:3",
    inputs: { x: [1, 2, 3, 4] },
    expect: { y: [0, 2, 3] },
  },
  {
    title: "ranges with `min` and `max`",
    head: "float(4) x) -> (y)",
    body: "y(i) +=! x(j) where i in 0:4, j in max(i - 1, 0):min(i + 2, 4)",
    inputs: { x: [1, 2, 3, 4] },
    expect: { y: [3, 6, 9, 7] },
  },
  {
    title: "ranges with a quotient of an index",
    head: "float(4) x) -> (y)",
    body: "y(i) +=! x(j) where i in 0:5, j in i % 2:i / 2 + 1",
    inputs: { x: [1, 2, 3, 4] },
    expect: { y: [1, 0, 3, 2, 6] },
  },
  {
    title: "a range with size arithmetic",
    head: "float(N) x) -> (y)",
    body: "y(i) = x(2 * i) where i in 0:(N + 1) / 2",
    sizes: { N: 5 },
    inputs: { x: [1, 2, 3, 4, 5] },
    expect: { y: [1, 3, 5] },
  },
  {
    title: "shifted reads intersect",
    head: "float(4) x) -> (y)",
    body: "y(i) = x(i) + x(i + 1)",
    inputs: { x: [1, 2, 3, 4] },
    expect: { y: [3, 5, 7] },
  },
  {
    title: "reads shifted both ways leave the ends, and the first element is 0",
    head: "float(4) x) -> (y)",
    body: "y(i) = x(i - 1) + x(i + 1)",
    inputs: { x: [1, 2, 3, 4] },
    expect: { y: [0, 4, 6] },
  },
  {
    title: "a stencil leaves room for its whole window",
    head: "float(4) x, float(2) w) -> (y)",
    body: "y(h) +=! x(h + k) * w(k)",
    inputs: { x: [1, 2, 3, 4], w: [1, 10] },
    expect: { y: [21, 32, 43] },
  },
  {
    title: "a stride shortens the range",
    head: "float(5) x, float(2) w) -> (y)",
    body: "y(h) +=! x(2 * h + k) * w(k)",
    inputs: { x: [1, 2, 3, 4, 5], w: [1, 10] },
    expect: { y: [21, 43] },
  },
  {
    title: "a reversed read ranges over the tensor",
    head: "float(4) x) -> (y)",
    body: "y(i) = x(3 - i)",
    inputs: { x: [1, 2, 3, 4] },
    expect: { y: [4, 3, 2, 1] },
  },
  {
    title: "a quotient lengthens the range",
    head: "float(2) x) -> (y)",
    body: "y(i) = x(i / 2)",
    inputs: { x: [1, 2] },
    expect: { y: [1, 1, 2, 2] },
  },
  {
    title: "a remainder beside an index leaves room for its largest value",
    head: "float(4) x) -> (y)",
    body: "y(i, k) = x(i % 2 + k) where i in 0:3",
    inputs: { x: [1, 2, 3, 4] },
    expect: {
      y: [
        [1, 2, 3],
        [2, 3, 4],
        [1, 2, 3],
      ],
    },
  },
  {
    title: "an index of the left side alone takes the tensor's shape",
    head: "float(3) x) -> (x)",
    body: "x(i) = 7.0",
    inputs: { x: [1, 2, 3] },
    expect: { x: [7, 7, 7] },
  },
  {
    title: "a range without a use repeats the statement",
    head: "float(2) x) -> (y)",
    body: "y(i) +=! x(i) where k in 0:3",
    inputs: { x: [1, 2] },
    expect: { y: [3, 6] },
  },
  {
    title: "an index may stand as data before the access that makes it",
    head: "float(3) x) -> (s)",
    body: "s() +=! k * x(k)",
    inputs: { x: [1, 2, 3] },
    expect: { s: 8 },
  },
  {
    title: "a range that is empty for the sizes at hand writes nothing",
    head: "float(N) x) -> (y)",
    body: "y(i) = x(i)\ny(i) = 9.0 where i in 1:N",
    sizes: { N: 1 },
    inputs: { x: [4] },
    expect: { y: [4] },
  },
  {
    title: "names after `where` stand for expressions, on the left too",
    head: "float(3) x) -> (y)",
    body: "y(k) = v * v where k = 2 * i, v = x(i) + 1.0",
    inputs: { x: [1, 2, 3] },
    expect: { y: [4, 0, 9, 0, 16] },
  },
  {
    title: "the size of a dimension in an index and as data",
    head: "float(2, 3) x) -> (y)",
    body: "y(i, j) = x(i, x.1 - 1 - j) * x.0",
    inputs: { x: [1, 2, 3, 4, 5, 6] },
    expect: {
      y: [
        [6, 4, 2],
        [12, 10, 8],
      ],
    },
  },
  {
    title: "a scalar parameter in an index is a constant",
    head: "float(7) x, int S) -> (y)",
    body: "y(i) = x(S * i) + S",
    sizes: { S: 3 },
    inputs: { x: [0, 1, 2, 3, 4, 5, 6] },
    expect: { y: [3, 6, 9] },
  },
  {
    title: "scalar parameters as data",
    head: "float(2) x, float alpha, int n, bool flag) -> (y)",
    body: "y(i) = flag ? alpha * x(i) + n : 0.0",
    inputs: { x: [1, 2], alpha: [0.5], n: [3], flag: [1] },
    expect: { y: [3.5, 4] },
  },
];

/** Snippets about what runs, and in which order. */
export const loopsAndRanges: readonly Snippet[] = [...loops, ...ranges];
