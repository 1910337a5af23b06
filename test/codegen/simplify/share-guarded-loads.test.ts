import { expect, test } from "vitest";
import type { KernelExpression as E, KernelStatement as S } from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { shareGuardedLoads } from "../../../src/codegen/simplify/share-guarded-loads.ts";
import {
  assign,
  barrier,
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

const k = variable("k");
const sum = variable("s", "float32");

/** The statements after the pass, of a kernel of 4 invocations in 8 workgroups, and its sum. */
function shared(...body: readonly S[]): string {
  const kernel = kernelOf(
    [
      storage("x", 64, "read"),
      storage("v", 64, "read", { view: true }),
      storage("y", 4),
      memory("w", "workgroup", 64),
    ],
    [declare("s", f(0), true), ...body, store("y", local, sum)],
    { workgroupSize: 4, grid: [8, 1, 1] },
  );
  return printKernel(shareGuardedLoads(kernel)).split("\n").slice(6, -2).join("\n");
}

const add = (value: E): S => assign("s", op(sum, "+", value));
const at = op(groupX, "+", k);
const rows = (inside: (n: number) => readonly S[]): S =>
  loop(
    "k",
    16,
    [0, 1].map((n) => when(op(op(local, "+", u(n)), ">=", k), inside(n))),
  );

test("what two conditions load is loaded before them, under one name", () => {
  const body = (n: number): readonly S[] => [
    declare(`v${n}`, load("x", at)),
    add(variable(`v${n}`, "float32")),
    add(load("x", u(n))),
  ];
  expect(shared(rows(body))).toMatchInlineSnapshot(`
    "  loop k in 0..16
        let x_value: float32 = x[workgroup-x + k]
        if local-index + 0u >= k
          s = s + x_value
          s = s + x[0u]
        if local-index + 1u >= k
          s = s + x_value
          s = s + x[1u]"
  `);
});

test.each([
  ["what only the condition keeps in bounds", load("x", op(op(k, "*", u(8)), "+", local))],
  ["memory that the kernel writes", load("y", local)],
  ["a view, which may end earlier", load("v", at)],
  ["what may change in between", load("x", op(variable("i"), "min", u(63)))],
])("%s stays under its conditions", (_, value) => {
  const text = shared(
    declare("i", u(3), true),
    rows(() => [add(value), assign("i", u(4))]),
  );
  expect(text).not.toMatch(/let (x|v|y)_value/);
});

test("what is found at run time stays under its conditions, but for where it is found", () => {
  const value = load("x", op(load("x", at, "uint32"), "min", u(63)));
  expect(shared(rows(() => [add(value)])).match(/s = s \+ x\[min\(x_value, 63u\)\]/g)).toHaveLength(
    2,
  );
});

test("what one condition loads stays there", () => {
  expect(shared(rows((n) => [add(load("x", op(at, "+", u(n))))]))).not.toContain("let ");
});

test("an index that a condition declares stays with it", () => {
  const body = (n: number): readonly S[] => [
    declare(`at${n}`, op(k, "+", u(1))),
    add(load("x", variable(`at${n}`))),
  ];
  expect(shared(rows(body))).not.toContain("let x_value");
});

const fill = store("w", local, load("x", local));
const conditions = rows(() => [add(load("w", at))]);
const tiles = (...body: readonly S[]): S => loop("t", 3, body);
const once = (...body: readonly S[]): S => when(op(groupX, "<", u(4)), body);

test.each<[string, readonly S[]]>([
  ["after a barrier", [fill, barrier(), conditions]],
  ["in every tile", [tiles(fill, barrier(), conditions, barrier())]],
  ["before a barrier after which it is filled", [tiles(conditions, barrier(), fill, barrier())]],
  ["in a branch between barriers", [fill, barrier(), once(conditions), barrier(), fill]],
  [
    "beside a branch that has a barrier and stores behind it",
    [conditions, barrier(), once(barrier(), fill)],
  ],
])("memory of the workgroup is loaded before conditions %s", (_, body) => {
  expect(shared(...body)).toContain("let w_value");
});

test.each<[string, readonly S[]]>([
  ["without a barrier", [fill, conditions]],
  ["behind a barrier for other memory", [fill, barrier("storage"), conditions]],
  ["in tiles with one barrier", [tiles(fill, barrier(), conditions)]],
  ["while the next tile is stored", [tiles(barrier(), conditions, fill)]],
  ["where a loop with barriers may have no iteration", [fill, tiles(barrier()), conditions]],
  ["where a branch alone has the barrier", [fill, once(barrier()), conditions]],
  ["before a branch that stores, and then has a barrier", [conditions, once(fill, barrier())]],
  ["in a branch beside stores", [fill, barrier(), once(conditions, fill)]],
])("memory that may be stored to meanwhile is not: %s", (_, body) => {
  expect(shared(...body)).not.toContain("let w_value");
});

test("a barrier between two conditions keeps their loads apart", () => {
  const one = (n: number): S => when(op(local, ">=", u(n)), [add(load("w", u(7)))]);
  expect(shared(fill, barrier(), one(1), one(2))).toContain("let w_value");
  expect(shared(fill, barrier(), one(1), barrier(), one(2))).not.toContain("let w_value");
});
