/** What is known of a mapping beside others: the choices that it has, those of the default, the WGSL of another one. */
import { type Signal, signal } from "@preact/signals";
import type { Decision } from "../../../src/index.ts";
import type { CompileJob } from "../compile/compile-source.ts";
import { compiling, detailOf, type Good, lastGood, naiveChoices } from "../state.ts";
import { choicesText, tunedFor } from "../tune/tune-state.ts";
import { createHelper } from "../worker-client.ts";

/** What the mapping is compared with. */
export type Other = "default" | "naive" | "tuned";

export const other: Signal<Other> = signal<Other>("default");

/** What was chosen for the latest job that was asked about, and from what; or why that is not known. */
export const knobs: Signal<{
  readonly job: CompileJob;
  readonly all: readonly Decision[] | Error;
} | null> = signal(null);

/** The jobs that a mapping is looked at beside; null where they are its own. */
export interface Beside {
  readonly other: CompileJob | null;
  readonly byDefault: CompileJob | null;
}

/** What these give. */
export const compared: Signal<{
  readonly beside: Beside;
  /** The WGSL with the other mapping, or why there is none. */
  readonly wgsl: string | Error;
  /** What the default chooses, or why that is not known; null where it was not asked for. */
  readonly byDefault: readonly Decision[] | Error | null;
} | null> = signal(null);

const helper = createHelper();
let asked: Beside | null = null;

async function compileBeside(beside: Beside): Promise<void> {
  if (asked !== null && isSame(asked, beside)) return;
  // What is still compiled of others is given up.
  if (asked !== null && asked !== compared.peek()?.beside) helper.terminate();
  asked = beside;
  const { other: wanted, byDefault } = beside;
  const missing = new Error("it does not compile for this program");
  const told = (error: Error): Error => error;
  // One after the other: the time of a call begins when it is sent.
  const said = wanted && (await helper.call({ kind: "compile", job: wanted }).catch(told));
  if (asked !== beside) return;
  const found = byDefault && (await helper.call({ kind: "knobs", job: byDefault }).catch(told));
  if (asked !== beside) return;
  const wgsl = said instanceof Error ? said : (said?.compiled?.wgsl ?? missing);
  compared.value = { beside, wgsl, byDefault: found };
  // What failed is asked for again.
  if (said instanceof Error || found instanceof Error) asked = null;
}

/** Whether two questions, or jobs, are one. */
export function isSame(a: Beside | CompileJob | null, b: Beside | CompileJob | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The job with the mapping that it is compared with; null where that is its own. */
export function otherJob({ job, ...good }: Good): CompileJob | null {
  const tuned = other.value === "tuned" ? tunedFor({ job, ...good }) : null;
  const choices = {
    default: "",
    naive: naiveChoices,
    tuned: tuned === null ? "" : choicesText(tuned),
  };
  const options = choices[other.value];
  return options.trim() === job.options.trim() ? null : { ...job, options };
}

/** The job with the default's mapping; null where that is its own. */
export function defaultJob(job: CompileJob): CompileJob | null {
  return job.options.trim() === "" ? null : { ...job, options: "" };
}

/** Looks at the mappings beside that of the latest that compiled; reads signals. */
export function followMapping(): void {
  const good = lastGood.value;
  if (good === null) return;
  const beside = { other: otherJob(good), byDefault: defaultJob(good.job) };
  if (beside.other !== null || beside.byDefault !== null) void compileBeside(beside);
}

/** Finds out what was chosen for the latest that compiled, as soon as the compiler has nothing else to do; reads signals. */
export function followKnobs(): void {
  const good = lastGood.value;
  // What came between has ended by then: it may have ended the worker that was asked.
  if (good !== null && !compiling.value) void readKnobs(good.job);
}

async function readKnobs(job: CompileJob): Promise<void> {
  // What compiled is told just after the end of compiling.
  await Promise.resolve();
  if (lastGood.peek()?.job !== job || knobs.peek()?.job === job) return;
  const all = await detailOf("knobs", job);
  if (all !== null) knobs.value = { job, all };
}

/** What the default chooses at each path, for a job, or why that is not known; null where it is not known yet. */
export function defaultsFor(
  job: CompileJob,
): ReadonlyMap<string, Decision["value"]> | Error | null {
  const wanted = defaultJob(job);
  const found = wanted === null ? ownChoices(job) : choicesBeside(wanted);
  if (found === null || found instanceof Error) return found;
  return new Map(found.map(({ path, value }) => [path, value]));
}

function ownChoices(job: CompileJob): readonly Decision[] | Error | null {
  return knobs.value?.job === job ? knobs.value.all : null;
}

function choicesBeside(byDefault: CompileJob): readonly Decision[] | Error | null {
  const found = compared.value;
  return found !== null && isSame(found.beside.byDefault, byDefault) ? found.byDefault : null;
}

/** Whether two jobs are of one program, for one device; choices may differ. */
export function isSameProgram(a: CompileJob, b: CompileJob): boolean {
  return isSame({ ...a, options: "" }, { ...b, options: "" });
}
