/** Tuning with a memory, on a bench that says what it is told to. */
import { expect, test, vi } from "vitest";
import type { StoredTuneOptions } from "../../../src/api/tuning/remember.ts";
import type { TuneOptions } from "../../../src/api/tuning/tune.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import { memoryStore, type Store } from "../../../src/support/line-store.ts";
import type { Bench } from "../../../src/tuner/bench.ts";
import type { TuneEvent, TuneResult } from "../../../src/tuner/events.ts";
import { given } from "../../support/given.ts";
import { steadyBench } from "./support/steady-bench.ts";

/** What searches were told. */
const searches = vi.hoisted((): TuneOptions[] => []);
vi.mock("../../../src/api/tuning/tune.ts", async (original) => {
  const real = await original<typeof import("../../../src/api/tuning/tune.ts")>();
  const tune: typeof real.tune = (on, text, options = {}) => {
    searches.push(options);
    return real.tune(on, text, options);
  };
  return { ...real, tune };
});

// A file before this one may have loaded the modules without what listens.
vi.resetModules();
const { rememberedAnswer, tuneWithStore } = await import("../../../src/api/tuning/remember.ts");

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

async function tuned(
  store: Store,
  bench: Bench,
  more: Partial<StoredTuneOptions> & { readonly device?: string } = {},
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

test("hooks, and what is to be skipped, count beside those of the store", async () => {
  const store = memoryStore();
  const calls: string[] = [];
  const hooks: StoredTuneOptions["hooks"] = {
    trying: ({ id }) => void calls.push(`trying ${id}`),
    admitted: ({ id }) => void calls.push(`admitted ${id}`),
    refused: ({ id }) => void calls.push(`refused ${id}`),
    measured: ({ candidate }) => void calls.push(`measured ${candidate.id}`),
  };
  const bench = steadyBench();
  const wrong: string[] = [];
  const first = await tuned(
    store,
    {
      ...bench,
      admit: async (candidate, options) => {
        const found = await bench.admit(candidate, options);
        if (bench.admitted() !== 2) return found;
        wrong.push(candidate.id);
        return { kind: "wrong", gate: "integers", why: "element 0" };
      },
    },
    { hooks },
  );
  const ids = first.events.flatMap((e) => (e.type === "candidate" ? [e.id] : []));
  expect(wrong).toHaveLength(1);
  const [refused] = wrong;
  for (const id of ids) {
    expect(calls).toContain(`trying ${id}`);
    expect(calls).toContain(`${id === refused ? "refused" : "admitted"} ${id}`);
    if (id !== refused) expect(calls).toContain(`measured ${id}`);
  }

  const skip = new Set([ids.at(-1) ?? ""]);
  const again = await tuned(store, steadyBench(), { again: true, skip });
  const tried = again.events.flatMap((e) => (e.type === "candidate" ? [e.id] : []));
  expect(tried).toContain(ids[0]);
  expect(tried).not.toContain(refused);
  expect(tried).not.toContain(ids.at(-1));
});

test("a hook that fails keeps nothing from being recorded, and a store that is full calls all hooks", async () => {
  const store = memoryStore();
  const broken = { trying: () => Promise.reject(new Error("the hook is broken")) };
  const { events } = await tuned(store, steadyBench(), { hooks: broken });
  expect(JSON.stringify(events)).toContain("the hook is broken");
  expect((await store.read()).some((line) => line.includes('"trying"'))).toBe(true);

  const full: Store = { ...store, append: () => Promise.reject(new Error("the disk is full")) };
  const tries: string[] = [];
  await tuned(full, steadyBench(), {
    again: true,
    hooks: { trying: ({ id }) => void tries.push(id) },
  });
  expect(tries.length).toBeGreaterThan(1);
});

test("times that a caller knows count beside those of the store", async () => {
  const store = memoryStore();
  await tuned(store, steadyBench());
  const { length } = searches;
  await tuned(store, steadyBench(), { again: true, known: new Map([["the caller's", 3]]) });
  const known = searches[length]?.known ?? new Map();
  expect(known.get("the caller's")).toBe(3);
  expect(known.size).toBeGreaterThan(1);
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

test("what is known of other sizes is the answer where a run ends before it was tried", async () => {
  const store = memoryStore();
  await tuned(store, steadyBench());
  const smaller = { M: 8, N: 8, K: 8 };
  const { answer } = await rememberedAnswer(runtime, source, { sizes: smaller }, store);
  if (answer === null) throw new Error("nothing is known");
  const ended = async (tries: number) => {
    const ending = new AbortController();
    const bench = steadyBench();
    const admit: Bench["admit"] = async (candidate, options) => {
      const outcome = await bench.admit(candidate, options);
      if (bench.admitted() === tries) ending.abort();
      return outcome;
    };
    const copy = memoryStore(await store.read());
    const more = { sizes: smaller, signal: ending.signal, starts: [] };
    return await tuned(copy, { ...bench, admit }, more);
  };
  const { result, events } = await ended(1);
  expect(result).toMatchObject({
    ...{ why: "aborted", complete: false, default: null, tuned: null, ratio: null },
    ...{ source: { kind: "neighbour" }, options: answer.mapping },
  });
  expect(events.map((e) => (e.type === "note" ? e.text : ""))).toContain(
    "there was no time to try what was known before: that is the answer",
  );
  // Once it was tried, what came out of it counts.
  const tried = await ended(Number.POSITIVE_INFINITY);
  expect(tried.result.source.kind).toBe("tuned");
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
