import type { Pages } from "./page.ts";

/** TC2xxx: calls between definitions. */
export const callPages: Pages<"TC2"> = {
  TC2023: {
    text: `A call puts the body of the definition in its place, so that no chain of calls may lead back
to where it started. What repeats is written as a loop.`,
    bad: `#! sizes N=8
def halve(float(N) a) -> (b) {
  b = halve(a)
}
`,
    good: `#! sizes N=8
def halve(float(N) a) -> (a) {
  for t in 0:3 { a(i) = 0.5 * a(i) }
}
`,
  },
  TC2024: {
    text: `A call of a definition is a statement, \`target = f(a, b)\` or \`(t, u) = f(a, b)\`: it makes
whole tensors or slices of them. Another statement then reads the target.`,
    bad: `#! sizes N=8
def twice(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
def main(float(N) a) -> (b) {
  b(i) = twice(a) + 1.0
}
`,
    good: `#! sizes N=8
def twice(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
def main(float(N) a) -> (b) {
  t = twice(a)
  b(i) = t(i) + 1.0
}
`,
  },
  TC2025: {
    text: `A call has one target for each result of the definition, in the same order. A result that is
not needed gets a target that nothing reads.`,
    bad: `#! sizes N=8
def extremes(float(N) a) -> (low, high) {
  low min=! a(i)
  high max=! a(i)
}
def main(float(N) a) -> (low) {
  low = extremes(a)
}
`,
    good: `#! sizes N=8
def extremes(float(N) a) -> (low, high) {
  low min=! a(i)
  high max=! a(i)
}
def main(float(N) a) -> (low, high) {
  (low, high) = extremes(a)
}
`,
  },
  TC2026: {
    text: `An argument has the type and the rank of the parameter: a whole tensor, a slice that gives the
leading indices only, \`x(t)\`, or an expression for a scalar. A scalar integer that an index, a range
or a shape of the definition uses must be made of constants, sizes and loop indices. The same holds
for targets and results.`,
    bad: `#! sizes M=4 N=8
def twice(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
def main(float(M, N) x) -> (y) {
  y = twice(x)
}
`,
    good: `#! sizes M=4 N=8
def twice(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
def main(float(M, N) x) -> (y) {
  for t in M { y(t) = twice(x(t)) }
}
`,
  },
  TC2027: {
    text: `A result that is also a parameter is updated in place: the call changes the tensor that is
passed, so this tensor, or the same slice of it, is the target as well.`,
    bad: `#! sizes N=8
def scale(float(N) a) -> (a) {
  a(i) *= 2.0
}
def main(float(N) a) -> (b) {
  c(i) = a(i)
  b = scale(c)
}
`,
    good: `#! sizes N=8
def scale(float(N) a) -> (a) {
  a(i) *= 2.0
}
def main(float(N) a) -> (b) {
  b(i) = a(i)
  b = scale(b)
}
`,
  },
  TC2028: {
    text: `The sizes of a definition that is called follow from the shapes of its arguments: from
dimensions that are a name alone, or linear in one, \`2 * N + 1\`. A size that no parameter has cannot be
told; an integer parameter can give it.`,
    bad: `#! sizes N=8
def repeat(float(N) a) -> (float(K) b) {
  b(i) = a(i % N)
}
def main(float(N) a) -> (b) {
  b = repeat(a)
}
`,
    good: `#! sizes N=8
def repeat(float(N) a, int K) -> (float(K) b) {
  b(i) = a(i % N)
}
def main(float(N) a) -> (b) {
  b = repeat(a, 20)
}
`,
  },
  TC2029: {
    text: `Two results of one call would be written into the same elements, so that the order would
decide. Slices may share a tensor if their indices differ by a constant: \`(s(0), s(1)) = f(a)\`.`,
    bad: `#! sizes N=8
def extremes(float(N) a) -> (low, high) {
  low min=! a(i)
  high max=! a(i)
}
def main(float(N) a) -> (s) {
  (s, s) = extremes(a)
}
`,
    good: `#! sizes N=8
def extremes(float(N) a) -> (low, high) {
  low min=! a(i)
  high max=! a(i)
}
def main(float(N) a) -> (s) {
  (s(0), s(1)) = extremes(a)
}
`,
  },
  TC2030: {
    text: `The indices of a slice, in an argument or a target of a call, have a value where the call
stands: loop indices, sizes, constants, and arithmetic with them. Dimensions to range over are left
out; to call a definition for each value of an index, write a loop.`,
    bad: `#! sizes M=4 N=8
def twice(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
def main(float(M, N) x) -> (y) {
  y = twice(x(m))
}
`,
    good: `#! sizes M=4 N=8
def twice(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
def main(float(M, N) x) -> (y) {
  for m in M { y(m) = twice(x(m)) }
}
`,
  },
  TC2032: {
    text: `A call puts the whole body of a definition in its place. Definitions that call others several
times, each of which does the same, soon grow beyond what can be compiled. A loop has its body once.`,
    bad: `#! sizes N=8
def f0(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
def f1(float(N) a) -> (b) {
  c = f0(a)
  b = f0(c)
}
def f2(float(N) a) -> (b) {
  c = f1(a)
  b = f1(c)
}
def f3(float(N) a) -> (b) {
  c = f2(a)
  b = f2(c)
}
def f4(float(N) a) -> (b) {
  c = f3(a)
  b = f3(c)
}
def f5(float(N) a) -> (b) {
  c = f4(a)
  b = f4(c)
}
def f6(float(N) a) -> (b) {
  c = f5(a)
  b = f5(c)
}
def f7(float(N) a) -> (b) {
  c = f6(a)
  b = f6(c)
}
def f8(float(N) a) -> (b) {
  c = f7(a)
  b = f7(c)
}
def f9(float(N) a) -> (b) {
  c = f8(a)
  b = f8(c)
}
def f10(float(N) a) -> (b) {
  c = f9(a)
  b = f9(c)
}
def f11(float(N) a) -> (b) {
  c = f10(a)
  b = f10(c)
}
`,
    good: `#! sizes N=8
def twice(float(N) a) -> (b) {
  b(i) = 2.0 * a(i)
}
def main(float(N) a) -> (b) {
  b(i) = a(i)
  for t in 0:2048 { b = twice(b) }
}
`,
  },
};
