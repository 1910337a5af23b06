import { describe, expect, test } from "vitest";
import { interpretKernel } from "../../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { initialisedMemory } from "../../../src/codegen/interpret-kernel/memory.ts";
import type {
  KernelExpression as E,
  Kernel,
  KernelStatement,
} from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { shareOwnLoads } from "../../../src/codegen/simplify/share-own-loads.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import {
  barrier,
  f,
  kernelOf,
  load,
  local,
  loop,
  op,
  storage,
  store,
  u,
  when,
} from "../support/kernels.ts";

const x = load("x", local);
const z = (n: number): E => op(op(local, "*", u(4)), "+", u(n));
const result = (n: number, value: E): KernelStatement => store("y", z(n), value);
const change = store("x", local, f(9));

function outcome(kernel: Kernel): readonly number[] {
  const counting = Float32Array.from({ length: 4 }, (_, n) => n + 1);
  const written = initialisedMemory(new Float32Array(16), true);
  const buffers = new Map([
    ["x", initialisedMemory(counting, true)],
    ["y", written],
  ]);
  expect(interpretKernel(kernel, buffers, [])).toEqual([]);
  return [...written.data, ...(buffers.get("x")?.data ?? [])];
}

/** How often the kernel after the pass, which means the same, loads `x`. */
function loads(body: readonly KernelStatement[]): number {
  const kernel = kernelOf([storage("x", 4), storage("y", 16)], body, { workgroupSize: 4 });
  const passed = shareOwnLoads(kernel);
  expect(verifyKernel(passed, baselineProfile)).toEqual([]);
  expect(outcome(passed)).toEqual(outcome(kernel));
  return printKernel(passed).match(/[^.]x\[[^\]]*\](?! =)/g)?.length ?? 0;
}

describe("an element is loaded once", () => {
  test("between statements that leave it as it is", () => {
    expect(loads([result(0, x), result(1, op(x, "*", x)), change])).toBe(1);
  });

  test("also in the statement that changes it", () => {
    expect(loads([result(0, x), store("x", local, op(x, "+", f(1)))])).toBe(1);
  });

  test("in a body of a loop and in a branch", () => {
    const inside = [result(0, x), result(1, x)];
    expect(loads([loop("n", 2, inside), change])).toBe(1);
    expect(loads([when(op(local, "<", u(2)), inside), change])).toBe(1);
  });
});

describe("an element is loaded again", () => {
  test("after a store to its array", () => {
    expect(loads([result(0, x), change, result(1, x)])).toBe(2);
    expect(loads([result(0, x), change, result(1, x), result(2, x)])).toBe(2);
  });

  test("after a loop or a branch that stores", () => {
    expect(loads([result(0, x), loop("n", 2, [change]), result(1, x)])).toBe(2);
    expect(loads([result(0, x), when(op(local, "<", u(2)), [change]), result(1, x)])).toBe(2);
  });

  test("after a barrier", () => {
    expect(loads([result(0, x), barrier("storage"), result(1, x), change])).toBe(2);
  });
});
