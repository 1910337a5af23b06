/** Sizes that the shapes of inputs tell. */
import { expect, test } from "vitest";
import { deduceSizes } from "../../src/api/deduce-shapes.ts";
import { prepare } from "../../src/frontend/analyse.ts";
import { type SizeSources, solveSizes } from "../../src/frontend/sizes.ts";
import type { Definition, Module } from "../../src/frontend/syntax/ast.ts";
import { defined } from "../../src/support/assert.ts";

function parsed(parameters: string): { definition: Definition; module: Module } {
  const { module } = prepare(`def f(${parameters}) -> (y) { y = 0.0 }`);
  return { module, definition: defined(module.definitions[0], "the definition of", parameters) };
}

function sizesOf(parameters: string, sources: SizeSources): Record<string, number> {
  const { definition, module } = parsed(parameters);
  const { sizes, diagnostics } = solveSizes(definition, module, sources);
  expect(diagnostics.filter((d) => d.code !== "TC2019")).toEqual([]);
  return Object.fromEntries(sizes);
}

function codesOf(parameters: string, sources: SizeSources): readonly string[] {
  const { definition, module } = parsed(parameters);
  return solveSizes(definition, module, sources).diagnostics.map((d) => d.code);
}

test("a dimension that is linear in one size tells it, of arrays with a shape", () => {
  expect(sizesOf("int(R + 1) ptr", { shapes: { ptr: [6] } })).toEqual({ R: 5 });
  expect(sizesOf("float(4 * H, I) w", { shapes: { w: [32, 9] } })).toEqual({ H: 8, I: 9 });
  expect(sizesOf("float(9 - N) a", { shapes: { a: [2] } })).toEqual({ N: 7 });
});

test("what one dimension tells helps to solve another, also an earlier one", () => {
  const shapes = { a: [12], b: [7], c: [3] };
  expect(sizesOf("float(M + N) a, float(2 * N + 1) b, float(K) c", { shapes })).toEqual({
    M: 9,
    N: 3,
    K: 3,
  });
});

test("a default of `#! sizes` gives way to a shape, and solves the rest", () => {
  const defaults = { R: 99 };
  expect(sizesOf("int(R + 1) ptr", { shapes: { ptr: [6] }, defaults })).toEqual({ R: 5 });
  const sources = { shapes: { a: [12] }, defaults: { P: 2 } };
  expect(sizesOf("float(N + 2 * P) a, float(P) b", sources)).toEqual({ N: 8, P: 2 });
});

test("extents that no size gives contradict the dimension, or the size is no size", () => {
  expect(codesOf("float(2 * N) a", { shapes: { a: [7] } })).toEqual(["TC2014"]);
  expect(codesOf("float(R + 1) a", { shapes: { a: [1] } })).toEqual(["TC2013"]);
  expect(codesOf("float(N / 2) a", { shapes: { a: [7] } })).toEqual(["TC2012"]);
  expect(codesOf("float(N % 100) a", { shapes: { a: [7] } })).toEqual(["TC2012"]);
});

test("the length of a bare array tells a size that a dimension is linear in", () => {
  const none = { explicit: {}, shapes: {}, defaults: {} };
  const deduced = (parameters: string, lengths: Record<string, number>): unknown =>
    deduceSizes(parsed(parameters).definition, new Map(Object.entries(lengths)), none);
  expect(deduced("int(R + 1) ptr", { ptr: 6 })).toEqual({ R: 5 });
  expect(deduced("float(K) x, float(2 * N, K) a", { a: 24, x: 3 })).toEqual({ K: 3, N: 4 });
  expect(() => deduced("float(2 * N, 3) a", { a: 25 })).toThrow(/no multiple of 3/);
});
