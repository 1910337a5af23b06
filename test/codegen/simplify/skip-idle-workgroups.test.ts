import { expect, test } from "vitest";
import type {
  KernelExpression as E,
  Kernel,
  KernelStatement as S,
} from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { skipIdleWorkgroups } from "../../../src/codegen/simplify/skip-idle-workgroups.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import {
  assign,
  builtin,
  declare,
  f,
  groupX,
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

const groupY = builtin("workgroup-y");
const sum = variable("s", "float32");
const work: readonly S[] = [
  declare("s", f(0), true),
  loop("k", 9, [assign("s", op(sum, "+", load("x", variable("k"))))]),
];

/** A kernel of 4 invocations in 8 by 8 workgroups. */
function kernelWith(body: readonly S[]): Kernel {
  const arrays = [storage("x", 64, "read"), storage("y", 64), memory("w", "workgroup", 4)];
  return kernelOf(arrays, body, { workgroupSize: 4, grid: [8, 8, 1] });
}

/** The lines of a kernel's body after the pass. */
function after(...body: readonly S[]): readonly string[] {
  const skipped = skipIdleWorkgroups(kernelWith(body));
  expect(verifyKernel(skipped, baselineProfile)).toEqual([]);
  return printKernel(skipped).split("\n").slice(4, -1);
}

const row = (n: number): E => op(op(op(groupY, "*", u(8)), "+", local), "+", u(n));
const column = op(groupX, "*", u(4));
const result = store("y", local, sum);

test("a tile that is outside for all rows and columns is left out", () => {
  const stores = [0, 2].map((n) => when(op(row(n), ">=", column), [result]));
  expect(after(...work, ...stores)[0]).toBe("  if workgroup-y * 8u + 5u >= workgroup-x * 4u");
});

test("of two conditions on one result both must be possible", () => {
  const both = op(op(row(0), ">=", column), "and", op(groupX, "<", u(5)));
  expect(after(...work, when(both, [result]))[0]).toBe(
    "  if workgroup-y * 8u + 3u >= workgroup-x * 4u and 4u >= workgroup-x",
  );
});

test("what only workgroup memory holds needs no condition", () => {
  const body = [...work, store("w", local, sum), when(op(row(0), ">", column), [result])];
  expect(after(...body)[0]).toBe("  if workgroup-y * 8u + 2u >= workgroup-x * 4u");
});

test.each([
  ["a result without a condition", [...work, when(op(row(0), ">=", column), [result]), result]],
  [
    "results in both branches",
    [...work, when(op(row(0), ">=", column), [result], [store("y", local, f(1))])],
  ],
  [
    "conditions on other sums",
    [...work, when(op(row(0), ">=", column), [result]), when(op(groupX, "<", u(5)), [result])],
  ],
  ["a condition that some row always meets", [...work, when(op(local, ">=", u(2)), [result])]],
  [
    "alternatives",
    [...work, when(op(op(row(0), ">=", column), "or", op(groupX, "<", u(5))), [result])],
  ],
  ["no loop", [when(op(row(0), ">=", column), [store("y", local, f(1))])]],
] as readonly (readonly [string, readonly S[]])[])("a kernel with %s stays as it is", (_, body) => {
  const kernel = kernelWith(body);
  expect(skipIdleWorkgroups(kernel)).toBe(kernel);
});
