/** Numbers, operators, reductions. */
import type { Snippet } from "./snippet.ts";

const least = -2147483648;
const most = 2147483647;

const numbers: readonly Snippet[] = [
  {
    title: "a remainder of a negative index is not negative",
    head: ") -> (y)",
    body: "y(i) = (i - 3) % 3 where i in 0:7",
    expect: { y: [0, 1, 2, 0, 1, 2, 0] },
  },
  {
    title: "a quotient of a negative index rounds down",
    head: ") -> (y)",
    body: "y(i) = (i - 3) / 2 where i in 0:7",
    expect: { y: [-2, -1, -1, 0, 0, 1, 1] },
  },
  {
    title: "a remainder has the sign of the divisor",
    head: ") -> (y)",
    body: "y(i) = i % -3 where i in 0:4",
    expect: { y: [0, -2, -1, 0] },
  },
  {
    title: "quotients and remainders of integer data round down",
    head: "int(4) a, int(4) b) -> (q, r)",
    body: "q(i) = a(i) / b(i)\nr(i) = a(i) % b(i)",
    inputs: { a: [-7, 7, -7, 7], b: [2, -2, -2, 2] },
    expect: { q: [-4, -4, 3, 3], r: [1, -1, -1, 1] },
  },
  {
    title: "integer division by zero gives 0",
    head: "int(3) a, int(3) b) -> (q, r)",
    body: "q(i) = a(i) / b(i)\nr(i) = a(i) % b(i)",
    inputs: { a: [7, -7, 5], b: [0, 0, 2] },
    expect: { q: [0, 0, 2], r: [0, 0, 1] },
  },
  {
    title: "unsigned division by zero gives 0",
    head: "uint32(3) a, uint32(3) b) -> (q, r)",
    body: "q(i) = a(i) / b(i)\nr(i) = a(i) % b(i)",
    inputs: { a: [7, 4294967295, 5], b: [0, 10, 2] },
    expect: { q: [0, 429496729, 2], r: [0, 5, 1] },
  },
  {
    title: "the least integer divided by -1 wraps",
    head: "int(1) a, int(1) b) -> (q, r)",
    body: "q(i) = a(i) / b(i)\nr(i) = a(i) % b(i)",
    inputs: { a: [least], b: [-1] },
    expect: { q: [least], r: [0] },
  },
  {
    title: "int32 wraps",
    head: "int(2) a) -> (s, p, n, m)",
    body: "s(i) = a(i) + 1\np(i) = a(i) * 2\nn(i) = -a(i)\nm(i) = abs(a(i))",
    inputs: { a: [most, least] },
    expect: { s: [least, least + 1], p: [-2, 0], n: [-most, least], m: [most, least] },
  },
  {
    title: "constants wrap as other integers do",
    head: ") -> (y, z)",
    body: "y() = 2 * 2147483647 / -3\nz(i) = 2147483647 + i where i in 0:2",
    expect: { y: 0, z: [most, least] },
  },
  {
    title: "uint32 wraps, and a literal takes its type",
    head: "uint32(2) a) -> (d, h)",
    body: "d(i) = a(i) - 1\nh(i) = a(i) / 2",
    inputs: { a: [0, 4294967295] },
    expect: { d: [4294967295, 4294967294], h: [0, 2147483647] },
  },
  {
    title: "signed and unsigned meet in signed",
    head: "uint32(2) a, int(2) b) -> (y, l)",
    body: "y(i) = a(i) + b(i)\nl(i) = a(i) < b(i)",
    inputs: { a: [4294967295, 1], b: [1, 2] },
    expect: { y: [0, 3], l: [1, 1] },
  },
  {
    title: "a negative literal makes an unsigned operand signed",
    head: "uint32(2) a) -> (y)",
    body: "y(i) = a(i) > -1",
    inputs: { a: [0, 4294967295] },
    expect: { y: [1, 0] },
  },
  {
    title: "the remainder of floats goes with the quotient rounded down",
    head: "float(3) a, float(3) b) -> (y)",
    body: "y(i) = a(i) % b(i)",
    inputs: { a: [-1.5, 5.5, -5.5], b: [2, -2, -2] },
    expect: { y: [0.5, -0.5, -1.5] },
  },
  {
    title: "literals without a point divide as integers",
    head: ") -> (a, b)",
    body: "a() = 7 / 2\nb() = float(7) / 2",
    expect: { a: 3, b: 3.5 },
  },
  {
    title: "integers are divided before they are stored as floats",
    head: "int(2) a) -> (float(2) y)",
    body: "y(i) = a(i) / 2",
    inputs: { a: [3, -3] },
    expect: { y: [1, -2] },
  },
  {
    title: "casts of floats go toward zero and saturate",
    head: "float(4) x) -> (s, u)",
    body: "s(i) = int(x(i))\nu(i) = uint32(x(i))",
    inputs: { x: [2.75, -2.75, 3e9, -3e9] },
    expect: { s: [2, -2, most, least], u: [2, 0, 3e9, 0] },
  },
  {
    title: "casts between integers keep the bits",
    head: "uint32(1) a, int(1) b) -> (s, u)",
    body: "s(i) = int32(a(i))\nu(i) = uint32(b(i))",
    inputs: { a: [4294967295], b: [-1] },
    expect: { s: [-1], u: [4294967295] },
  },
  {
    title: "casts to and from bool",
    head: "int(3) a, bool(2) p) -> (b, n, x)",
    body: "b(i) = bool(a(i))\nn(i) = int(p(i)) + 1\nx(i) = float(p(i)) / 2",
    inputs: { a: [0, 2, -1], p: [0, 1] },
    expect: { b: [0, 1, 1], n: [1, 2], x: [0, 0.5] },
  },
  {
    title: "an index as data",
    head: "float(3) x) -> (y)",
    body: "y(i) = x(i) * float(i) - i",
    inputs: { x: [5, 6, 7] },
    expect: { y: [0, 5, 12] },
  },
  {
    title: "`round` goes to the even neighbour",
    head: "float(4) x) -> (y)",
    body: "y(i) = round(x(i))",
    inputs: { x: [0.5, 1.5, 2.5, -1.5] },
    expect: { y: [0, 2, 2, -2] },
  },
  {
    title: "`select` takes the false value first",
    head: "float(2) x) -> (y)",
    body: "y(i) = select(1.0, 2.0, x(i) > 0.0)",
    inputs: { x: [-1, 1] },
    expect: { y: [1, 2] },
  },
  {
    title: "precedence: unary minus, products, sums, comparisons, and, or",
    head: ") -> (y)",
    body: "y() = (1 + 2 * 3 - 4 / 2 == 5 && -1 < 0 || false) ? -2 * 3 + 10 % 4 : 0",
    expect: { y: -4 },
  },
];

const reductions: readonly Snippet[] = [
  {
    title: "empty sums, products and extrema are the identities",
    head: "float(3) x) -> (a, b, c, d)",
    body: `a(i) +=! x(j) where i in 0:2, j in 0:i
      b(i) *=! x(j) where i in 0:2, j in 0:i
      c(i) min=! x(j) where i in 0:2, j in 0:i
      d(i) max=! x(j) where i in 0:2, j in 0:i`,
    inputs: { x: [5, 6, 7] },
    expect: { a: [0, 5], b: [1, 5], c: [Infinity, 5], d: [-Infinity, 5] },
  },
  {
    title: "empty extrema of integers are the integer extremes",
    head: "int(3) x, uint32(3) u) -> (a, b, c, d)",
    body: `a(i) min=! x(j) where i in 0:2, j in 0:i
      b(i) max=! x(j) where i in 0:2, j in 0:i
      c(i) min=! u(j) where i in 0:2, j in 0:i
      d(i) max=! u(j) where i in 0:2, j in 0:i`,
    inputs: { x: [5, 6, 7], u: [8, 9, 9] },
    expect: { a: [most, 5], b: [least, 5], c: [4294967295, 8], d: [0, 8] },
  },
  {
    title: "empty conjunctions are true, empty disjunctions false",
    head: "bool(3) p) -> (a, b)",
    body: `a(i) &&=! p(j) where i in 0:2, j in 0:i
      b(i) ||=! p(j) where i in 0:2, j in 0:i`,
    inputs: { p: [0, 1, 1] },
    expect: { a: [1, 0], b: [0, 0] },
  },
  {
    title: "an empty arg reduction is -1",
    head: "float(3) x) -> (a, b)",
    body: `a(i) argmin=! x(j) where i in 0:3, j in 0:i
      b(i) argmax=! x(j) where i in 0:3, j in 0:i`,
    inputs: { x: [5, 4, 9] },
    expect: { a: [-1, 0, 1], b: [-1, 0, 0] },
  },
  {
    title: "a reduction that is empty for all indices resets",
    head: "float(N) x) -> (y)",
    body: "y(i) +=! x(j) where i in 0:2, j in 1:N",
    sizes: { N: 1 },
    inputs: { x: [5] },
    expect: { y: [0, 0] },
  },
  {
    title: "a range from an index to itself is empty",
    head: "float(3) x) -> (y)",
    body: "y(i) +=! x(j) where i in 0:3, j in i:i",
    inputs: { x: [1, 2, 3] },
    expect: { y: [0, 0, 0] },
  },
  {
    title: "an empty update keeps what is there",
    head: "float(3) x) -> (y)",
    body: "y(i) = 5.0 where i in 0:3\ny(i) += x(j) where i in 0:3, j in 0:i",
    inputs: { x: [1, 2, 3] },
    expect: { y: [5, 6, 8] },
  },
  {
    title: "a reset concerns the elements that the statement writes",
    head: "float(3) x) -> (y)",
    body: "y(i) = 9.0 where i in 0:4\ny(i) +=! x(j) where i in 1:3, j in 0:i",
    inputs: { x: [1, 2, 3] },
    expect: { y: [9, 1, 3, 9] },
  },
  {
    title: "left indices that depend on a reduction index reset only what they reach",
    head: "float(3) x, float(6) y) -> (y)",
    body: "y(j) +=! x(i) where i in 0:3, j in 2 * i:2 * i + 1",
    inputs: { x: [1, 2, 3], y: [7, 7, 7, 7, 7, 7] },
    expect: { y: [1, 7, 2, 7, 3, 7] },
  },
  {
    title: "left indices that slide with a reduction index reach an interval",
    head: "float(3) x, float(6) y) -> (y)",
    body: "y(j) +=! x(i) where i in 0:3, j in i + 1:i + 3",
    inputs: { x: [1, 2, 4], y: [7, 7, 7, 7, 7, 7] },
    expect: { y: [7, 1, 3, 6, 4, 7] },
  },
  {
    title: "an update by left indices that depend on a quotient",
    head: "float(4) x, float(4) y) -> (y)",
    body: "y(j) += x(i) where i in 0:4, j in i / 2:i / 2 + i % 2 + 1",
    inputs: { x: [1, 2, 3, 4], y: [10, 10, 10, 10] },
    expect: { y: [13, 19, 14, 10] },
  },
  {
    title: "left indices without a value, for want of one of a reduction index, reset nothing",
    head: "float(N) x, float(3) y) -> (y)",
    body: "y(j) +=! x(i) where i in 1:N, j in i:3",
    sizes: { N: 1 },
    inputs: { x: [1], y: [7, 7, 7] },
    expect: { y: [7, 7, 7] },
  },
  {
    title: "of equal values the first index wins",
    head: "float(4) x) -> (a, b)",
    body: "a() argmin=! x(i)\nb() argmax=! x(i)",
    inputs: { x: [2, 7, 7, 2] },
    expect: { a: 0, b: 1 },
  },
  {
    title: "an arg reduction stores the index, not its position in the range",
    head: "float(5) x) -> (b)",
    body: "b() argmax=! x(i) where i in 2:5",
    inputs: { x: [9, 9, 1, 5, 5] },
    expect: { b: 3 },
  },
  {
    title: "arg reductions over triangles",
    head: "float(3) x) -> (b)",
    body: "b(i) argmin=! x(j) where i in 0:3, j in i:3",
    inputs: { x: [1, 3, 2] },
    expect: { b: [0, 2, 2] },
  },
  {
    title: "infinities can win an arg reduction",
    head: "float(3) x) -> (b, c)",
    body: `b() argmax=! (x(i) > 5.0 ? x(i) : -inf)
      c() argmin=! (x(i) > 2.0 ? inf : inf)`,
    inputs: { x: [1, 2, 3] },
    expect: { b: 0, c: 0 },
  },
  {
    title: "the extremes of integers can win an arg reduction",
    head: "int(2) x, uint32(3) u) -> (a, b, c)",
    body: "a() argmin=! x(i)\nb() argmax=! u(i)\nc() argmax=! x(i)",
    inputs: { x: [most, most], u: [1, 4294967295, 3] },
    expect: { a: 0, b: 1, c: 0 },
  },
  {
    title: "an arg reduction compares bools as integers",
    head: "bool(3) p) -> (b)",
    body: "b() argmax=! p(i)",
    inputs: { p: [0, 1, 1] },
    expect: { b: 1 },
  },
  {
    title: "`min=` and `max=` combine with what is there",
    head: "float(2, 2) A) -> (a, b)",
    body: `a(i) = 2.0 where i in 0:2
      b(i) = 4.5 where i in 0:2
      a(i) min= A(i, j)
      b(i) max= A(i, j)`,
    inputs: { A: [1, 5, 3, 4] },
    expect: { a: [1, 2], b: [5, 4.5] },
  },
  {
    title: "infinities among the values of extrema",
    head: "float(3) x) -> (a, b)",
    body: `a() min=! (x(i) > 1.0 ? x(i) : inf)
      b() max=! (x(i) > 5.0 ? x(i) : -inf)`,
    inputs: { x: [1, 2, 3] },
    expect: { a: 2, b: -Infinity },
  },
  {
    title: "conjunctions and disjunctions over an index",
    head: "float(3, 2) A) -> (a, b)",
    body: "a(i) &&=! A(i, j) > 0.0\nb(i) ||=! A(i, j) > 0.0",
    inputs: { A: [1, 1, 0, 1, 0, 0] },
    expect: { a: [1, 0, 0], b: [1, 1, 0] },
  },
  {
    title: "conjunctions and disjunctions with what is there",
    head: "bool(2) p, bool(2) q) -> (a, b)",
    body: "a(i) = p(i)\nb(i) = p(i)\na(i) &&= q(i)\nb(i) ||= q(i)",
    inputs: { p: [0, 1], q: [1, 1] },
    expect: { a: [0, 1], b: [1, 1] },
  },
  {
    title: "bools are summed as integers",
    head: "bool(4) p) -> (s, q)",
    body: "s() +=! p(i)\nq() *=! p(i)",
    inputs: { p: [1, 0, 1, 1] },
    expect: { s: 3, q: 0 },
  },
  {
    title: "a sum of integers wraps",
    head: "int(3) a) -> (s)",
    body: "s() +=! a(i)",
    inputs: { a: [most, 1, 1] },
    expect: { s: least + 1 },
  },
  {
    title: "a reduction over two indices, one of them in no access of the other",
    head: "float(2) a, float(3) b) -> (s)",
    body: "s() +=! a(i) * b(j)",
    inputs: { a: [1, 2], b: [1, 10, 100] },
    expect: { s: 333 },
  },
];

/** Snippets about values. */
export const elements: readonly Snippet[] = [...numbers, ...reductions];
