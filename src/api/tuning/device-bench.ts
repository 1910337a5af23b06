/**
 * Measures candidates on a device of this process, in memory of its own.
 *
 * A dispatch that does not end cannot be ended here: what takes too long is left alone, and the next question waits for
 * it. If it does not end by then, the bench is lost, and so is the device. Where that must not happen to the caller, the
 * bench lives in another process or in a worker.
 */
import type { Plan } from "../../codegen/plan.ts";
import type { Clock, Sample as ClockSample } from "../../runtime/clock.ts";
import { mostSpans } from "../../runtime/clock.ts";
import { watchDevice } from "../../runtime/device-context.ts";
import { openPlan } from "../../runtime/load-plan.ts";
import { createPlanHost, type OwnedPlanHost } from "../../runtime/plan-host.ts";
import { spansOfParts } from "../../runtime/profile-plan.ts";
import { recordDispatches } from "../../runtime/record-dispatches.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { RuntimeFault } from "../../runtime/runtime-fault.ts";
import { median, quantaPerSample } from "../../runtime/timing.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import type { AdmitOptions, Admitted, Bench, Refusal, Sample, Tried } from "../../tuner/bench.ts";
import type { TuningTask } from "../../tuner/candidate.ts";
import { ownersOf } from "./candidate-of.ts";
import {
  firstRun,
  type GateRun,
  interpretedFault,
  overGuards,
  type Passed,
  passGates,
} from "./gate.ts";
import { isUnplanned } from "./planned-task.ts";
import { createSizedBench, type SizedBench } from "./sized-bench.ts";
import { withLimit } from "./with-limit.ts";

/** Called around each measurement, and in no ordinary call. */
export interface MeasurementHooks {
  readonly before?: (id: string) => Promise<void> | void;
  readonly after?: (id: string) => Promise<void> | void;
}

export interface DeviceBenchOptions {
  readonly hooks?: MeasurementHooks;
  /**
   * Puts another plan in the place of a candidate's.
   * @internal for tests of what gates catch
   */
  readonly rewrite?: (plan: Plan) => Plan;
}

/** A candidate that may be timed. */
interface Entry {
  readonly run: GateRun;
  /** Names of the mapping's kernels, by the number of the plan's. */
  readonly owners: readonly (string | undefined)[];
  roughUs: number;
  /** Of one execution, by name of the mapping's kernels: as often as they were told apart. */
  readonly shares: Readonly<Record<string, number>>[];
  /** Whether the clock may tell them apart: false once it could not. */
  mayTell: boolean;
}

interface State {
  readonly host: OwnedPlanHost;
  readonly clock: Clock;
  readonly task: TuningTask;
  readonly profile: DeviceProfile;
  readonly hooks: MeasurementHooks;
  readonly rewrite: (plan: Plan) => Plan;
  readonly entries: Map<string, Entry>;
  /** By sizes. */
  readonly sized: Map<string, Promise<SizedBench | { readonly refused: string }>>;
  /** What everything is refused with since the device is no more. */
  dead: Refusal | null;
  /** What took too long, until it ends, and when it was given up. */
  late: { readonly since: number; readonly ended: Promise<unknown> } | null;
  /** The end of what was begun last: the device does one thing at a time. */
  last: Promise<unknown>;
}

/** A span is at least so many nanoseconds for each step that is asked for, however fine the clock. */
const leastQuantumNs = 50_000;
/** Device time of one submission, so that no driver takes it for hung. */
const submissionUs = 100_000;
/** Executions in one pass: a bound on the length of a command buffer. */
const mostRepeats = 4096;

/** What becomes of a candidate where the device or the compiler throws. */
function refusalOf(error: unknown): Refusal {
  if (!(error instanceof RuntimeFault)) throw error;
  const { kind, message: why } = error;
  if (kind === "device-lost" || kind === "misuse") return { kind: "lost", why };
  return kind === "out-of-memory" ? { kind, why } : { kind: "invalid", why };
}

/** One thing after the other. */
async function inTurn<T>(state: State, act: () => Promise<T>): Promise<T> {
  const turn = state.last.then(act, act);
  state.last = turn.catch(() => undefined);
  return await turn;
}

/** Milliseconds until a sample is given up, beside a hundred times what it should take; and a device, at least. */
const patienceMs = 5_000;

const lost: Refusal = {
  kind: "lost",
  why: "the device does not answer, or was lost, since a candidate ran",
  untried: true,
};

/** Whether what took too long has ended within `ms` more; what does not for long is taken for an end of the device. */
async function isFree(state: State, ms: number): Promise<boolean> {
  if (state.late === null) return true;
  const { since, ended } = state.late;
  if ((await withLimit(ms, ended)) !== null) return true;
  if (performance.now() - since > patienceMs) state.dead = lost;
  return false;
}

/**
 * What an act resolves with, or a refusal; what takes too long is waited for by the next one, and asks whether it was given
 * up before it leaves anything behind.
 */
async function within<T extends object>(
  state: State,
  ms: number,
  act: (isGivenUp: () => boolean) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const begun = performance.now();
  const isReady = state.dead === null && (await isFree(state, ms));
  if (!isReady) return state.dead ?? { kind: "timeout", ms };
  let isGivenUp = false;
  const acting = act(() => isGivenUp).catch(refusalOf);
  const left = ms - (performance.now() - begun);
  const outcome = await withLimit<T | Refusal>(left, acting);
  if (outcome === null) {
    isGivenUp = true;
    const ended = acting.then(
      () => true,
      () => true,
    );
    state.late = {
      since: performance.now(),
      ended: ended.then(() => {
        state.late = null;
        return true;
      }),
    };
    return { kind: "timeout", ms };
  }
  if (isKind(outcome, "lost")) state.dead = lost;
  return outcome;
}

function isKind(outcome: unknown, kind: Refusal["kind"]): boolean {
  return (
    typeof outcome === "object" && outcome !== null && "kind" in outcome && outcome.kind === kind
  );
}

function sizedBench(
  state: State,
  sizes: TuningTask["sizes"],
): Promise<SizedBench | { readonly refused: string }> {
  const { host, clock, task, profile } = state;
  const key = JSON.stringify(Object.entries(sizes).sort(([a], [b]) => (a < b ? -1 : 1)));
  const known = state.sized.get(key) ?? createSizedBench({ host, clock }, task, sizes, profile);
  state.sized.set(key, known);
  known.catch(() => state.sized.delete(key));
  return known;
}

/** A candidate at other sizes, where its mapping is repaired; sizes that the source refuses prove nothing. */
async function sweep(
  state: State,
  { mapping, alternative }: Tried,
  sizes: TuningTask["sizes"],
): Promise<Refusal | null> {
  const sized = await sizedBench(state, sizes);
  if (isUnplanned(sized)) return null;
  const planned = sized.plan(mapping, alternative);
  if (isUnplanned(planned)) return null;
  const { host } = state;
  const own = state.rewrite(planned.plan);
  const approximate = sized.approximate.has(alternative);
  const plan = overGuards(own);
  const ready = await openPlan(host, plan);
  try {
    const run = { clock: state.clock, memory: sized.memory, plan, ready, approximate };
    const outcome = await passGates(run, sized.cases, await firstRun(run));
    const found = outcome.kind === "passed" ? interpretedFault(own, sized.cases) : outcome;
    if (found?.kind !== "wrong") return found;
    const at = Object.entries(sizes).map(([name, value]) => `${name}=${value}`);
    const gate = found.gate === "races" ? "races" : "sizes";
    return { kind: "wrong", gate, why: `at ${at.join(" ")}: ${found.gate}: ${found.why}` };
  } finally {
    ready.scratch.release();
  }
}

async function admit(
  state: State,
  candidate: Tried,
  { timeoutMs, sweep: sizes = [], passed = false }: AdmitOptions,
  isGivenUp: () => boolean,
): Promise<Admitted | Refusal> {
  const { host, clock, task } = state;
  const sized = await sizedBench(state, task.sizes);
  if (isUnplanned(sized)) return { kind: "invalid", why: sized.refused };
  const planned = sized.plan(candidate.mapping, candidate.alternative);
  if (isUnplanned(planned)) return { kind: "invalid", why: planned.refused };
  const begun = performance.now();
  const plan = state.rewrite(planned.plan);
  const ready = await openPlan(host, plan);
  const approximate = sized.approximate.has(candidate.alternative);
  const run: GateRun = { clock, memory: sized.memory, plan, ready, approximate };
  const refuse = (refusal: Refusal): Refusal => {
    ready.scratch.release();
    return refusal;
  };
  try {
    const late: Refusal = { kind: "timeout", ms: timeoutMs };
    const first = await firstRun(run);
    const firstMs = performance.now() - begun;
    if (isGivenUp()) return refuse(late);
    const outcome = passed
      ? ({ kind: "passed", ns: [] } as const)
      : await passGates(run, sized.cases, first);
    if (outcome.kind !== "passed") return refuse(outcome);
    for (const at of sizes) {
      if (isGivenUp()) return refuse(late);
      const elsewhere = await sweep(state, candidate, at);
      if (elsewhere !== null) return refuse(elsewhere);
    }
    const roughUs = (await roughNs(run, outcome)) / 1000;
    if (isGivenUp()) return refuse(late);
    state.entries.get(candidate.id)?.run.ready.scratch.release();
    const owners = ownersOf(planned);
    state.entries.set(candidate.id, { run, owners, roughUs, shares: [], mayTell: true });
    return { kind: "ok", firstMs, roughUs };
  } catch (error) {
    ready.scratch.release();
    throw error;
  }
}

/** Executions that take so long are known well enough from the gates: in nanoseconds. */
const longNs = 5_000_000;

/** Nanoseconds of one execution, roughly. */
async function roughNs(run: GateRun, { ns }: Passed): Promise<number> {
  const least = Math.min(...ns);
  if (ns.length > 0 && least >= longNs) return least;
  return median(await run.clock.measure(sampleOf(run, 1, 1), 3));
}

/** Executions of a plan, each on another copy of what it updates as far as there are some. */
function sampleOf({ memory, plan, ready }: GateRun, repeats: number, copies: number): ClockSample {
  const places = Array.from({ length: Math.min(copies, repeats) }, (_, copy) =>
    memory.places(plan, ready.scratch, "reals", copy),
  );
  return {
    before: (encoder) => memory.restore(encoder, "reals", places.length),
    encode: (pass) => {
      for (let n = 0; n < repeats; n++) {
        const bound = places[n % places.length];
        if (bound !== undefined) ready.encoder.encode(pass, bound, new Map());
      }
    },
  };
}

function updates({ buffers }: Plan): boolean {
  return buffers.some(({ role }) => role === "inout");
}

/** Nanoseconds of one execution, from a span that is long enough for the clock. */
async function spanOf(state: State, entry: Entry, quanta: number): Promise<number> {
  const { clock } = state;
  const { run } = entry;
  const leastNs = quanta * Math.max(clock.quantumNs, leastQuantumNs);
  for (;;) {
    const most = Math.max(1, Math.floor(submissionUs / Math.max(0.01, entry.roughUs)));
    const wanted = Math.ceil((1.05 * leastNs) / Math.max(10, 1000 * entry.roughUs));
    const repeats = Math.max(1, Math.min(mostRepeats, most, wanted));
    const copies = updates(run.plan) ? await run.memory.copies(repeats) : 1;
    const [ns = 0] = await clock.measure(sampleOf(run, repeats, copies), 1);
    const before = entry.roughUs;
    entry.roughUs = Math.max(0.01, ns / repeats / 1000);
    const isLong =
      ns >= leastNs || repeats === mostRepeats || 1000 * repeats * before >= leastNs * 8;
    if (isLong || repeats === most) return ns / repeats;
  }
}

/** How often kernels are told apart, and how often where one execution takes so many microseconds. */
const apart = { usual: 3, long: 1, longUs: 50_000 };

/** The shares that kernels have of the dispatches of one execution; none where the clock cannot tell them apart. */
async function sharesOf({ clock }: State, { run, owners }: Entry): Promise<Entry["shares"]> {
  const once = sampleOf(run, 1, 1);
  const dispatches = recordDispatches(run.plan, once.encode);
  if (clock.spans === null || dispatches.length > mostSpans) return [];
  const spans = await spansOfParts(clock.spans, once, dispatches);
  const all = spans.reduce((sum, { begin, end }) => sum + end - begin, 0);
  const shares: Record<string, number> = {};
  for (const name of namesOf(owners)) {
    const own = spans.filter((_, n) => owners[dispatches[n]?.kernel ?? -1] === name);
    const ns = own.reduce((sum, { begin, end }) => sum + end - begin, 0);
    if (ns < own.length * clock.quantumNs * quantaPerSample) return [];
    shares[name] = ns / Math.max(1, all);
  }
  return [shares];
}

function namesOf(owners: Entry["owners"]): readonly string[] {
  return [...new Set(owners.flatMap((name) => name ?? []))];
}

/**
 * What each kernel has of an execution. Passes of their own tell kernels apart, and take longer: what lies
 * between two of them is none of a user's execution. So they say shares alone, and all candidates are timed
 * in one way, whole executions one after the other, however many kernels they have.
 */
async function kernelTimes(state: State, entry: Entry, us: number): Promise<Sample["kernels"]> {
  const { owners, shares } = entry;
  const names = namesOf(owners);
  if (names.length < 2) return Object.fromEntries(names.map((only) => [only, us]));
  const times = us < apart.longUs ? apart.usual : apart.long;
  if (entry.mayTell && shares.length < times) {
    const found = await sharesOf(state, entry);
    shares.push(...found);
    entry.mayTell = found.length > 0;
  }
  const shareOf = (name: string): number => median(shares.map((s) => s[name] ?? 0));
  return shares.length === 0 ? {} : Object.fromEntries(names.map((n) => [n, us * shareOf(n)]));
}

async function timeOne(state: State, id: string, quanta: number): Promise<Sample | Refusal> {
  const entry = state.entries.get(id);
  if (entry === undefined) return { kind: "invalid", why: `candidate ${id} was not admitted` };
  const { before, after } = state.hooks;
  await before?.(id);
  try {
    const us = (await spanOf(state, entry, quanta)) / 1000;
    return { us, kernels: await kernelTimes(state, entry, us) };
  } finally {
    await after?.(id);
  }
}

/** Milliseconds in which what is under way may end when a bench is closed. */
const closeMs = 1_000;

/**
 * A bench on the runtime's device. Nothing of the runtime's memory is touched; the device stays the caller's.
 * @throws Error where the task does not compile, or the naive kernel does not agree with the interpreter: then
 *   nothing could be trusted. RuntimeFault where the device has no memory for it, or is lost.
 */
export async function createDeviceBench(
  runtime: Pick<Runtime, "device" | "profile">,
  task: TuningTask,
  { hooks = {}, rewrite = (plan) => plan }: DeviceBenchOptions = {},
): Promise<Bench> {
  const { device, profile } = runtime;
  const context = watchDevice(device);
  const host = createPlanHost(context);
  const clock = await host.clock();
  const state: State = {
    host,
    clock,
    task,
    profile,
    hooks,
    rewrite,
    entries: new Map(),
    sized: new Map(),
    dead: null,
    late: null,
    last: Promise.resolve(),
  };
  const own = await sizedBench(state, task.sizes);
  if (isUnplanned(own)) throw new Error(own.refused);
  return {
    clock: { kind: clock.kind, quantumNs: clock.quantumNs },
    admit: (candidate, options) =>
      inTurn(state, async () => {
        const known = state.entries.get(candidate.id);
        if (known !== undefined && options.sweep === undefined) {
          return { kind: "ok", firstMs: 0, roughUs: known.roughUs };
        }
        return await within(state, options.timeoutMs, (isGivenUp) =>
          admit(state, candidate, options, isGivenUp),
        );
      }),
    time: (ids, { quanta }) =>
      inTurn(state, async () => {
        const samples: (Sample | Refusal)[] = [];
        for (const id of ids) {
          const roughMs = (state.entries.get(id)?.roughUs ?? 0) / 1000;
          const ms = patienceMs + 100 * roughMs;
          samples.push(await within(state, ms, () => timeOne(state, id, quanta)));
        }
        return samples;
      }),
    release: (ids) => {
      for (const id of ids) {
        state.entries.get(id)?.run.ready.scratch.release();
        state.entries.delete(id);
      }
    },
    close: async () => {
      // Of what does not end nobody waits for the end.
      await withLimit(closeMs, Promise.all([state.last, state.late?.ended]));
      context.close();
      host.destroy();
    },
  };
}
