import { describe, expect, test } from "vitest";
import { interpretKernel } from "../../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { initialisedMemory } from "../../../src/codegen/interpret-kernel/memory.ts";
import type {
  Kernel,
  KernelArray,
  KernelExpression,
  KernelStatement as S,
} from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { joinConditions } from "../../../src/codegen/simplify/join-conditions.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import {
  assign,
  barrier,
  declare,
  f,
  kernelOf,
  load,
  local,
  loop,
  memory,
  op,
  storage,
  store,
  u,
  variable,
  when,
} from "../support/kernels.ts";

const inside = op(local, "<", u(2));
const other = op(local, "<", u(3));
const [s, t] = [variable("s", "float32"), variable("t", "float32")];
const read = (name: string, n: number): S =>
  declare(name, load("x", op(local, "+", u(n)), "float32"));
const add = (sum: typeof s, value: KernelExpression): S =>
  assign((sum as { name: string }).name, op(sum, "+", value));
const value = (name: string): KernelExpression => variable(name, "float32");

const plain: readonly KernelArray[] = [
  storage("x", 8, "read"),
  storage("y", 8),
  memory("w", "workgroup", 8),
];

function kernelWith(body: readonly S[], arrays = plain): Kernel {
  const sums = [declare("s", f(0), true), declare("t", f(0), true)];
  const results = [store("y", local, s), store("y", op(local, "+", u(4)), t)];
  return kernelOf(arrays, [...sums, ...body, ...results], { workgroupSize: 4, grid: [1, 1, 1] });
}

function resultsOf(kernel: Kernel): readonly number[] {
  const written = initialisedMemory(new Float32Array(8), true);
  const counting = Float32Array.from({ length: 8 }, (_, n) => 1 + n * n);
  const buffers = new Map([
    ["x", initialisedMemory(counting, true)],
    ["y", written],
  ]);
  expect(interpretKernel(kernel, buffers, [])).toEqual([]);
  return [...written.data];
}

/** The lines of what stands between sums and results after the pass, which means the same. */
function joined(...body: readonly S[]): string {
  const kernel = kernelWith(body);
  const passed = joinConditions(kernel);
  expect(verifyKernel(passed, baselineProfile)).toEqual([]);
  expect(resultsOf(passed)).toEqual(resultsOf(kernel));
  return printKernel(passed);
}

const branches = (text: string): number => text.split("if ").length - 1;

describe("branches under one condition become one", () => {
  test("after the loads of all of them", () => {
    const text = joined(
      read("a", 0),
      when(inside, [add(s, value("a"))]),
      read("b", 1),
      when(inside, [add(t, value("b"))]),
    );
    expect(text.split("\n").slice(6, 11).join("\n")).toMatchInlineSnapshot(`
      "  let a: float32 = x[local-index + 0u]
        let b: float32 = x[local-index + 1u]
        if local-index < 2u
          s = s + a
          t = t + b"
    `);
  });

  test("past branches under other conditions, each sum in its order", () => {
    const text = joined(
      read("a", 0),
      when(inside, [add(s, value("a"))]),
      when(other, [add(t, value("a"))]),
      read("b", 1),
      when(inside, [add(s, op(value("b"), "*", f(3)))]),
      when(other, [add(t, op(t, "*", value("b")))]),
    );
    expect(branches(text)).toBe(2);
    expect(text).toMatch(/s = s \+ a\n +s = s \+ b/);
  });

  test("inside loops and branches", () => {
    const two = [when(inside, [add(s, f(1))]), when(inside, [add(t, f(2))])];
    expect(branches(joined(loop("k", 3, two)))).toBe(1);
    expect(branches(joined(when(other, two)))).toBe(2);
  });

  test("with stores to memory that nothing between them touches", () => {
    const text = joined(
      when(inside, [store("w", local, f(1))]),
      read("a", 0),
      when(inside, [store("w", op(local, "+", u(4)), value("a"))]),
    );
    expect(branches(text)).toBe(1);
  });
});

describe("branches stay where they are", () => {
  test.each<[string, readonly S[]]>([
    ["something between them uses what the first changes", [add(t, s)]],
    ["something between them changes what the first changes", [assign("s", f(4))]],
    ["something between them changes what the first uses", [assign("t", f(4))]],
    ["something between them loads what the first stores", [add(s, load("w", local, "float32"))]],
    ["something between them stores where the first does", [store("w", u(1), f(2))]],
    ["invocations wait for each other", [barrier("workgroup")]],
    ["a loop takes its time", [loop("k", 3, [store("y", u(2), f(1))])]],
  ])("where %s", (_, between) => {
    const first = when(inside, [add(s, t), store("w", local, s)]);
    const kernel = kernelWith([
      store("w", local, f(0)),
      first,
      ...between,
      when(inside, [add(t, f(1))]),
    ]);
    expect(branches(printKernel(joinConditions(kernel)))).toBe(2);
  });

  test("where the first changes the condition", () => {
    const is = declare("is", u(1), true);
    const mine = op(variable("is"), "==", u(1));
    const text = joined(
      is,
      when(mine, [assign("is", local), add(s, f(1))]),
      when(mine, [add(t, f(1))]),
    );
    expect(branches(text)).toBe(2);
  });

  test("where another array may be the same memory", () => {
    const arrays = [
      storage("x", 8, "read"),
      storage("y", 8),
      storage("p", 8, "read_write", { buffer: "one" }),
      storage("q", 8, "read_write", { buffer: "one" }),
    ];
    const kernel = kernelWith(
      [
        when(inside, [store("p", local, f(1))]),
        add(s, load("q", local, "float32")),
        when(inside, [add(t, f(1))]),
      ],
      arrays,
    );
    expect(joinConditions(kernel)).toEqual(kernel);
  });

  test("where too many values would wait for the branch", () => {
    const between = (count: number): readonly S[] =>
      Array.from({ length: count }, (_, n) => read(`b${n}`, n % 4));
    const ends = (count: number): string =>
      joined(when(inside, [add(s, f(1))]), ...between(count), when(inside, [add(t, f(1))]));
    expect([branches(ends(16)), branches(ends(17))]).toEqual([1, 2]);
  });

  test("where they have another side or are under different conditions", () => {
    const sides: S = { kind: "if", condition: inside, then: [add(s, f(1))], else: [add(t, f(1))] };
    expect(branches(joined(sides, sides))).toBe(2);
    expect(branches(joined(when(inside, [add(s, f(1))]), when(other, [add(s, f(1))])))).toBe(2);
  });
});
