import { describe, expect, test } from "vitest";
import { interpretKernel } from "../../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { initialisedMemory } from "../../../src/codegen/interpret-kernel/memory.ts";
import type {
  KernelExpression as E,
  Kernel,
  KernelStatement,
} from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { sinkIntoConditions } from "../../../src/codegen/simplify/sink-into-conditions.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import {
  assign,
  declare,
  f,
  groupX,
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

const group = groupX;
const isLate = op(group, ">=", u(1));
const isMine = op(local, "<", u(2));
const place = op(op(group, "*", u(4)), "+", local);
const sum = variable("s", "float32");

const start = declare("s", f(0), true);
const add = assign("s", op(sum, "+", load("x", op(op(local, "*", u(3)), "+", variable("k")))));

function kernelWith(body: readonly KernelStatement[]): Kernel {
  const arrays = [storage("x", 12, "read"), storage("y", 12)];
  return kernelOf(arrays, body, { workgroupSize: 4, grid: [3, 1, 1] });
}

function results(kernel: Kernel): readonly number[] {
  const counting = Float32Array.from({ length: 12 }, (_, n) => n + 1);
  const written = initialisedMemory(new Float32Array(12), true);
  const buffers = new Map([
    ["x", initialisedMemory(counting, true)],
    ["y", written],
  ]);
  expect(interpretKernel(kernel, buffers, [])).toEqual([]);
  return [...written.data];
}

/** The lines of the kernel after the pass, which means the same. */
function sunk(body: readonly KernelStatement[]): string {
  const kernel = kernelWith(body);
  const passed = sinkIntoConditions(kernel);
  expect(verifyKernel(passed, baselineProfile)).toEqual([]);
  expect(results(passed)).toEqual(results(kernel));
  return printKernel(passed);
}

const unchanged = (body: readonly KernelStatement[]): void => {
  expect(sunk(body)).toBe(printKernel(kernelWith(body)));
};

const count = (text: string, what: string): number => text.split(what).length - 1;

describe("what only a condition of the workgroup uses", () => {
  test("is computed under it, once asked", () => {
    const text = sunk([
      start,
      loop("k", 3, [when(isLate, [add])]),
      when(isLate, [store("y", place, sum)]),
    ]);
    expect(count(text, "if ")).toBe(1);
    expect(text).toMatch(/if (?:.|\n)*var s(?:.|\n)*loop k(?:.|\n)*y\[/);
  });

  test("is computed under the part that the workgroup has in common", () => {
    const both: E = { ...op(isLate, "==", isMine), operator: "and" } as E;
    const text = sunk([start, loop("k", 3, [add]), when(both, [store("y", place, sum)])]);
    expect(count(text, "if ")).toBe(2);
    expect(text).toMatch(/if (?:.|\n)*loop k(?:.|\n)*if (?:.|\n)*y\[/);
  });

  test("sums of several conditions are computed each under its own", () => {
    const isFirst = op(group, "==", u(0));
    const other = variable("t", "float32");
    const text = sunk([
      start,
      loop("k", 3, [add]),
      when(isLate, [store("y", place, sum)]),
      declare("t", f(0), true),
      loop("j", 2, [assign("t", op(other, "+", f(2)))]),
      when(isFirst, [store("y", place, other)]),
    ]);
    expect(text).toMatch(/if (?:.|\n)*loop k(?:.|\n)*if (?:.|\n)*loop j/);
  });
});

describe("nothing moves", () => {
  const guarded = when(isLate, [store("y", place, sum)]);

  test("that something else uses", () => {
    unchanged([start, loop("k", 3, [add]), guarded, when(isMine, [store("y", place, sum)])]);
  });

  test("under a condition that differs within the workgroup", () => {
    unchanged([start, loop("k", 3, [add]), when(isMine, [store("y", place, sum)])]);
  });

  test("that writes memory, or stands before what does", () => {
    const writing = loop("k", 3, [add, store("y", place, f(1))]);
    unchanged([start, writing, guarded]);
    unchanged([start, loop("k", 3, [add]), store("y", place, f(7)), guarded]);
  });

  test("without a loop", () => {
    unchanged([declare("s", f(3)), guarded]);
  });

  test("where there is something else to do", () => {
    const otherwise = when(isLate, [store("y", place, sum)], [store("y", place, f(1))]);
    unchanged([start, loop("k", 3, [add]), otherwise]);
  });
});
