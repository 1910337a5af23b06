import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { randomRounding } from "../../../src/ir/interpret/random-rounding.ts";
import { roundToHalf } from "../../../src/support/half.ts";
import { seededRandom } from "../../../src/support/random.ts";

/** The float32 numbers around a number that is none. */
function neighbours(x: number): readonly number[] {
  const nearest = Math.fround(x);
  const bits = new Int32Array(Float32Array.of(nearest).buffer);
  bits[0] = (bits[0] ?? 0) + (Math.abs(nearest) < Math.abs(x) ? 1 : -1);
  return [nearest, new Float32Array(bits.buffer)[0] ?? 0];
}

describe("random rounding", () => {
  it("gives one of the two float32 numbers around a number, both of them in time", () => {
    const [random, { float32 }] = [seededRandom(1), randomRounding(1)];
    for (let n = 0; n < 300; n++) {
      const x = (random.next() - 0.5) * 2 ** random.integer(-60, 60);
      const seen = new Set(Array.from({ length: 60 }, () => float32(x)));
      for (const one of seen) expect(neighbours(x)).toContain(one);
    }
    expect(new Set(Array.from({ length: 60 }, () => float32(0.1))).size).toBe(2);
  });

  it("is unbiased: the mean is the number", () => {
    const { float32, float16 } = randomRounding(5);
    const count = 40_000;
    for (const x of [0.1, -1 / 3, 123.456, 1e-20, 2 - 2 ** -26]) {
      let [sum, sum16] = [0, 0];
      for (let n = 0; n < count; n++) {
        sum += float32(x) - x;
        sum16 += float16(x) - x;
      }
      // Four standard deviations of the mean.
      const most = (unit: number): number => (4 * 0.5 * unit * Math.abs(x)) / Math.sqrt(count);
      expect(Math.abs(sum / count)).toBeLessThan(most(2 ** -23));
      if (Math.abs(x) > 1e-4) expect(Math.abs(sum16 / count)).toBeLessThan(most(2 ** -10));
    }
  });

  it("keeps what the format holds, and overflows", () => {
    const { float32, float16 } = randomRounding(2);
    for (const x of [0, 1, -0.75, 16_777_216, 2 ** -126, Infinity, -Infinity, Number.NaN]) {
      for (let n = 0; n < 20; n++) expect(float32(x)).toBe(x);
    }
    for (const x of [0, 1, -0.75, 2048, 65504, 2 ** -24]) expect(float16(x)).toBe(x);
    expect(float32(1e39)).toBe(Infinity);
    expect(float16(1e6)).toBe(Infinity);
    for (let n = 0; n < 50; n++) {
      const half = float16(0.1);
      expect([roundToHalf(0.1), 0.10003662109375, 0.0999755859375]).toContain(half);
      expect(roundToHalf(half)).toBe(half);
    }
  });
});

function samplesOf(source: string, inputs: Readonly<Record<string, readonly number[]>>): number[] {
  const lowered = lowerSource(source);
  if (!lowered.ok) throw new Error(JSON.stringify(lowered.diagnostics));
  return Array.from({ length: 8 }, (_, seed) => {
    const { tensors } = interpret(lowered.program, inputs, { roundingSeed: seed + 1 });
    return tensors.get("y")?.data[0] ?? Number.NaN;
  });
}

describe("an execution with random rounding", () => {
  it("depends on nothing but its seed", () => {
    const source = "def f(float(5) x) -> (float y) { y +=! x(i) * x(i) / 3.0 }";
    const x = [0.1, 0.2, 0.3, 0.4, 0.5];
    expect(samplesOf(source, { x })).toEqual(samplesOf(source, { x }));
    expect(new Set(samplesOf(source, { x })).size).toBeGreaterThan(2);
  });

  it("rounds every operation: sums, products, quotients, functions, casts, reductions", () => {
    const bodies = [
      "y = x + 0.1",
      "y = x * 0.3",
      "y = x / 3.0",
      "y = exp(x)",
      "y = fma(x, x, 0.1)",
    ];
    bodies.push("y = x - 3e-8", "y = float(half(x))", "y = pow(x, 1.5)", "y = fmin(x, 2.0) + 0.1");
    for (const body of bodies) {
      const found = samplesOf(`def f(float x) -> (float y) { ${body} }`, { x: [0.7] });
      expect([body, new Set(found).size > 1]).toEqual([body, true]);
      expect([body, ...found.map(Math.fround)]).toEqual([body, ...found]);
    }
    const product = "def f(float(9) x) -> (float y) { y *=! x(i) }";
    expect(new Set(samplesOf(product, { x: Array(9).fill(0.9) })).size).toBeGreaterThan(2);
  });

  it("rounds nothing of whole numbers, comparisons and choices", () => {
    const exact =
      "def f(float(9) x) -> (float y) { y +=! max(x(i), 3.0) * select(x(i), 2.0, x(i) > 4) }";
    const x = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    expect(new Set(samplesOf(exact, { x })).size).toBe(1);
    const ints = "def f(int(9) x) -> (int y) { y +=! x(i) * x(i) / 7 }";
    expect(new Set(samplesOf(ints, { x })).size).toBe(1);
  });

  it("moves functions by what WGSL lets them be off: a root of 4 need not be 2", () => {
    const found = samplesOf("def f(float x) -> (int y) { y = int(sqrt(x)) }", { x: [4] });
    expect(new Set(found)).toEqual(new Set([1, 2]));
  });
});
