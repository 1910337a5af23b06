import { expect, test } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { judge } from "../../../src/ir/interpret/judge.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { halfOf } from "../../support/evaluate-source/scalars.ts";
import { byBounds } from "../support/by-bounds.ts";

type Inputs = Readonly<Record<string, readonly number[]>>;

function bounded(source: string, inputs: Inputs) {
  const lowered = lowerSource(source);
  if (!lowered.ok) throw new Error(JSON.stringify(lowered.diagnostics));
  const { program } = lowered;
  return { program, reference: interpret(program, inputs, { bounds: true }) };
}

/** The bound of the only element of `y`. */
function boundOf(source: string, inputs: Inputs): number {
  return bounded(source, inputs).reference.tensors.get("y")?.bound?.[0] ?? Number.NaN;
}

const tiny = 2 ** -14;

test("what float16 holds exactly has no error", () => {
  expect(boundOf("def f(half x) -> (half y) { y = x }", { x: [0.1] })).toBe(0);
  expect(boundOf("def f(half x) -> (half y) { y = x + 0.5 }", { x: [2] })).toBe(0);
  expect(boundOf("def f(float x) -> (half y) { y = half(x) }", { x: [0.25] })).toBe(0);
  expect(boundOf("def f(half x) -> (float y) { y = x }", { x: [0.1] })).toBe(0);
});

test("sums, products and conversions may go to either neighbour", () => {
  const unit = 2 ** -10;
  for (const [source, x, v] of [
    ["def f(half x) -> (half y) { y = x * x }", 1 + 2 ** -10, (1 + 2 ** -10) ** 2],
    ["def f(half x) -> (half y) { y = x + 4096 }", 0.5, 4096.5],
    ["def f(float x) -> (half y) { y = half(x) }", 1.2345678806304932, 1.2345678806304932],
  ] as const) {
    const bound = boundOf(source, { x: [x] });
    expect(bound).toBeGreaterThanOrEqual(unit * v);
    expect(bound).toBeLessThan(1.01 * unit * v + 2 * tiny);
  }
});

test("a sum of many float16 has the error of float32, and of one conversion", () => {
  const x = Array.from({ length: 1000 }, () => 0.1);
  const bound = boundOf("def f(half(1000) x) -> (half y) { y +=! x(i) }", { x });
  expect(bound).toBeGreaterThan(100 * 2 ** -11);
  expect(bound).toBeLessThan(100 * 2 ** -9);
});

test("what a device may flush to 0 is off by as much", () => {
  expect(boundOf("def f(half x) -> (half y) { y = x }", { x: [2 ** -20] })).toBe(tiny);
  expect(boundOf("def f(float x) -> (half y) { y = half(x) }", { x: [2 ** -20] })).toBeGreaterThan(
    tiny * 0.99,
  );
});

test("nothing is known of values beyond the range", () => {
  expect(boundOf("def f(half x) -> (half y) { y = x * x }", { x: [300] })).toBe(Infinity);
  expect(boundOf("def f(float x) -> (half y) { y = half(x) }", { x: [65519] })).toBe(Infinity);
  expect(boundOf("def f(half(1) x) -> (float y) { y +=! x(i) * x(i) }", { x: [300] })).toBe(0);
});

test("rounding to float16 after every operation stays within the bounds", () => {
  const random = seededRandom(4);
  const source =
    "def f(half(50) a, half(50) b) -> (half(50) y) { y(i) = (a(i) + b(i)) * a(i) - b(i) }";
  for (let round = 0; round < 40; round++) {
    const draw = (): number => halfOf(2 ** random.integer(-8, 6) * (2 * random.next() - 1));
    const [a, b] = [Array.from({ length: 50 }, draw), Array.from({ length: 50 }, draw)];
    const { program, reference } = bounded(source, { a, b });
    const y = Float32Array.from(a, (x, n) => {
      const other = b[n] ?? 0;
      return halfOf(halfOf(halfOf(x + other) * x) - other);
    });
    const { decision, ambiguous, wrong } = judge(byBounds(program, reference), { y });
    expect([decision, ambiguous, wrong]).toEqual(["right", 0, []]);
  }
});

test("without bounds results are compared as float16", () => {
  const lowered = lowerSource("def f(half x) -> (half y) { y = x + 2048.0 }");
  if (!lowered.ok) throw new Error("refused");
  const reference = interpret(lowered.program, { x: [1] });
  const ok = (y: number): boolean =>
    judge(byBounds(lowered.program, reference), { y: Float32Array.of(y) }).decision === "right";
  expect([ok(2048), ok(2049), ok(2050)]).toEqual([true, false, false]);
});
