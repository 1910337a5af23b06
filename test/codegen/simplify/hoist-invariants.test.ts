import { expect, test } from "vitest";
import type { KernelStatement as S } from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { hoistInvariants } from "../../../src/codegen/simplify/hoist-invariants.ts";
import {
  assign,
  barrier,
  call,
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

const k = variable("k");
const sum = variable("s", "float32");
const row = op(op(groupX, "*", u(64)), "+", op(local, "*", u(8)));

/** The statements after the pass, of a kernel over `x`, `v` of vectors, and `y`, which it writes. */
function hoisted(...body: readonly S[]): string {
  const arrays = [
    storage("x", 256, "read"),
    storage("v", 256, "read", { width: 4 }),
    storage("y", 256),
  ];
  const kernel = kernelOf(arrays, body, { workgroupSize: 4, grid: [2, 1, 1] });
  const text = printKernel(hoistInvariants(kernel));
  return text.slice(text.indexOf("storage y")).split("\n").slice(1).join("\n").trimEnd();
}

test("the part of an index that a loop does not change is computed before it", () => {
  const index = op(op(k, "+", row), "+", u(3));
  expect(hoisted(loop("k", 4, [store("y", index, load("x", index))]))).toMatchInlineSnapshot(`
    "  let base: uint32 = workgroup-x * 64u + local-index * 8u
      loop k in 0..4
        let base_1: uint32 = base + k
        y[base_1 + 3u] = x[base_1 + 3u]"
  `);
});

test("the index of vectors is divided before the loop", () => {
  const index = op(op(op(k, "*", u(16)), "+", row), "+", u(4));
  expect(
    hoisted(loop("k", 4, [store("y", k, op(load("v", index, "float32", 4), "+", f(1, 4)))])),
  ).toMatchInlineSnapshot(`
    "  let base: uint32 = workgroup-x * 16u + local-index * 2u
      loop k in 0..4
        y[k]:4 = v[(base + k * 4u) * 4u + 4u]:4 + 1:4"
  `);
});

test("loads leave loops that do not write the memory, those under a condition stay", () => {
  const body = [
    assign("s", op(sum, "+", load("x", row))),
    assign("s", op(sum, "+", load("y", row))),
    when(op(local, "<", u(2)), [assign("s", op(sum, "+", load("x", op(row, "+", u(1)))))]),
  ];
  expect(hoisted(declare("s", f(0), true), loop("k", 4, body))).toMatchInlineSnapshot(`
    "  var s: float32 = 0
      let fixed: float32 = x[workgroup-x * 64u + local-index * 8u]
      let fixed_1: float32 = y[workgroup-x * 64u + local-index * 8u]
      let fixed_2: bool = local-index < 2u
      let base: uint32 = workgroup-x * 64u + local-index * 8u
      loop k in 0..4
        s = s + fixed
        s = s + fixed_1
        if fixed_2
          s = s + x[base + 1u]"
  `);
});

test("a declaration moves whole, and what depends on it after it", () => {
  const body = [
    declare("a", load("x", local)),
    declare("b", op(variable("a", "float32"), "*", f(2))),
    assign("s", op(sum, "+", variable("b", "float32"))),
  ];
  expect(hoisted(declare("s", f(0), true), loop("k", 4, body))).toMatchInlineSnapshot(`
    "  var s: float32 = 0
      let a: float32 = x[local-index]
      let b: float32 = a * 2
      loop k in 0..4
        s = s + b"
  `);
});

test("a value of something that is assigned in between is computed again", () => {
  const body = (n: string): S =>
    loop(n, 4, [store("y", variable(n), call("exp", [variable("m", "float32")]))]);
  expect(
    hoisted(declare("m", f(0), true), body("i"), assign("m", load("x", local)), body("j")),
  ).toMatchInlineSnapshot(`
    "  var m: float32 = 0
      let fixed: float32 = exp(m)
      loop i in 0..4
        y[i] = fixed
      m = x[local-index]
      let fixed_1: float32 = exp(m)
      loop j in 0..4
        y[j] = fixed_1"
  `);
});

test("what a block computes several times has a name, what it computes once has none", () => {
  expect(
    hoisted(
      store("y", op(row, "+", u(1)), load("x", op(row, "+", u(2)))),
      store("y", local, load("x", op(local, "*", u(3)))),
    ),
  ).toMatchInlineSnapshot(`
    "  let base: uint32 = workgroup-x * 64u + local-index * 8u
      y[base + 1u] = x[base + 2u]
      y[local-index] = x[local-index * 3u]"
  `);
});

test("a difference keeps what it is subtracted from, so that it is never below 0", () => {
  const index = op(op(u(40), "+", k), "-", op(local, "*", u(8)));
  expect(hoisted(loop("k", 4, [store("y", index, load("x", index))]))).toMatchInlineSnapshot(`
    "  let fixed: uint32 = local-index * 8u
      loop k in 0..4
        let base: uint32 = k + 40u - fixed
        y[base] = x[base]"
  `);
});

test("a loop without iterations gives nothing away", () => {
  const idle = loop("k", 0, [store("y", local, load("x", op(local, "+", u(999))))]);
  expect(hoisted(idle)).toMatchInlineSnapshot(`
    "  loop k in 0..0
        y[local-index] = x[local-index + 999u]"
  `);
});

test("no more values than registers hold leave a loop", () => {
  const loads = Array.from({ length: 40 }, (_, n) => assign("s", op(sum, "+", load("x", u(n)))));
  const invariant = loads.map((s, n) =>
    s.kind === "assign" ? assign("s", op(sum, "+", load("x", op(local, "+", u(n))))) : s,
  );
  const text = hoisted(declare("s", f(0), true), loop("k", 4, invariant));
  const before = text.slice(0, text.indexOf("loop"));
  expect(before.match(/= x\[/g)).toHaveLength(16);
});

test("values that differ in numbers that JSON lacks are different", () => {
  const m = variable("m", "float32");
  const body = [Infinity, -Infinity, Number.NaN, -0, 0].map((x, n) =>
    store("y", op(k, "+", u(n)), op(m, "max", f(x))),
  );
  const text = hoisted(declare("m", load("x", local)), loop("k", 4, body));
  expect(text.match(/let fixed\w*: float32 = max/g)).toHaveLength(5);
});

const addY = assign("s", op(sum, "+", load("y", local)));

test("memory that the loop writes, or waits for, is read in each iteration", () => {
  const writes = loop("k", 4, [addY, loop("j", 2, [store("y", variable("j"), sum)])]);
  const waits = loop("i", 4, [addY, barrier("storage")]);
  expect(hoisted(declare("s", f(0), true), writes, waits)).toMatchInlineSnapshot(`
    "  var s: float32 = 0
      loop k in 0..4
        s = s + y[local-index]
        loop j in 0..2
          y[j] = s
      loop i in 0..4
        s = s + y[local-index]
        barrier storage"
  `);
});

test("what was loaded before a store is loaded again after it", () => {
  const body = [
    loop("i", 4, [addY, addY]),
    when(op(local, "<", u(2)), [store("y", local, sum)]),
    loop("j", 4, [addY]),
    barrier("storage"),
    loop("k", 4, [addY, loop("l", 4, [addY])]),
  ];
  expect(hoisted(declare("s", f(0), true), ...body)).toMatchInlineSnapshot(`
    "  var s: float32 = 0
      let fixed: float32 = y[local-index]
      loop i in 0..4
        s = s + fixed
        s = s + fixed
      if local-index < 2u
        y[local-index] = s
      let fixed_1: float32 = y[local-index]
      loop j in 0..4
        s = s + fixed_1
      barrier storage
      let fixed_2: float32 = y[local-index]
      loop k in 0..4
        s = s + fixed_2
        loop l in 0..4
          s = s + fixed_2"
  `);
});
