import { expect, test } from "vitest";
import type { KernelExpression as E, KernelStatement as S } from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { splitAtBounds } from "../../../src/codegen/simplify/split-at-bounds.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import {
  assign,
  barrier,
  builtin,
  declare,
  f,
  groupX,
  kernelOf,
  load,
  local,
  loop,
  op,
  select,
  storage,
  store,
  u,
  variable,
  when,
} from "../support/kernels.ts";

const k = variable("k");
const sum = variable("s", "float32");
const groupY = builtin("workgroup-y");

/** The statements after the pass, of a kernel of 4 invocations in 8 by 8 workgroups, and its sum. */
function split(...body: readonly S[]): string {
  const kernel = kernelOf(
    [storage("x", 64, "read"), storage("y", 4)],
    [declare("s", f(0), true), ...body, store("y", local, sum)],
    { workgroupSize: 4, grid: [8, 8, 1] },
  );
  const after = splitAtBounds(kernel);
  expect(verifyKernel(after, baselineProfile)).toEqual([]);
  return printKernel(after).split("\n").slice(4, -2).join("\n");
}

const add = (index: E): S => assign("s", op(sum, "+", load("x", index)));
const row = op(groupX, "*", u(4));

test("below a diagonal: whole trips, then those that some rows have, no others", () => {
  const rows = [0, 1, 2, 3].map((n) => when(op(op(row, "+", u(n)), ">=", k), [add(k)]));
  expect(split(loop("k", 32, rows))).toMatchInlineSnapshot(`
    "  loop k in 0..29 to workgroup-x * 4u + 1u
        s = s + x[k]
        s = s + x[k]
        s = s + x[k]
        s = s + x[k]
      let k_from: uint32 = workgroup-x * 4u + 1u
      s = s + x[k_from]
      s = s + x[k_from]
      s = s + x[k_from]
      s = s + x[k_from + 1u]
      s = s + x[k_from + 1u]
      s = s + x[k_from + 2u]"
  `);
});

test("above a diagonal: from the first trip that any row has", () => {
  const rows = [0, 1].map((n) => when(op(op(row, "+", u(n)), "<=", k), [add(k)]));
  expect(split(loop("k", 32, rows))).toMatchInlineSnapshot(`
    "  let k_from: uint32 = workgroup-x * 4u
      s = s + x[k_from]
      let k_from_1: uint32 = workgroup-x * 4u + 1u
      loop k_trip in 0..31 to 32u - k_from_1
        let k: uint32 = min(k_from_1 + k_trip, 31u)
        s = s + x[k]
        s = s + x[k]"
  `);
});

test("in a band there are two edges", () => {
  const inside = (n: number): E =>
    op(op(op(row, "+", u(n)), "<=", k), "and", op(k, "<", op(row, "+", u(n + 12))));
  expect(
    split(
      loop(
        "k",
        48,
        [0, 1].map((n) => when(inside(n), [add(k)])),
      ),
    ),
  ).toMatchInlineSnapshot(`
    "  let k_from: uint32 = workgroup-x * 4u
      s = s + x[k_from]
      let k_from_1: uint32 = workgroup-x * 4u + 1u
      loop k_trip in 0..11
        let k: uint32 = k_from_1 + k_trip
        s = s + x[k]
        s = s + x[k]
      let k_from_2: uint32 = workgroup-x * 4u + 12u
      s = s + x[k_from_2]"
  `);
});

test("what invocations do not have in common makes the edge wider", () => {
  const body = [when(op(op(row, "+", local), ">=", op(k, "*", u(2))), [add(k)])];
  expect(split(loop("k", 16, body))).toMatchInlineSnapshot(`
    "  loop k in 0..15 to workgroup-x * 2u + 1u
        s = s + x[k]
      let k_from: uint32 = workgroup-x * 2u + 1u
      if workgroup-x * 4u + local-index >= k_from * 2u
        s = s + x[k_from]"
  `);
});

test("with one trip at the edge there is no loop over it", () => {
  const part = (n: number): S => when(op(groupX, ">=", op(k, "+", u(n))), [add(op(k, "+", u(n)))]);
  expect(split(loop("k", 16, [part(0), part(1)]))).toMatchInlineSnapshot(`
    "  loop k in 0..7 to workgroup-x
        s = s + x[k]
        s = s + x[k + 1u]
      let k_from: uint32 = workgroup-x
      s = s + x[k_from]"
  `);
});

test("trips at which something else happens are made, and have no guards where all holds", () => {
  const body = [add(k), when(op(groupX, ">=", k), [add(u(1))])];
  expect(split(loop("k", 8, body))).toMatchInlineSnapshot(`
    "  loop k in 0..8 to workgroup-x + 1u
        s = s + x[k]
        s = s + x[1u]
      let k_from: uint32 = workgroup-x + 1u
      loop k_trip in 0..7 to 8u - k_from
        let k_1: uint32 = min(k_from + k_trip, 7u)
        s = s + x[k_1]"
  `);
});

test("a selection does what a condition does, apart from ending a loop", () => {
  const value = select(op(groupX, ">=", k), load("x", k), load("x", u(9)));
  expect(split(loop("k", 8, [assign("s", op(sum, "+", value))]))).toMatchInlineSnapshot(`
    "  loop k in 0..8 to workgroup-x + 1u
        s = s + x[k]
      let k_from: uint32 = workgroup-x + 1u
      loop k_trip in 0..7 to 8u - k_from
        let k_1: uint32 = min(k_from + k_trip, 7u)
        s = s + x[9u]"
  `);
});

test("an outer loop's variable is a bound like others for the loops inside it", () => {
  const body = loop("k", 9, [when(op(variable("j"), ">=", k), [add(k)])]);
  expect(split(loop("j", 9, [body, barrier("storage")]))).toMatchInlineSnapshot(`
    "  loop j in 0..9
        loop k in 0..9 to j + 1u
          s = s + x[k]
        barrier storage"
  `);
});

test("bounds that cannot be compared are compared at run time", () => {
  const both = op(op(groupX, ">=", k), "and", op(groupY, ">=", k));
  expect(split(loop("k", 8, [when(both, [add(k)])]))).toMatchInlineSnapshot(`
    "  loop k in 0..8 to min(workgroup-x + 1u, workgroup-y + 1u)
        s = s + x[k]"
  `);
});

test.each([
  ["short loops", loop("k", 7, [when(op(groupX, ">=", k), [add(k)])])],
  ["loops that memory decides", loop("k", 9, [when(op(load("x", k), ">", f(0)), [add(k)])])],
  [
    "loops whose conditions wrap",
    loop("k", 9, [when(op(op(k, "-", groupX), "<", u(4)), [add(k)])]),
  ],
  [
    "loops with what each invocation sets",
    loop("k", 9, [when(op(local, "==", u(1)), [add(k)]), add(k)]),
  ],
])("%s stay as they are", (_, whole) => {
  const text = split(whole);
  expect(text).not.toContain(" to ");
  expect(text.match(/loop /g)).toHaveLength(1);
  expect(text.match(/if /g)).toHaveLength(1);
});

test("a loop is written out at most so far", () => {
  const many = Array.from({ length: 400 }, (_, n) =>
    when(op(op(groupX, "+", u(n % 2)), ">=", k), [add(k)]),
  );
  const text = split(loop("k", 16, many));
  expect(text.match(/loop k in 0\.\.9 to workgroup-x \+ 2u/g)).toHaveLength(1);
  expect(text.match(/if /g)).toHaveLength(400);
});
