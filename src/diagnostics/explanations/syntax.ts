import type { Pages } from "./page.ts";

/** TC1xxx: syntax. */
export const syntaxPages: Pages<"TC1"> = {
  TC1001: {
    text: `The text is not a program at this place: the message says what could have stood there and
what does. Only the first such mistake of a line is reported. If a bracket is missing, the message
also marks the one that is still open.`,
    bad: `def double_it(float(N) a) -> (b) {
  b(i) = 2.0 *
}
`,
    good: `#! sizes N=8
def double_it(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
`,
  },
  TC1002: {
    text: `No word or sign of the language begins with this character. Names are made of the letters
A to Z in both cases, digits and \`_\`; comments, which begin with \`#\`, may hold anything. If the
character looks like a good one, the number after it says which one it is.`,
    bad: `def squares(float(N) a) -> (b) {
  b(i) = a(i) ^ 2
}
`,
    good: `#! sizes N=8
def squares(float(N) a) -> (b) {
  b(i) = pow(a(i), 2.0)
}
`,
  },
  TC1003: {
    text: `It starts like a number, but is none. Numbers are written \`3\`, \`0x1F\`, \`3.0\`, \`.5\` or
\`1e-5\`, without a suffix; a range is written \`0:3\`.`,
    bad: `#! sizes N=8
def halves(float(N) a) -> (b) {
  b(i) = 0.5f * a(i)
}
`,
    good: `#! sizes N=8
def halves(float(N) a) -> (b) {
  b(i) = 0.5 * a(i)
}
`,
  },
  TC1004: {
    text: `The number is larger than its type can hold. An integer takes the type of what it is
combined with, \`int32\` if nothing else is known; a number with a point or an exponent is
\`float32\`, which ends near 3.4e38. Write \`inf\` for infinity.`,
    bad: `#! sizes N=8
def far(float(N) a) -> (b) {
  b(i) = a(i) < 1e39 ? a(i) : 0.0
}
`,
    good: `#! sizes N=8
def far(float(N) a) -> (b) {
  b(i) = a(i) < inf ? a(i) : 0.0
}
`,
  },
  TC1005: {
    text: `Expressions may nest 100 brackets or 1000 operators deep. Such texts are usually made by
programs. Compute a part into a temporary tensor first.`,
    bad: `def deep(float s) -> (b) {
  b = ${"(".repeat(110)}s${")".repeat(110)}
}
`,
    good: `def deep(float s) -> (b) {
  t = (((s + 1.0) * s + 1.0) * s + 1.0) * s
  b = (((t + 1.0) * t + 1.0) * t + 1.0) * t
}
`,
  },
  TC1006: {
    text: `A comment that begins with \`#!\` is a directive, which tells the command line what to run
the file with. There are two: \`#! sizes N=8\` and \`#! input A=randn(1)\`. An ordinary comment has no
\`!\`.`,
    bad: `#! sizes N=8
#! inputs a=randn(1)
def copy(float(N) a) -> (b) {
  b(i) = a(i)
}
`,
    good: `#! sizes N=8
#! input a=randn(1)
def copy(float(N) a) -> (b) {
  b(i) = a(i)
}
`,
  },
  TC1007: {
    text: `The directive is known, but not what it says. \`#! sizes\` is followed by \`NAME=INTEGER\`
pairs; \`#! input\` by pairs of a tensor and a generator such as \`randn(1)\`, \`zeros\` or \`arange\`, a
number, or the path of an \`.npy\` file.`,
    bad: `#! sizes N=8
#! input a=noise(1)
def copy(float(N) a) -> (b) {
  b(i) = a(i)
}
`,
    good: `#! sizes N=8
#! input a=uniform(1)
def copy(float(N) a) -> (b) {
  b(i) = a(i)
}
`,
  },
  TC1008: {
    text: `Facebook's Tensor Comprehensions let a statement say which library function computes the
same. It never had an effect; it is read so that old programs still compile.`,
    bad: `#! sizes N=8
def copy(float(N) a) -> (b) {
  b(i) = a(i) <=> memcpy(a)
}
`,
    good: `#! sizes N=8
def copy(float(N) a) -> (b) {
  b(i) = a(i)
}
`,
  },
  TC1009: {
    text: `This is how another language writes it. What is meant is clear, so that the rest of the
program is checked as well, and \`tc-compile check --fix\` can write it anew. Statements need no
\`;\`, indices stand in parentheses and are separated by commas, comments begin with \`#\`, and the
logical operators are \`&&\`, \`||\` and \`!\`.`,
    bad: `#! sizes N=8 M=4
def row_major(float(N, M) a) -> (b) {
  b[i][j] = 2.0 * a[i][j]
}
`,
    good: `#! sizes N=8 M=4
def row_major(float(N, M) a) -> (b) {
  b(i, j) = 2.0 * a(i, j)
}
`,
  },
  TC1010: {
    text: `Texts of this size are made by programs, and compiling them would take very long: a file
may have 1000 definitions, a definition 5000 statements, and a statement 10 000 operations, with the
names of its \`where\` replaced by what they stand for. Split the text, or let indices and loops do
the work.`,
    bad: `#! sizes N=8
def powers(float(N) a) -> (b) {
  b(i) = x0 where
    ${Array.from({ length: 14 }, (_, n) => `x${n} = x${n + 1} * x${n + 1}`).join(",\n    ")},
    x14 = a(i)
}
`,
    good: `#! sizes N=8
def powers(float(N) a) -> (b) {
  b(i) = a(i)
  for t in 14 {
    b(i) *= b(i)
  }
}
`,
  },
};
