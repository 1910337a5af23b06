/** Random programs whose tensors lie in memory at random, in all three executions. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { applyLayouts } from "../../src/ir/apply-layouts.ts";
import { expectOutputs } from "../../src/ir/interpret/expect-outputs.ts";
import { judge } from "../../src/ir/interpret/judge.ts";
import { elementTypeOf, type Program } from "../../src/ir/program.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { GpuTensor } from "../../src/runtime/tensor.ts";
import { baselineProfile, type DeviceProfile } from "../../src/support/device-profile.ts";
import { seededRandom } from "../../src/support/random.ts";
import { allocate, elementBytes, type TensorData } from "../../src/support/scalar-type.ts";
import {
  describeMismatch,
  isFailure,
  mapCase,
  messageOf,
  type Prepared,
  prepareCase,
} from "../differential/differential.ts";
import { generateTc } from "../differential/generate-tc.ts";
import { type Variant, type Way, waysFor } from "../differential/variants.ts";
import { type DrawnLie, drawLies, repeatedInputs } from "./draw-lies.ts";
import { positionsOf } from "./memory.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

interface LyingCase {
  readonly prepared: Prepared;
  readonly lies: ReadonlyMap<string, DrawnLie>;
}

/** A random program with lies that it may have on the profile; null for one that is refused. */
function draw(seed: number, profile: DeviceProfile): LyingCase | null {
  const preparation = prepareCase(generateTc(seed));
  if (preparation.kind !== "prepared") return null;
  const { prepared } = preparation;
  const lies = drawLies(seededRandom(seed ^ 0x51a7), prepared.program);
  const memories = [...new Set([...lies.values()].map((lie) => lie.memory))];
  const shared = memories.map((m) => m.split(" ")).filter((names) => names.length > 1);
  const layouts = Object.fromEntries([...lies].map(([name, { layout }]) => [name, layout]));
  const { float16 } = profile.features;
  const applied = applyLayouts(prepared.program, { layouts, shared, float16 });
  if (!applied.ok) throw new Error(`${applied.tensor}: ${applied.fault}`);
  const inputs = repeatedInputs(prepared.program, prepared.inputs, lies);
  const bounds = prepared.tcCase.population === "reals";
  const expected = expectOutputs(prepared.program, inputs, { bounds });
  return { prepared: { ...prepared, program: applied.program, inputs, expected }, lies };
}

function compare(
  { prepared }: LyingCase,
  outputs: Readonly<Record<string, TensorData>>,
): string | null {
  return describeMismatch(judge(prepared.expected, outputs));
}

function interpreted(one: LyingCase, { plan }: Variant): string | null {
  // One alone is bound from the last multiple of 256 bytes on.
  const offsets = Object.fromEntries(
    [...one.lies].map(([name, { first, memory }]) => {
      const tensor = one.prepared.program.tensors.find((t) => t.name === name);
      const bytes = tensor === undefined ? 4 : elementBytes(elementTypeOf(tensor));
      return [name, memory === name ? first % (256 / bytes) : first];
    }),
  );
  const { outputs, faults } = interpretPlan(plan, one.prepared.inputs, { offsets });
  return faults[0]?.message ?? compare(one, outputs);
}

/** What lies between the elements of all tensors in a memory. */
const mark = 77;

/** Tensors of rank 1 for all memories, with the inputs in them, and which positions they use. */
function memoriesOf(
  { prepared, lies }: LyingCase,
  program: Program,
): ReadonlyMap<string, { readonly tensor: GpuTensor; readonly used: ReadonlySet<number> }> {
  const data = new Map<string, { values: Map<number, number>; length: number; name: string }>();
  for (const [name, lie] of lies) {
    const tensor = program.tensors.find((t) => t.name === name);
    const memory = data.get(lie.memory) ?? { values: new Map<number, number>(), length: 4, name };
    const positions = positionsOf(tensor?.shape ?? [], lie.strides, lie.offset);
    for (const [n, position] of positions.entries()) {
      memory.values.set(position, prepared.inputs[name]?.[n] ?? 1);
      memory.length = Math.max(memory.length, position + 1);
    }
    data.set(lie.memory, memory);
  }
  return new Map(
    [...data].map(([memory, { values, length, name }]) => {
      const tensor = program.tensors.find((t) => t.name === name);
      if (tensor === undefined) throw new Error(name);
      const type = elementTypeOf(tensor);
      const whole = allocate(type, 4 * Math.ceil(length / 4)).fill(type === "bool" ? 1 : mark);
      for (const [position, value] of values) whole[position] = value;
      const made = runtime.tensor(type, [whole.length], whole);
      return [memory, { tensor: made, used: new Set(values.keys()) }];
    }),
  );
}

async function onDevice(one: LyingCase, { plan }: Variant): Promise<string | null> {
  const { program, inputs } = one.prepared;
  const memories = memoriesOf(one, program);
  const given: Record<string, GpuTensor | TensorData> = { ...inputs };
  const results: Record<string, GpuTensor> = {};
  for (const [name, { strides, offset, memory }] of one.lies) {
    const tensor = program.tensors.find((t) => t.name === name);
    const shape = tensor?.unpacked ?? tensor?.shape ?? [];
    const view = memories.get(memory)?.tensor.view({ shape, strides, offset });
    if (view === undefined) throw new Error(name);
    if (tensor?.role === "output") results[name] = view;
    else given[name] = view;
  }
  using loaded = await runtime.load(plan);
  const tensors = await loaded.run(given, { outputs: results });
  const outputs: Record<string, TensorData> = {};
  for (const [name, tensor] of Object.entries(tensors)) outputs[name] = await tensor.read();
  const wrong = compare(one, outputs);
  for (const { tensor, used } of memories.values()) {
    const stray = [...(await tensor.read())].findIndex(
      (value, n) => !used.has(n) && value !== (tensor.dtype === "bool" ? 1 : mark),
    );
    if (stray >= 0) return `element ${stray}, which belongs to no tensor, was written`;
    tensor.dispose();
  }
  for (const tensor of Object.values(tensors)) tensor.dispose();
  return wrong;
}

async function tryOne(
  one: LyingCase,
  profile: DeviceProfile,
  mapping: Way,
): Promise<string | null> {
  const variant = mapCase(one.prepared, profile, mapping);
  if (isFailure(variant)) return `${variant.stage}: ${variant.detail}`;
  try {
    const wrong = interpreted(one, variant);
    if (wrong !== null) return `interpreter: ${wrong}`;
    const differs = await onDevice(one, variant);
    return differs === null ? null : `device: ${differs}`;
  } catch (error) {
    return messageOf(error);
  }
}

test("random programs mean the same wherever their tensors lie", async () => {
  const failures: string[] = [];
  let [programs, views, shared] = [0, 0, 0];
  for (let seed = 1; seed <= 40; seed++) {
    const profile = seed % 2 === 0 ? baselineProfile : runtime.profile;
    const one = draw(seed, profile);
    if (one === null) continue;
    programs += 1;
    views += one.lies.size;
    shared += one.prepared.program.shared?.length ?? 0;
    const mapping = waysFor(seed)[1 + (seed % 3)];
    if (mapping === undefined) continue;
    const failure = await tryOne(one, profile, mapping);
    if (failure === null) continue;
    const lies = JSON.stringify([...one.lies]);
    failures.push(`seed ${seed}: ${failure}\n${one.prepared.tcCase.source}\n${lies}`);
  }
  console.log(`${programs} programs, ${views} views, ${shared} with shared memory`);
  expect(failures.slice(0, 2)).toEqual([]);
  expect(programs).toBeGreaterThan(35);
  expect(views).toBeGreaterThan(120);
  expect(shared).toBeGreaterThan(5);
}, 300_000);
