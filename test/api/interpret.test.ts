import { describe, expect, it } from "vitest";
import { check } from "../../src/api/check.ts";
import { interpret } from "../../src/api/interpret.ts";
import { outline } from "../../src/api/outline.ts";
import { TcError } from "../../src/api/tc-error.ts";
import { verify } from "../../src/api/verify.ts";

const matmul = `
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n)
}`;

const A = { data: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] };
const B = { data: Float32Array.of(1, 0, 0, 1, 1, 1), shape: [3, 2] };
const C = { data: Float32Array.of(4, 5, 10, 11), shape: [2, 2] };

const window = `
def window(float(N) x, int W) -> (y) {
  y(i) +=! x(i + w) where w in 0:W
}`;

describe("interpret", () => {
  it("takes sizes from the shapes of the inputs", () => {
    expect(interpret(matmul, { A, B })).toEqual({ C });
  });

  it("takes the shape of a bare array with one dimension, and integers that it needs to know", () => {
    const x = Float32Array.of(1, 2, 3, 4, 5);
    const expected = { y: { data: Float32Array.of(3, 5, 7, 9), shape: [4] } };
    expect(interpret(window, { x, W: 2 })).toEqual(expected);
    expect(interpret(window, { x, W: { data: Int32Array.of(2), shape: [] } })).toEqual(expected);
    expect(() => interpret(window, { x, W: 0.5 })).toThrow('parameter "W" is needed to compile');
  });

  it("shows the mistakes of a source", () => {
    const wrong = matmul.replace("* B", "* D");
    expect(() => interpret(wrong, { A, B }, { file: "mm.tc" })).toThrow(/^mm\.tc:3:\d+: error\[TC/);
    expect(() => interpret(wrong, { A, B })).toThrow(TcError);
  });

  it("names the tensor that is missing or does not fit", () => {
    const sizes = { M: 2, N: 2, K: 3 };
    // @ts-expect-error: the types see it too
    expect(() => interpret(matmul, { A }, { sizes })).toThrow('tensor "B": missing');
    // @ts-expect-error: the types see it too
    expect(() => interpret(matmul, { A, B, b: B })).toThrow('did you mean "B"?');
    const turned = { ...B, shape: [2, 3] };
    expect(() => interpret(matmul, { A, B: turned })).toThrow("TC2014");
    const integers = { ...A, data: new Int32Array(6) };
    // @ts-expect-error: the types see it too
    expect(() => interpret(matmul, { A: integers, B })).toThrow("float32 needs a Float32Array");
  });
});

it("interpret refuses what takes more loop iterations than it may", () => {
  const sizes = { M: 2, N: 2, K: 3 };
  expect(interpret(matmul, { A, B }, { sizes, maxPoints: 100 })["C"]?.shape).toEqual([2, 2]);
  const refused = (): unknown => interpret(matmul, { A, B }, { sizes, maxPoints: 3 });
  expect(refused).toThrow("the reference takes more than 3 loop iterations");
});

describe("verify", () => {
  const ramp = (shape: readonly number[]): { data: Float32Array; shape: readonly number[] } => {
    const count = shape.reduce((a, b) => a * b, 1);
    return { data: Float32Array.from({ length: count }, (_, i) => (i % 17) - 8), shape };
  };
  const inputs = { A: ramp([40, 16]), B: ramp([16, 30]) };
  const outputs = interpret(matmul, inputs);

  it("accepts what the reference computes, and counts all elements", () => {
    const found = verify(matmul, inputs, outputs);
    const counts = { decision: "right", total: 1200, compared: 1200, ambiguous: 0 };
    expect(found).toMatchObject({ ...counts, wrong: [], outputs: [{ name: "C", ...counts }] });
    // Here rounding to float32 is all that there is.
    expect(found.worst).toBeLessThan(0.1);
  });

  it("gives the reference's outputs where it knows all of them", () => {
    expect(verify(matmul, inputs, outputs, { reference: true }).reference).toEqual(outputs);
    const few = verify(matmul, inputs, outputs, { reference: true, maxPoints: 2000 });
    expect(few.reference).toEqual({});
    expect(verify(matmul, inputs, outputs)).not.toHaveProperty("reference");
    const several = `def f(float(N, D) x, int32(N) k) -> (half y, i, s) {
      y(n) +=! half(x(n, d) / 3.0)
      i(n) argmax=! x(n, d)
      s(n) = k(n) * 7
    }`;
    const x = { data: Float32Array.from({ length: 24 }, (_, n) => Math.sin(n)), shape: [4, 6] };
    const given = { x, k: { data: Int32Array.of(1, -2, 3, 4), shape: [4] } };
    const all = interpret(several, given);
    expect(Object.keys(all)).toEqual(["y", "i", "s"]);
    expect(verify(several, given, all, { reference: true }).reference).toEqual(all);
  });

  it("finds a wrong element and says where", () => {
    const data = outputs["C"]?.data.slice() ?? new Float32Array();
    data[7 * 30 + 4] = (data[7 * 30 + 4] ?? 0) + 1;
    const found = verify(matmul, inputs, { C: { data, shape: [40, 30] } });
    expect(found.worst).toBeGreaterThan(1);
    expect(found.wrong).toMatchObject([{ tensor: "C", index: [7, 4] }]);
  });

  it("compares two corners when the budget is small, and finds what is wrong there", () => {
    const sample = verify(matmul, inputs, outputs, { maxPoints: 2000 });
    expect(sample.compared).toBeGreaterThan(25);
    expect(sample.compared).toBeLessThan(150);
    expect(sample.total).toBe(1200);
    const data = outputs["C"]?.data.slice() ?? new Float32Array();
    data[1199] = (data[1199] ?? 0) + 1;
    const wrong = verify(matmul, inputs, { C: data }, { maxPoints: 2000 });
    expect(wrong.wrong).toMatchObject([{ tensor: "C", index: [39, 29] }]);
  });

  it("compares nothing where one element costs more than the budget", () => {
    const none = verify(matmul, inputs, outputs, { maxPoints: 10 });
    const counts = { decision: "undecided", total: 1200, compared: 0, ambiguous: 0 };
    expect(none).toMatchObject({ ...counts, wrong: [], outputs: [{ name: "C", ...counts }] });
  });
});

describe("check", () => {
  it("warns of sizes that are missing, and finds mistakes without them", () => {
    const { diagnostics } = check(matmul);
    expect(diagnostics.map((d) => [d.code, d.severity])).toEqual([["TC2012", "warning"]]);
    const wrong = check(matmul.replace("* B", "* D")).diagnostics;
    expect(wrong.some((d) => d.severity === "error")).toBe(true);
    expect(check(matmul, { sizes: { M: 2, N: 3, K: 4 } }).diagnostics).toEqual([]);
  });

  it("checks all definitions, each with its own sizes", () => {
    const two = `${matmul}\n${window}`;
    const sizes = { M: 2, N: 8, K: 4, W: 3 };
    expect(check(two, { sizes }).diagnostics).toEqual([]);
    expect(check(two, { sizes: { ...sizes, Q: 1 } }).diagnostics[0]?.code).toBe("TC2011");
    expect(check(two, { def: "window", sizes: { N: 8, W: 9 } }).diagnostics).not.toEqual([]);
  });
});

describe("outline", () => {
  it("tells definitions, sizes, parameters, calls and directives", () => {
    const source = `#! sizes N=8
#! input x=uniform(1, hi=2)
${window}
def twice(float(N) x) -> (y) { y = window(x, 2) }`;
    expect(outline(source)).toEqual({
      definitions: [
        { name: "window", sizes: ["N"], parameters: ["W"], calls: [], alternativeOf: null },
        { name: "twice", sizes: ["N"], parameters: [], calls: ["window"], alternativeOf: null },
      ],
      inputs: { x: "uniform(1,0,2)" },
      sizes: { N: 8 },
    });
  });
});
