import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { confusionTable, score } from "../../../examples/digits/confusion.js";
import { loadDigits, pick, pixels, splitDigits } from "../../../examples/digits/load-digits.js";
import { drawResult } from "../../../examples/digits/picture.js";
import { encodePng } from "../../../examples/digits/png.js";

const digits = loadDigits();

/** The squared distance of a test digit and a training digit. */
function distance(a: Int32Array, b: Int32Array, i: number, j: number): number {
  let sum = 0;
  for (let k = 0; k < pixels; k++)
    sum += ((a[i * pixels + k] ?? 0) - (b[j * pixels + k] ?? 0)) ** 2;
  return sum;
}

describe("the digits", () => {
  test("are ten thousand pictures of grey values that nearly fill the range", () => {
    expect(digits.count).toBe(10_000);
    expect(digits.pictures.length).toBe(10_000 * 784);
    const values = new Set(digits.pictures);
    expect([Math.min(...values), Math.max(...values), values.size]).toEqual([0, 255, 256]);
    expect(new Set(digits.labels)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
  });

  test("are split without overlap, the same way for the same seed", () => {
    const wanted = { train: 300, test: 200, seed: 1 };
    const first = splitDigits(digits, wanted);
    expect(splitDigits(digits, wanted)).toEqual(first);
    expect(splitDigits(digits, { ...wanted, seed: 2 })).not.toEqual(first);
    expect(new Set(first.train.labels).size).toBe(10);
    for (let i = 0; i < 20; i++) {
      for (let j = 0; j < 300; j++) {
        expect(distance(first.test.pictures, first.train.pictures, i, j)).toBeGreaterThan(0);
      }
    }
  });

  test("more than there are is refused", () => {
    expect(() => splitDigits(digits, { train: 9_999, test: 2, seed: 1 })).toThrow("10000 in all");
  });

  test("are recognised by their nearest neighbour far more often than by chance", () => {
    const { train, test: tests } = splitDigits(digits, { train: 1000, test: 40, seed: 3 });
    let right = 0;
    for (let i = 0; i < tests.count; i++) {
      let best = 0;
      let least = Infinity;
      for (let j = 0; j < train.count; j++) {
        const d = distance(tests.pictures, train.pictures, i, j);
        if (d < least) [best, least] = [j, d];
      }
      if (train.labels[best] === tests.labels[i]) right += 1;
    }
    expect(right).toBeGreaterThan(30);
  });
});

describe("the confusion matrix", () => {
  const counts = new Int32Array(100);
  counts[0] = 4;
  counts[7 * 10 + 7] = 3;
  counts[7 * 10 + 1] = 1;

  test("counts what is right", () => {
    expect(score(counts)).toEqual({ right: 7, all: 8 });
  });

  test("has aligned rows with the share that is right", () => {
    const lines = confusionTable(counts).split("\n");
    expect(lines).toHaveLength(12);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines[9]).toBe("    7 |    ·    1    ·    ·    ·    ·    ·    3    ·    · |  75.0 %");
  });
});

describe("the picture", () => {
  test("is a PNG whose pixels are those that were given", () => {
    const rgb = Uint8Array.from({ length: 2 * 3 * 3 }, (_, n) => n * 10);
    const png = encodePng(3, 2, rgb);
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([3, 2]);
    const length = png.readUInt32BE(33);
    expect(png.subarray(37, 41).toString()).toBe("IDAT");
    const rows = inflateSync(png.subarray(41, 41 + length));
    expect([...rows]).toEqual([0, ...rgb.subarray(0, 9), 0, ...rgb.subarray(9)]);
    // The check sum of an empty IEND chunk, from the standard.
    expect(png.subarray(-4).toString("hex")).toBe("ae426082");
  });

  test("has a green frame around right digits and a red one around wrong ones", () => {
    const some = pick(digits, [0, 2000]);
    const result = { test: some, train: some, nearest: [0, 0], taken: [0, 0] };
    const png = drawResult(result);
    const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
    const rows = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)));
    const at = (x: number, y: number): number[] => {
      const start = y * (1 + 3 * width) + 1 + 3 * x;
      return [...rows.subarray(start, start + 3)];
    };
    expect(at(9, 9)).toEqual([26, 127, 55]);
    expect(at(9, height - 10)).toEqual([207, 34, 46]);
  });
});
