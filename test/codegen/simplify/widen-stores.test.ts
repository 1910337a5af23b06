import { describe, expect, test } from "vitest";
import { interpretKernel } from "../../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { initialisedMemory, poisonedMemory } from "../../../src/codegen/interpret-kernel/memory.ts";
import type {
  KernelExpression as E,
  Kernel,
  KernelArray,
  KernelStatement as S,
} from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { printWgsl } from "../../../src/codegen/print-wgsl/print-wgsl.ts";
import { widenStores } from "../../../src/codegen/simplify/widen-stores.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { swiftshaderProfile } from "../../../src/support/device-profile.ts";
import { allocate } from "../../../src/support/scalar-type.ts";
import {
  assign,
  barrier,
  declare,
  f,
  kernelOf,
  load,
  local,
  loop,
  op,
  storage,
  store,
  u,
  variable,
  when,
} from "../support/kernels.ts";

const index = (n: number, scale = 8): E => op(op(local, "*", u(scale)), "+", u(n));
const x = (n: number): E => load("x", index(n));
const sum = variable("s", "float32");
/** `y[scale * local + n] = value`. */
const put = (n: number, value: E = x(n), scale = 8): S => store("y", index(n, scale), value);
const puts = (ns: readonly number[], scale = 8): S[] => ns.map((n) => put(n, x(n % 8), scale));
const four = [0, 1, 2, 3];

/** A kernel of 4 invocations with a variable `s`. */
function kernel(body: readonly S[], y: Partial<KernelArray> = {}): Kernel {
  const arrays = [
    storage("x", 32, "read"),
    storage("y", 40, "read_write", y),
    storage("z", 4, "read_write"),
  ];
  const all = [declare("s", x(0), true), ...body, store("z", local, sum)];
  return kernelOf(arrays, all, { workgroupSize: 4 });
}

/** What a kernel leaves in `y` and `z`, poison where nothing is stored; it has no faults. */
function results(k: Kernel): readonly (readonly number[])[] {
  const counting = Float32Array.from({ length: 32 }, (_, n) => (n * 7) % 23);
  const length = (id: string): number => k.arrays.find((a) => a.id === id)?.length ?? 0;
  const [y, z] = ["y", "z"].map((id) => poisonedMemory(allocate("float32", length(id)), true));
  if (y === undefined || z === undefined) return [];
  const memory = new Map([
    ["x", initialisedMemory(counting, true)],
    ["y", y],
    ["z", z],
  ]);
  expect(interpretKernel(k, memory, [])).toEqual([]);
  return [[...y.data], [...z.data]];
}

/** The statements with wider stores, without the first and the last; checked. */
function widened(before: Kernel): string {
  const after = widenStores(before);
  expect(verifyKernel(after, swiftshaderProfile)).toEqual([]);
  expect(results(after)).toEqual(results(before));
  return printKernel(after).split("\n").slice(5, -2).join("\n");
}

describe("stores become wide", () => {
  test("four in a row from a multiple of four are one, in the place of the last", () => {
    const body = four.flatMap((n) => [put(n), assign("s", op(sum, "+", x(n + 1)))]);
    expect(widened(kernel(body))).toMatchInlineSnapshot(`
      "  let y_value: float32 = x[local-index * 8u + 0u]
        s = s + x[local-index * 8u + 1u]
        let y_value_1: float32 = x[local-index * 8u + 1u]
        s = s + x[local-index * 8u + 2u]
        let y_value_2: float32 = x[local-index * 8u + 2u]
        s = s + x[local-index * 8u + 3u]
        y[local-index * 2u * 4u]:4 = vector4(y_value, y_value_1, y_value_2, x[local-index * 8u + 3u])
        s = s + x[local-index * 8u + 4u]"
    `);
  });

  test("two in a row are one where there are no four", () => {
    expect(widened(kernel(puts([2, 3, 6, 7])))).toMatchInlineSnapshot(`
      "  let y_value: float32 = x[local-index * 8u + 2u]
        y[(local-index * 4u + 1u) * 2u]:2 = vector2(y_value, x[local-index * 8u + 3u])
        let y_value_1: float32 = x[local-index * 8u + 6u]
        y[(local-index * 4u + 3u) * 2u]:2 = vector2(y_value_1, x[local-index * 8u + 7u])"
    `);
  });

  test("in any order, and beside another vector", () => {
    expect(widened(kernel(puts([3, 0, 4, 2, 5, 1, 7, 6])))).toMatchInlineSnapshot(`
      "  let y_value: float32 = x[local-index * 8u + 3u]
        let y_value_1: float32 = x[local-index * 8u + 0u]
        let y_value_3: float32 = x[local-index * 8u + 4u]
        let y_value_2: float32 = x[local-index * 8u + 2u]
        let y_value_4: float32 = x[local-index * 8u + 5u]
        y[local-index * 2u * 4u]:4 = vector4(y_value_1, x[local-index * 8u + 1u], y_value_2, y_value)
        let y_value_5: float32 = x[local-index * 8u + 7u]
        y[(local-index * 2u + 1u) * 4u]:4 = vector4(y_value_3, y_value_4, x[local-index * 8u + 6u], y_value_5)"
    `);
  });

  test("a variable that gets another value is kept", () => {
    const add = assign("s", op(sum, "+", f(1)));
    const body = four.flatMap((n) => [put(n, sum), add]);
    expect(widened(kernel(body))).toMatchInlineSnapshot(`
      "  let y_value: float32 = s
        s = s + 1
        let y_value_1: float32 = s
        s = s + 1
        let y_value_2: float32 = s
        s = s + 1
        y[local-index * 2u * 4u]:4 = vector4(y_value, y_value_1, y_value_2, s)
        s = s + 1"
    `);
  });

  test("names, literals and whole vectors stay what they are", () => {
    const wide = load("x", index(4), "float32", 4);
    const part = (n: number): E => ({
      kind: "component",
      vector: variable("v", "float32", 4),
      index: n,
      type: { scalar: "float32", width: 1 },
    });
    const body = [
      declare("v", wide),
      declare("a", x(0)),
      ...four.map((n) => put(n, part(n))),
      put(4, f(2)),
      put(5, variable("a", "float32")),
      put(6, f(3)),
      put(7, x(7)),
    ];
    const x4 = storage("x", 32, "read", { width: 4 });
    const before = kernel(body);
    const arrays = before.arrays.map((y) => (y.id === "x" ? x4 : y));
    expect(widened({ ...before, arrays })).toMatchInlineSnapshot(`
      "  let v: float32x4 = x[local-index * 8u + 4u]:4
        let a: float32 = x[local-index * 8u + 0u]
        y[local-index * 2u * 4u]:4 = v
        y[(local-index * 2u + 1u) * 4u]:4 = vector4(2, a, 3, x[local-index * 8u + 7u])"
    `);
  });

  test("in loops and branches, each block by itself", () => {
    const at = (base: E, n: number): S => store("y", op(op(base, "*", u(4)), "+", u(n)), x(n));
    const place = op(op(local, "*", u(2)), "+", variable("k"));
    const small = op(local, "<", u(2));
    const body = [
      loop("k", 2, [
        when(
          small,
          four.map((n) => at(place, n)),
          four.map((n) => at(place, 3 - n)),
        ),
      ]),
    ];
    expect(widened(kernel(body)).match(/y\[/g)).toHaveLength(2);
  });

  test("and are printed so", () => {
    const { wgsl } = printWgsl(widenStores(kernel(puts(four))), "table");
    expect(wgsl).toContain("y: array<vec4<f32>, 10>");
    expect(wgsl).toContain("y[local_index * 2u] = vec4<f32>(");
  });
});

describe("stores stay as they are", () => {
  const loadsY = assign("s", load("y", index(1)));
  const small = op(local, "<", u(2));
  const mutable = declare("p", op(local, "*", u(8)), true);
  const moving = four.map((n) => store("y", op(variable("p"), "+", u(n)), x(n)));
  const [a, b, c, d] = puts(four);
  const parts = a && b && c && d ? ([a, b, c, d] as const) : undefined;
  if (parts === undefined) throw new Error("four stores");
  const [s0, s1, s2, s3] = parts;
  const stays: readonly (readonly [string, Kernel])[] = [
    ["one of two", kernel(puts([0]))],
    ["three of four", kernel(puts([0, 1, 2]))],
    ["two across a boundary", kernel(puts([1, 2]))],
    ["rows of an odd length", kernel(puts(four, 9))],
    ["one more that is alone", kernel([...puts(four), put(4)])],
    ["one more in another block", kernel([...puts(four), when(small, [put(4)])])],
    ["a length that is no multiple", kernel(puts(four), { length: 41 })],
    ["the memory of a view", kernel(puts(four), { view: true })],
    ["memory that is bound twice", kernel(puts(four), { buffer: "z" })],
    ["memory that is shared by a workgroup", kernel(puts(four), { space: "workgroup" })],
    ["vectors already", kernel(puts(four), { width: 4 })],
    ["memory that the kernel loads", kernel([...puts(four), loadsY])],
    ["an element that is loaded in between", kernel([s0, s1, loadsY, s2, s3])],
    ["an element that a value is computed from", kernel([s0, s1, s2, put(3, load("y", index(1)))])],
    ["a barrier in between", kernel([s0, barrier("storage"), s1, s2, s3])],
    ["an element that is stored twice", kernel([s0, s1, put(0, f(1)), s2, s3])],
    ["a store in a block in between", kernel([s0, when(small, puts([4, 5, 6, 7])), s1, s2, s3])],
    ["neighbours in blocks that do not both run", kernel([when(small, [s0, s1, s2], [s3])])],
    [
      "an index that changes in between",
      kernel([mutable, ...moving.flatMap((s) => [s, assign("p", op(variable("p"), "+", u(0)))])]),
    ],
    [
      "elements that may be others of the vector",
      kernel([
        s0,
        s1,
        ...four.map((n) => store("y", op(load("x", local, "uint32"), "+", u(n)), f(0))),
      ]),
    ],
  ];
  for (const [name, k] of stays) {
    test(name, () => {
      expect(widenStores(k)).toBe(k);
    });
  }

  test("atomic memory", () => {
    const before = kernel(puts(four), { atomic: true });
    expect(widenStores(before)).toBe(before);
  });

  test("vectors that may overlap while both are open", () => {
    const other = (n: number): S => store("y", op(op(variable("q"), "*", u(4)), "+", u(n)), f(n));
    const q = declare("q", op(local, "*", u(2)));
    const woven = kernel([q, ...four.flatMap((n) => [put(n), other(n)])]);
    expect(widenStores(woven)).toBe(woven);
    const apart = kernel([q, ...puts(four), ...four.map(other)]);
    expect(widenStores(apart)).not.toBe(apart);
    expect(results(widenStores(apart))).toEqual(results(apart));
  });
});
