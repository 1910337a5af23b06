import type { Pages } from "./page.ts";

/** TC4xxx: loops, reductions and in-place updates. */
export const loopPages: Pages<"TC4"> = {
  TC4001: {
    text: `An index that does not occur on the left side is reduced over: the statement has a value
for each of its values, but \`=\` keeps one. Say how to combine them: \`+=!\` adds them up from 0,
\`max=!\` takes the largest. If the index was meant to be the same as one of the left side, use its
name.`,
    bad: `#! sizes M=4 K=5 N=6
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) = A(m, k) * B(k, n)
}
`,
    good: `#! sizes M=4 K=5 N=6
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n)
}
`,
  },
  TC4002: {
    text: `\`argmax=!\` and \`argmin=!\` store the value of the one index that is reduced over, which is
the one index that does not occur on the left side. For two, find the place in one dimension after
the other, or make one index of both.`,
    bad: `#! sizes H=4 W=5
def brightest(float(H, W) image) -> (at) {
  at argmax=! image(h, w)
}
`,
    good: `#! sizes H=4 W=5
def brightest(float(H, W) image) -> (at) {
  at argmax=! image(p / W, p % W) where p in 0:H * W
}
`,
  },
  TC4003: {
    text: `An \`if\` decides once for a whole statement, so that its condition may depend on loop indices
and sizes only. To choose for each element, write \`condition ? a : b\` in the statement.`,
    bad: `#! sizes N=8
def positive(float(N) a) -> (b) {
  for i in N {
    if a(i) > 0.0 { b(i) = a(i) } else { b(i) = 0.0 }
  }
}
`,
    good: `#! sizes N=8
def positive(float(N) a) -> (b) {
  b(i) = a(i) > 0.0 ? a(i) : 0.0
}
`,
  },
  TC4004: {
    text: `The condition of an \`if\` must be made of comparisons of sums of loop indices, sizes and
constants, with constant factors, and of \`&&\`, \`||\` and \`!\`: the compiler turns it into ranges. Other
conditions can choose values, with \`?:\`.`,
    bad: `#! sizes N=8
def lower(float(N) a) -> (b) {
  for t in N {
    for u in N {
      if t * u < 9 { b(t, u) = a(t) } else { b(t, u) = 0.0 }
    }
  }
}
`,
    good: `#! sizes N=8
def lower(float(N) a) -> (b) {
  for t in N {
    for u in N {
      b(t, u) = t * u < 9 ? a(t) : 0.0
    }
  }
}
`,
  },
  TC4005: {
    text: `The range of an index follows from the tensor that is read, and that tensor grows by what is
written, in each round of the loop again. Say where it ends: declare the shape of the result, or give
the index a range with \`where\`.`,
    bad: `#! sizes N=8
def shift(float(N) x) -> (a) {
  a(i) = x(i)
  for t in 3 {
    a(i + 1) = a(i)
  }
}
`,
    good: `#! sizes N=8
def shift(float(N) x) -> (a) {
  a(i) = x(i)
  for t in 3 {
    a(i + 1) = a(i) where i in 0:N - 1
  }
}
`,
  },
  TC4006: {
    text: `An operator without \`!\` combines into what the tensor holds, and this one holds nothing yet.
With \`!\` the statement first sets the elements that it writes to the identity: 0 for \`+=!\`, 1 for
\`*=!\`, infinity for \`min=!\`. (A result without \`!\` is an update in place: the caller gives what it
starts from.)`,
    bad: `#! sizes N=8 D=4
def normalized(float(N, D) x) -> (y) {
  total(n) += x(n, d)
  y(n, d) = x(n, d) / total(n)
}
`,
    good: `#! sizes N=8 D=4
def normalized(float(N, D) x) -> (y) {
  total(n) +=! x(n, d)
  y(n, d) = x(n, d) / total(n)
}
`,
  },
  TC4007: {
    text: `The place that is written is computed from data, so that several values may go to the same
element, and nobody could say which of them stays. Combine them: \`+=\` adds them up, \`max=\` keeps the
largest. With \`!\` all elements of the tensor that the statement may write start from the identity.`,
    bad: `#! sizes N=8 K=3
def place(float(N) x, int(N) at) -> (float(K) y) {
  y(at(i)) = x(i)
}
`,
    good: `#! sizes N=8 K=3
def place(float(N) x, int(N) at) -> (float(K) y) {
  y(at(i)) +=! x(i)
}
`,
  },
  TC4008: {
    text: `\`x /= e\` is \`x = x / (e)\`, for each element once. With an index that is reduced over it would
divide again and again; multiply the divisors into a temporary first.`,
    bad: `#! sizes N=8 K=3
def divide(float(N) x, float(K) d) -> (y) {
  y(i) = x(i)
  y(i) /= d(k)
}
`,
    good: `#! sizes N=8 K=3
def divide(float(N) x, float(K) d) -> (y) {
  p *=! d(k)
  y(i) = x(i) / p
}
`,
  },
  TC4009: {
    text: `The ends of a loop must be sums of sizes, indices of loops around it and constants, with
constant factors. For another end, loop over more and guard the statement.`,
    bad: `#! sizes N=4
def f(float(N) a) -> (float(N, 10) b) {
  for t in N {
    for u in 0:t * t + 1 { b(t, u) = a(t) }
  }
}
`,
    good: `#! sizes N=4
def f(float(N) a) -> (float(N, 10) b) {
  for t in N {
    for u in 0:10 { b(t, u) = u <= t * t ? a(t) : 0.0 }
  }
}
`,
  },
  TC4010: {
    text: `The statement adds up over an index, and one of the terms is the same for all its values: it
is added as often as there are values. Mostly it is a bias that is meant to be added once, in a
statement of its own. If it is meant to be added each time, multiply it by the size: \`K * bias(n)\`.`,
    bad: `#! sizes M=4 K=5 N=6
def dense(float(M, K) A, float(K, N) B, float(N) bias) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n) + bias(n)
}
`,
    good: `#! sizes M=4 K=5 N=6
def dense(float(M, K) A, float(K, N) B, float(N) bias) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n)
  C(m, n) += bias(n)
}
`,
  },
  TC4011: {
    text: `A statement reads every tensor as it was before the statement began, also the one that it
writes. So \`y(i) = x(i) + y(i - 1)\` is no recurrence: each element is made of what \`y\` held before,
not of the element that the statement has just written. A recurrence needs an order, which a \`for\` gives;
all other indices stay parallel. Statements whose reads of their target are on both sides of the
element (stencils), that only move elements, or that combine an element with its neighbour, get no
warning where the target has values already.`,
    bad: `#! sizes N=8
def running(float(N) x) -> (y) {
  y(0) = x(0)
  y(i) = x(i) + y(i - 1) where i in 1:N
}
`,
    good: `#! sizes N=8
def running(float(N) x) -> (y) {
  y(0) = x(0)
  for i in 1:N {
    y(i) = x(i) + y(i - 1)
  }
}
`,
  },
  TC4012: {
    text: `\`+=\` combines into what a tensor holds; \`+=!\` starts from 0. A result that begins with
\`+=\` is therefore updated in place, and every call has to give it. Where a sum over an index is meant,
write \`+=!\`. Where the update is meant, declare the tensor among the parameters as well, which also
says its type and shape.`,
    bad: `#! sizes M=4 K=5 N=6
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(i, j) += A(i, k) * B(k, j)
}
`,
    good: `#! sizes M=4 K=5 N=6
def mm(float(M, K) A, float(K, N) B, float(M, N) C) -> (C) {
  C(i, j) += A(i, k) * B(k, j)
}
`,
  },
};
