/** The printer and the interpreter against a real device: software Vulkan or SwiftShader. */
import { afterAll, expect, test } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Kernel } from "../../src/codegen/kernel.ts";
import type { Plan } from "../../src/codegen/plan.ts";
import { printWgsl } from "../../src/codegen/print-wgsl/print-wgsl.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { seededRandom } from "../../src/support/random.ts";
import { scalarFunctions } from "../../src/support/scalar-functions.ts";
import { allocate, type TensorData } from "../../src/support/scalar-type.ts";
import {
  call,
  groupX,
  i,
  kernelOf,
  load,
  local,
  op,
  storage,
  store,
  tiledMatmul,
  u,
} from "./support/kernels.ts";
import { randomExpressionKernel } from "./support/random-expression.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** A plan that dispatches the kernel once; the array `out` or `C` is its result. */
function planOf(kernel: Kernel): Plan {
  const arrays = kernel.arrays.filter((array) => array.space === "storage");
  const buffers = arrays.map((array) => ({
    id: array.id,
    name: array.id,
    role: array.access === "read" ? ("input" as const) : ("output" as const),
    type: array.scalar,
    shape: [array.length],
    live: [0, 0] as const,
  }));
  return {
    name: kernel.name,
    buffers,
    kernels: [{ kernel, ...printWgsl(kernel, "table") }],
    steps: [{ kind: "dispatch", kernel: 0 }],
    stepIndices: "table",
  };
}

/** What the device and the interpreter make of the kernel. */
async function both(
  kernel: Kernel,
  inputs: Readonly<Record<string, TensorData>>,
): Promise<{ device: number[]; interpreted: number[] }> {
  const plan = planOf(kernel);
  const { outputs, faults } = interpretPlan(plan, inputs);
  expect(faults).toEqual([]);
  using loaded = await runtime.load(plan);
  const onDevice = await loaded.run(inputs);
  const [name = ""] = Object.keys(outputs);
  using tensor = onDevice[name];
  return { device: [...((await tensor?.read()) ?? [])], interpreted: [...(outputs[name] ?? [])] };
}

function randomInputs(kernel: Kernel, seed: number): Record<string, TensorData> {
  const random = seededRandom(seed);
  const inputs: Record<string, TensorData> = {};
  for (const { id, scalar, length, space, access } of kernel.arrays) {
    if (space === "storage" && access === "read") {
      inputs[id] = allocate(scalar, length).map(() => random.integer(-6, 7));
    }
  }
  return inputs;
}

test("a tiled matmul of integers is bitwise what the interpreter computes", async () => {
  const kernel = tiledMatmul(64);
  const { device, interpreted } = await both(kernel, randomInputs(kernel, 1));
  expect(device).toEqual(interpreted);
});

test("random exact expressions are bitwise what the interpreter computes", async () => {
  for (let seed = 0; seed < 80; seed++) {
    const kernel = randomExpressionKernel(seededRandom(seed), 4, { exact: true });
    const { device, interpreted } = await both(kernel, randomInputs(kernel, seed));
    const agree = interpreted.every((x, n) => Number.isNaN(x) || x === device[n]);
    expect(
      agree,
      `${seed}: ${device} is not ${interpreted}\n${printWgsl(kernel, "table").wgsl}`,
    ).toBe(true);
  }
});

test("integers of every size and sign are divided as the interpreter does, by any literal", async () => {
  const edges = [-(2 ** 31), 1 - 2 ** 31, -(2 ** 30), -9, -8, -7, -5, -4, -3, -2, -1];
  const x = [0, ...edges, ...edges.map((n) => -1 - n)];
  while (x.length % 64 !== 0) x.push(x.length * 65537 - 2 ** 20);
  for (const divisor of [1, 2, 4, 8, 2 ** 30, 3, 0, -1, -4, -(2 ** 31)]) {
    for (const operator of ["floorDiv", "floorMod"] as const) {
      const at = op(op(groupX, "*", u(64)), "+", local);
      const kernel = kernelOf(
        [
          storage("x", x.length, "read", { scalar: "int32" }),
          storage("out", x.length, "read_write", { scalar: "int32" }),
        ],
        [store("out", at, op(load("x", at, "int32"), operator, i(divisor)))],
        { workgroupSize: 64, grid: [x.length / 64, 1, 1] },
      );
      const { device, interpreted } = await both(kernel, { x: Int32Array.from(x) });
      expect(device, `${operator} ${divisor}`).toEqual(interpreted);
      if (divisor > 0) {
        const quotients = x.map((n) => Math.floor(n / divisor));
        const expected =
          operator === "floorDiv" ? quotients : x.map((n, k) => n - divisor * (quotients[k] ?? 0));
        expect(interpreted, `${operator} ${divisor}`).toEqual(expected);
      }
    }
  }
});

/** Arguments of every size and sign, around the places where polyfills change their method. */
const points: readonly number[] = (() => {
  const sizes: number[] = [0, 0.5, 0.625, 1, 1.5, 2.5, 10, 14, 88, 100, 1000, 3e38];
  for (let e = -20; e < 7; e += 0.0625) sizes.push(2 ** e);
  const signed = sizes.flatMap((x) => [x, -x]);
  return Array.from({ length: Math.ceil(signed.length / 64) * 64 }, (_, n) =>
    Math.fround(signed[n] ?? 1),
  );
})();

/** Runs `name(x, y)` for each pair. */
async function evaluate(
  name: string,
  x: readonly number[],
  y: readonly number[],
): Promise<readonly number[]> {
  const at = op(op(groupX, "*", u(64)), "+", local);
  const { length } = x;
  const parts = [load("x", at), load("y", at)].slice(0, scalarFunctions[name]?.arity);
  const kernel = kernelOf(
    [storage("x", length, "read"), storage("y", length, "read"), storage("out", length)],
    [store("out", at, call(name, parts))],
    { workgroupSize: 64, grid: [length / 64, 1, 1] },
  );
  const inputs = { x: Float32Array.from(x), y: Float32Array.from(y) };
  return (await both(kernel, inputs)).device;
}

// The bounds hold for WGSL's least accurate `exp`, 3 + 2|x| units in the last place.
test.each([
  ["tanh", 2e-6],
  ["sigmoid", 4e-5],
  ["silu", 4e-5],
  ["gelu", 4e-5],
  ["erf", 2e-6],
])("%s is right within %d of its value, finite, and right at infinity", async (name, bound) => {
  const x = [...points.slice(0, -2), Infinity, -Infinity];
  const values = await evaluate(name, x, x);
  const known = scalarFunctions[name];
  x.forEach((a, n) => {
    const expected = known?.evaluate(a, 0, 0) ?? 0;
    const value = values[n] ?? Number.NaN;
    if (!Number.isFinite(Math.fround(expected))) expect(value).toBe(expected);
    else
      expect(Math.abs(value - expected), `${name}(${a})`).toBeLessThanOrEqual(
        bound * Math.abs(expected) + 1e-30,
      );
  });
});

test("pow is exact for small integers, and right where an operand is zero, one or infinite", async () => {
  const pairs: [number, number, number][] = [
    [0, 0, 1],
    [5, 0, 1],
    [0, 3, 0],
    [0, -1, Infinity],
    [0, 0.5, 0],
    [1, Infinity, 1],
    [2, -Infinity, 0],
    [0.5, Infinity, 0],
    [Infinity, 2, Infinity],
    [-1, 1e6, 1],
    [-1, 100001, -1],
  ];
  for (let x = -6; x <= 6; x++) {
    for (let y = 0; y <= 8; y++) pairs.push([x, y, x ** y]);
  }
  while (pairs.length % 64 !== 0) pairs.push([2, 10, 1024]);
  const values = await evaluate(
    "pow",
    pairs.map(([x]) => x),
    pairs.map(([, y]) => y),
  );
  pairs.forEach(([x, y, expected], n) => {
    expect(values[n], `pow(${x}, ${y})`).toBe(expected + 0);
  });
});

test("pow of a large or fractional exponent is right to five digits", async () => {
  const pairs: [number, number][] = [];
  for (const x of [0.3, 0.999, 1.001, 2, 7.5, -1.5]) {
    for (const y of [0.5, 1.5, -2.5, 17, -20, 31]) if (x > 0 || y % 1 === 0) pairs.push([x, y]);
  }
  while (pairs.length % 64 !== 0) pairs.push([1.1, 1.1]);
  const values = await evaluate(
    "pow",
    pairs.map(([x]) => x),
    pairs.map(([, y]) => y),
  );
  pairs.forEach(([x, y], n) => {
    const ratio = (values[n] ?? 0) / Math.fround(x) ** Math.fround(y);
    expect(Math.abs(ratio - 1), `pow(${x}, ${y})`).toBeLessThan(1e-5);
  });
});
