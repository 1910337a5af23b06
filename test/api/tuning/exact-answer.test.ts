/** What was tuned is the answer without a plan, and the answer that a plan would be. */
import { readFileSync } from "node:fs";
import { beforeEach, expect, test, vi } from "vitest";
import type { RememberedAnswer } from "../../../src/api/tuning/ask.ts";
import { defined } from "../../../src/support/assert.ts";
import { type DeviceProfile, llvmpipeProfile } from "../../../src/support/device-profile.ts";
import { memoryStore, type Store } from "../../../src/support/line-store.ts";
import type { TuneResult } from "../../../src/tuner/events.ts";
import type { TuningRecord } from "../../../src/tuner/store.ts";
import { steadyBench } from "./support/steady-bench.ts";

/** How often programs were planned, sources lowered, and lines read. */
const counts = vi.hoisted(() => ({ planned: 0, lowered: 0, read: 0 }));
vi.mock("../../../src/plan-program.ts", async (original) => {
  const real = await original<typeof import("../../../src/plan-program.ts")>();
  const planProgram: typeof real.planProgram = (...asked) => {
    counts.planned++;
    return real.planProgram(...asked);
  };
  return { ...real, planProgram };
});
vi.mock("../../../src/compile.ts", async (original) => {
  const real = await original<typeof import("../../../src/compile.ts")>();
  const lowerSource: typeof real.lowerSource = (...asked) => {
    counts.lowered++;
    return real.lowerSource(...asked);
  };
  return { ...real, lowerSource };
});
vi.mock("../../../src/tuner/record.ts", async (original) => {
  const real = await original<typeof import("../../../src/tuner/record.ts")>();
  const readRecord: typeof real.readRecord = (...asked) => {
    counts.read++;
    return real.readRecord(...asked);
  };
  return { ...real, readRecord };
});

// A file before this one may have loaded the modules without what counts.
vi.resetModules();
const { createTuner } = await import("../../../src/api/tuning/create-tuner.ts");
const { rememberedAnswer, tuneWithStore } = await import("../../../src/api/tuning/remember.ts");
const { compile } = await import("../../../src/compile.ts");

beforeEach(() => Object.assign(counts, { planned: 0, lowered: 0, read: 0 }));

/** A device for one test: what is kept of one profile is not of another. */
function deviceOf(profile: DeviceProfile = llvmpipeProfile) {
  const texts = { vendor: "mesa", architecture: "first", device: "", description: "25" };
  return { profile: { ...profile }, adapter: { kind: "llvmpipe", ...texts } } as const;
}

type Device = ReturnType<typeof deviceOf>;

interface Asked {
  readonly source: string;
  readonly def?: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly approximate?: boolean;
}

async function tuned(
  device: Device,
  { source, ...asked }: Asked,
  store: Store,
  again = false,
): Promise<TuneResult> {
  const options = { ...asked, effort: "refine", budget: 600_000, bench: steadyBench(), again };
  for await (const event of tuneWithStore(device, source, { ...options, effort: "refine" }, store))
    if (event.type === "done") return event.result;
  throw new Error("it did not end");
}

/** All answers to a question, the best first, since each is refused; and how many plans were made before each. */
async function answersTo(
  device: Device,
  { source, ...asked }: Asked,
  lines: readonly string[],
): Promise<readonly { readonly answer: RememberedAnswer; readonly plans: number }[]> {
  const found: { readonly answer: RememberedAnswer; readonly plans: number }[] = [];
  const before = counts.planned;
  const isRefused = (answer: RememberedAnswer): boolean =>
    found.push({ answer, plans: counts.planned - before }) > 0;
  await rememberedAnswer(device, source, { ...asked, isRefused }, memoryStore(lines));
  return found;
}

/** The answer to a question. */
async function answerTo(device: Device, asked: Asked, lines: readonly string[]) {
  const [first] = await answersTo(device, asked, lines);
  if (first === undefined) throw new Error("nothing is known");
  return first;
}

/** Lines with something else in the place of each record. */
function changed(
  lines: readonly string[],
  change: (record: TuningRecord) => object,
): readonly string[] {
  return lines.map((line) => JSON.stringify(change(JSON.parse(line))));
}

/** Records as they were before there were seals. */
function unsealed(lines: readonly string[]): readonly string[] {
  return changed(lines, ({ seal: _, ...record }) => record);
}

function example(name: string): string {
  return readFileSync(new URL(`../../../examples/${name}.tc`, import.meta.url), "utf8");
}

const product = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const sizes = { M: 32, N: 32, K: 32 };

/** Kernels of all kinds: several, loops on the host, scans, scatters, algorithms, half precision, names that contain others. */
const programs: Readonly<Record<string, Asked>> = {
  product: { source: product, sizes },
  softmax: { source: example("softmax"), sizes: { N: 8, D: 64 } },
  "layer norm": { source: example("layernorm"), sizes: { N: 8, D: 64 } },
  convolution: {
    source: example("conv3x3"),
    def: "conv3x3",
    sizes: { N: 1, C: 4, H: 8, W: 8, O: 4 },
  },
  GRU: { source: example("gru"), sizes: { T: 4, B: 2, I: 8, H: 8 } },
  "running sums": { source: example("cumsum"), sizes: { N: 4, L: 256 } },
  histogram: { source: example("histogram"), sizes: { N: 256, B: 16 } },
  names: {
    source: `def f(float(N, M) x) -> (C, C_part, t) {
  C(n) +=! x(n, m)
  C_part(n) max=! x(n, m) * C(n)
  for t0 in N { if t0 == 0 { t(t0) = C(t0) } else { t(t0) = t(t0 - 1) + C_part(t0) } }
}`,
    sizes: { N: 16, M: 64 },
  },
};

test.each(Object.entries(programs))(
  "the answers of %s are those of plans, without one",
  async (_, asked) => {
    const device = deviceOf();
    const store = memoryStore();
    const found = await tuned(device, asked, store);
    const lines = await store.read();
    const sealed = await answersTo(device, asked, lines);
    const exact = sealed.filter(({ answer }) => answer.source.kind === "exact");
    expect(exact.length).toBeGreaterThan(0);
    expect(exact[0]?.answer.mapping).toEqual(found.options);
    expect(exact.map(({ plans }) => plans)).toEqual(exact.map(() => 0));
    const planned = await answersTo(device, asked, unsealed(lines));
    expect(planned[0]?.plans).toBe(1);
    // In their order, too: what did not run is told by its text.
    const texts = (all: typeof sealed) => all.map(({ answer }) => JSON.stringify(answer));
    expect(texts(sealed)).toEqual(texts(planned));
  },
);

test("algorithms are answers without a plan, too", async () => {
  const device = deviceOf();
  const store = memoryStore();
  const asked = programs["convolution"] ?? { source: product, sizes };
  await tuned(device, asked, store);
  const answers = await answersTo(device, asked, await store.read());
  const others = answers.filter(({ answer }) => answer.alternative !== null);
  expect(others.length).toBeGreaterThan(0);
  expect(others.map(({ plans }) => plans)).toEqual(others.map(() => 0));
});

test("definitions that stand for none, or are approximate unasked, are no answers", async () => {
  const device = deviceOf();
  const store = memoryStore();
  const source = example("conv3x3");
  // The same as the algorithm that may be an answer, but for its name and for saying what it stands for.
  const [, im2col = ""] = /(def conv3x3_im2col[\s\S]*?\n\}\n)/.exec(source) ?? [];
  const unrelated = im2col.replace("conv3x3_im2col", "unrelated");
  const asked = { ...defined(programs["convolution"], "convolution"), source: source + unrelated };
  await tuned(device, asked, store);
  const records = (await store.read()).filter((line) => line.includes('"conv3x3_im2col"'));
  expect(records.length).toBeGreaterThan(0);
  const answersOf = async (name: string, more: Partial<Asked> = {}) => {
    const lines = changed(records, (record) => ({ ...record, alternative: name }));
    const answers = await answersTo(device, { ...asked, ...more }, lines);
    return answers.map(({ answer }) => answer.alternative);
  };
  expect(await answersOf("conv3x3_im2col")).toContain("conv3x3_im2col");
  expect(await answersOf("unrelated")).toEqual([]);
  expect(await answersOf("conv3x3_winograd")).toEqual([]);
  const approximate = { approximate: true };
  expect(await answersOf("conv3x3_winograd", approximate)).toContain("conv3x3_winograd");
});

test("a definition that was asked about before is not lowered again, nor is a store that stayed as it is read", async () => {
  const device = deviceOf();
  const store = memoryStore();
  await tuned(device, { source: product, sizes }, store);
  const ask = () => rememberedAnswer(device, product, { sizes }, store);
  const first = await ask();
  Object.assign(counts, { planned: 0, lowered: 0, read: 0 });
  expect(await ask()).toEqual(first);
  expect(counts).toEqual({ planned: 0, lowered: 0, read: 0 });
});

/** The records of candidates that ran, the last of each. */
async function ranIn(store: Store): Promise<readonly TuningRecord[]> {
  const records = (await store.read()).map((line): TuningRecord => JSON.parse(line));
  const whole = records.filter(
    ({ key, outcome }) => key.kernel.startsWith("def:") && outcome.kind === "ok",
  );
  return [...new Map(whole.map((record) => [record.text, record])).values()];
}

test.each(["is given anew", "grows in place"])(
  "what is found later is the answer from then on, where the list of lines %s",
  async (how) => {
    const device = deviceOf();
    const kept = memoryStore();
    await tuned(device, { source: product, sizes }, kept);
    const lines = [...(await kept.read())];
    const growing: Store = { ...kept, read: async () => lines };
    const store = how === "grows in place" ? growing : kept;
    const ask = async () => (await rememberedAnswer(device, product, { sizes }, store)).answer;
    const before = await ask();
    const other = (await ranIn(kept)).find(
      ({ choices }) =>
        JSON.stringify(choices["kernels"]) !== JSON.stringify(before?.mapping.kernels),
    );
    if (other?.outcome.kind !== "ok") throw new Error("one candidate alone");
    const outcome = { ...other.outcome, won: true };
    const line = JSON.stringify({ ...other, outcome, at: other.at + 60 });
    lines.push(line);
    await kept.append([line]);
    counts.planned = 0;
    const after = await ask();
    expect(after?.source.kind).toBe("exact");
    expect(after?.mapping).not.toEqual(before?.mapping);
    expect(counts.planned).toBe(0);
    const { answer } = await answerTo(device, { source: product, sizes }, unsealed(lines));
    expect(after).toEqual(answer);
  },
);

test("choices that were changed since are planned, and legal", async () => {
  const device = deviceOf();
  const store = memoryStore();
  const { options } = await tuned(device, { source: product, sizes }, store);
  const { C } = options.kernels as Readonly<Record<string, { readonly axes: readonly object[] }>>;
  const axes = C?.axes.map((axis) => ({ ...axis, workgroup: 4096 }));
  const lines = changed(await store.read(), (record) =>
    record.seal === undefined
      ? record
      : { ...record, choices: { ...record.choices, kernels: { $0: { ...C, axes } } } },
  );
  const { answer, plans } = await answerTo(device, { source: product, sizes }, lines);
  expect(plans).toBe(1);
  const compiled = compile(product, { sizes, profile: device.profile, options: answer.mapping });
  expect(compiled.ok && compiled.repairs).toEqual([]);
});

test("programs that content alone does not tell apart have plans of their own", async () => {
  const device = deviceOf();
  const shifted = (by: number, x = "x") =>
    `def f(float(N) ${x}) -> (y) { y(n) = ${x}(n + ${by}) where n in 0:64 }`;
  const asked = (by: number, x?: string): Asked => ({ source: shifted(by, x), sizes: { N: 512 } });
  const store = memoryStore();
  await tuned(device, asked(100), store);
  const lines = await store.read();
  for (const other of [asked(200), asked(100, "z")]) {
    const { answer, plans } = await answerTo(device, other, lines);
    expect(answer.source.kind).toBe("exact");
    expect(plans).toBe(1);
    expect(answer).toEqual((await answerTo(device, other, unsealed(lines))).answer);
  }
  // Where the source has it does not matter.
  const commented = { ...asked(100), source: `# shifted\n\n${shifted(100)}` };
  expect((await answerTo(device, commented, lines)).plans).toBe(0);
});

test("a run that has nothing to do plans nothing, nor does a first call; what does not run there is passed over", async () => {
  const device = deviceOf();
  const store = memoryStore();
  const asked = { source: product, def: "mm", sizes };
  const found = await tuned(device, asked, store);
  counts.planned = 0;
  const known = await tuned(device, asked, store);
  expect(known).toMatchObject({ why: "known", options: found.options });

  const tuner = createTuner({ store, budget: 0 });
  const runtime = { ...device, device: {} as GPUDevice };
  const first = await tuner.known(runtime, asked);
  expect(first).toEqual(found.options);
  tuner.failed(runtime, asked, first ?? found.options, "no");
  const next = await tuner.known(runtime, asked);
  const answers = await answersTo(device, asked, await store.read());
  expect(next).toEqual(answers[1]?.answer.mapping);
  expect(answers[1]?.plans).toBe(0);
});
