import { describe, expect, test } from "vitest";
import type { KernelExpression as E, KernelStatement as S } from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { dropOverwritten } from "../../../src/codegen/simplify/drop-overwritten.ts";
import { forwardStores } from "../../../src/codegen/simplify/forward-stores.ts";
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

const sum = variable("s", "float32");
const at = (n: number): E => op(op(local, "*", u(8)), "+", u(n));
const add = (value: E): S => assign("s", op(sum, "+", value));
const isSmall = op(local, "<", u(2));

const kernel = (body: readonly S[], options: { readonly shared?: boolean } = {}) =>
  kernelOf(
    [
      storage("x", 64, "read"),
      storage("y", 64),
      storage("z", 64, "read_write", options.shared === true ? { buffer: "y" } : {}),
    ],
    [declare("s", load("x", local), true), ...body, store("z", local, sum)],
    { workgroupSize: 8 },
  );

/** The statements after both passes, without the first and the last. */
function passed(...body: readonly S[]): string {
  const after = dropOverwritten(forwardStores(kernel(body)));
  return printKernel(after).split("\n").slice(5, -2).join("\n");
}

describe("what an invocation stored", () => {
  test("is not loaded again, and not stored if it is overwritten", () => {
    const twice = op(load("y", at(1)), "*", f(2));
    expect(passed(store("y", at(1), sum), store("y", at(1), twice))).toMatchInlineSnapshot(
      `"  y[local-index * 8u + 1u] = s * 2"`,
    );
  });

  test("has a name where it is used more than once", () => {
    const value = op(sum, "+", f(1));
    expect(passed(store("y", at(0), value), add(load("y", at(0))))).toMatchInlineSnapshot(`
      "  let y_value: float32 = s + 1
        y[local-index * 8u + 0u] = y_value
        s = s + y_value"
    `);
  });

  test("is known under the same condition once more", () => {
    const again = store("y", local, op(load("y", local), "max", f(0)));
    expect(
      passed(when(isSmall, [store("y", local, sum)]), when(isSmall, [again])),
    ).toMatchInlineSnapshot(`
      "  if local-index < 2u
        if local-index < 2u
          y[local-index] = max(s, 0)"
    `);
  });

  test("is known in a loop that does not store it", () => {
    const inside = loop("k", 4, [declare("v", load("y", at(0))), store("z", variable("k"), f(1))]);
    expect(passed(store("y", at(0), f(3)), inside)).toMatchInlineSnapshot(`
      "  y[local-index * 8u + 0u] = 3
        loop k in 0..4
          let v: float32 = 3
          z[k] = 1"
    `);
  });
});

/** Programs in which every load and store has to stay. */
const refused: Readonly<Record<string, readonly S[]>> = {
  "another element may be the same": [
    store("y", at(0), sum),
    store("y", load("x", u(0), "uint32"), f(1)),
    declare("v", load("y", at(0))),
  ],
  "the index is loaded from memory that changes": [
    store("y", load("z", at(0), "uint32"), sum),
    store("z", at(0), f(1)),
    declare("v", load("y", load("z", at(0), "uint32"))),
    store("y", load("z", at(0), "uint32"), f(2)),
  ],
  "a variable has another value": [
    store("y", at(0), sum),
    assign("s", f(0)),
    declare("v", load("y", at(0))),
  ],
  "others may have stored since": [
    store("y", at(0), sum),
    barrier("storage"),
    declare("v", load("y", at(0))),
    barrier("storage"),
    store("y", at(0), f(1)),
  ],
  "the condition is another one": [
    when(isSmall, [store("y", at(0), sum)]),
    when(op(local, "<", u(3)), [store("y", at(0), op(load("y", at(0)), "+", f(1)))]),
  ],
  "the load is under no condition": [
    when(isSmall, [store("y", at(0), sum)]),
    declare("v", load("y", at(0))),
    store("y", at(0), f(1)),
  ],
  "a loop stores it": [
    store("y", at(0), f(0)),
    loop("k", 4, [store("y", at(0), op(load("y", at(0)), "+", f(1)))]),
  ],
  "it is overwritten in a branch only": [
    store("y", at(0), sum),
    when(isSmall, [store("y", at(0), f(1))]),
  ],
  "it is loaded in a branch before it is overwritten": [
    store("y", at(0), sum),
    when(isSmall, [declare("v", load("y", local))]),
    store("y", at(0), f(1)),
  ],
};

test.each(Object.entries(refused))("nothing changes where %s", (_, body) => {
  const before = kernel(body);
  expect(printKernel(dropOverwritten(forwardStores(before)))).toBe(printKernel(before));
});

test("nothing changes where a buffer is bound twice", () => {
  const before = kernel([store("y", at(0), sum), store("y", at(0), f(1))], { shared: true });
  expect(printKernel(dropOverwritten(forwardStores(before)))).toBe(printKernel(before));
});
