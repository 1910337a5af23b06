import fc from "fast-check";
import { expect, test } from "vitest";
import { bitsToHalf, halfToBits, roundToHalf } from "../../src/support/half.ts";
import { packWord, packWords, unpackPart, unpackWords } from "../../src/support/words.ts";

const runs = { seed: 16, numRuns: 2000 };

/** All finite float16, ascending: made from their definition, sign, exponent, fraction. */
const finite: readonly number[] = (() => {
  const positive: number[] = [];
  for (let fraction = 1; fraction < 1024; fraction++) positive.push(fraction / 2 ** 24);
  for (let exponent = -14; exponent <= 15; exponent++) {
    for (let fraction = 0; fraction < 1024; fraction++) {
      positive.push(2 ** exponent * (1 + fraction / 1024));
    }
  }
  return [...positive.map((x) => -x).reverse(), 0, ...positive];
})();

/** The nearest by search; of two equally near the one whose last bit is 0, every second one. */
function nearest(x: number): number {
  let [low, high] = [0, finite.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((finite[middle] ?? 0) <= x) low = middle;
    else high = middle;
  }
  const [a = 0, b = 0] = [finite[low], finite[high]];
  if (x - a !== b - x) return x - a < b - x ? a : b;
  return (low - (finite.length - 1) / 2) % 2 === 0 ? a : b;
}

const anyHalf = fc.integer({ min: 0, max: finite.length - 2 });

test("numbers are rounded to the nearest float16", () => {
  fc.assert(
    fc.property(anyHalf, fc.double({ min: 0, max: 1, noNaN: true }), (n, t) => {
      const [a = 0, b = 0] = [finite[n], finite[n + 1]];
      const x = a + (b - a) * t;
      expect(roundToHalf(x)).toBe(nearest(x));
    }),
    runs,
  );
});

test("halfway between two float16 the even one is taken", () => {
  fc.assert(
    fc.property(anyHalf, (n) => {
      const x = ((finite[n] ?? 0) + (finite[n + 1] ?? 0)) / 2;
      expect(roundToHalf(x) + 0).toBe(nearest(x) + 0);
    }),
    runs,
  );
});

test("what is beyond the greatest float16 by half a step is infinite", () => {
  expect([65504, 65519.99, 65520, 1e300, Infinity].map(roundToHalf)).toEqual([
    65504,
    65504,
    Infinity,
    Infinity,
    Infinity,
  ]);
  expect([-65519.99, -65520].map(roundToHalf)).toEqual([-65504, -Infinity]);
  expect(roundToHalf(Number.NaN)).toBeNaN();
  expect(roundToHalf(-0)).toBe(-0);
  expect(roundToHalf(-(2 ** -26))).toBe(-0);
});

test("all bit patterns but those of other NaNs survive a round trip", () => {
  for (let bits = 0; bits < 65536; bits++) {
    const value = bitsToHalf(bits);
    const isNoNumber = (bits & 0x7c00) === 0x7c00 && (bits & 0x3ff) !== 0;
    expect(Number.isNaN(value)).toBe(isNoNumber);
    if (!isNoNumber) expect(halfToBits(value)).toBe(bits);
  }
  expect(halfToBits(Number.NaN)).toBe(0x7e00);
});

test("the bits of a float16 are in the order of its values", () => {
  expect(finite.map(halfToBits).map((b) => (b & 0x8000 ? -(b & 0x7fff) : b))).toEqual(
    finite.map((_, n) => n - (finite.length - 1) / 2),
  );
});

const integers = {
  int8: (view: DataView, n: number) => view.getInt8(n),
  uint8: (view: DataView, n: number) => view.getUint8(n),
  int16: (view: DataView, n: number) => view.getInt16(2 * n, true),
  uint16: (view: DataView, n: number) => view.getUint16(2 * n, true),
} as const;

test.each(Object.entries(integers))("words of %s are little-endian", (name, get) => {
  const type = name as keyof typeof integers;
  const per = type.endsWith("8") ? 4 : 2;
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (word) => {
      const view = new DataView(new ArrayBuffer(4));
      view.setUint32(0, word, true);
      const parts = Array.from({ length: per }, (_, n) => get(view, n));
      expect(parts.map((_, n) => unpackPart(type, word, n))).toEqual(parts);
      expect(packWord(type, parts)).toBe(word);
    }),
    runs,
  );
});

test.each([1, 2, 3, 5, 7, 13])("%i elements come back from their words", (count) => {
  const bytes = Uint8Array.from({ length: count }, (_, n) => 37 * n + 250);
  const halves = Float32Array.from({ length: count }, (_, n) => n / 4 - 1);
  expect(packWords("uint8", bytes)).toHaveLength(Math.ceil(count / 4));
  expect(unpackWords("uint8", packWords("uint8", bytes), count)).toEqual(bytes);
  const signed = Int16Array.from(bytes, (x) => -x);
  expect(unpackWords("int16", packWords("int16", signed), count)).toEqual(signed);
  expect(packWords("float16", halves)).toHaveLength(Math.ceil(count / 2));
  expect(unpackWords("float16", packWords("float16", halves), count)).toEqual(halves);
});

test("what the last word has more than elements is 0", () => {
  expect([...packWords("int8", Int8Array.of(-1, -1, -1, -1, -2))]).toEqual([0xffffffff, 0xfe]);
});
