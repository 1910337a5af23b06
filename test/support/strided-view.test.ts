import fc from "fast-check";
import { expect, test } from "vitest";
import {
  elementPositions,
  extentOfView,
  isRowMajor,
  overlapsItself,
  shareAnElement,
  spanOfView,
  viewFrom,
} from "../../src/support/strided-view.ts";
import { positionsOf } from "../views/memory.ts";

const dimension = fc.record({
  extent: fc.oneof(
    { weight: 30, arbitrary: fc.integer({ min: 1, max: 6 }) },
    { weight: 1, arbitrary: fc.constant(0) },
  ),
  stride: fc.integer({ min: -9, max: 9 }),
});

const view = fc
  .record({
    dims: fc.array(dimension, { minLength: 1, maxLength: 4 }),
    offset: fc.integer({ min: 0, max: 20 }),
  })
  .map(({ dims, offset }) => ({
    shape: dims.map(({ extent }) => extent),
    strides: dims.map(({ stride }) => stride),
    offset,
  }));

const parameters = { seed: 20_261_121, numRuns: 3000 };

test("elements lie where plain loops find them", () => {
  fc.assert(
    fc.property(view, ({ shape, strides, offset }) => {
      const expected = positionsOf(shape, strides, offset);
      expect([...elementPositions({ shape, strides, offset })]).toEqual(expected);
      const extent = extentOfView(shape, strides);
      if (expected.length === 0) {
        expect(extent).toBeNull();
        return;
      }
      const [first, last] = [Math.min(...expected), Math.max(...expected)];
      expect(extent).toEqual({ first: first - offset + 0, last: last - offset });
      expect(spanOfView(shape, strides)).toBe(last - first + 1);
      expect(viewFrom(shape, strides, first).offset).toBe(offset);
    }),
    parameters,
  );
});

test("a view overlaps itself where an element is there twice", () => {
  let overlaps = 0;
  fc.assert(
    fc.property(view, ({ shape, strides }) => {
      const positions = positionsOf(shape, strides, 0);
      const twice = new Set(positions).size < positions.length;
      overlaps += twice ? 1 : 0;
      expect(overlapsItself(shape, strides)).toBe(twice);
    }),
    parameters,
  );
  expect(overlaps).toBeGreaterThan(300);
});

test("views share an element where one is in both", () => {
  let shares = 0;
  fc.assert(
    fc.property(view, view, (a, b) => {
      const known = new Set(positionsOf(a.shape, a.strides, a.offset));
      const shared = positionsOf(b.shape, b.strides, b.offset).some((p) => known.has(p));
      shares += shared ? 1 : 0;
      expect(shareAnElement(a, b)).toBe(shared);
    }),
    parameters,
  );
  expect(shares).toBeGreaterThan(300);
});

test("large views are told apart at once", () => {
  const shape = [8192, 4096];
  const left = { shape, strides: [8192, 1], offset: 0 };
  expect(shareAnElement(left, { ...left, offset: 4096 })).toBe(false);
  expect(shareAnElement(left, { ...left, offset: 4095 })).toBe(true);
  expect(overlapsItself([4096, 8192], [1, 4096])).toBe(false);
  expect(overlapsItself([4096, 8192], [1, 4095])).toBe(true);
  const even = { shape: [2 ** 20], strides: [2], offset: 0 };
  expect(shareAnElement(even, { ...even, offset: 2 ** 19 + 1 })).toBe(false);
});

test("row-major is what reading row by row finds in order", () => {
  expect(isRowMajor([2, 3], [3, 1])).toBe(true);
  expect(isRowMajor([2, 1, 3], [3, 77, 1])).toBe(true);
  expect(isRowMajor([0, 3], [5, 5])).toBe(true);
  expect(isRowMajor([2, 3], [1, 2])).toBe(false);
  expect(isRowMajor([2, 3], [4, 1])).toBe(false);
});
