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
