/** What is known of a mapping beside others: the choices that it has, those of the default, the WGSL of another one. */
import { type Signal, signal } from "@preact/signals";
import type { Decision } from "../../../src/index.ts";
import type { CompileJob } from "../compile/compile-source.ts";
import { detailOf, type Good, lastGood, naiveChoices } from "../state.ts";
import { choicesText, tunedFor } from "../tune/tune-state.ts";
import { createHelper } from "../worker-client.ts";

/** What the mapping is compared with. */
export type Other = "default" | "naive" | "tuned";

export const other: Signal<Other> = signal<Other>("default");

/** What was chosen for the latest job that was asked about, and from what. */
export const knobs: Signal<{
  readonly job: CompileJob;
  readonly all: readonly Decision[];
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
  /** What the default chooses; null where that is not known. */
  readonly byDefault: readonly Decision[] | null;
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
  const compiling = wanted === null ? null : helper.call({ kind: "compile", job: wanted });
  const choosing = byDefault === null ? null : helper.call({ kind: "knobs", job: byDefault });
  const [wgsl, found] = await Promise.all([
    compiling?.then(
      (said) => said?.compiled?.wgsl ?? missing,
      (error: Error) => error,
    ) ?? missing,
    choosing?.catch(() => null) ?? null,
  ]);
  if (asked === beside) compared.value = { beside, wgsl, byDefault: found };
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

/** Finds out what there is to know of the latest that compiled; reads signals. */
export function followMapping(): void {
  const good = lastGood.value;
  if (good === null) return;
  const beside = { other: otherJob(good), byDefault: defaultJob(good.job) };
  if (beside.other !== null || beside.byDefault !== null) void compileBeside(beside);
  void readKnobs(good.job);
}

async function readKnobs(job: CompileJob): Promise<void> {
  if (knobs.peek()?.job === job) return;
  const all = await detailOf("knobs", job);
  if (all !== null) knobs.value = { job, all };
}

/** What the default chooses at each path, for a job; null where that is not known yet. */
export function defaultsFor(job: CompileJob): ReadonlyMap<string, Decision["value"]> | null {
  const wanted = defaultJob(job);
  const found = wanted === null ? ownChoices(job) : choicesBeside(wanted);
  return found === null ? null : new Map(found.map(({ path, value }) => [path, value]));
}

function ownChoices(job: CompileJob): readonly Decision[] | null {
  return knobs.value?.job === job ? knobs.value.all : null;
}

function choicesBeside(byDefault: CompileJob): readonly Decision[] | null {
  const found = compared.value;
  return found !== null && isSame(found.beside.byDefault, byDefault) ? found.byDefault : null;
}
