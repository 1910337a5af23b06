import { afterAll, describe, expect, it } from "vitest";
import { keepSteps } from "../../../../src/codegen/drivers/mesa/keep-steps.ts";
import { interpretPlan } from "../../../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { KernelExpression, KernelStatement as S } from "../../../../src/codegen/kernel.ts";
import { printKernel } from "../../../../src/codegen/print-kernel.ts";
import { compile } from "../../../../src/compile.ts";
import { openRuntime } from "../../../../src/runtime/node/open-runtime.ts";
import {
  assign,
  declare,
  f,
  kernelOf,
  load,
  loop,
  op,
  storage,
  store,
  u,
  variable,
  when,
} from "../../support/kernels.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

const [t, k] = [variable("t"), variable("k")];
const sum = variable("sum", "float32");
const arrays = [storage("h", 4096), storage("w", 4096, "read"), storage("x", 4096, "read")];

/** `sum = sum + array[index + n]` for `count` values of `n`. */
const adds = (count: number, array: string, index: KernelExpression): readonly S[] =>
  Array.from({ length: count }, (_, n) =>
    assign("sum", op(sum, "+", load(array, op(index, "+", u(n))))),
  );

/** The heads of the loops of a kernel after the pass. */
function heads(...body: readonly S[]): readonly string[] {
  return printKernel(keepSteps(kernelOf(arrays, body)))
    .split("\n")
    .filter((line) => line.includes("loop "))
    .map((line) => line.trim());
}

/** `trips` iterations of some statements, in each of `steps` steps that make a sum. */
const steps = (count: number, trips: number, body: readonly S[]): S =>
  loop("t", count, [declare("sum", f(0), true), loop("k", trips, body), store("h", t, sum)]);

describe("loops in steps that Mesa would write out", () => {
  it("are kept where they load more than 128 values that no step changes", () => {
    expect(heads(steps(100, 8, adds(16, "w", op(k, "*", u(16)))))).toEqual([
      "loop t in 0..100",
      "loop k in 0..8",
    ]);
    expect(heads(steps(100, 8, adds(17, "w", op(k, "*", u(17)))))).toEqual([
      "loop t in 0..100",
      "loop k.kept in 0..34 to 8u + workgroup-x / 2147483648u",
    ]);
  });

  it("count what is under conditions and in loops around the innermost ones", () => {
    const inner = loop("j", 3, adds(6, "w", op(variable("j"), "*", u(6))));
    expect(heads(steps(100, 8, [when(op(k, "<", u(3)), [inner])]))).toEqual([
      "loop t in 0..100",
      "loop k in 0..8",
      "loop j.kept in 0..34 to 3u + workgroup-x / 2147483648u",
    ]);
  });

  it("are left where each step loads something else, be it by a name", () => {
    const row = variable("row");
    const named = [declare("row", op(op(t, "*", u(32)), "+", k)), ...adds(20, "w", row)];
    expect(heads(steps(100, 8, named))).toEqual(["loop t in 0..100", "loop k in 0..8"]);
    const chosen = [declare("row", load("x", k, "uint32")), ...adds(20, "w", row)];
    expect(heads(steps(100, 8, chosen))).toEqual(["loop t in 0..100", "loop k in 0..8"]);
  });

  it("are left where the kernel writes what they load, and where they are long or in no steps", () => {
    const written = steps(100, 8, adds(20, "h", op(k, "*", u(20))));
    const long = steps(100, 34, adds(20, "w", op(k, "*", u(20))));
    const alone = loop("k", 8, adds(20, "w", op(k, "*", u(20))));
    expect(heads(written, long, declare("sum", f(0), true), alone)).toEqual([
      "loop t in 0..100",
      "loop k in 0..8",
      "loop t in 0..100",
      "loop k in 0..34",
      "loop k in 0..8",
    ]);
  });
});

const [T, B, C] = [5, 16, 160];
const source = `def counted(int(T, B, C) p, int(C, C) U) -> (h) {
  for t in 0:T {
    if t == 0 { h(t, b, c) = p(t, b, c) }
    else {
      z(b, c) +=! h(t - 1, b, k) * U(k, c)
      h(t, b, c) = (z(b, c) + p(t, b, c)) % 17
    }
  }
}`;
const inputs = {
  p: Int32Array.from({ length: T * B * C }, (_, n) => (n * 7) % 13),
  U: Int32Array.from({ length: C * C }, (_, n) => (n * 11) % 19),
};

/** All states, one step after the other. */
function counted({ p, U }: typeof inputs): readonly number[] {
  const h: number[] = [];
  for (let n = 0; n < T * B * C; n++) {
    const [row, c] = [Math.floor(n / C) * C, n % C];
    let z = 0;
    for (let k = 0; k < C && n >= B * C; k++) {
      z += (h[row - B * C + k] ?? Number.NaN) * (U[k * C + c] ?? Number.NaN);
    }
    h.push(n < B * C ? (p[n] ?? Number.NaN) : (z + (p[n] ?? Number.NaN)) % 17);
  }
  return h;
}

it("a recurrence for AMD has a bound that RADV does not know, and is right", async () => {
  const compiled = (profile: "amd-rdna" | "nvidia") => {
    const result = compile(source, { sizes: { T, B, C }, profile });
    if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
    return result;
  };
  const hidden = /_kept >= \d+u \+ workgroup_. \/ 2147483648u\) \{ break; \}/;
  const textOf = ({ plan }: ReturnType<typeof compiled>) =>
    plan.kernels.map((one) => one.wgsl).join();
  const amd = compiled("amd-rdna");
  expect(textOf(amd)).toMatch(hidden);
  expect(textOf(compiled("nvidia"))).not.toMatch(hidden);
  const expected = counted(inputs);
  const { outputs, faults } = interpretPlan(amd.plan, inputs);
  expect(faults).toEqual([]);
  expect([...(outputs["h"] ?? [])]).toEqual(expected);
  const { h } = await (await runtime.load(amd.plan)).run(inputs);
  expect([...((await h?.read()) ?? [])]).toEqual(expected);
});
