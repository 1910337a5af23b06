/** What kernels cost: facts of a device of that family, the ceilings of this one, and where several mappings stand. */
import { type Signal, signal } from "@preact/signals";
import type { Ceilings } from "../../../src/runtime.ts";
import { CallFailure, Stopped } from "../call-failure.ts";
import type { CompileJob, KernelWork } from "../compile/compile-source.ts";
import type { Facts } from "../compile/details.ts";
import { jobOf, onDevice } from "../run/run-state.ts";
import { type Good, latestGood, naiveChoices } from "../state.ts";
import { choicesText, tunedFor } from "../tune/tune-state.ts";
import { type Answerer, createHelper } from "../worker-client.ts";
import { choicesSummary } from "./choices-summary.ts";

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
  /** Why there is no time, or what it is the same as. */
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
  if (error instanceof Stopped) return;
  const next = error instanceof CallFailure ? ` ${error.next}` : "";
  costFault.value = `${error instanceof Error ? error.message : String(error)}.${next}`;
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

/** Measures what the device can do, unless that is known, and where mappings of the program stand. */
export async function measureCosts(): Promise<void> {
  const good = await latestGood();
  if (good === null || measuring.value !== null) return;
  costFault.value = null;
  const compiler = createHelper();
  try {
    await onDevice(async (device) => {
      measuring.value = "what this device can do";
      ceilings.value ??= await device.call({ kind: "ceilings" });
      standings.value = { job: good.job, all: [] };
      const texts = new Map<string, string>();
      for (const [name, options] of mappingsOf(good)) {
        measuring.value = `the ${name} mapping`;
        const one = await standingOf({ device, compiler, good, texts }, name, options);
        standings.value = { job: good.job, all: [...standings.value.all, one] };
      }
    });
  } catch (error) {
    tell(error);
  } finally {
    compiler.terminate();
    measuring.value = null;
  }
}

interface Measuring {
  readonly device: Answerer;
  readonly compiler: Answerer;
  readonly good: Good;
  /** Names of mappings by the WGSL that they gave. */
  readonly texts: Map<string, string>;
}

/** Compiles a mapping, checks its results, and measures it; one with kernels that are known is not measured again. */
async function standingOf(
  { device, compiler, good, texts }: Measuring,
  name: string,
  options: string,
): Promise<Standing> {
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
  const { outputs } = await device.call({ kind: "run", job });
  const { verification } = await compiler.call({
    kind: "verify",
    job,
    outputs,
    maxPoints: pointsToCheck,
  });
  if (verification.decision === "wrong") return { ...none, work, choices, note: "wrong results" };
  const { whole } = await device.call({ kind: "time" });
  return { name, us: whole.us, note: "", work, choices };
}
