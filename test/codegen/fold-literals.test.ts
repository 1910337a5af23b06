import { expect, test } from "vitest";
import { literalValue } from "../../src/codegen/fold-literals.ts";
import { interpretKernel } from "../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { poisonedMemory } from "../../src/codegen/interpret-kernel/memory.ts";
import type { KernelExpression as E } from "../../src/codegen/kernel.ts";
import { seededRandom } from "../../src/support/random.ts";
import { allocate } from "../../src/support/scalar-type.ts";
import { f, kernelOf, load, op, storage, store, u } from "./support/kernels.ts";
import { randomExpression } from "./support/random-expression.ts";

/** What the interpreter stores for an expression that needs no memory. */
function interpreted(e: E): readonly number[] {
  const out = storage("out", e.type.width, "read_write", e.type);
  const memory = poisonedMemory(allocate(e.type.scalar, e.type.width), true);
  const kernel = kernelOf([out], [store("out", u(0), e)]);
  expect(interpretKernel(kernel, new Map([["out", memory]]), [])).toEqual([]);
  return [...memory.data];
}

test("folding and interpreting a constant give the same bits", () => {
  let constants = 0;
  for (let seed = 0; seed < 3000; seed++) {
    const random = seededRandom(seed);
    const scalar = random.pick(["float32", "float16", "int32", "uint32", "bool"] as const);
    const type = { scalar, width: random.pick([1, 2, 4] as const) };
    const e = randomExpression(random, type, 3, { exact: false, halves: true });
    const value = literalValue(e);
    if (value === undefined) continue;
    constants += 1;
    expect([...allocate(scalar, type.width).map((_, n) => value[n] ?? 0)]).toEqual(interpreted(e));
  }
  expect(constants).toBeGreaterThan(300);
});

test("a minimum has only its own two operands", () => {
  expect(literalValue(op(u(3), "min", u(7)))).toEqual([3]);
  expect(literalValue(op(f(-3, 2), "max", f(-7, 2)))).toEqual([-3, -3]);
});

test("what depends on memory or on an invocation is no constant", () => {
  expect(literalValue(op(u(0), "*", load("x", u(0), "uint32")))).toBeUndefined();
});
