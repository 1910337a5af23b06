/** The benchmark's cases: that they compile, and that their references are what the source says. */
import { describe, expect, it } from "vitest";
import { cases } from "../../bench/cases/cases.js";
import { check, makeInputs, toChannelsLast, toleranceOf } from "../../bench/measure/inputs.js";
import { compile, interpret } from "../../src/index.ts";

const groups = ["cases", "recurrent", "relatives"];
const plain = cases.filter((c) => groups.includes(c.group ?? ""));

describe("cases", () => {
  it("have names of their own, and relatives that are cases", () => {
    const names = cases.map((c) => c.name);
    expect(new Set(names).size).toBe(names.length);
    for (const { relative } of cases) if (relative !== undefined) expect(names).toContain(relative);
    expect(cases.filter((c) => c.relative !== undefined)).toHaveLength(12);
  });

  it("have a program for each peer, or say why not", () => {
    for (const c of cases.filter(({ group }) => group !== "relatives")) {
      const programs = { "jax-js": c.jax, tfjs: c.tfjs, onnxruntime: c.onnx };
      for (const [who, program] of Object.entries(programs)) {
        expect([c.name, who, program ?? c.unsupported?.[who]]).not.toContain(undefined);
      }
    }
  });

  it("of a curve cover five octaves", () => {
    for (const curve of ["matmul", "softmax", "gelu"]) {
      const sizes = cases.filter((c) => c.curve === curve).map((c) => c.size ?? 0);
      expect(Math.max(...sizes) / Math.min(...sizes)).toBe(32);
    }
  });

  it.each(plain.map((c) => [c.name, c] as const))("%s compiles to its output", (_, c) => {
    const compiled = compile(c.source, { shapes: c.inputs, profile: "llvmpipe" });
    if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join("\n"));
    const output = compiled.plan.buffers.find((b) => b.name === c.output.name);
    expect(output).toMatchObject({ role: "output", shape: c.output.shape });
  });
});

/** Cases whose float64 interpretation takes at most a second or so. */
const small = cases.filter((c) =>
  [
    "scaling matmul 32",
    "scaling matmul 64",
    "scaling softmax 64",
    "scaling gelu 131072",
    "depthwise 3x3 64 56x56",
    "max pool 2x2 64 112x112",
    "dilated depthwise bias 3x3 64 56x56",
    "matvec 1024",
    "gather-sum 256x32 of 10000x128",
    "edit distance 512x512",
  ].includes(c.name),
);

describe("references", () => {
  it.each(small.map((c) => [c.name, c] as const))("of %s agree with the interpreter", (_, c) => {
    const inputs = makeInputs(c);
    const given = Object.entries(inputs).map(([name, data]) => {
      return [name, { data, shape: [...(c.inputs[name] ?? [])] }] as const;
    });
    const outputs = interpret(c.source, Object.fromEntries(given));
    const data = outputs[c.output.name]?.data ?? [];
    const { error, tolerance } = check(c, inputs, data as ArrayLike<number>, false);
    expect(error).toBeLessThanOrEqual(tolerance);
  });
});

describe("the check", () => {
  const c = cases.find(({ name }) => name === "scaling matmul 32");
  if (c === undefined) throw new Error("there is no such case");

  it("notices an element that is off, and a length", () => {
    const inputs = makeInputs(c);
    const right = Float32Array.from({ length: 1024 }, (_, at) => c.element(inputs, at));
    expect(check(c, inputs, right, false).error).toBeLessThan(1e-5);
    for (const at of [0, 1023]) {
      const wrong = right.with(at, (right[at] ?? 0) + 0.01);
      const { error, tolerance } = check(c, inputs, wrong, false);
      expect(error).toBeGreaterThan(tolerance);
    }
    expect(() => check(c, inputs, right.subarray(1), false)).toThrow("1023 elements");
    const noNumbers = right.map(() => Number.NaN);
    const { error, tolerance } = check(c, inputs, noNumbers, false);
    expect(error <= tolerance).toBe(false);
  });

  it("allows more where sums are longer", () => {
    expect(toleranceOf({ terms: 1024 }, 0)).toBeGreaterThan(toleranceOf({ terms: 4 }, 0));
    expect(toleranceOf({ terms: 4 }, 1)).toBeLessThan(1e-4);
  });

  it("finds elements of results whose channels are last", () => {
    const shape = [2, 2, 3];
    const places = Array.from({ length: 12 }, (_, at) => toChannelsLast(at, shape));
    expect(places).toEqual([0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11]);
  });

  it("is about the same inputs every time", () => {
    expect(makeInputs(c)).toEqual(makeInputs(c));
  });
});
