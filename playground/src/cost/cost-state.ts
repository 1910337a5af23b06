/** What kernels cost: facts of a device of that family, the ceilings of this one, and where several mappings stand. */
import { type Signal, signal } from "@preact/signals";
import type { Ceilings } from "../../../src/runtime.ts";
import { failureText, Stopped } from "../call-failure.ts";
import type { CompileJob, KernelWork } from "../compile/compile-source.ts";
import type { Facts } from "../compile/details.ts";
import { jobOf, onDevice, phase } from "../run/run-state.ts";
import { launchesText } from "../run/time-text.ts";
import { type Good, gpu, latestGood, naiveChoices } from "../state.ts";
import { choicesText, tunedFor } from "../tune/tune-state.ts";
import { type Answerer, createHelper } from "../worker-client.ts";
import type { RunJob } from "../worker-protocol.ts";
import { choicesSummary } from "./choices-summary.ts";
import type { Product } from "./product-of.ts";
import { tiledChoices, tiledProduct } from "./tiled-product.ts";

/** Facts of the latest job that they were counted of. */
export const facts: Signal<{ readonly job: CompileJob; readonly facts: Facts } | null> =
  signal(null);
/** Of the device that is open; null as long as they are not measured. */
export const ceilings: Signal<Ceilings | null> = signal<Ceilings | null>(null);
/** Where mappings of a job stand; those that are measured so far. */
export const standings: Signal<{
  readonly job: CompileJob;
  readonly all: readonly Standing[];
} | null> = signal(null);
/** What is being measured. */
export const measuring: Signal<string | null> = signal<string | null>(null);
/** Why facts or measurements are missing. */
export const costFault: Signal<string | null> = signal<string | null>(null);

/** A mapping of the program, and how long it takes. */
export interface Standing {
  readonly name: string;
  /** Microseconds; null where it did not run, or not right. */
  readonly us: number | null;
  /** Why there is no time, what it is the same as, or how it was taken. */
  readonly note: string;
  readonly work: KernelWork;
  /** What it chooses, in lines. */
  readonly choices: readonly string[];
}

const counter = createHelper();
let asked: CompileJob | null = null;

/** Asks for the facts of a job; what is still counted of another is given up. */
export async function countFacts(job: CompileJob): Promise<void> {
  if (asked === job) return;
  if (asked !== null && facts.peek()?.job !== asked) counter.terminate();
  asked = job;
  try {
    const found = await counter.call({ kind: "facts", job });
    if (asked !== job || found === null) return;
    costFault.value = null;
    facts.value = { job, facts: found };
  } catch (error) {
    if (asked === job) tell(error);
  }
}

function tell(error: unknown): void {
  if (!(error instanceof Stopped)) costFault.value = failureText(error);
}

/** The work of all kernels. */
export function wholeWork(work: Good["compiled"]["work"]): KernelWork {
  const known = Object.values(work).flatMap((one) => one ?? []);
  return {
    bytes: known.reduce((sum, { bytes }) => sum + bytes, 0),
    operations: known.reduce((sum, { operations }) => sum + operations, 0),
  };
}

/** Points that the reference computes to check a mapping before its time is shown: under a second. */
const pointsToCheck = 1_000_000;

/** The mappings that are measured, with their choices. */
function mappingsOf(good: Good): readonly (readonly [string, string])[] {
  const { job } = good;
  const tuned = tunedFor(good);
  return [
    ["naive", naiveChoices],
    ["default", ""],
    ...(job.options.trim() === "" ? [] : [["yours", job.options] as const]),
    ...(tuned === null ? [] : [["tuned", choicesText(tuned)] as const]),
  ];
}

/** Measures what the device can do, unless that is known, and where mappings of the program stand, until it is stopped. */
export async function measureCosts(): Promise<void> {
  if ((await latestGood()) === null || measuring.value !== null) return;
  costFault.value = null;
  const compiler = createHelper();
  try {
    await onDevice(async (device) => {
      // For a device that has just opened the kernels may be others.
      const good = await latestGood();
      if (good === null) return;
      const stop = whenStopped();
      const ask: Answerer["call"] = (request) => {
        stop.check();
        return compiler.call(request);
      };
      const all = { device, compiler: { call: ask }, good, texts: new Map(), check: stop.check };
      await Promise.race([measureAll(all), stop.over]).finally(stop.forget);
    });
  } catch (error) {
    tell(error);
  } finally {
    compiler.terminate();
    measuring.value = null;
  }
}

/** Who stops what runs on the device stops what is measured there; a device in the page itself may still be at work then. */
function whenStopped(): {
  readonly over: Promise<never>;
  /** Throws once it was stopped. */
  readonly check: () => void;
  readonly forget: () => void;
} {
  let isOver = false;
  let forget = (): void => undefined;
  const over = new Promise<never>((_, reject) => {
    forget = phase.subscribe((now) => {
      if (now === "measuring") return;
      isOver = true;
      reject(new Stopped());
    });
  });
  const check = (): void => {
    if (isOver) throw new Stopped();
  };
  return { over, check, forget };
}

interface Measuring {
  readonly device: Answerer;
  readonly compiler: Answerer;
  readonly good: Good;
  /** Names of mappings by the WGSL that they gave. */
  readonly texts: Map<string, string>;
  readonly check: () => void;
}

async function measureAll(all: Measuring): Promise<void> {
  const { device, compiler, good, check } = all;
  const begin = (what: string): void => {
    check();
    measuring.value = what;
  };
  begin("what this device can do");
  ceilings.value ??= await device.call({ kind: "ceilings" });
  check();
  standings.value = { job: good.job, all: [] };
  const add = (one: Standing): void => {
    check();
    standings.value = { job: good.job, all: [...(standings.value?.all ?? []), one] };
  };
  for (const [name, options] of mappingsOf(good)) {
    begin(`the ${name} mapping`);
    add(await standingOf(all, name, options));
  }
  begin(`the ${tiledName}`);
  const product = await compiler.call({ kind: "product", job: good.job });
  if (product !== null) add(await standingOfTiled(all, product));
}

/** Compiles a mapping, checks its results, and measures it; one with kernels that are known is not measured again. */
async function standingOf(all: Measuring, name: string, options: string): Promise<Standing> {
  const { compiler, good, texts } = all;
  const answer = await compiler.call({ kind: "compile", job: { ...good.job, options } });
  const compiled = answer?.compiled ?? null;
  const none = { name, us: null, work: { bytes: 0, operations: 0 }, choices: [] };
  if (compiled === null) return { ...none, note: "does not compile" };
  const work = wholeWork(compiled.work);
  const choices = choicesSummary(compiled.options);
  const same = texts.get(compiled.wgsl);
  if (same !== undefined) return { ...none, work, choices, note: `the same kernels as ${same}` };
  texts.set(compiled.wgsl, name);
  const job = { ...jobOf(good), plan: compiled.plan };
  return { name, work, choices, ...(await checkedTime(all, job)) };
}

/** What the comparison is called. */
export const tiledName = "tfjs-style matmul";

/** What of a product is measured: so many multiply-adds, bytes that every device binds, tiles that fit in a grid. */
const mostProducts = { software: 2 ** 30, gpu: 2 ** 34 };
const mostBytes = 2 ** 27;
const mostExtent = 2 ** 20;

/** The greatest product of the program by the scheme of TensorFlow.js, for comparison. */
async function standingOfTiled(all: Measuring, product: Product): Promise<Standing> {
  const { name, isAll, rows, columns, depth } = product;
  const products = rows * columns * depth;
  const matrices = [rows * depth, depth * columns, rows * columns].map((elements) => 4 * elements);
  const bytes = matrices.reduce((sum, own) => sum + own, 0);
  const sizes = [rows, columns, depth].join(" × ");
  const standing = {
    name: tiledName,
    work: { bytes, operations: 2 * products },
    choices: [`${isAll ? name : `${name} alone, ${sizes}`}: ${tiledChoices}`],
  };
  const state = gpu.peek();
  const isSoftware = state.kind === "ready" && state.software;
  const isTooLarge =
    products > mostProducts[isSoftware ? "software" : "gpu"] ||
    Math.max(...matrices) > mostBytes ||
    Math.max(rows, columns) > mostExtent;
  if (isTooLarge) {
    return { ...standing, us: null, note: "too large to be measured" };
  }
  return { ...standing, ...(await checkedTime(all, tiledProduct(product))) };
}

/** The time of a program whose results are right. */
async function checkedTime(
  { device, compiler }: Measuring,
  job: RunJob,
): Promise<Pick<Standing, "us" | "note">> {
  const { outputs } = await device.call({ kind: "run", job });
  const asked = { kind: "verify", job, outputs, maxPoints: pointsToCheck } as const;
  const { verification } = await compiler.call(asked);
  if (verification.decision === "wrong") return { us: null, note: "wrong results" };
  const timing = await device.call({ kind: "time" });
  const note = "launches" in timing ? launchesText(timing.launches) : "";
  return { us: timing.whole.us, note };
}
