/** Builtin functions in definitions: exact values, and names that hide them. */
import type { Snippet } from "./snippet.ts";

export const functions: readonly Snippet[] = [
  {
    title: "parameters, results and temporaries may have the names of functions",
    head: "float(3) exp, float(3) hypot, float tgamma) -> (lgamma)",
    body: "fmod(i) = exp(i) * tgamma\nlgamma(i) = fmod(i) + hypot(i)",
    inputs: { exp: [1, 2, 3], hypot: [10, 20, 30], tgamma: [2] },
    expect: { lgamma: [12, 24, 36] },
  },
  {
    title: "an index may have the name of a function, and the function still be called",
    head: "float(3) x) -> (y)",
    body: "y(erf) = fabs(x(erf)) where erf in 0:3",
    inputs: { x: [-1, 2, -3] },
    expect: { y: [1, 2, 3] },
  },
  {
    title: "a parameter hides a function only in its own definition",
    before: "def g(float(2) abs) -> (y) { y(i) = abs(i) }",
    head: "float(2) x) -> (y)",
    body: "y = g(x)\ny(i) = abs(x(i))",
    inputs: { x: [-1, 2] },
    expect: { y: [1, 2] },
  },
  {
    title: "fmod rounds its quotient toward 0, remainder to the nearest, `%` down",
    head: "float(4) x, float(4) y) -> (a, b, c)",
    body: "a(i) = fmod(x(i), y(i))\nb(i) = remainder(x(i), y(i))\nc(i) = x(i) % y(i)",
    inputs: { x: [7, -7, 7, 10], y: [4, 4, -4, 4] },
    expect: { a: [3, -3, 3, 2], b: [-1, 1, -1, 2], c: [3, 1, -1, 2] },
  },
  {
    title: "functions of floats convert integers",
    head: "int(4) n) -> (y, z)",
    body: "y(i) = fdim(n(i), 2)\nz(i) = copysign(3, n(i))",
    inputs: { n: [-1, 1, 3, 5] },
    expect: { y: [0, 0, 1, 3], z: [-3, 3, 3, 3] },
  },
  {
    title: "abs, sign, min, max, clamp and relu of integers stay integers, and wrap",
    head: "int(3) n) -> (a, s, c, r)",
    body: "a(i) = abs(n(i))\ns(i) = sign(n(i))\nc(i) = clamp(n(i), -4, 4)\nr(i) = relu(n(i))",
    inputs: { n: [-2147483648, 0, 7] },
    expect: {
      a: [-2147483648, 0, 7],
      s: [-1, 0, 1],
      c: [-4, 0, 4],
      r: [0, 0, 7],
    },
  },
  {
    title: "constants are computed when compiling, infinities among them",
    head: "float(1) x) -> (y)",
    body: "y(i) = exp(-inf) + tanh(inf) + logb(8.0) + fmin(hypot(inf, 1.0), 2.0) + x(i)",
    inputs: { x: [1] },
    expect: { y: [7] },
  },
];
