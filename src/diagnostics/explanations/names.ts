import type { Pages } from "./page.ts";

/** TC2xxx: names and types. */
export const namePages: Pages<"TC2"> = {
  TC2001: {
    text: `Nothing has this name. Inside of an access a new name makes a new index, \`a(i)\`; elsewhere a
name must be an index of the statement, a size, a parameter, or a tensor without dimensions. An index
may be used as a value once it has a range: because an access uses it too, or after \`where\`.`,
    bad: `#! sizes N=8
def ramp(float(N) a) -> (b) {
  b(i) = a(i) * slope
}
`,
    good: `#! sizes N=8
def ramp(float(N) a, float slope) -> (b) {
  b(i) = a(i) * slope * i
}
`,
  },
  TC2002: {
    text: `Two definitions of a file have one name. Definitions are told apart by their names alone.`,
    bad: `#! sizes N=8
def scale(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
def scale(float(N) a) -> (b) {
  b(i) = 3.0 * a(i)
}
`,
    good: `#! sizes N=8
def double_it(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
def triple_it(float(N) a) -> (b) {
  b(i) = 3.0 * a(i)
}
`,
  },
  TC2003: {
    text: `Sizes, parameters, results and temporaries of a definition share one set of names, as the
names that one \`where\` defines do.`,
    bad: `#! sizes N=8
def add(float(N) a, float(N) a) -> (b) {
  b(i) = a(i) + a(i)
}
`,
    good: `#! sizes N=8
def add(float(N) a, float(N) c) -> (b) {
  b(i) = a(i) + c(i)
}
`,
  },
  TC2004: {
    text: `A name before parentheses is a tensor or a function, and this is neither. Sums, products and
places of extremes are no functions, but operators of statements: \`+=!\`, \`*=!\`, \`argmax=!\`. The
functions are listed in [language.md](language.md).`,
    bad: `#! sizes N=8
def total(float(N) a) -> (s) {
  s = sum(a(i))
}
`,
    good: `#! sizes N=8
def total(float(N) a) -> (s) {
  s +=! a(i)
}
`,
  },
  TC2005: {
    text: `The function takes another number of arguments. For more than two values write
\`max(a, max(b, c))\`.`,
    bad: `#! sizes N=8
def squares(float(N) a) -> (b) {
  b(i) = pow(a(i))
}
`,
    good: `#! sizes N=8
def squares(float(N) a) -> (b) {
  b(i) = pow(a(i), 2.0)
}
`,
  },
  TC2006: {
    text: `A tensor is used with one index for each of its dimensions. There are no whole rows and no
broadcasting: write an index for each dimension, and leave out those of the other tensor that do not
matter.`,
    bad: `#! sizes N=8 M=4
def add_row(float(N, M) a, float(M) row) -> (b) {
  b(i, j) = a(i, j) + row(i, j)
}
`,
    good: `#! sizes N=8 M=4
def add_row(float(N, M) a, float(M) row) -> (b) {
  b(i, j) = a(i, j) + row(j)
}
`,
  },
  TC2007: {
    text: `Storing this value would lose something: floats in integers, numbers in bools. Say so with a
cast: \`int32(x)\` rounds towards 0 and stops at the ends of the type; \`x != 0\` makes a bool.`,
    bad: `#! sizes N=8
def whole(float(N) a) -> (int(N) b) {
  b(i) = a(i)
}
`,
    good: `#! sizes N=8
def whole(float(N) a) -> (int(N) b) {
  b(i) = int32(floor(a(i)))
}
`,
  },
  TC2008: {
    text: `The value has a type that cannot stand here. Conditions and the operands of \`&&\`, \`||\` and
\`!\` are bools: compare with 0. A \`!\` after a blank is a negation; the one of \`+=!\` touches its
operator.`,
    bad: `#! sizes N=8
def keep(float(N) a, int(N) mask) -> (b) {
  b(i) = mask(i) ? a(i) : 0.0
}
`,
    good: `#! sizes N=8
def keep(float(N) a, int(N) mask) -> (b) {
  b(i) = mask(i) != 0 ? a(i) : 0.0
}
`,
  },
  TC2009: {
    text: `WebGPU has no numbers of 64 bits. Use the type that the message names; for more precision add
up in several steps, or use integers.`,
    bad: `#! sizes N=8
def copy(double(N) a) -> (b) {
  b(i) = a(i)
}
`,
    good: `#! sizes N=8
def copy(float(N) a) -> (b) {
  b(i) = a(i)
}
`,
  },
  TC2011: {
    text: `A value was given for a size that the definition does not have. Sizes are the names in the
dimensions of parameters and results; integer parameters that an index or a range uses are given like
sizes.`,
    bad: {
      source: `#! sizes N=8
def copy(float(N) a) -> (b) {
  b(i) = a(i)
}
`,
      request: { sizes: { n: 8 } },
    },
    good: {
      source: `def copy(float(N) a) -> (b) {
  b(i) = a(i)
}
`,
      request: { sizes: { N: 8 } },
    },
  },
  TC2012: {
    text: `To compile a definition its sizes have to be known. They follow from the shapes of the inputs;
else give them: in the file with \`#! sizes N=8\`, on the command line with \`--size N=8\`, in a program
with \`sizes: { N: 8 }\`. \`check\` only warns: it tells what is wrong for all sizes that it tries.`,
    bad: `def copy(float(N) a) -> (b) {
  b(i) = a(i)
}
`,
    good: `#! sizes N=8
def copy(float(N) a) -> (b) {
  b(i) = a(i)
}
`,
  },
  TC2013: {
    text: `Sizes are positive integers below 2^31. The message shows what the value is; it may come from
a dimension that is computed, such as \`N - 3\`.`,
    bad: `#! sizes N=2
def tail(float(N) a, float(N - 3) c) -> (b) {
  b(i) = a(i + 3) + c(i)
}
`,
    good: `#! sizes N=8
def tail(float(N) a, float(N - 3) c) -> (b) {
  b(i) = a(i + 3) + c(i)
}
`,
  },
  TC2014: {
    text: `What is given for a parameter has another shape than its declaration says, with the sizes
that are given or that the other arguments have.`,
    bad: {
      source: `def add(float(N) a, float(N) b) -> (c) {
  c(i) = a(i) + b(i)
}
`,
      request: { shapes: { a: [4], b: [5] } },
    },
    good: {
      source: `def add(float(N) a, float(N) b) -> (c) {
  c(i) = a(i) + b(i)
}
`,
      request: { shapes: { a: [4], b: [4] } },
    },
  },
  TC2015: {
    text: `The file has no definition, or none of the name that was asked for, or several and nobody said
which. Name one, with \`--def NAME\` or \`def: "NAME"\`.`,
    bad: `# Nothing but this comment.
`,
    good: `#! sizes N=8
def copy(float(N) a) -> (b) {
  b(i) = a(i)
}
`,
  },
  TC2016: {
    text: `Facebook's Tensor Comprehensions handed this function of CUDA on. WGSL has none like it, and
an approximation that is good everywhere would be a library of its own. Compute it outside and pass it
in, or write the approximation that is good enough.`,
    bad: `#! sizes N=8
def wave(float(N) a) -> (b) {
  b(i) = j0(a(i))
}
`,
    good: `#! sizes N=8
def wave(float(N) a) -> (b) {
  x(i) = a(i) * a(i) / 4.0
  b(i) = 1.0 - x(i) * (1.0 - x(i) / 4.0 * (1.0 - x(i) / 9.0))
}
`,
  },
  TC2017: {
    text: `A parameter can be written only if the caller knows: return it as well, and it is updated in
place. Or write a result of another name.`,
    bad: `#! sizes N=8
def step(float(N) x, float(N) v) -> (energy) {
  x(i) = x(i) + 0.1 * v(i)
  energy +=! x(i) * x(i)
}
`,
    good: `#! sizes N=8
def step(float(N) x, float(N) v) -> (x, energy) {
  x(i) = x(i) + 0.1 * v(i)
  energy +=! x(i) * x(i)
}
`,
  },
  TC2018: {
    text: `Every result must be written by some statement. Often the name differs from that on the left
side.`,
    bad: `#! sizes N=8
def f(float(N) a) -> (b, c) {
  b(i) = 2.0 * a(i)
}
`,
    good: `#! sizes N=8
def f(float(N) a) -> (b, c) {
  b(i) = 2.0 * a(i)
  c(i) = 3.0 * a(i)
}
`,
  },
  TC2019: {
    text: `No statement uses the parameter, and no dimension. Callers have to give it all the same; leave
it out, or use it.`,
    bad: `#! sizes N=8
def scale(float(N) a, float factor) -> (b) {
  b(i) = 2.0 * a(i)
}
`,
    good: `#! sizes N=8
def scale(float(N) a, float factor) -> (b) {
  b(i) = factor * a(i)
}
`,
  },
  TC2020: {
    text: `\`a.0\` is the size of the first dimension of \`a\`, \`a.1\` that of the second. This tensor has
fewer.`,
    bad: `#! sizes N=8
def mean(float(N) a) -> (m) {
  m +=! a(i) / a.1
}
`,
    good: `#! sizes N=8
def mean(float(N) a) -> (m) {
  m +=! a(i) / a.0
}
`,
  },
  TC2021: {
    text: `The dimensions of a type are made of sizes, integer parameters, integers, and \`+ - * / %\`.`,
    bad: `#! sizes N=8
def first_half(float(N) a, float(N * 0.5) c) -> (b) {
  b(i) = a(i) + c(i) where i in 0:4
}
`,
    good: `#! sizes N=8
def first_half(float(N) a, float(N / 2) c) -> (b) {
  b(i) = a(i) + c(i) where i in 0:N / 2
}
`,
  },
  TC2022: {
    text: `Only tensors have indices. This name is a size, an index, or a name that \`where\` defines; to
multiply write \`*\`.`,
    bad: `#! sizes N=8
def f(float(N) a) -> (b) {
  b(i) = a(i) * N(i + 1)
}
`,
    good: `#! sizes N=8
def f(float(N) a) -> (b) {
  b(i) = a(i) * N * (i + 1)
}
`,
  },
  TC2031: {
    text: `\`#! sizes\` and \`#! input\` say what is used when a file is run by itself. What they name is a
size, a parameter or a result of one of its definitions; this is none.`,
    bad: `#! sizes n=8 N=8
def twice(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
`,
    good: `#! sizes N=8
def twice(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
`,
  },
  TC2033: {
    text: `Comparisons are applied from left to right, like sums: \`0 < a(i) < 8\` compares
\`0 < a(i)\`, which counts as 0 or 1, with 8. Where a range is meant, combine two comparisons with
\`&&\`; where a count is meant, write parentheses: \`(0 < a(i)) < 8\`.`,
    bad: `#! sizes N=8
def inside(float(N) a) -> (b) {
  b(i) = 0 < a(i) < 8 ? a(i) : 0.0
}
`,
    good: `#! sizes N=8
def inside(float(N) a) -> (b) {
  b(i) = 0 < a(i) && a(i) < 8 ? a(i) : 0.0
}
`,
  },
  TC2034: {
    text: `Elements of \`uint8\`, \`uint16\` and \`uint32\` are computed as \`uint32\`, and a literal
beside them is one: \`w(i) - 128\` is never below 0, but wraps to numbers near 2^32. What becomes a
float after that is wrong where the difference is negative. Convert before: \`int32(w(i)) - 128\`. There
is no warning where a condition on unsigned values stands around the difference.`,
    bad: `#! sizes N=8
def dequantise(uint8(N) w) -> (y) {
  y(i) = (w(i) - 128) * 0.1
}
`,
    good: `#! sizes N=8
def dequantise(uint8(N) w) -> (y) {
  y(i) = (int32(w(i)) - 128) * 0.1
}
`,
  },
  TC2035: {
    text: `A name that is new inside of an access makes a new index, so a slip makes an index too: in
\`A(i, k) * B(kk, j)\` each row of A is multiplied with the sum of all rows of B. The warning is about
an index that one read alone uses, while another read has an index of a similar name and of the same
range. An index with a \`where\` is meant.`,
    bad: `#! sizes M=4 K=5 N=6
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(i, j) +=! A(i, k) * B(kk, j)
}
`,
    good: `#! sizes M=4 K=5 N=6
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(i, j) +=! A(i, k) * B(k, j)
}
`,
  },
  TC2036: {
    text: `\`#! alternative of NAME\` stands before a definition that computes what NAME does in another
way. NAME is a definition of the same file that is no alternative itself.`,
    bad: `#! sizes N=8
def double_it(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
#! alternative of double
def add_itself(float(N) a) -> (b) {
  b(i) = a(i) + a(i)
}
`,
    good: `#! sizes N=8
def double_it(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
#! alternative of double_it
def add_itself(float(N) a) -> (b) {
  b(i) = a(i) + a(i)
}
`,
  },
  TC2037: {
    text: `An alternative is called in the place of what it stands for: with the same inputs, in the same
order, of the same names, types and dimensions, and the same results. Temporaries are its own.`,
    bad: `#! sizes N=8
def double_it(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
#! alternative of double_it
def add_itself(float(N) x) -> (b) {
  b(i) = x(i) + x(i)
}
`,
    good: `#! sizes N=8
def double_it(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
#! alternative of double_it
def add_itself(float(N) a) -> (b) {
  b(i) = a(i) + a(i)
}
`,
  },
};
