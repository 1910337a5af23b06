/** Matrices that subgroups hold: interpreted, verified and printed. */
import { describe, expect, it } from "vitest";
import { interpretKernel } from "../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { initialisedMemory, poisonedMemory } from "../../src/codegen/interpret-kernel/memory.ts";
import type {
  FragmentMemory,
  FragmentType,
  Kernel,
  KernelStatement as S,
} from "../../src/codegen/kernel.ts";
import { printKernel } from "../../src/codegen/print-kernel.ts";
import { printWgsl } from "../../src/codegen/print-wgsl/print-wgsl.ts";
import { kernelPasses, runPasses } from "../../src/codegen/simplify/passes.ts";
import { verifyKernel } from "../../src/codegen/verify-kernel/verify-kernel.ts";
import { baselineProfile, type DeviceProfile } from "../../src/support/device-profile.ts";
import { allocate } from "../../src/support/scalar-type.ts";
import { askedSizes, askingFor } from "../support/asking-profile.ts";
import { profileWithUnits, unitOf } from "../support/matrix-profile.ts";
import {
  builtin,
  kernelOf,
  load,
  local,
  memory,
  op,
  storage,
  store,
  u,
  when,
} from "./support/kernels.ts";
import { wgslFaults } from "./support/validate-wgsl.ts";

const [rows, columns, depth] = [3, 5, 2];
const lanes = 4;
const subgroups = 2;
const profile: DeviceProfile = profileWithUnits(lanes, unitOf("float32", rows, columns, depth));

function typeOf(side: FragmentType["side"], r: number, c: number): FragmentType {
  return { side, scalar: "float32", rows: r, columns: c };
}

function fragment(name: string, type: FragmentType, at: FragmentMemory): S {
  return { kind: "fragment", name, type, from: { kind: "load", ...at } };
}

const subgroup = builtin("subgroup");
const left = typeOf("left", rows, depth);
const right = typeOf("right", depth, columns);
const result = typeOf("result", rows, columns);
const atA: FragmentMemory = {
  array: "a",
  index: op(subgroup, "*", u(rows * depth)),
  pitch: rows,
  byRows: false,
};
const atB: FragmentMemory = { array: "b", index: u(1), pitch: 7, byRows: true };
const atC: FragmentMemory = {
  array: "c",
  index: op(subgroup, "*", u(rows * columns)),
  pitch: columns,
  byRows: true,
};

const product: readonly S[] = [
  { kind: "fragment", name: "sum", type: result, from: { kind: "fill", value: 0.5 } },
  fragment("l", left, atA),
  fragment("r", right, atB),
  { kind: "multiply", name: "sum", left: "l", right: "r" },
  { kind: "store-fragment", name: "sum", ...atC },
];

const arrays = [
  storage("a", subgroups * rows * depth, "read"),
  storage("b", 16, "read"),
  storage("c", subgroups * rows * columns, "read_write"),
];

function kernelWith(body: readonly S[], more: Kernel["arrays"] = []): Kernel {
  const options = { workgroupSize: subgroups * lanes, subgroupSize: lanes };
  return kernelOf([...arrays, ...more], body, options);
}

function ramp(length: number, scale: number): Float32Array {
  return Float32Array.from({ length }, (_, n) => ((7 * n) % 11) * scale - 2);
}

function execute(kernel: Kernel): {
  readonly c: Float32Array;
  readonly faults: readonly string[];
} {
  const c = poisonedMemory(allocate("float32", subgroups * rows * columns), true);
  const buffers = new Map([
    ["a", initialisedMemory(ramp(subgroups * rows * depth, 0.5), true)],
    ["b", initialisedMemory(ramp(16, 0.25), true)],
    ["c", c],
  ]);
  const faults = interpretKernel(kernel, buffers, []);
  return { c: c.data as Float32Array, faults: faults.map((f) => f.kind) };
}

describe("a product of fragments", () => {
  it("is that of the matrices, with rows, columns and depth that all differ", () => {
    const { c, faults } = execute(kernelWith(product));
    expect(faults).toEqual([]);
    const [a, b] = [ramp(subgroups * rows * depth, 0.5), ramp(16, 0.25)];
    const expected = Array.from({ length: subgroups * rows * columns }, (_, e) => {
      const [g, m, n] = [Math.floor(e / 15), Math.floor(e / columns) % rows, e % columns];
      const terms = [0, 1].map((k) => (a[g * 6 + k * rows + m] ?? 0) * (b[1 + k * 7 + n] ?? 0));
      return terms.reduce((sum, term) => sum + term, 0.5);
    });
    expect([...c]).toEqual(expected);
  });

  it("is the same after simplification, verified, and text that Tint takes", async () => {
    const kernel = kernelWith(product);
    const input = { steps: new Map<string, number>(), limits: baselineProfile };
    const simplified = runPasses(kernelPasses, kernel, input);
    expect(verifyKernel(kernel, profile)).toEqual([]);
    expect(verifyKernel(simplified, profile)).toEqual([]);
    expect(execute(simplified)).toEqual(execute(kernel));
    const { wgsl, entryPoint } = printWgsl(simplified, "table");
    expect(await wgslFaults(wgsl, entryPoint)).toEqual([]);
    expect(wgsl).toContain("enable chromium_experimental_subgroup_matrix;");
    expect(wgsl).toContain("subgroupMatrixLoad<subgroup_matrix_left<f32, 2, 3>, col_major>(&a, ");
    expect(wgsl).toContain("subgroupMatrixLoad<subgroup_matrix_right<f32, 5, 2>, row_major>(&b, ");
    expect(wgsl).toContain("var sum = subgroup_matrix_result<f32, 5, 3>(0.5f);");
    expect(wgsl).toContain("sum = subgroupMatrixMultiplyAccumulate(l, r, sum);");
    expect(wgsl).toMatch(/subgroupMatrixStore<row_major>\(&c, .*, sum, 5u\);/);
  });

  it.each(askedSizes)("is that of subgroups of %d that a kernel asks for", async (size) => {
    const kernel: Kernel = {
      ...kernelWith(product),
      workgroupSize: subgroups * size,
      subgroupSize: size,
      asksForSize: true,
    };
    expect(verifyKernel(kernel, askingFor(size, profile))).toEqual([]);
    expect(execute(kernel)).toEqual(execute(kernelWith(product)));
    const { wgsl, entryPoint } = printWgsl(kernel, "table");
    expect(await wgslFaults(wgsl, entryPoint)).toEqual([]);
    expect(wgsl).toContain(`@workgroup_size(${subgroups * size}) @subgroup_size(${size})`);
  });

  it("has a text", () => {
    const lines = printKernel(kernelWith(product)).split("\n").slice(4);
    expect(lines).toEqual([
      "  fragment sum: result float32 3x5 = 0.5",
      "  fragment l: left float32 3x2 = a[subgroup * 6u] by columns of 3",
      "  fragment r: right float32 2x5 = b[1u] by rows of 7",
      "  multiply sum += l * r",
      "  c[subgroup * 15u] by rows of 5 = fragment sum",
      "",
    ]);
  });
});

function at(index: FragmentMemory["index"]): S {
  return { kind: "store-fragment", name: "sum", ...atC, index };
}

describe("the interpreter finds", () => {
  const [fill] = product;
  const sum = fill === undefined ? [] : [fill];

  it("lanes that do not agree where a fragment lies", () => {
    expect(execute(kernelWith([...sum, at(op(local, "/", u(3)))])).faults).toContain("divergence");
  });

  it("fragments beyond an array", () => {
    expect(execute(kernelWith([...sum, at(op(subgroup, "*", u(16)))])).faults).toEqual([
      "out-of-bounds",
    ]);
  });

  it("what depends on elements that nothing wrote", () => {
    const from: FragmentMemory = { array: "w", index: u(0), pitch: depth, byRows: true };
    const body = [...sum, fragment("l", left, from), ...product.slice(2)];
    const own = kernelWith(body, [memory("w", "workgroup", rows * depth)]);
    expect(execute(own).faults).toEqual(["uninitialised"]);
  });

  it("elements that another lane takes without a barrier, and none with one", () => {
    const tile = { ...atC, array: "w" };
    const put: S = { kind: "store-fragment", name: "sum", ...tile };
    const other = op(op(local, "+", u(1)), "%", u(subgroups * lanes));
    const take = store("c", local, load("w", other));
    const barrier: S = { kind: "barrier", memory: "workgroup" };
    const own = [memory("w", "workgroup", subgroups * rows * columns)];
    expect(execute(kernelWith([...sum, put, take], own)).faults).toEqual(["race"]);
    expect(execute(kernelWith([...sum, put, barrier, take], own)).faults).toEqual([]);
  });

  it("subgroups that store to the same elements", () => {
    expect(execute(kernelWith([...sum, at(u(0))])).faults).toEqual(["race"]);
  });
});

describe("the verifier refuses", () => {
  const bad = (body: readonly S[], device: DeviceProfile = profile): string =>
    verifyKernel(kernelWith(body), device).join("\n");
  const replaced = (n: number, s: S): readonly S[] => product.map((old, i) => (i === n ? s : old));

  it("products that no unit of the device computes", () => {
    const { matrixUnits: _, ...none } = profile;
    expect(bad(product, none)).toContain("no matrix unit for float32 3x5x2 on this device");
    const others = profileWithUnits(lanes, unitOf("float32", 5, 3, 2));
    expect(bad(product, others)).toContain("no matrix unit for float32 3x5x2");
  });

  it("fragments that do not multiply to each other", () => {
    expect(bad(replaced(3, { kind: "multiply", name: "sum", left: "r", right: "l" }))).toContain(
      "r and l do not multiply to sum",
    );
    expect(bad(replaced(3, { kind: "multiply", name: "x", left: "l", right: "r" }))).toContain(
      "x is no fragment here",
    );
  });

  it("a pitch below what neighbours take, and memory of other types", () => {
    expect(bad(replaced(1, fragment("l", left, { ...atA, pitch: 2 })))).toContain(
      "pitch 2 is below 3",
    );
    expect(bad(replaced(4, { kind: "store-fragment", name: "sum", ...atC, array: "b" }))).toContain(
      "a fragment stored to b, which is read",
    );
    const half = { ...left, scalar: "float16" as const };
    expect(bad(replaced(1, fragment("l", half, atA)))).toContain(
      "a fragment of float16 in a of float32",
    );
  });

  it("indices that differ between lanes, and fragments that not all lanes come to", () => {
    expect(bad(replaced(1, fragment("l", left, { ...atA, index: local })))).toContain(
      "an index of a fragment is not the same in all lanes",
    );
    expect(bad([when(op(local, "<", u(3)), [...product])])).toContain(
      "multiply under control flow that is not uniform",
    );
  });

  it("names that are taken, and kernels without subgroups", () => {
    const [first] = product;
    expect(bad([...product, ...(first === undefined ? [] : [first])])).toContain(
      "sum is declared already",
    );
    const alone = kernelOf(arrays, product, { workgroupSize: 8 });
    expect(verifyKernel(alone, profile).join("\n")).toContain("without subgroups");
  });
});
