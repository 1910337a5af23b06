import { expect, test } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { KernelExpression as E, Kernel } from "../../src/codegen/kernel.ts";
import type { Plan, PlanBuffer, Step } from "../../src/codegen/plan.ts";
import { printPlan } from "../../src/codegen/print-plan.ts";
import { printWgsl } from "../../src/codegen/print-wgsl/print-wgsl.ts";
import { f, groupX, kernelOf, load, op, storage, store, typed, u } from "./support/kernels.ts";

const buffer = (id: string, role: PlanBuffer["role"], length: number): PlanBuffer => ({
  id,
  name: `${id} of the user`,
  role,
  type: "float32",
  shape: [length],
  live: [0, 0],
});

function planOf(
  buffers: readonly PlanBuffer[],
  kernels: readonly Kernel[],
  steps: readonly Step[],
): Plan {
  const printed = kernels.map((kernel) => ({ kernel, ...printWgsl(kernel, "table") }));
  return { name: "p", buffers, kernels: printed, steps, stepIndices: "table" };
}

const t: E = { kind: "step", slot: 0, type: typed("uint32") };

/** `h[t + 1] = h[t] + x[t]` in one dispatch for each step; `first` writes `h[0]`. */
function runningSum(repeats: number, first: readonly Step[]): Plan {
  const step = kernelOf(
    [storage("x", 4, "read"), storage("h", 5)],
    [store("h", op(t, "+", u(1)), op(load("h", t), "+", load("x", t)))],
    { name: "add", steps: ["t"] },
  );
  const copy = kernelOf(
    [storage("h", 5, "read"), storage("y", 4), storage("total", 1)],
    [
      store("y", groupX, load("h", op(groupX, "+", u(1)))),
      store("total", u(0), op(load("total", u(0)), "+", load("h", u(4)))),
    ],
    { name: "copy" },
  );
  return planOf(
    [
      buffer("x", "input", 4),
      buffer("h", "temporary", 5),
      buffer("y", "output", 4),
      buffer("total", "inout", 1),
    ],
    [
      step,
      { ...copy, body: copy.body.slice(0, 1), grid: [4, 1, 1] },
      { ...copy, body: copy.body.slice(1) },
    ],
    [
      ...first,
      {
        kind: "repeat",
        variable: "t",
        extent: repeats,
        body: [{ kind: "dispatch", kernel: 0 }],
      },
      { kind: "dispatch", kernel: 1 },
      { kind: "dispatch", kernel: 2 },
    ],
  );
}

const inputs = {
  "x of the user": Float32Array.from([1, 2, 3, 4]),
  "total of the user": Float32Array.from([100]),
};

test("repeats, zeroing and several kernels run in order, and inputs are not changed", () => {
  const { outputs, faults } = interpretPlan(runningSum(4, [{ kind: "zero", buffer: "h" }]), inputs);
  expect(faults).toEqual([]);
  expect(outputs).toEqual({
    "y of the user": Float32Array.from([1, 3, 6, 10]),
    "total of the user": Float32Array.from([110]),
  });
  expect([...inputs["total of the user"]]).toEqual([100]);
});

test("temporaries are poisoned: without the zero step their use is a fault", () => {
  const { faults } = interpretPlan(runningSum(4, []), inputs);
  expect(faults[0]).toMatchObject({ kind: "uninitialised", kernel: "add", array: "h" });
});

test("a result that is not written whole is a fault", () => {
  const cut = runningSum(4, [{ kind: "zero", buffer: "h" }]);
  const partial = cut.kernels.map((k, n) =>
    n === 1 ? { ...k, kernel: { ...k.kernel, grid: [3, 1, 1] as const } } : k,
  );
  const result = interpretPlan({ ...cut, kernels: partial }, inputs);
  expect(result.faults.map((fault) => fault.message)).toEqual([
    "element 3 of the result y of the user was never written",
  ]);
});

test("dispatches are ordered: what one writes another may read", () => {
  const write = kernelOf([storage("h", 4)], [store("h", groupX, f(2))], { grid: [4, 1, 1] });
  const read = kernelOf(
    [storage("h", 4), storage("y", 4)],
    [store("y", groupX, load("h", op(u(3), "-", groupX)))],
    { grid: [4, 1, 1] },
  );
  const steps: readonly Step[] = [
    { kind: "dispatch", kernel: 0 },
    { kind: "dispatch", kernel: 1 },
  ];
  const buffers = [buffer("h", "temporary", 4), buffer("y", "output", 4)];
  const plan = planOf(buffers, [write, read], steps);
  expect(interpretPlan(plan, {})).toEqual({
    outputs: { "y of the user": Float32Array.from([2, 2, 2, 2]) },
    faults: [],
  });
});

test("a plan prints its buffers, steps and kernels", () => {
  const plan = runningSum(4, [{ kind: "zero", buffer: "h" }]);
  expect(printPlan(plan)).toMatchInlineSnapshot(`
    "plan p: step indices from table
      input x for x of the user: float32[4]
      temporary h for h of the user: float32[5] live 0..0
      output y for y of the user: float32[4]
      inout total for total of the user: float32[1]
      zero h
      repeat t in 0..4
        dispatch add
      dispatch copy
      dispatch copy

    kernel add: 1 x [1, 1, 1] steps t
      read storage x: float32[4] = buffer x
      read_write storage h: float32[5] = buffer h
      h[step.0 + 1u] = h[step.0] + x[step.0]

    kernel copy: 1 x [4, 1, 1]
      read storage h: float32[5] = buffer h
      read_write storage y: float32[4] = buffer y
      read_write storage total: float32[1] = buffer total
      y[workgroup-x] = h[workgroup-x + 1u]

    kernel copy: 1 x [1, 1, 1]
      read storage h: float32[5] = buffer h
      read_write storage y: float32[4] = buffer y
      read_write storage total: float32[1] = buffer total
      total[0u] = total[0u] + h[4u]
    "
  `);
});
