import type { Pages } from "./page.ts";

/** TC3xxx: ranges and bounds. */
export const rangePages: Pages<"TC3"> = {
  TC3001: {
    text: `An index takes all values for which the accesses that it occurs in stay inside of their
tensors. These indices occur in no access that tells a range: reads in \`pad\` or behind a condition
tell none, nor do indices that are multiplied with each other. Give them a range after \`where\`.`,
    bad: `#! sizes N=8
def previous(float(N) a) -> (b) {
  b(i) = i > 0 ? a(i - 1) : 0.0
}
`,
    good: `#! sizes N=8
def previous(float(N) a) -> (b) {
  b(i) = i > 0 ? a(i - 1) : 0.0 where i in 0:N
}
`,
  },
  TC3002: {
    text: `Two tensors use the index for whole dimensions, and these differ in size. If one name of a
size stands for both, the caller has to give tensors that agree. If only the common part is meant,
give the index a range.`,
    bad: `#! sizes N=4 M=5
def add(float(N) a, float(M) b) -> (c) {
  c(i) = a(i) + b(i)
}
`,
    good: `#! sizes N=4
def add(float(N) a, float(N) b) -> (c) {
  c(i) = a(i) + b(i)
}
`,
  },
  TC3003: {
    text: `For some value of its indices the access would leave the tensor; the message names the first
one. Ranges with \`where\` and of loops are taken as they are. Narrow the range, guard the read with
\`condition ? a(...) : 0.0\`, or write \`pad(a(...))\`, which is 0 outside. Without the \`where\` the range
would be narrowed by itself.`,
    bad: `#! sizes N=8
def next(float(N) a) -> (b) {
  b(i) = a(i + 1) where i in 0:N
}
`,
    good: `#! sizes N=8
def next(float(N) a) -> (b) {
  b(i) = pad(a(i + 1)) where i in 0:N
}
`,
  },
  TC3004: {
    text: `The tensor has a declared shape, and the statement writes beyond it. Change the shape, the
range of the index, or the left side.`,
    bad: `#! sizes N=8
def shifted(float(N) a) -> (float(N) b) {
  b(0) = 0.0
  b(i + 1) = a(i)
}
`,
    good: `#! sizes N=8
def shifted(float(N) a) -> (float(N) b) {
  b(0) = 0.0
  b(i + 1) = a(i) where i in 0:N - 1
}
`,
  },
  TC3005: {
    text: `Indices are coordinates, from 0 on, and this left side becomes negative. An index that only
\`a(i + 1)\` ranges begins at -1, so that all of \`a\` is read: say with \`where\` where it begins, or
shift both sides.`,
    bad: `#! sizes N=8
def shifted(float(N) a) -> (b) {
  b(i - 1) = a(i)
}
`,
    good: `#! sizes N=8
def shifted(float(N) a) -> (b) {
  b(i) = a(i + 1) where i in 0:N - 1
}
`,
  },
  TC3006: {
    text: `The range \`lower:upper\` holds the values from \`lower\` on that are less than \`upper\`. This one
is empty for all sizes, so that the statement would never run.`,
    bad: `#! sizes N=8
def ends(float(N) a) -> (b) {
  b(i) = a(i) where i in 4:0
}
`,
    good: `#! sizes N=8
def ends(float(N) a) -> (b) {
  b(i) = a(i) where i in 0:4
}
`,
  },
  TC3007: {
    text: `The ends of a range must be sums of sizes, integer parameters, loop indices, indices whose
ranges come before, and constants, with constant factors. For another range, take a larger one and
guard the value.`,
    bad: `#! sizes N=4
def f(float(N) a) -> (float(N, 10) b) {
  b(i, j) = a(i) where j in 0:i * i + 1
}
`,
    good: `#! sizes N=4
def f(float(N) a) -> (float(N, 10) b) {
  b(i, j) = j <= i * i ? a(i) : 0.0 where j in 0:10
}
`,
  },
  TC3008: {
    text: `Statements take effect in the order in which they are written. This one reads a tensor that
only later statements write.`,
    bad: `#! sizes N=8
def f(float(N) a) -> (c, b) {
  c(i) = 2.0 * b(i)
  b(i) = a(i) + 1.0
}
`,
    good: `#! sizes N=8
def f(float(N) a) -> (c, b) {
  b(i) = a(i) + 1.0
  c(i) = 2.0 * b(i)
}
`,
  },
  TC3009: {
    text: `Different values of the index lead to the same element, and \`=\` keeps one of them, nobody
could say which. Use every index on the left side so that each element is written once, or combine
the values with an operator such as \`+=!\`.`,
    bad: `#! sizes N=8
def pairs(float(N) a) -> (b) {
  b(i / 2) = a(i)
}
`,
    good: `#! sizes N=8
def pairs(float(N) a) -> (b) {
  b(i / 2) +=! a(i)
}
`,
  },
  TC3010: {
    text: `The result reaches from 0 to the largest index that is written, or is as large as it is
declared, but no statement writes some of it. These elements are 0. Write them, too, or shift the
left side.`,
    bad: `#! sizes N=8
def tail(float(N) a) -> (b) {
  b(i + 2) = a(i)
}
`,
    good: `#! sizes N=8
def tail(float(N) a) -> (b) {
  b(i) = 0.0 where i in 0:2
  b(i + 2) = a(i)
}
`,
  },
  TC3011: {
    text: `With these sizes the index has no value, so that the statement does nothing: often a window
that is larger than the tensor that it slides over.`,
    bad: {
      source: `def blur(float(H) a, float(K) w) -> (b) {
  b(i) +=! a(i + k) * w(k)
}
`,
      request: { sizes: { H: 3, K: 5 } },
    },
    good: {
      source: `def blur(float(H) a, float(K) w) -> (b) {
  b(i) +=! a(i + k) * w(k)
}
`,
      request: { sizes: { H: 9, K: 5 } },
    },
  },
  TC3012: {
    text: `The place that is written is computed from data, so that the statement cannot tell how large
the tensor has to be. Declare its shape among the results, or write it in an earlier statement.`,
    bad: `#! sizes N=8
def histogram(int(N) bin) -> (count) {
  count(bin(i)) +=! 1
}
`,
    good: `#! sizes N=8 K=4
def histogram(int(N) bin) -> (int(K) count) {
  count(bin(i)) +=! 1
}
`,
  },
  TC3013: {
    text: `Indices and the ends of ranges are integers. \`/\` of integers rounds down and is an integer;
\`int32(x)\` rounds towards 0.`,
    bad: `#! sizes N=8
def every_second(float(N) a) -> (b) {
  b(i) = a(i * 0.5) where i in 0:N
}
`,
    good: `#! sizes N=8
def every_second(float(N) a) -> (b) {
  b(i) = a(i / 2) where i in 0:N
}
`,
  },
  TC3014: {
    text: `The element is inside of the tensor, but no statement ever writes it. Write it before, or
leave it out.`,
    bad: `#! sizes N=8
def decay(float(N) a) -> (float(N + 1) b) {
  b(N) = 0.0
  for t in N {
    b(t) = t > 0 ? 0.5 * c(t) + a(t) : 0.0
    c(t + 1) = b(t)
  }
  b(N) = c(0)
}
`,
    good: `#! sizes N=8
def decay(float(N) a) -> (float(N + 1) b) {
  b(0) = 0.0
  for t in N {
    b(t + 1) = 0.5 * b(t) + a(t)
  }
}
`,
  },
};
