/** The matrix products that the page finds in programs, and the kernel by another's scheme that it compares with. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Product, productOf } from "../../playground/src/cost/product-of.ts";
import { tiledProduct } from "../../playground/src/cost/tiled-product.ts";
import { hostInputs } from "../../playground/src/run/executor.ts";
import { makeInputs } from "../../playground/src/run/inputs.ts";
import { verifyOutputs } from "../../playground/src/run/reference.ts";
import type { RunJob } from "../../playground/src/worker-protocol.ts";
import { compile } from "../../src/index.ts";
import { readPlan } from "../../src/load.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { sliceWgsl } from "../../src/runtime/slices/slice-wgsl.ts";

const sizes = { M: 33, K: 70, N: 45 };

function productIn(source: string): Product | null {
  const compiled = compile(source, { sizes });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  return productOf(compiled.program);
}

/** A product, each tensor straight or turned. */
function sourceOf(left: boolean, right: boolean, result: boolean): string {
  const pair = (isStraight: boolean, a: string, b: string): string =>
    isStraight ? `${a}, ${b}` : `${b}, ${a}`;
  return `def mm(float(${pair(left, "M", "K")}) A, float(${pair(right, "K", "N")}) B) -> (C) {
  C(${pair(result, "m", "n")}) +=! A(${pair(left, "m", "k")}) * B(${pair(right, "k", "n")}) }`;
}

const layouts = [true, false].flatMap((left) =>
  [true, false].flatMap((right) => [true, false].map((result) => ({ left, right, result }))),
);

describe("matrix products", () => {
  it.each(layouts)("are found however they lie: %o", ({ left, right, result }) => {
    const isStraight = { left, right, result };
    const extents = { rows: 33, columns: 45, depth: 70 };
    const expected = { name: "C", isAll: true, ...extents, isStraight };
    expect(productIn(sourceOf(left, right, result))).toEqual(expected);
  });

  it("are found among other statements: the greatest of them", () => {
    const source = `def net(float(M, K) x, float(K, N) w, float(N) b, float(N, M) v) -> (h, y, r) {
      h(m, n) +=! x(m, k) * w(k, n)
      y(m, n) = fmax(h(m, n) + b(n), 0.0)
      r(m, i) +=! y(m, n) * v(n, i)
    }`;
    expect(productIn(source)).toMatchObject({ name: "h", isAll: false, rows: 33, depth: 70 });
  });

  it("may have their factors the other way round", () => {
    const source = sourceOf(true, true, true).replace(
      /A\(m, k\) \* B\(k, n\)/,
      "B(k, n) * A(m, k)",
    );
    const turned = { left: false, right: false, result: false };
    expect(productIn(source)).toMatchObject({ rows: 45, columns: 33, isStraight: turned });
  });

  const plain = "def f(float(M, K) A, float(K, N) B) -> (C) {";
  it.each([
    ["another monoid", `${plain} C(m, n) max=! A(m, k) * B(k, n) }`],
    ["a sum of something else", `${plain} C(m, n) +=! A(m, k) + B(k, n) }`],
    ["a factor more", `${plain} C(m, n) +=! A(m, k) * B(k, n) * 2.0 }`],
    ["a shifted read", `${plain} C(m, n) +=! A(m, k) * B(k + 1, n) where k in 0:K-1 }`],
    ["a part of a factor", `${plain} C(m, n) +=! A(m, k) * B(k, n) where k in 0:7 }`],
    ["a window", `${plain} C(m, n) +=! A(m, k) * B(k, n) where m in 0:3, k in 0:K, n in 0:N }`],
    ["one reduced dim more", `${plain} C(m) +=! A(m, k) * B(k, n) }`],
    [
      "a batch",
      "def f(float(M, K) A, float(M, K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(m, k, n) }",
    ],
    ["half floats", "def f(half(M, K) A, half(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }"],
    ["integers", "def f(int(M, K) A, int(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }"],
    [
      "what was there before",
      "def f(float(M, K) A, float(K, N) B, float(M, N) C) -> (C) { C(m, n) += A(m, k) * B(k, n) }",
    ],
  ])("are none with %s", (_, source) => {
    expect(productIn(source)).toBe(null);
  });
});

describe("the tiled kernel", () => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await openRuntime();
  });
  afterAll(() => runtime.dispose());

  /** What the reference says of the results of a job. */
  async function verdict(job: RunJob): Promise<string> {
    const read = readPlan(JSON.parse(JSON.stringify(job.plan)));
    if (!read.ok) throw new Error(read.fault);
    const loaded = await runtime.load(read.plan);
    const { tensors } = makeInputs(job.plan.buffers, job.inputs);
    const { C } = await loaded.run(hostInputs(tensors));
    if (C === undefined) throw new Error("there is no result");
    const outputs = [{ name: "C", type: C.dtype, shape: C.shape, data: await C.read() }];
    const { verification } = verifyOutputs(job, outputs, 10_000_000);
    return `${verification.decision} ${verification.compared}`;
  }

  it.each(layouts)("has the reference's results, however they lie: %o", async (isStraight) => {
    const product = { name: "C", isAll: true, rows: 33, columns: 34, depth: 35, isStraight };
    expect(await verdict(tiledProduct(product))).toBe(`right ${33 * 34}`);
  });

  it.each(layouts)(
    "is launched in slices where it takes long, however they lie: %o",
    (isStraight) => {
      const product = { name: "C", isAll: true, rows: 33, columns: 34, depth: 35, isStraight };
      const read = readPlan(JSON.parse(JSON.stringify(tiledProduct(product).plan)));
      if (!read.ok) throw new Error(read.fault);
      for (const kernel of read.plan.kernels) expect(sliceWgsl(kernel)).toContain("let tc_number");
    },
  );

  it("is told apart from one that is wrong", async () => {
    const isStraight = { left: true, right: true, result: true };
    const job = tiledProduct({ name: "C", isAll: true, rows: 9, columns: 9, depth: 9, isStraight });
    const wgsl = job.plan.kernels[0]?.wgsl.replace("sums[i][j];", "sums[j][i];") ?? "";
    const kernels = job.plan.kernels.map((kernel) => ({ ...kernel, wgsl }));
    expect(await verdict({ ...job, plan: { ...job.plan, kernels } })).toMatch(/^wrong/);
  });

  it.each([
    [1, 1, 1],
    [32, 32, 32],
    [64, 1, 31],
    [5, 47, 64],
  ])("has them for %i rows, %i columns and a depth of %i", async (rows, columns, depth) => {
    const isStraight = { left: true, right: true, result: true };
    const product = { name: "C", isAll: true, rows, columns, depth, isStraight };
    expect(await verdict(tiledProduct(product))).toBe(`right ${rows * columns}`);
  });
});
