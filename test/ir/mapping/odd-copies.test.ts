/**
 * Products whose rows are no whole vectors of memory: the copies in workgroup memory have rows of whole vectors all the
 * same. In three executions, against plain loops.
 */
import { afterAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { type Compiled, compile } from "../../../src/compile.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { openRuntime } from "../../../src/runtime/node/open-runtime.ts";
import { gpuProfile, namedProfiles } from "../../../src/support/device-profile.ts";
import { type GivenChoices, given } from "../../support/given.ts";
import { someOf } from "../../support/sweep.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

type Sizes = Readonly<Record<"M" | "K" | "N", number>>;

/** How the operands lie: A(m, k) or A(k, m), B(k, n) or B(n, k). */
const orders = {
  "rows times columns": ["M, K", "K, N"],
  "rows times rows": ["M, K", "N, K"],
  "columns times columns": ["K, M", "K, N"],
} as const;

type Order = keyof typeof orders;

function sourceOf(order: Order, type = "float"): string {
  const [A, B] = orders[order];
  const read = (dims: string): string => dims.toLowerCase();
  return `def f(${type}(${A}) A, ${type}(${B}) B) -> (C) { C(m, n) +=! float(A(${read(A)})) * B(${read(B)}) }`;
}

/** What is chosen for tiles of 32 x 32 results; by default these few would be one or two for each invocation. */
const tiles: GivenChoices = Object.fromEntries([
  ...[0, 1].flatMap((n) => [
    [`kernels/$0/axes/${n}/workgroup`, 8],
    [`kernels/$0/axes/${n}/points`, 4],
    [`kernels/$0/operands/$0.read${n}/stage`, "workgroup"],
    [`kernels/$0/operands/$0.read${n}/vector`, 4],
  ]),
  ["kernels/$0/blocked", true],
  ["kernels/$0/points", "vector"],
  ["kernels/$0/unroll", 4],
]);

function compiled(source: string, sizes: Sizes, choices: GivenChoices = {}): Compiled {
  const profile = { ...gpuProfile, limits: runtime.profile.limits };
  const result = compile(source, { sizes, profile, options: given({ ...tiles, ...choices }) });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  expect(result.repairs).toEqual([]);
  return result;
}

function inputOf(count: number, seed: number): Float32Array {
  return Float32Array.from({ length: count }, (_, n) => ((n * 7 + seed * 5) % 9) - 4);
}

/** The widths of what a compiled program's kernels copy to workgroup memory. */
function copyWidths({ plan }: Compiled): readonly number[] {
  const arrays = plan.kernels.flatMap(({ kernel }) => kernel.arrays);
  return arrays.filter((a) => a.space === "workgroup").map((a) => a.width);
}

async function expectMeaning(result: Compiled, { M, K, N }: Sizes, context: string): Promise<void> {
  const { mapped, plan, program } = result;
  expect(verifySchedule(mapped.program, mapped.schedule), context).toEqual([]);
  const wrong = plan.kernels.flatMap((k) => verifyKernel(k.kernel, runtime.profile));
  expect(wrong, context).toEqual([]);
  const [A, B] = [inputOf(M * K, 1), inputOf(K * N, 2)];
  const wanted = Array.from(interpret(program, { A, B }).tensors.get("C")?.data ?? []);
  const { outputs, faults } = interpretPlan(plan, { A, B });
  const messages = faults.map((f) => f.message);
  expect(messages, context).toEqual([]);
  expect(Array.from((outputs["C"] ?? []) as Float32Array), context).toEqual(wanted);
  using loaded = await runtime.load(plan);
  const { C } = await loaded.run({ A, B });
  expect(Array.from((await C?.read()) ?? []), context).toEqual(wanted);
  C?.dispose();
}

/** Rows of one element more than vectors, of three, of a pair; the last is even, with tiles that go on. */
const shapes: readonly Sizes[] = [
  { M: 33, K: 37, N: 35 },
  { M: 38, K: 34, N: 50 },
  { M: 36, K: 36, N: 52 },
];

describe("copies of rows that are no whole vectors", () => {
  it.each(Object.keys(orders) as readonly Order[])("are vectors of %s", async (order) => {
    for (const sizes of someOf(shapes, 2, Object.keys(orders).indexOf(order))) {
      const result = compiled(sourceOf(order), sizes);
      expect(copyWidths(result), JSON.stringify(sizes)).toEqual([4, 4]);
      await expectMeaning(result, sizes, JSON.stringify({ order, ...sizes }));
    }
  });

  it("are loaded one by one where a mapping says so, and into two tiles before they are used", async () => {
    const [sizes = { M: 0, K: 0, N: 0 }] = shapes;
    const source = sourceOf("rows times columns");
    const operands = "kernels/$0/operands/$0.read";
    const single = { [`${operands}0/vector`]: 1, [`${operands}1/vector`]: 1 };
    const one = compiled(source, sizes, single);
    expect(copyWidths(one)).toEqual([1, 1]);
    await expectMeaning(one, sizes, "one by one");
    const pipeline = { [`${operands}0/slots`]: 2, "kernels/$0/prefetch": true };
    const next = compiled(source, sizes, pipeline);
    expect(copyWidths(next)).toEqual([4, 4]);
    await expectMeaning(next, sizes, "prefetched");
  });

  it("are vectors of 16-bit floats, whose words are loaded once", () => {
    const { M, K, N } = { M: 64, K: 64, N: 64 };
    const result = compiled(sourceOf("rows times rows", "half"), { M, K, N });
    expect(copyWidths(result)).toEqual([4, 4]);
    const words = result.plan.kernels[0]?.wgsl.match(/unpack2x16float/g) ?? [];
    expect(words.length).toBeGreaterThan(0);
  });

  it("are so on every family", () => {
    for (const profile of ["nvidia", "apple", "adreno"].map((name) => namedProfiles[name])) {
      const sizes = { M: 509, K: 509, N: 509 };
      const source = sourceOf("rows times rows");
      const result = compile(source, { sizes, ...(profile === undefined ? {} : { profile }) });
      if (!result.ok) throw new Error("it is right");
      expect(copyWidths(result)).toEqual([4, 4]);
    }
  });
});
