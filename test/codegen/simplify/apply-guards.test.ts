import { expect, test } from "vitest";
import type { KernelStatement as S } from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { applyGuards } from "../../../src/codegen/simplify/apply-guards.ts";
import {
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

const k = variable("k");

/** The statements after the pass, of a kernel of 4 invocations over 16 elements. */
function applied(...body: readonly S[]): string {
  const arrays = [storage("x", 16, "read"), storage("y", 16)];
  const text = printKernel(applyGuards(kernelOf(arrays, body, { workgroupSize: 4 })));
  return text.slice(text.indexOf("storage y")).split("\n").slice(1).join("\n").trimEnd();
}

const before = op(k, "-", u(1));

test("a lower bound that keeps an index from falling below 0 is said in it", () => {
  const body = when(op(k, ">=", u(1)), [store("y", k, load("x", before))]);
  expect(applied(loop("k", 9, [body]))).toMatchInlineSnapshot(`
    "  loop k in 0..9
        if k >= 1u
          y[k] = x[max(k, 1u) - 1u]"
  `);
});

test("an upper bound that keeps it in the array is said, of all that the condition names", () => {
  const inside = op(op(u(3), ">=", local), "and", op(k, "<=", u(11)));
  const body = when(inside, [store("y", op(k, "+", local), load("x", k))]);
  expect(applied(loop("k", 30, [body]))).toMatchInlineSnapshot(`
    "  loop k in 0..30
        if 3u >= local-index and k <= 11u
          y[min(k, 11u) + min(local-index, 3u)] = x[min(k, 11u)]"
  `);
});

test("a bound on a sum is said of a multiple of it that is part of an index", () => {
  const inside = op(op(op(k, "*", u(4)), "+", local), "<=", u(5));
  const index = op(
    op(op(op(k, "*", u(8)), "+", u(3)), "+", op(local, "*", u(2))),
    "+",
    variable("j"),
  );
  const body = when(inside, [store("y", local, load("x", index))]);
  expect(applied(loop("j", 2, [loop("k", 9, [body])]))).toMatchInlineSnapshot(`
    "  loop j in 0..2
        loop k in 0..9
          if k * 4u + local-index <= 5u
            y[local-index] = x[min(k * 4u + local-index, 5u) * 2u + (j + 3u)]"
  `);
});

test("a bound on a sum says nothing of other sums", () => {
  const inside = op(op(op(k, "*", u(4)), "+", local), "<=", u(5));
  for (const [a, b] of [
    [4, 2],
    [6, 2],
    [1, 1],
  ] as const) {
    const index = op(op(k, "*", u(a)), "+", op(local, "*", u(b)));
    const body = when(inside, [store("y", local, load("x", index))]);
    expect(applied(loop("k", 9, [body]))).not.toContain("min");
  }
});

test.each([
  ["is in bounds without it", when(op(k, ">=", u(1)), [store("y", local, load("x", local))])],
  [
    "is not in bounds by it",
    when(op(k, ">=", u(1)), [store("y", local, load("x", op(k, "-", u(2))))]),
  ],
  [
    "is in the other branch",
    when(
      op(k, ">=", u(1)),
      [store("y", local, load("x", local))],
      [store("y", local, load("x", before))],
    ),
  ],
  [
    "depends on memory",
    when(op(load("x", k, "uint32"), ">=", u(1)), [store("y", local, load("x", before))]),
  ],
])("an index that %s stays", (_, s) => {
  expect(applied(loop("k", 9, [s]))).not.toMatch(/max|min/);
});

test("a branch under conditions that cannot hold together goes, with the literal outside of the array in it", () => {
  const outside = store("y", u(0), load("x", u(16)));
  const contrary = op(op(k, ">=", u(3)), "and", op(u(2), ">=", k));
  const otherwise = store("y", k, load("x", k));
  const nested = when(op(k, "<=", u(7)), [when(op(k, ">", u(7)), [outside])]);
  const meeting = when(op(op(k, ">=", u(3)), "and", op(k, "<=", u(3))), [otherwise]);
  expect(
    applied(loop("k", 9, [when(contrary, [outside], [otherwise]), nested, meeting])),
  ).toMatchInlineSnapshot(`
    "  loop k in 0..9
        y[k] = x[k]
        if k >= 3u and k <= 3u
          y[k] = x[k]"
  `);
});
