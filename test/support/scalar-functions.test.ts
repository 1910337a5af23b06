import { expect, test } from "vitest";
import { erf, erfc } from "../../src/support/error-function.ts";
import { roundToEven, scalarFunction } from "../../src/support/scalar-functions.ts";

const value = (name: string, a: number, b = 0, c = 0): number =>
  scalarFunction(name)?.evaluate(a, b, c) ?? Number.NaN;

// Abramowitz and Stegun, tables 7.1 and 7.3, and the same formulas at 30 digits.
test.each([
  [1e-10, 1.1283791670955126e-10],
  [0.5, 0.5204998778130465],
  [1, 0.8427007929497149],
  [2, 0.9953222650189527],
  [2.4999, 0.9995928300996666],
  [3, 0.9999779095030014],
])("erf(%d) is right to 14 digits, and erf is odd", (x, expected) => {
  expect(Math.abs(erf(x) / expected - 1)).toBeLessThan(1e-14);
  expect(erf(-x)).toBe(-erf(x));
});

test.each([
  [2, 0.004677734981047266],
  [5, 1.5374597944280349e-12],
  [10, 2.088487583762545e-45],
  [-2, 1.9953222650189528],
])("erfc(%d) keeps its digits", (x, expected) => {
  expect(Math.abs(erfc(x) / expected - 1)).toBeLessThan(1e-12);
});

test("the series and the fraction of erfc meet without a step", () => {
  expect(Math.abs(erfc(2.5 - 1e-12) / erfc(2.5 + 1e-12) - 1)).toBeLessThan(1e-10);
});

test("halves are rounded to even numbers, of either sign", () => {
  const halves = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.4, -3.6];
  expect(halves.map((x) => roundToEven(x) + 0)).toEqual([-2, -2, 0, 0, 2, 2, 3, -4]);
  expect(roundToEven(Infinity)).toBe(Infinity);
});

test("functions have their limits at infinity and never overflow to NaN", () => {
  expect([value("tanh", 100), value("tanh", -Infinity)]).toEqual([1, -1]);
  expect([value("sigmoid", 1000), value("sigmoid", -1000)]).toEqual([1, 0]);
  expect([value("silu", -Infinity), value("silu", Infinity)]).toEqual([0, Infinity]);
  expect([value("gelu", -Infinity), value("gelu", Infinity)]).toEqual([0, Infinity]);
  expect([value("pow", 0, 0), value("pow", 1, Infinity), value("pow", 2, -1)]).toEqual([1, 1, 0.5]);
  expect([value("erf", Infinity), value("erf", -Infinity)]).toEqual([1, -1]);
});

test("gelu is the exact form: x times the normal distribution", () => {
  expect(value("gelu", 1)).toBeCloseTo(0.8413447460685429, 14);
  expect(Math.abs(value("gelu", -8) / -4.9767684594174555e-15 - 1)).toBeLessThan(1e-9);
});

test("select takes the true side last but one, and names of objects are no functions", () => {
  expect([value("select", 3, 4, 0), value("select", 3, 4, 1)]).toEqual([3, 4]);
  expect(scalarFunction("toString")).toBeUndefined();
});

// To 17 digits from mpmath.
test.each([
  ["tgamma", 0.5, 1.772453850905516],
  ["tgamma", 5, 24],
  ["tgamma", 35.04, 3.401637588256244e38],
  ["tgamma", -1.5, 2.3632718012073544],
  ["tgamma", -33.7, 3.80022956829171e-38],
  ["lgamma", 3.7, 1.4280723266653865],
  ["lgamma", 1e30, 6.807755278982136e31],
  ["lgamma", -2.3, 0.369566663455008],
  ["lgamma", 1.0000001, -5.772155829918507e-8],
  ["lgamma", 0.2, 1.5240638224307845],
  ["normcdf", -5, 2.866515718791939e-7],
])("%s(%d) keeps its digits", (name, x, expected) => {
  expect(Math.abs(value(name, x) / expected - 1)).toBeLessThan(1e-12);
});

test("lgamma keeps its relative accuracy next to its zeros", () => {
  const slope = -0.5772156649015329;
  expect(Math.abs(value("lgamma", 1 + 2 ** -40) / (slope * 2 ** -40) - 1)).toBeLessThan(1e-11);
  expect(Math.abs(value("lgamma", 2 - 2 ** -40) / (-(1 + slope) * 2 ** -40) - 1)).toBeLessThan(
    1e-11,
  );
});

test("gamma functions have poles at 0 and at the negative integers", () => {
  expect([value("tgamma", 0), value("tgamma", -0)]).toEqual([Infinity, -Infinity]);
  expect([value("tgamma", -3), value("tgamma", -Infinity)]).toEqual([Number.NaN, Number.NaN]);
  expect([0, -4, Infinity, -Infinity].map((x) => value("lgamma", x))).toEqual([
    Infinity,
    Infinity,
    Infinity,
    Infinity,
  ]);
});

test("remainders are exact, and have the sign of what is divided where they are 0", () => {
  expect([value("fmod", -7, 4), value("remainder", 7, 4), value("remainder", 10, 4)]).toEqual([
    -3, -1, 2,
  ]);
  expect(value("remainder", 6, 4)).toBe(-2);
  expect(value("remainder", -8, 4)).toBe(-0);
  expect(value("remainder", 1e300, 3)).toBe(
    value("fmod", 1e300, 3) > 1.5 ? -1 : value("fmod", 1e300, 3),
  );
});

test("what has an edge at a sign or at a power of two has it there", () => {
  expect([value("copysign", 3, -0), value("copysign", -3, 0)]).toEqual([-3, 3]);
  expect([8, 7.999, -0.5, 2 ** -149].map((x) => value("logb", x))).toEqual([3, 2, -1, -149]);
  expect([value("logb", 0), value("logb", -Infinity)]).toEqual([-Infinity, Infinity]);
  expect([value("fdim", 3, 1), value("fdim", 1, 3), value("fdim", Infinity, Infinity)]).toEqual([
    2, 0, 0,
  ]);
  expect([value("pow", -1, Infinity), value("pow", -1, -Infinity)]).toEqual([1, 1]);
});
