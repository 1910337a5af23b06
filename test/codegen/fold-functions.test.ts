/** Functions of constants: folded as float32 computes them, and never refused by WGSL. */
import { afterAll, expect, test } from "vitest";
import type { KernelExpression } from "../../src/codegen/kernel.ts";
import type { Plan } from "../../src/codegen/plan.ts";
import { printWgsl } from "../../src/codegen/print-wgsl/print-wgsl.ts";
import { verifyKernel } from "../../src/codegen/verify-kernel/verify-kernel.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { defined } from "../../src/support/assert.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { scalarFunctions } from "../../src/support/scalar-functions.ts";
import { functionReferences } from "../support/functions/references.ts";
import { call, f, kernelOf, storage, store, typed, u } from "./support/kernels.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

const greatest = 3.4028234663852886e38;
const values = [0, -0, 0.1, -0.5, 1, -1, 2.5, -3, 88.8, -150, 1e-30, 1e30, greatest, -greatest];
values.push(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN);

function tuplesOf(arity: number): readonly (readonly number[])[] {
  if (arity === 1) return values.map((x) => [x]);
  const pairs = values.flatMap((x) => values.map((y) => [x, y]));
  return arity === 2 ? pairs : pairs.map(([x = 0, y = 0], n) => [x, y, values[n % 13] ?? 0]);
}

/** A kernel that stores the constants, and its plan. */
function constantPlan(constants: readonly KernelExpression[]): Plan {
  const kernel = kernelOf(
    [storage("out", constants.length)],
    constants.map((e, n) => store("out", u(n), e)),
  );
  expect(verifyKernel(kernel, baselineProfile)).toEqual([]);
  const shape = [constants.length];
  return {
    name: kernel.name,
    buffers: [{ id: "out", name: "out", role: "output", type: "float32", shape, live: [0, 0] }],
    kernels: [{ kernel, ...printWgsl(kernel, "table") }],
    steps: [{ kind: "dispatch", kernel: 0 }],
    stepIndices: "table",
  };
}

/** What float32 makes of the function: its arguments and its value are rounded. */
function folded(name: string, tuple: readonly number[]): number {
  const [x = 0, y = 0, z = 0] = tuple.map(Math.fround);
  return Math.fround(functionReferences[name]?.(x, y, z) ?? 0) + 0;
}

/** One ulp covers the last bits of different float64 formulas. */
function isNear(a: number, b: number): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  return Math.abs(a - b) <= 2 ** -23 * Math.abs(b) + 2 ** -126;
}

const names = Object.keys(scalarFunctions).filter((n) => !/^(isnan|isinf|select)$/.test(n));

test.each(names)("%s of constants is a constant of float32", async (name) => {
  const { arity } = defined(scalarFunctions[name], name);
  const tuples = tuplesOf(arity);
  const constants = tuples.map((tuple) =>
    call(
      name,
      tuple.map((x) => f(x)),
      typed("float32"),
    ),
  );
  const plan = constantPlan(constants);
  const wgsl = plan.kernels[0]?.wgsl ?? "";
  const stores = [...wgsl.matchAll(/= ([^;]*);/g)].map(([, value = ""]) => value);
  const literal = /^-?(?:tc_inf|tc_nan|[\d.]+(?:e-?\d+)?f)$/;
  const others = stores.filter((s) => !/^(?:0x|bitcast)/.test(s) && !literal.test(s));
  expect(others).toEqual([]);
  using loaded = await runtime.load(plan);
  const { out } = await loaded.run({});
  using tensor = out;
  const found = (await tensor?.read()) ?? [];
  const wrong = tuples.filter((tuple, n) => {
    // What a NaN input makes is not the language's business, but for the text above.
    if (tuple.some(Number.isNaN)) return false;
    return !isNear(found[n] ?? 0, folded(name, tuple));
  });
  expect(wrong).toEqual([]);
});
