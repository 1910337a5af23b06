import { describe, expect, it } from "vitest";
import { chainCandidates, scanChain } from "../../../src/ir/algebraic/scan-chain.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { difference, resultsOf } from "../support/same-results.ts";
import { lowered } from "./apply-all.ts";
import { applied, lines, reason } from "./rewrites.ts";

const sizes = { T: 11, B: 3 };
const inputs = {
  x: Float64Array.from({ length: 33 }, (_, i) => ((i * 5) % 7) - 3),
  i: Float64Array.from({ length: 33 }, (_, i) => ((i * 7) % 5) - 2),
  v: Float64Array.from({ length: 11 }, (_, i) => ((i * 3) % 4) - 1),
};

function programOf(body: string): Program {
  const results = body.includes("z(t") ? "y, z" : "y";
  const head = "float(T, B) x, int32(T, B) i, float(T) v";
  return lowered(`def f(${head}) -> (${results}) { ${body} }`, sizes);
}

const head = "y(t, b) = x(t, b) where t in 0:1";

/** Recurrences, and the statement that is one. */
const recurrences: Readonly<Record<string, readonly [string, string]>> = {
  "a moving average": [
    "for t in T { if t == 0 { y(t, b) = x(t, b) } else { y(t, b) = 0.5 * y(t - 1, b) + 0.5 * x(t, b) } }",
    "y#1",
  ],
  "a filter whose factor is bounded": [
    "y(t, b) = 0.0 where t in 0:T + 1, b in 0:B  for t in T { y(t + 1, b) = y(t, b) + clamp(v(t), 0.0, 1.0) * (x(t, b) - y(t, b)) }",
    "y#1",
  ],
  "a state that every step writes": [
    "y(b) = 1.0 where b in 0:B  for t in T { y(b) = x(t, b) - y(b) }",
    "y#1",
  ],
  "a state that a result is made of": [
    "s(b) = 1.0 where b in 0:B  for t in T { s(b) = min(v(t), 1.0) > 0.0 ? s(b) + x(t, b) : s(b)  y(t, b) = s(b) * v(t) }",
    "s#1",
  ],
  maxima: [`${head}  for t in 1:T { y(t, b) = max(x(t, b), max(y(t - 1, b), v(t))) }`, "y#1"],
  "a loop that runs backwards": [
    "y(t, b) = 0.0 where t in T:T + 1, b in 0:B  for t in reversed(0:T) { y(t, b) = 0.5 * y(t + 1, b) + x(t, b) }",
    "y#1",
  ],
  "integers with any factor": [
    "y(t, b) = i(t, b) where t in 0:1  for t in 1:T { y(t, b) = i(t, b) * y(t - 1, b) + 3 }",
    "y#1",
  ],
  "a read outside before the first step": [
    "for t in T { y(t, b) = 0.5 * pad(y(t - 1, b)) + x(t, b) where b in 0:B }",
    "y",
  ],
  products: [`${head}  for t in 1:T { y(t, b) = (v(t) > 0.0 ? 1.0 : -0.5) * y(t - 1, b) }`, "y#1"],
  "factors that the number of the step chooses": [
    `${head}  for t in 1:T { y(t, b) = (t % 4 == 2 ? 0.25 : 0.5) * y(t - 1, b) + (t > 5 ? 1.0 : x(t, b)) }`,
    "y#1",
  ],
  "one of two recurrences, which the other waits for": [
    "s(b) = 0.0 where b in 0:B  r(b) = 1.0 where b in 0:B  for t in T { s(b) = 0.5 * s(b) + x(t, b)  r(b) = tanh(r(b)) + s(b)  y(t, b) = r(b) }",
    "s#1",
  ],
  "a state of the caller's that a result is made of": [
    "y(b) = 1.0 where b in 0:B  for t in T { y(b) = 0.5 * y(b) + x(t, b)  z(t, b) = y(b) }",
    "y#1",
  ],
  "an inner loop": [
    "for b in B { y(0, b) = x(0, b)  for t in 1:T { y(t, b) = y(t - 1, b) + x(t, b) } }",
    "y#1",
  ],
};

describe("scanChain", () => {
  it.each(Object.entries(recurrences))("keeps %s, in chunks of any size", (_name, [body, id]) => {
    const p = programOf(body);
    const before = resultsOf(p, inputs) ?? new Map();
    expect(before.size).toBe(body.includes("z(t") ? 2 : 1);
    expect(
      chainCandidates(p).map((c) => c.statement),
      printProgram(p),
    ).toEqual([id]);
    for (const chunk of [1, 2, 3, 4, 5, 7]) {
      const scanned = applied(scanChain(p, { statement: id, chunk }));
      expect(verifyProgram(scanned), printProgram(scanned)).toEqual([]);
      expect(difference(before, scanned, inputs), printProgram(scanned)).toBeNull();
    }
  });

  it("goes over the chunks as a recurrence of its own, which can be scanned again", () => {
    const [body, statement] = recurrences["a moving average"] ?? ["", ""];
    const p = programOf(body);
    const once = applied(scanChain(p, { statement, chunk: 2 }));
    expect(lines(once)).toEqual([
      "y: { t in 0..1, b in 0..3 } y(t, b) = x(t, b)",
      "y#1.first: { b in 0..3, y#1.chunk in 0..4 } y_part(y#1.chunk, b) = <1, 0>",
      "y#1.part: { y#1.composed in 0..2, b in 0..3, y#1.chunk in 0..4 } y_part(y#1.chunk, b) = <(0.5 * y_part(y#1.chunk, b)), ((0.5 * y_part(y#1.chunk, b).1) + (0.5 * x(2*y#1.chunk + y#1.composed + 1, b)))>",
      "y#1.total: { b in 0..3, y#1.chunk in 0..4 } y_total(y#1.chunk, b) = <y_part(y#1.chunk, b), y_part(y#1.chunk, b).1>",
      "y#1.from: { b in 0..3 } y_carry(0, b) = y(0, b)",
      "y#1.carry: { y#1.turn in 0..4, b in 0..3 } y_carry(y#1.turn + 1, b) = ((y_total(y#1.turn, b) * y_carry(y#1.turn, b)) + y_total(y#1.turn, b).1)",
      "y#1.start: { b in 0..3, y#1.chunk in 0..5 } y_state(y#1.chunk, b) = y_carry(y#1.chunk, b)",
      "y#1.step: { y#1.step in 0..2, b in 0..3, y#1.chunk in 0..5 } y_state(y#1.chunk, b) = ((0.5 * y_state(y#1.chunk, b)) + (0.5 * x(2*y#1.chunk + y#1.step + 1, b)))",
      "y#1: { y#1.step in 0..2, b in 0..3, y#1.chunk in 0..5 } y(2*y#1.chunk + y#1.step + 1, b) = y_state(y#1.chunk, b)",
    ]);
    const twice = applied(scanChain(once, { statement: `${statement}.carry`, chunk: 2 }));
    expect(difference(resultsOf(p, inputs) ?? new Map(), twice, inputs)).toBeNull();
  });

  it.each([
    [
      "a factor that may be above 1",
      `${head}  for t in 1:T { y(t, b) = v(t) * y(t - 1, b) + x(t, b) }`,
      "its factor may be above 1, so that products of it may overflow: write clamp(factor, -1.0, 1.0)",
    ],
    [
      "steps that are no sums",
      `${head}  for t in 1:T { y(t, b) = tanh(y(t - 1, b)) + x(t, b) }`,
      "its steps do not compose",
    ],
    [
      "a factor that depends on the value",
      `${head}  for t in 1:T { y(t, b) = y(t - 1, b) * y(t - 1, b) + x(t, b) }`,
      "its steps do not compose",
    ],
    [
      "values from two steps before",
      `y(t, b) = x(t, b) where t in 0:2  for t in 2:T { y(t, b) = 0.5 * y(t - 2, b) + x(t, b) }`,
      "a step reads more than the element before its own",
    ],
    [
      "values at other indices",
      `${head}  for t in 1:T { y(t, b) = 0.5 * y(t - 1, B - 1 - b) + x(t, b) }`,
      "a step reads more than the element before its own",
    ],
    [
      "a product of all channels",
      `${head}  for t in 1:T { y(t, b) +=! 0.5 * y(t - 1, k) + x(t, b) where k in 0:B }`,
      "a step sums several elements",
    ],
    [
      "steps that other elements take",
      `y(t, b) = 0.0 where t in 0:T, b in 0:B  for t in 1:T { y(t, b) = 0.5 * y(t - 1, b) + x(t, b) where b in 0:min(t, B) }`,
      "its steps are not the same for all elements",
    ],
  ])("refuses %s", (_name, body, why) => {
    const p = programOf(body);
    expect(reason(scanChain(p, { statement: "y#1", chunk: 4 }))).toBe(why);
    expect(chainCandidates(p)).toEqual([]);
  });

  it("refuses a value that its factor waits for, and says through what", () => {
    const p = programOf(
      "s(b) = 1.0 where b in 0:B  for t in T { z(b) = sigmoid(s(b))  s(b) = z(b) * s(b) + x(t, b)  y(t, b) = s(b) }",
    );
    expect(reason(scanChain(p, { statement: "s#1", chunk: 4 }))).toBe(
      "s#1 reads z, which z writes before",
    );
    expect(chainCandidates(p)).toEqual([]);
  });
});

describe("bounds on the errors of recurrences", () => {
  const long = { T: 96, B: 2 };
  const source = (step: string): string =>
    `def f(float(T, B) x) -> (y) { y(t, b) = 1.0 where t in 0:1, b in 0:B  for t in 1:T { y(t, b) = ${step} } }`;

  /** The most that elements of the scanned program are off, in shares of the bounds of the program itself. */
  function worst(step: string, x: Float64Array, chunk: number): number {
    const p = lowered(source(step), long);
    const own = interpret(p, { x }, { bounds: true }).tensors.get("y");
    const scanned = applied(scanChain(p, { statement: "y#1", chunk }));
    let most = 0;
    for (let roundingSeed = 1; roundingSeed <= 6; roundingSeed++) {
      const found = interpret(scanned, { x }, { roundingSeed }).tensors.get("y")?.data ?? [];
      for (const [n, value] of found.entries()) {
        const off = Math.abs(value - (own?.data[n] ?? NaN));
        most = Math.max(most, off === 0 ? 0 : off / (own?.bound?.[n] ?? 0));
      }
    }
    return most;
  }

  it("hold for steps in chunks, also where each step by itself is exact", () => {
    const random = seededRandom(5);
    const reals = Float64Array.from({ length: 192 }, () => random.integer(-1000, 1000) / 999);
    const halves = new Float64Array(192).fill(1);
    for (const chunk of [4, 32, 64]) {
      expect(worst("0.5 * y(t - 1, b) + 0.5 * x(t, b)", halves, chunk)).toBeLessThan(1);
      expect(worst("0.99 * y(t - 1, b) + x(t, b)", reals, chunk)).toBeLessThan(1);
      expect(worst("y(t - 1, b) + x(t, b)", reals, chunk)).toBeLessThan(1);
    }
  });

  it("are those of steps one by one for integers, and where nothing can be composed", () => {
    const bound = (step: string): number => {
      const p = lowered(source(step), long);
      const x = Float64Array.from({ length: 192 }, (_, n) => (n % 5) - 2);
      return Math.max(...(interpret(p, { x }, { bounds: true }).tensors.get("y")?.bound ?? [NaN]));
    };
    expect(bound("x(t, b) - y(t - 1, b)")).toBe(0);
    expect(bound("0.5 * abs(y(t - 1, b)) + 0.5 * x(t, b)")).toBeLessThan(2e-6);
    expect(bound("0.5 * y(t - 1, b) + 0.5 * x(t, b)")).toBeGreaterThan(2e-5);
  });
});
