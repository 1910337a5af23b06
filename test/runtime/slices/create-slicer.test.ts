/** Plans in slices on SwiftShader: they compute what they compute whole, and what the interpreter does. */
import { afterAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import { compile } from "../../../src/compile.ts";
import { openRuntime } from "../../../src/runtime/node/open-runtime.ts";
import type { TensorOutputs } from "../../../src/runtime/run-plan.ts";
import { createSlicer, type Launch, slicerOf } from "../../../src/runtime/slices/create-slicer.ts";
import { firstSlice } from "../../../src/runtime/slices/slice-sizes.ts";
import type { Mapping } from "../../../src/support/mapping-file.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { allocate, elementCount, type TensorData } from "../../../src/support/scalar-type.ts";
import { given } from "../../support/given.ts";
import { inPlacePlan } from "../plans.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

type Inputs = Readonly<Record<string, TensorData>>;

function planOf(
  source: string,
  sizes: Readonly<Record<string, number>>,
  {
    profile = runtime.profile,
    options,
  }: { profile?: typeof runtime.profile | string; options?: Mapping } = {},
): Plan {
  const compiled = compile(source, {
    sizes,
    profile,
    ...(options === undefined ? {} : { options }),
  });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join("\n"));
  return compiled.plan;
}

/** Small integers, with which sums of floats are exact in any order. */
function inputsOf({ buffers }: Plan): Inputs {
  const random = seededRandom(1);
  return Object.fromEntries(
    buffers.flatMap(({ name, role, type, shape }) => {
      if (role !== "input" && role !== "inout") return [];
      const data = allocate(type, elementCount(shape));
      return [[name, data.map(() => random.integer(0, 5))]];
    }),
  );
}

/** Tensors for all that a plan takes and gives: on the device, with the inputs. */
function tensorsOf({ buffers }: Plan, inputs: Inputs): TensorOutputs {
  return Object.fromEntries(
    buffers.flatMap(({ name, role, type, shape }) =>
      role === "temporary" ? [] : [[name, runtime.tensor(type, shape, inputs[name])]],
    ),
  );
}

async function outputsOf({ buffers }: Plan, tensors: TensorOutputs): Promise<Inputs> {
  const found: Record<string, TensorData> = {};
  for (const { name, role } of buffers) {
    if (role !== "output" && role !== "inout") continue;
    const data = await tensors[name]?.read();
    if (data !== undefined) found[name] = data;
  }
  return found;
}

/** Executes a plan in slices of just so many workgroups, by a clock by which each takes what it shall take. */
async function inSlices(
  plan: Plan,
  inputs: Inputs,
  size: number,
): Promise<{ readonly outputs: Inputs; readonly launches: readonly Launch[] }> {
  using loaded = await runtime.load(plan);
  let now = 0;
  // So long that no more are tried, as long as fewer take.
  const ms = 400;
  const clock = (): number => {
    now += ms;
    return now;
  };
  const known = { size, together: { count: size, ms } };
  const sizes = new Map(plan.kernels.map((_, kernel) => [kernel, known]));
  const tensors = tensorsOf(plan, inputs);
  const launches = await slicerOf(runtime.device, loaded, sizes, clock).run(tensors);
  return { outputs: await outputsOf(plan, tensors), launches };
}

function bitsOf(outputs: Inputs): Readonly<Record<string, Uint8Array>> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, { buffer, byteOffset, byteLength }]) => [
      name,
      new Uint8Array(buffer, byteOffset, byteLength),
    ]),
  );
}

const apart = given({}, "plain");
const hosted = given({ "structure/loops/t/on": "host" }, "plain");
const small = (axes: number): Mapping =>
  given(
    Object.fromEntries(
      Array.from({ length: axes }, (_, n) => [
        [`kernels/$0/axes/${n}/workgroup`, 2],
        [`kernels/$0/axes/${n}/points`, 1],
      ]).flat(),
    ),
  );

const matmul = "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const flip = "def f(float(B, M, N) x) -> (y) { y(b, n, m) = x(b, m, n) + 1.0 }";
const steps = `def f(float(T, N) a, float(N) x) -> (x) {
  for t in T { x(i) = x(N - 1 - i) + a(t, i) }
}`;
const several = `def f(float(N, N) x) -> (s, y) {
  s(i) +=! x(i, j)
  y(i, j) = x(i, j) * 2.0 - s(j)
}`;

describe("slices of 1, of 7 and of more workgroups than there are", () => {
  it.each([
    [
      "1 dimension",
      [19, 1, 1],
      planOf(
        "def f(float(N) x) -> (x) { x(i) = 2.0 * x(i) + 1.0 }",
        { N: 37 },
        { options: small(1) },
      ),
    ],
    ["2 dimensions", [3, 17, 1], planOf(matmul, { M: 130, K: 33, N: 70 })],
    [
      "2 dimensions without subgroups",
      null,
      planOf(matmul, { M: 33, K: 9, N: 21 }, { profile: "baseline", options: apart }),
    ],
    ["3 dimensions", [5, 4, 3], planOf(flip, { B: 3, M: 5, N: 4 }, { options: apart })],
    [
      "a loop on the host, with its step as an immediate",
      null,
      planOf(steps, { T: 4, N: 101 }, { options: hosted }),
    ],
    [
      "a loop on the host, with its step in a table",
      null,
      planOf(steps, { T: 4, N: 101 }, { profile: "baseline", options: hosted }),
    ],
    [
      "indivisible updates, after a fill with zero",
      null,
      planOf("def f(int(N) x, int(N) p) -> (int(64) y) { y(p(i)) +=! x(i) }", { N: 301 }),
    ],
    [
      "several kernels with a tensor between them",
      null,
      planOf(several, { N: 61 }, { options: given({}, "apart") }),
    ],
    [
      "narrow elements",
      null,
      planOf("def f(int8(N) x) -> (y) { y(i) = int8(x(i) * 3) }", { N: 4001 }),
    ],
  ] as const)(
    "compute the same over %s",
    async (what, grid, plan) => {
      if (grid !== null) expect(plan.kernels[0]?.kernel.grid).toEqual(grid);
      const most = Math.max(
        ...plan.kernels.map(
          ({
            kernel: {
              grid: [x, y, z],
            },
          }) => x * y * z,
        ),
      );
      expect(most).toBeGreaterThan(7);
      const repeats = plan.steps.filter(({ kind }) => kind === "repeat").length;
      expect(repeats).toBe(what.startsWith("a loop") ? 1 : 0);
      if (repeats > 0)
        expect(plan.stepIndices).toBe(what.endsWith("table") ? "table" : "immediate");
      const inputs = inputsOf(plan);
      const interpreted = interpretPlan(plan, inputs);
      expect(interpreted.faults).toEqual([]);
      using loaded = await runtime.load(plan);
      const whole = await outputsOf(plan, await loaded.run(inputs));
      expect(bitsOf(whole)).toEqual(bitsOf(interpreted.outputs));
      for (const size of [1, 7, most + 5]) {
        const { outputs, launches } = await inSlices(plan, inputs, size);
        expect(bitsOf(outputs), `slices of ${size}`).toEqual(bitsOf(whole));
        const slices = launches.filter(({ sliceOf }) => sliceOf !== null).length;
        if (size > most) expect(slices).toBe(0);
        else expect(slices).toBeGreaterThanOrEqual(Math.ceil(most / size));
      }
    },
    60_000,
  );
});

describe("a slicer", () => {
  const long = planOf(matmul, { M: 64, K: 8192, N: 64 }, { options: apart });

  it("is there only for plans that may take long", async () => {
    using short = await runtime.load(planOf(matmul, { M: 64, K: 64, N: 64 }));
    expect(createSlicer(runtime.device, short)).toBe(null);
    using one = await runtime.load(
      planOf(
        "def f(float(N) x) -> (y) { y +=! x(i) }",
        { N: 2 ** 22 },
        { options: given({}, "naive") },
      ),
    );
    // One workgroup is never divided.
    expect(one.plan.kernels.map(({ kernel }) => kernel.grid)).toContainEqual([1, 1, 1]);
    expect(createSlicer(runtime.device, one)).toBe(null);
    using other = await runtime.load(long);
    expect(createSlicer(runtime.device, other)).not.toBe(null);
  });

  it("executes one in several launches, and again", async () => {
    using loaded = await runtime.load(long);
    const inputs = inputsOf(long);
    const whole = bitsOf(await outputsOf(long, await loaded.run(inputs)));
    const slicer = createSlicer(runtime.device, loaded);
    for (let run = 0; run < 2; run++) {
      const tensors = tensorsOf(long, inputs);
      const launches = (await slicer?.run(tensors)) ?? [];
      expect(bitsOf(await outputsOf(long, tensors))).toEqual(whole);
      for (const { kernels, ms } of launches) {
        expect(kernels).toEqual([long.kernels[0]?.kernel.name]);
        expect(ms).toBeGreaterThan(0);
      }
      // From one workgroup on, each has twice those of the one before at most: 1 + 2 + ... + 2048 < 4096.
      if (run === 0) expect(launches.length).toBeGreaterThan(12);
    }
  }, 60_000);

  it("launches nothing more once the plan, a tensor or the device is given up", async () => {
    const own = await openRuntime();
    const plan = planOf(matmul, { M: 64, K: 64, N: 64 }, { options: apart });
    const giveUp = {
      plan: ({ loaded }: Given) => loaded.dispose(),
      tensor: ({ tensors }: Given) => tensors["A"]?.dispose(),
      device: () => own.device.destroy(),
    };
    interface Given {
      readonly loaded: Awaited<ReturnType<typeof own.load>>;
      readonly tensors: TensorOutputs;
    }
    for (const [what, message] of [
      ["plan", /was disposed/],
      ["tensor", /a tensor was disposed while it was in use/],
      ["device", /device is lost/],
    ] as const) {
      const loaded = await own.load(plan);
      const tensors = Object.fromEntries(
        plan.buffers.map(({ name, type, shape }) => [name, own.tensor(type, shape)]),
      );
      let launches = 0;
      let now = 0;
      const clock = (): number => {
        launches += 0.5;
        if (launches === 3) giveUp[what]({ loaded, tensors });
        now += 50;
        return now;
      };
      await expect(
        slicerOf(own.device, loaded, new Map([[0, firstSlice]]), clock).run(tensors),
      ).rejects.toThrow(message);
      expect(Math.ceil(launches), what).toBeLessThanOrEqual(4);
    }
    own.dispose();
  });

  it("rejects where a device that is lost says that it is done", async () => {
    const own = await openRuntime();
    using loaded = await own.load(planOf(matmul, { M: 4, K: 4, N: 4 }));
    const tensors = Object.fromEntries(
      loaded.plan.buffers.map(({ name, type, shape }) => [name, own.tensor(type, shape)]),
    );
    let launches = 0;
    own.device.queue.onSubmittedWorkDone = async () => {
      launches += 1;
      // It was heard that nothing is wrong with what was submitted.
      await new Promise((resolve) => setTimeout(resolve, 100));
      own.device.destroy();
      await own.device.lost;
      return undefined;
    };
    // All goes out in one launch, after which nothing else would notice.
    const running = slicerOf(own.device, loaded, new Map()).run(tensors);
    await expect(running).rejects.toThrow(/device is lost/);
    expect(launches).toBe(1);
    own.dispose();
  });

  it("refuses a kernel whose text it does not know", async () => {
    using loaded = await runtime.load(inPlacePlan(1000));
    const tensors = { x: runtime.tensor("float32", [1000]) };
    const slicer = slicerOf(runtime.device, loaded, new Map([[0, firstSlice]]));
    await expect(slicer.run(tensors)).rejects.toThrow(/"in_place" cannot be launched in slices/);
    expect([...(await tensors.x.read())].every((value) => value === 0)).toBe(true);
  });
});
