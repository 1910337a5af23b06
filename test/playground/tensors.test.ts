import { describe, expect, it } from "vitest";
import {
  colourOf,
  infiniteColour,
  nanColour,
  numberText,
  scaleOf,
} from "../../playground/src/tensors/colour-scale.ts";
import { pixelsOf } from "../../playground/src/tensors/pixels.ts";
import {
  heldDimensions,
  indicesOf,
  initialView,
  nextPlace,
  takePlane,
  withAxis,
} from "../../playground/src/tensors/plane.ts";
import {
  advance,
  type Elements,
  elementOf,
  histogramOf,
  statisticsOf,
  summaryOf,
} from "../../playground/src/tensors/summary.ts";
import type { TensorData } from "../../src/index.ts";

/** Element `n` is `n`. */
const counted = (count: number): Float32Array => Float32Array.from({ length: count }, (_, n) => n);

/** Elements themselves. */
const all = (data: TensorData): Elements => ({ data, minus: null });

describe("planes of tensors", () => {
  it("are the last two dimensions at first", () => {
    const view = { ...initialView([2, 3, 4]), facets: null, at: [1, 0, 0] };
    const plane = takePlane(all(counted(24)), [2, 3, 4], view);
    expect([plane.height, plane.width]).toEqual([3, 4]);
    expect([...plane.values]).toEqual(Array.from({ length: 12 }, (_, n) => 12 + n));
    expect(heldDimensions([2, 3, 4], view)).toEqual([0]);
  });

  it("are any two dimensions, either way round", () => {
    const plane = takePlane(all(counted(24)), [2, 3, 4], {
      rows: 2,
      columns: 0,
      facets: null,
      at: [0, 1, 0],
    });
    expect([plane.height, plane.width]).toEqual([4, 2]);
    expect([...plane.values]).toEqual([4, 16, 5, 17, 6, 18, 7, 19]);
    const shape = [2, 3, 4];
    const view = { rows: 2, columns: 0, facets: null, at: [0, 1, 0] };
    expect(indicesOf(shape, view, plane, [3, 1])).toEqual([1, 1, 3]);
  });

  it("lie side by side along a third dimension, with gaps that are no elements", () => {
    const shape = [3, 2, 2];
    const view = initialView(shape);
    const plane = takePlane(all(counted(12)), shape, view);
    expect(view).toMatchObject({ facets: 0, rows: 1, columns: 2 });
    expect([plane.height, plane.width, plane.tiles.across]).toEqual([5, 5, 2]);
    expect([...plane.values].map((value) => (Number.isNaN(value) ? "" : value)).join()).toBe(
      "0,1,,4,5,2,3,,6,7,,,,,,8,9,,,,10,11,,,",
    );
    expect(indicesOf(shape, view, plane, [1, 3])).toEqual([1, 1, 0]);
    expect(indicesOf(shape, view, plane, [3, 0])).toEqual([2, 0, 0]);
    expect(indicesOf(shape, view, plane, [0, 2])).toBe(null);
    expect(indicesOf(shape, view, plane, [3, 3])).toBe(null);
    expect(heldDimensions(shape, view)).toEqual([]);
    // Arrows go over the gaps, and stay where nothing follows.
    expect(nextPlace(plane, [0, 1], [0, 1])).toEqual([0, 3]);
    expect(nextPlace(plane, [1, 0], [1, 0])).toEqual([3, 0]);
    expect(nextPlace(plane, [1, 3], [1, 0])).toEqual([1, 3]);
    expect(nextPlace(plane, [0, 0], [-1, 0])).toEqual([0, 0]);
  });

  it("are one at a time where there are many, and change their axes without losing one", () => {
    const view = initialView([100, 2, 2]);
    expect([view.facets, heldDimensions([100, 2, 2], view)]).toEqual([null, [0]]);
    const few = initialView([3, 2, 4]);
    expect(withAxis(few, "rows", 0)).toMatchObject({ rows: 0, columns: 2, facets: 1 });
    expect(withAxis(few, "rows", 2)).toMatchObject({ rows: 2, columns: 1, facets: 0 });
  });

  it("of many small pictures stay within what is drawn", () => {
    const shape = [64, 1000, 1000];
    const plane = takePlane(all(new Float32Array(64e6)), shape, {
      ...initialView(shape),
      facets: 0,
    });
    expect(plane.height * plane.width).toBeLessThan(1200 * 1200);
  });

  it("of vectors and scalars have one row", () => {
    expect(takePlane(all(counted(3)), [3], initialView([3]))).toMatchObject({
      height: 1,
      width: 3,
    });
    const scalar = takePlane(all(Float32Array.of(7)), [], initialView([]));
    expect([...scalar.values]).toEqual([7]);
  });

  it("of long dimensions have every n-th row, and say which", () => {
    const shape = [3000, 1];
    const view = initialView(shape);
    const plane = takePlane(all(counted(3000)), shape, view);
    expect(plane).toMatchObject({ height: 1000, width: 1, step: [3, 1] });
    expect(plane.values[999]).toBe(2997);
    expect(indicesOf(shape, view, plane, [999, 0])).toEqual([2997, 0]);
  });

  it("have statistics of what is finite, and count the rest", () => {
    const values = Float32Array.of(1, Number.NaN, 3, Infinity, Infinity, -Infinity);
    expect(advance(statisticsOf(all(values)), 1000)).toEqual({
      min: 1,
      max: 3,
      mean: 2,
      nan: 1,
      infinite: [2, 1],
      count: 6,
    });
  });

  it("differ by nothing where both are the same, NaN and infinities too", () => {
    const found = Float32Array.of(1, Number.NaN, Number.POSITIVE_INFINITY, 2);
    const expected = Float32Array.of(1, Number.NaN, Number.POSITIVE_INFINITY, 2.5);
    const difference = { data: found, minus: expected };
    expect([0, 1, 2, 3].map((n) => elementOf(difference, n))).toEqual([0, 0, 0, -0.5]);
    expect([...takePlane(difference, [4], initialView([4])).values]).toEqual([0, 0, 0, -0.5]);
    expect(advance(summaryOf(difference), 1000)?.scale).toEqual({
      kind: "diverging",
      low: -0.5,
      high: 0.5,
    });
  });
});

it("a histogram counts what is finite, the greatest in the last part", () => {
  const counts = (data: Float32Array, low: number, high: number, parts: number): unknown =>
    advance(histogramOf(all(data), { low, high }, parts), 1000);
  const values = Float32Array.of(0, 0.1, 1, 2, 4, Number.NaN, Number.POSITIVE_INFINITY);
  expect(counts(values, 0, 4, 4)).toEqual([2, 1, 1, 1]);
  expect(counts(Float32Array.of(3, 3), 3, 3, 4)).toEqual([2, 0, 0, 0]);
  expect(counts(Float32Array.of(Number.NaN), Number.NaN, Number.NaN, 2)).toEqual([0, 0]);
});

it("large tensors are looked at in slices, which leave none of their elements out", () => {
  const data = counted(1_000_000);
  const work = summaryOf(all(data));
  let slices = 1;
  let found = advance(work, 0);
  for (; found === null; slices++) found = advance(work, 0);
  expect(slices).toBeGreaterThan(10);
  expect(found.statistics).toMatchObject({ min: 0, max: 999_999, mean: 499_999.5 });
  expect(found.histogram.reduce((sum, count) => sum + count, 0)).toBe(data.length);
  expect(Math.max(...found.histogram) - Math.min(...found.histogram)).toBeLessThan(3);
});

describe("pictures", () => {
  const scale = scaleOf(0, 4);
  /** A square of pixels as text: `#` where it has another colour than its corner. */
  const square = (value: number): string => {
    const plane = takePlane(all(Float32Array.of(value)), [], initialView([]));
    const { width, data } = pixelsOf(plane, scale);
    const pixel = (n: number): string => data.subarray(4 * n, 4 * n + 4).join();
    const rows = Array.from({ length: width }, (_, r) =>
      Array.from({ length: width }, (_, c) => (pixel(r * width + c) === pixel(0) ? "." : "#")),
    );
    return rows.map((row) => row.join("")).join("\n");
  };

  it("mark what is no finite number, each kind otherwise", () => {
    const marks = [Number.NaN, Infinity, -Infinity].map(square);
    expect(new Set(marks).size).toBe(3);
    for (const mark of marks) expect(mark).toContain("#");
    // A cross is the same from every side, a minus is one bar.
    const [cross = "", , minus = ""] = marks;
    expect(cross.split("\n").reverse().join("\n")).toBe(cross);
    expect(minus.split("\n").filter((row) => row.includes("#")).length).toBeLessThan(5);
    expect(square(3)).not.toContain("#");
  });

  it("have a square of one colour for each element, and pixels alone where there are many", () => {
    const plane = takePlane(all(Float32Array.of(0, 4)), [2], initialView([2]));
    const { height, width, data } = pixelsOf(plane, scale);
    expect([height, width]).toEqual([15, 30]);
    const colours = [0, 14, 15, 29].map((column) => [...data.subarray(4 * column, 4 * column + 3)]);
    const [low, high] = [colourOf(0, scale), colourOf(4, scale)];
    expect(colours).toEqual([low, low, high, high]);
    const many = takePlane(all(new Float32Array(1e6)), [1000, 1000], initialView([1000, 1000]));
    expect(pixelsOf(many, scale)).toMatchObject({ height: 1000, width: 1000 });
  });

  it("leave out what lies between planes", () => {
    const plane = takePlane(all(counted(12)), [3, 2, 2], initialView([3, 2, 2]));
    const { width, data } = pixelsOf(plane, scale);
    const side = width / plane.width;
    const opacity = (row: number, column: number): number | undefined =>
      data[4 * (row * side * width + column * side) + 3];
    expect([opacity(0, 1), opacity(0, 2), opacity(0, 3)]).toEqual([255, 0, 255]);
  });
});

describe("colours", () => {
  it("lie around zero for values of both signs", () => {
    const scale = scaleOf(-1, 4);
    expect(scale).toEqual({ kind: "diverging", low: -4, high: 4 });
    expect(colourOf(0, scale)).toEqual([246, 246, 244]);
    expect(colourOf(4, scale)).not.toEqual(colourOf(-4, scale));
  });

  it("of what is no finite number are no others'", () => {
    const scale = scaleOf(0, 1);
    expect(colourOf(Number.NaN, scale)).toEqual(nanColour);
    expect(colourOf(Number.POSITIVE_INFINITY, scale)).toEqual(infiniteColour);
    const all = Array.from({ length: 101 }, (_, n) => colourOf(n / 100, scale).join());
    expect(all).not.toContain(nanColour.join());
    expect(all).not.toContain(infiniteColour.join());
  });

  it("of one value alone are defined", () => {
    expect(colourOf(5, scaleOf(5, 5))).toEqual([38, 24, 84]);
  });
});

describe("numbers for people", () => {
  it.each([
    [0, "0"],
    [12, "12"],
    [1 / 3, "0.333333"],
    [1e-7, "1.000e-7"],
    [123456789.5, "1.235e+8"],
    [Number.NaN, "NaN"],
    [Number.NEGATIVE_INFINITY, "−∞"],
  ])("%d is %s", (value, text) => {
    expect(numberText(value)).toBe(text);
  });
});
