import { expect, test } from "vitest";
import type { KernelStatement as S } from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { splitLoops } from "../../../src/codegen/simplify/split-loops.ts";
import {
  barrier,
  declare,
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

const k = variable("k");

/** The statements after the pass, of a kernel of 4 invocations over `x` and `y`. */
function split(...body: readonly S[]): string {
  const arrays = [storage("x", 64, "read"), storage("y", 64), memory("w", "workgroup", 64)];
  const text = printKernel(splitLoops(kernelOf(arrays, body, { workgroupSize: 4 })));
  return text.slice(text.indexOf("workgroup w")).split("\n").slice(1).join("\n").trimEnd();
}

const at = op(op(k, "*", u(4)), "+", local);

test("the last of several tiles is guarded, the others are not", () => {
  const tile = when(op(u(9), ">=", at), [store("y", at, load("x", at))]);
  expect(split(loop("k", 3, [tile]))).toMatchInlineSnapshot(`
    "  loop k in 0..2
        y[k * 4u + local-index] = x[k * 4u + local-index]
      if 9u >= 8u + local-index
        y[8u + local-index] = x[8u + local-index]"
  `);
});

test("what only the first step does stands before the loop, which starts from the second", () => {
  const first = when(op(k, "==", u(0)), [store("y", at, load("x", u(0)))]);
  const later = when(op(k, ">=", u(1)), [store("y", at, load("x", op(k, "-", u(1))))]);
  expect(split(loop("k", 5, [first, later, barrier("storage")]))).toMatchInlineSnapshot(`
    "  y[local-index] = x[0u]
      barrier storage
      loop k in 0..4
        y[(k + 1u) * 4u + local-index] = x[k + 1u - 1u]
        barrier storage"
  `);
});

test("what is declared in an iteration has a name of its own beside the loop", () => {
  const body = [
    declare("v", load("x", at)),
    when(op(u(9), ">=", at), [store("y", at, variable("v", "float32"))]),
  ];
  expect(split(loop("k", 3, body))).toMatchInlineSnapshot(`
    "  loop k in 0..2
        let v: float32 = x[k * 4u + local-index]
        y[k * 4u + local-index] = v
      let v_1: float32 = x[8u + local-index]
      if 9u >= 8u + local-index
        y[8u + local-index] = v_1"
  `);
});

test("a part of a condition that always holds is left out of it", () => {
  const never = op(local, ">", u(7));
  const may = op(local, ">", u(2));
  const always = op(local, "<", u(4));
  expect(
    split(
      when(op(always, "and", may), [store("y", local, load("x", local))]),
      when(never, [store("y", u(0), load("x", u(0)))]),
    ),
  ).toMatchInlineSnapshot(`
    "  if local-index > 2u
        y[local-index] = x[local-index]"
  `);
});

test.each([
  [
    "no iteration decides",
    loop("k", 3, [when(op(local, ">", u(2)), [store("y", at, load("x", at))])]),
  ],
  ["the middle decides", loop("k", 9, [when(op(k, "==", u(4)), [store("y", at, load("x", at))])])],
  [
    "memory decides",
    loop("k", 3, [when(op(load("x", k), ">", load("x", u(0))), [store("y", at, load("x", at))])]),
  ],
  [
    "too much would stand twice",
    loop("k", 3, [
      when(
        op(u(9), ">=", at),
        Array.from({ length: 64 }, (_, n) => store("y", at, load("x", u(n)))),
      ),
    ]),
  ],
])("a loop stays whole where %s", (_, whole) => {
  const text = split(whole);
  expect(text.match(/loop k in 0\.\.(\d+)/)?.[1]).toBe(
    String(whole.kind === "loop" && whole.extent),
  );
  expect(text.match(/if /g)).toHaveLength(1);
});

test("an index that may wrap decides nothing", () => {
  const below = op(op(local, "-", u(1)), "<", u(5));
  expect(split(loop("k", 3, [when(below, [store("y", at, load("x", at))])]))).toContain(
    "if local-index - 1u < 5u",
  );
});
