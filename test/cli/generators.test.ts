import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/cli/failure.ts";
import { generate, parseInput } from "../../src/cli/generators.ts";
import type { ScalarType, TensorData } from "../../src/support/scalar-type.ts";

function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

function failure<T>(outcome: Outcome<T>): string {
  if (outcome.ok) throw new Error("expected a failure");
  return `${outcome.failure.message}; ${outcome.failure.next}`;
}

function made(text: string, type: ScalarType, shape: readonly number[]): Outcome<TensorData> {
  const spec = value(parseInput("A", text));
  if (spec.kind === "file") throw new Error("a file");
  return generate(spec, "A", type, shape);
}

describe("words for inputs", () => {
  test("numbers, generators with defaults and names, files", () => {
    expect(value(parseInput("A", "-1.5e3"))).toMatchObject({ kind: "number", value: -1500 });
    expect(value(parseInput("A", "true"))).toMatchObject({ kind: "number", value: 1 });
    expect(value(parseInput("A", "randn"))).toMatchObject({ name: "randn", values: [0] });
    expect(value(parseInput("A", "randn(seed=7)"))).toMatchObject({ values: [7] });
    expect(value(parseInput("A", "uniform(1, hi = 2)"))).toMatchObject({ values: [1, 0, 2] });
    expect(value(parseInput("A", "dir/a.npy"))).toMatchObject({ kind: "file", path: "dir/a.npy" });
  });

  test("a misspelt generator gets a suggestion, other words the list", () => {
    expect(failure(parseInput("A", "rand(1)"))).toContain("did you mean randn?");
    expect(failure(parseInput("A", "a.txt"))).toContain("a path that ends in .npy");
  });

  test("wrong arguments are named", () => {
    expect(failure(parseInput("A", "integers"))).toContain("seed is missing");
    expect(failure(parseInput("A", "randn(1, 2)"))).toContain("too many arguments");
    expect(failure(parseInput("A", "randn(x)"))).toContain("x is no number");
    expect(failure(parseInput("A", "randn(sed=1)"))).toContain("no parameter sed");
    expect(failure(parseInput("A", "uniform(1, 2, 2)"))).toContain("lo must be below hi");
  });
});

describe("generated elements", () => {
  test("plain ones", () => {
    expect(value(made("zeros", "float32", [2]))).toEqual(Float32Array.of(0, 0));
    expect(value(made("ones", "uint32", [2]))).toEqual(Uint32Array.of(1, 1));
    expect(value(made("arange", "int32", [2, 2]))).toEqual(Int32Array.of(0, 1, 2, 3));
    expect(value(made("full(2.5)", "float32", [2]))).toEqual(Float32Array.of(2.5, 2.5));
    expect(value(made("0.5", "float32", []))).toEqual(Float32Array.of(0.5));
  });

  test("the same seed gives the same numbers, another seed others", () => {
    const [a, b, c] = ["randn(1)", "randn(1)", "randn(2)"].map((t) =>
      value(made(t, "float32", [4])),
    );
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
    expect([...(a ?? [])].map((v) => v.toFixed(3))).toEqual(["1.404", "0.024", "1.216", "-0.145"]);
  });

  test("randn has mean 0 and variance 1, uniform stays in its range", () => {
    const normal = [...value(made("randn(3)", "float32", [20_000]))];
    const mean = normal.reduce((sum, v) => sum + v, 0) / normal.length;
    const square = normal.reduce((sum, v) => sum + v * v, 0) / normal.length;
    expect(Math.abs(mean)).toBeLessThan(0.03);
    expect(Math.abs(square - 1)).toBeLessThan(0.05);
    const uniform = value(made("uniform(1, -2, 5)", "float32", [1000]));
    expect(Math.min(...uniform)).toBeGreaterThanOrEqual(-2);
    expect(Math.max(...uniform)).toBeLessThanOrEqual(5);
    const integers = value(made("integers(1, -2, 2)", "int32", [1000]));
    expect([...new Set(integers)].sort((x, y) => x - y)).toEqual([-2, -1, 0, 1]);
  });

  test("what the type cannot hold is refused", () => {
    expect(failure(made("randn(1)", "int32", [2]))).toContain("write A=integers(seed, lo, hi)");
    expect(failure(made("integers(1,-5,0)", "uint32", [2]))).toContain(
      "not a value of type uint32",
    );
    expect(failure(made("0.5", "float32", [3]))).toContain("write A=full(0.5)");
    expect(failure(made("arange", "bool", [3]))).toContain("makes 2");
  });
});
