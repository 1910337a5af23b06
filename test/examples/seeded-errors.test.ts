/**
 * Judges that accept everything would pass every other test here. So results of a device are made wrong
 * in one element, by a thousandth: the largest one, the median one, one at random.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { HostTensors } from "../../src/cli/api.ts";
import { toolchain } from "../../src/cli/toolchain.ts";
import { compile, lowerSource } from "../../src/compile.ts";
import { printStage } from "../../src/index.ts";
import { expectOutputs } from "../../src/ir/interpret/expect-outputs.ts";
import { type Expected, judge } from "../../src/ir/interpret/judge.ts";
import { defined } from "../../src/support/assert.ts";
import { seededRandom } from "../../src/support/random.ts";
import { isFloat, type TensorData } from "../../src/support/scalar-type.ts";
import { openWorkplace } from "../docs/support/command.ts";

const programs = [
  "rmsnorm",
  "rotary_embedding",
  "grouped_query_attention",
  "residual_conv2d",
  "mixture_of_experts",
  "lstm",
  "bilinear_resize",
  "sparse_product",
  "kl_divergence",
  "heat_equation",
  "gpt",
];

/** What `--verify` may compute by default. */
const maxPoints = 25_000_000;

function sourceOf(name: string): string {
  return readFileSync(new URL(`../../examples/${name}.tc`, import.meta.url), "utf8");
}

/** The inputs that an example has in its file, and what the device makes of them. */
async function runExample(
  name: string,
): Promise<{ readonly inputs: HostTensors; readonly outputs: HostTensors }> {
  const ran: { inputs: HostTensors; outputs: HostTensors }[] = [];
  const workplace = openWorkplace({
    ...toolchain,
    openRuntime: async (options) => {
      const runtime = await toolchain.openRuntime(options);
      const run: typeof runtime.run = async (plan, inputs) => {
        const outputs = await runtime.run(plan, inputs);
        ran.push({ inputs, outputs });
        return outputs;
      };
      return { ...runtime, run };
    },
  });
  const { exit, stderr } = await workplace.run(["run", `examples/${name}.tc`]);
  expect(exit, stderr).toBe(0);
  return defined(ran[0], "run");
}

/** The numbers of the largest element, of the median one, and of one at random. */
function chosen({ values }: Expected, seed: number): readonly number[] {
  const order = [...values.keys()].sort(
    (a, b) => Math.abs(values[a] ?? 0) - Math.abs(values[b] ?? 0),
  );
  const median = order[Math.floor(order.length / 2)] ?? 0;
  return [order.at(-1) ?? 0, median, seededRandom(seed).integer(0, values.length)];
}

/** The output with an element off by a thousandth of max(|element|, scale); an integer by 1. */
function withError({ type, values, scale }: Expected, found: TensorData, at: number): TensorData {
  const wrong = found.slice();
  const size = Math.max(Math.abs(values[at] ?? 0), scale);
  wrong[at] = (wrong[at] ?? 0) + (isFloat(type) ? 1e-3 * size : 1);
  return wrong;
}

test.each(programs)(
  "%s is right whole, and not with one element off by a thousandth",
  async (name) => {
    const { inputs, outputs } = await runExample(name);
    const dataOf = (tensors: HostTensors): Readonly<Record<string, TensorData>> =>
      Object.fromEntries(Object.entries(tensors).map(([key, { data }]) => [key, data]));
    const lowered = lowerSource(sourceOf(name));
    if (!lowered.ok) throw new Error(`${name} is refused`);
    const expected = expectOutputs(lowered.program, dataOf(inputs), { maxPoints });
    const found = dataOf(outputs);
    const right = judge(expected, found);
    expect(right).toMatchObject({ decision: "right", ambiguous: 0, wrong: [] });
    for (const one of expected) {
      const result = defined(found[one.name], "output", one.name);
      expect([one.name, one.values.length]).toEqual([one.name, result.length]);
      for (const at of chosen(one, 5)) {
        const seeded = { ...found, [one.name]: withError(one, result, at) };
        const { decision, wrong } = judge(expected, seeded);
        expect([decision, wrong.map(({ tensor, element }) => [tensor, element])]).toEqual([
          "wrong",
          [[one.name, at]],
        ]);
      }
    }
  },
  240_000,
);

/** Loops that one workgroup executes whole: no axis is cut into tiles. */
const whole: Readonly<Record<string, readonly string[]>> = {
  sparse_product: ["kernel0.one"],
  heat_equation: ["kernel0.one"],
};

test.each(programs)("%s has two tiles along each axis that is cut into tiles", (name) => {
  let schedule = "";
  const compiled = compile(sourceOf(name), {
    onStage: (stage) => {
      if (stage.stage === "schedule") schedule = printStage(stage);
    },
  });
  expect(compiled.ok).toBe(true);
  const grids = [...schedule.matchAll(/\bgrid (\S+) in 0\.\.(\d+)/g)];
  expect(grids.length).toBeGreaterThan(0);
  const ones = grids.flatMap(([, loop, extent]) => (extent === "1" ? [loop] : []));
  expect(ones).toEqual(whole[name] ?? []);
});
