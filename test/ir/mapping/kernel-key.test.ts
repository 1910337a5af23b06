/** The key of a kernel: what it computes, whatever its names, its sizes and the rest of its program. */
import { describe, expect, it } from "vitest";
import { type CompileRequest, lowerSource } from "../../../src/compile.ts";
import { applyLayouts } from "../../../src/ir/apply-layouts.ts";
import {
  boundKernelPath,
  canonicalKernelPath,
  kernelKey,
  keyedMapping,
} from "../../../src/ir/mapping/kernel-key.ts";
import { kernelText } from "../../../src/ir/mapping/kernel-text.ts";
import { type MappingResult, mapProgram } from "../../../src/ir/mapping/map-program.ts";
import { mappingOf } from "../../../src/ir/mapping/mapping.ts";
import { gpuProfile } from "../../../src/support/device-profile.ts";
import type { Mapping } from "../../../src/support/mapping-file.ts";

function mapped(
  source: string,
  request: CompileRequest,
  mapping: Mapping = { version: 2 },
): MappingResult {
  const lowered = lowerSource(source, request);
  if (!lowered.ok) throw new Error(lowered.diagnostics.map((d) => d.message).join("; "));
  return mapProgram(lowered.program, gpuProfile, mapping);
}

const apart: Mapping = { version: 2, policy: "apart" };

/** The keys of a program's kernels by name, each statement in a kernel of its own. */
function keys(source: string, sizes: Readonly<Record<string, number>>): Record<string, string> {
  const { kernels } = mapped(source, { sizes }, apart);
  return Object.fromEntries(kernels.map(({ name, group }) => [name, kernelKey(group)]));
}

const sizes = { M: 48, N: 40, K: 36 };
const product = "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";

describe("the key of a kernel is the same", () => {
  it("when definitions, tensors and indices are renamed, in whatever order the names are", () => {
    const renamed = "def g(float(M, K) Z, float(K, N) Y) -> (A) { A(z, b) +=! Z(z, a) * Y(a, b) }";
    expect(keys(renamed, sizes)["A"]).toBe(keys(product, sizes)["C"]);
  });

  it("when sizes are others", () => {
    expect(keys(product, { M: 512, N: 509, K: 64 })).toEqual(keys(product, sizes));
  });

  it("when sizes of borders, means and views from the end are others", () => {
    const source = `def f(float(N) x) -> (y, m, z) {
  y(i) +=! pad(x(i + j - 1)) where i in 0:N, j in 0:3
  m +=! x(i) / N
  z(i) = x(N - 1 - i)
}`;
    expect(keys(source, { N: 100 })).toEqual(keys(source, { N: 64 }));
  });

  it("when statements elsewhere are added or swapped", () => {
    const with2 = (text: string): string =>
      `def f(float(M, K) A, float(K, N) B, float(M) x) -> (C, u, v) {\n${text}\n}`;
    const [a, b, c] = ["C(m, n) +=! A(m, k) * B(k, n)", "u(m) = 2 * x(m)", "v(m) +=! A(m, k)"];
    const { C } = keys(product, sizes);
    const orders = [
      [a, b, c],
      [b, a, c],
      [c, b, a],
    ];
    const found = orders.map((lines) => keys(with2(lines.join("\n")), sizes));
    for (const one of found) expect(one).toEqual({ ...found[0], C });
  });

  it("for each layer of a program of equal layers", () => {
    const source = `def f(float(B, N) x, float(N, N) V, float(N, N) W) -> (y, z) {
  y(b, m) +=! V(n, m) * x(b, n)
  z(b, m) +=! W(n, m) * y(b, n)
}`;
    const { y, z } = keys(source, { B: 16, N: 32 });
    expect(z).toBe(y);
  });
});

describe("the key of a kernel is another one", () => {
  const { C } = keys(product, sizes);
  const mapOf = (right: string, type = "float"): string =>
    `def f(${type}(N) x, ${type}(N) w) -> (C) { C(i) = ${right} }`;
  const map = keys(mapOf("x(i) * w(i)"), { N: 40 });

  it.each([
    ["operation", mapOf("x(i) + w(i)")],
    ["function", mapOf("max(x(i), w(i))")],
    ["access map", mapOf("x(N - 1 - i) * w(i)")],
    ["read", mapOf("x(i) * x(i)")],
    ["element type", mapOf("x(i) * w(i)", "int")],
    ["condition", mapOf("i > 3 ? x(i) * w(i) : w(i) where i in 0:N")],
  ])("for another %s", (_, source) => {
    expect(keys(source, { N: 40 })["C"]).not.toBe(map["C"]);
  });

  it("for another offset or stride", () => {
    const shifted = (index: string): string =>
      `def f(float(N) x) -> (C) { C(i) = x(${index}) where i in 0:16 }`;
    const found = ["i", "i + 1", "i + 2", "2 * i", "i / 2"].map(
      (i) => keys(shifted(i), { N: 64 })["C"],
    );
    expect(new Set(found).size).toBe(found.length);
  });

  it("for another exponent", () => {
    const found = ["2", "3"].map((e) => keys(mapOf(`pow(x(i), ${e}.0)`), { N: 40 })["C"]);
    expect(new Set(found).size).toBe(2);
  });

  it.each([
    ["a transposed operand", product.replace("B(k, n)", "B(n, k)").replace("(K, N)", "(N, K)")],
    ["another reduction", product.replace("+=!", "max=!")],
    [
      "no reduction",
      product.replace(") B", ") B, float(M, N) D").replace("+=! A(m, k) * B(k, n)", "= D(m, n)"),
    ],
    [
      "a start",
      product
        .replace(") B", ") B, float(M, N) D")
        .replace("C(m", "C(m, n) = D(m, n)\n C(m")
        .replace("+=!", "+="),
    ],
  ])("for %s", (_, source) => {
    expect(keys(source, sizes)["C"]).not.toBe(C);
  });

  it("for another layout", () => {
    const lowered = lowerSource(product, { sizes });
    if (!lowered.ok) throw new Error("no program");
    const keyWith = (...strides: readonly number[]): readonly string[] => {
      const layouts = { A: { strides, offsetMultiple: null } };
      const applied = applyLayouts(lowered.program, { layouts, shared: [], float16: false });
      if (!applied.ok) throw new Error(applied.fault);
      return mapProgram(applied.program, gpuProfile, apart).kernels.map((k) => kernelKey(k.group));
    };
    const rows = keyWith(40, 1);
    expect(rows).not.toEqual([C]);
    expect(keyWith(1, 48)).not.toEqual(rows);
    expect(keyWith(0, 1)).not.toEqual(rows);
    expect(keyWith(-40, 1)).not.toEqual(rows);
    expect(keyWith(44, 1)).toEqual(rows);
  });
});

describe("what was found for a kernel", () => {
  const source = `def f(float(N, D) x) -> (y) {
  largest(n) max=! x(n, d)
  total(n) +=! exp(x(n, d) - largest(n))
  y(n, d) = exp(x(n, d) - largest(n)) / total(n)
}`;
  const renamed = source
    .replaceAll("largest", "a0")
    .replaceAll("total", "b")
    .replaceAll("y", "s")
    .replaceAll("n,", "r,")
    .replaceAll("(n)", "(r)")
    .replaceAll("d)", "c)");
  const together: Mapping = { version: 2, policy: "together" };
  const shape = { N: 30, D: 120 };

  it("has canonical names, which are bound to those of another program", () => {
    const [a] = mapped(source, { sizes: shape }, together).kernels;
    const [b] = mapped(renamed, { sizes: shape }, together).kernels;
    if (a === undefined || b === undefined) throw new Error("no kernel");
    expect(kernelText(b.group)).toBe(kernelText(a.group));
    for (const [path, canonical, other] of [
      ["places/largest", "places/t0", "places/a0"],
      ["operands/total.read0/stage", "operands/s1.read0/stage", "operands/b.read0/stage"],
      ["joins/largest.r0 y.q0", "joins/s0.r0 s2.q0", "joins/a0.r0 s.q0"],
      ["axes/0/workgroup", "axes/0/workgroup", "axes/0/workgroup"],
    ] as const) {
      expect(canonicalKernelPath(a.group, path)).toBe(canonical);
      expect(boundKernelPath(b.group, canonical)).toBe(other);
    }
  });

  it("is taken by its key where the mapping has no kernel of that name", () => {
    const first = mapped(source, { sizes: shape }, together);
    const byKey = (given: MappingResult): Mapping =>
      keyedMapping({ ...given.mapping, structure: {}, policy: "together" }, given.kernels);
    const kernel = {
      ...(first.mapping.kernels?.["largest"] as object),
      places: { largest: "workgroup", total: "private" },
    };
    const other = mapped(source, { sizes: shape }, { ...together, kernels: { largest: kernel } });
    expect(other.mapping).not.toEqual(first.mapping);
    const again = mapped(renamed, { sizes: shape }, byKey(other));
    expect([again.unused, again.repairs]).toEqual([[], []]);
    expect(byKey(again)).toEqual(byKey(other));
  });

  it("is reported as unused where no kernel has the key", () => {
    const path = "kernels/key:0000000000000000/team";
    const given = mappingOf([[path, 4]], "together");
    expect(mapped(source, { sizes: shape }, given).unused).toEqual([path]);
  });
});
