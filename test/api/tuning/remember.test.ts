/** Tuning with a memory, on a bench that says what it is told to. */
import { expect, test } from "vitest";
import {
  rememberedAnswer,
  type StoredTuneOptions,
  tuneWithStore,
} from "../../../src/api/tuning/remember.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import { memoryStore, type Store } from "../../../src/support/line-store.ts";
import type { Bench } from "../../../src/tuner/bench.ts";
import type { TuneEvent, TuneResult } from "../../../src/tuner/events.ts";
import { given } from "../../support/given.ts";

const source = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const sizes = { M: 32, N: 32, K: 32 };

const runtime = {
  profile: baselineProfile,
  adapter: {
    kind: "gpu",
    vendor: "somebody",
    architecture: "first",
    device: "",
    description: "driver 1",
  },
} as const;

/** Every candidate is right; the default takes longest, and the others less the later they come. */
function steadyBench(): Bench & { readonly admitted: () => number } {
  const times = new Map<string, number>();
  return {
    clock: { kind: "replay", quantumNs: 1 },
    admit: async ({ id }) => {
      times.set(id, times.get(id) ?? 1000 / (1 + times.size));
      return { kind: "ok", firstMs: 1, roughUs: times.get(id) ?? 0 };
    },
    time: async (ids) => ids.map((id) => ({ us: times.get(id) ?? 0, kernels: {} })),
    release: () => undefined,
    close: async () => undefined,
    admitted: () => times.size,
  };
}

async function tuned(
  store: Store,
  bench: Bench,
  more: Pick<StoredTuneOptions, "sizes" | "again" | "starts"> & { readonly device?: string } = {},
): Promise<{ readonly events: readonly TuneEvent[]; readonly result: TuneResult }> {
  const events: TuneEvent[] = [];
  const { device = "first", ...asked } = more;
  const adapter = { ...runtime.adapter, architecture: device };
  const options = {
    sizes,
    effort: "refine",
    budget: 600_000,
    bench,
    ...asked,
  } as const;
  for await (const event of tuneWithStore({ ...runtime, adapter }, source, options, store)) {
    events.push(event);
  }
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error("it did not end");
  return { events, result: last.result };
}

test("what a run found is an answer at once: nothing is launched again", async () => {
  const store = memoryStore();
  const first = await tuned(store, steadyBench());
  expect(first.result.source.kind).toBe("tuned");
  const again = steadyBench();
  const second = await tuned(store, again);
  expect(again.admitted()).toBe(0);
  expect(second.events.map(({ type }) => type)).toEqual(["start", "done"]);
  expect(second.result).toMatchObject({ why: "known", source: { kind: "exact" } });
  expect(second.result.options).toEqual(first.result.options);
  const { answer } = await rememberedAnswer(runtime, source, { sizes }, store);
  expect(answer?.mapping).toEqual(first.result.options);
});

test("who asks for it again has it searched again, with starts of their own beside those of the store", async () => {
  const store = memoryStore();
  await tuned(store, steadyBench());
  const starts = [{ mapping: given({ "kernels/C/axes/0/workgroup": 2 }, "naive"), kind: "given" }];
  const again = await tuned(store, steadyBench(), { again: true, starts });
  const kinds = again.events.flatMap((e) => (e.type === "candidate" ? [e.from.kind] : []));
  expect(kinds).toEqual(expect.arrayContaining(["default", "given", "exact"]));
  expect(again.result.why).not.toBe("known");
});

test("another device, and other sizes, are tuned anew", async () => {
  const store = memoryStore();
  await tuned(store, steadyBench());
  for (const more of [{ device: "second" }, { sizes: { M: 8, N: 8, K: 8 } }]) {
    const bench = steadyBench();
    const { result } = await tuned(store, bench, more);
    expect(bench.admitted()).toBeGreaterThan(1);
    expect(result.source.kind).toBe("tuned");
  }
});

test("nothing is known of an empty store", async () => {
  const { answer, notes } = await rememberedAnswer(runtime, source, { sizes }, memoryStore());
  expect([answer, notes]).toEqual([null, []]);
});

test("a store that cannot be written is told, and the run goes on", async () => {
  const broken: Store = {
    ...memoryStore(),
    append: () => Promise.reject(new Error("the disk is full")),
  };
  const { events, result } = await tuned(broken, steadyBench());
  const notes = events.flatMap((event) => (event.type === "note" ? [event.text] : []));
  expect(notes.join("\n")).toContain("the disk is full");
  expect(result.source.kind).toBe("tuned");
});

test("a store that holds something else is told, and is left as it is", async () => {
  const foreign = memoryStore(["a,b,c", "1,2,3"]);
  const { events } = await tuned(foreign, steadyBench());
  expect(await foreign.read()).toEqual(["a,b,c", "1,2,3"]);
  expect(events.some((event) => event.type === "note" && /no records/.test(event.text))).toBe(true);
});
