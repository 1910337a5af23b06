/** The state of the page, and what changes it. One compilation for each text; old answers are dropped. */
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type {
  CheckedView,
  CompileAnswer,
  CompiledView,
  CompileJob,
} from "./compile/compile-source.ts";
import { type CompileEvent, createCompiler } from "./compile/compiler.ts";
import type { DetailAnswers } from "./compile/details.ts";
import type { Links } from "./compile/links.ts";
import { colourIndices, type IndexKnowledge } from "./editor/index-marks.ts";
import type { GpuState } from "./run/gpu-state.ts";
import type { InputChoice } from "./run/inputs.ts";
import { driftText } from "./share/drift.ts";
import type { LinkState } from "./share/link.ts";
import { callOnce } from "./worker-client.ts";

/** The text of the editor. */
export const source: Signal<string> = signal("");
/** The definition that the visitor chose among several. */
export const chosenDef: Signal<string | null> = signal<string | null>(null);
/** Sizes that the visitor has set. */
export const setSizes: Signal<Readonly<Record<string, number>>> = signal({});
/** Inputs that the visitor has set. */
export const inputChoices: Signal<Readonly<Record<string, InputChoice>>> = signal({});
/** Choices that map each element to an invocation, and do nothing else. */
export const naiveChoices = '{ "version": 2, "policy": "naive" }';
/** JSON text of options; empty: the default. */
export const optionsText: Signal<string> = signal("");
/** `device`, where there is one, or the name of a profile. */
export const target: Signal<string> = signal("device");
/** What there is of WebGPU: see {@link setGpu}. */
export const gpu: Signal<GpuState> = signal<GpuState>({ kind: "unknown" });
/** Something to tell the visitor, until they close it. */
export const notice: Signal<string | null> = signal<string | null>(null);

/** What the compiler said of a text, with that text. */
export type Answered = CompileAnswer & { readonly source: string; readonly job: CompileJob };

/** Of the latest text that was checked: before it is compiled, and again after. */
export const checked: Signal<(CheckedView & Pick<Answered, "source">) | null> = signal(null);
/** Of the latest text that the compiler is done with. */
export const answer: Signal<Answered | null> = signal<Answered | null>(null);
/** What the compiler said of a text without errors. */
export type Good = Answered & { readonly compiled: CompiledView };

/** The latest that compiled: shown, dimmed, while a newer text has errors. */
export const lastGood: Signal<Good | null> = signal<Good | null>(null);
/** How the texts of a compilation belong together: a little later than itself. */
export const links: Signal<{ readonly job: CompileJob; readonly links: Links } | null> =
  signal(null);
/** Whether the compiler works on a newer text. */
export const compiling: Signal<boolean> = signal(false);
/** Why there is no answer to the latest text: it took too long, or the compiler has a bug. */
export const compilerFault: Signal<string | null> = signal<string | null>(null);

/** Ranges and colours of the latest text that has ranges. */
export const shownRanges: Signal<Omit<IndexKnowledge, "runs">> = signal<
  Omit<IndexKnowledge, "runs">
>({
  statements: [],
  colours: new Map(),
});

/** A text that is to replace that of the editor. */
export const replaceRequest: Signal<{ readonly text: string }> = signal({ text: "" });
/** A place that the editor is to go to. */
export const focusRequest: Signal<{ readonly at: number | null }> = signal<{
  readonly at: number | null;
}>({ at: null });

/** The device that was open last: while it is lost, or opened again, what was made for it stays. */
const deviceProfile: Signal<CompileJob["profile"]> = signal("baseline");

/** What there is of WebGPU has changed. */
export function setGpu(state: GpuState): void {
  batch(() => {
    gpu.value = state;
    if (state.kind === "ready") deviceProfile.value = state.profile;
  });
}

/** What to compile for: the device's profile, or a named one. */
const profile: ReadonlySignal<CompileJob["profile"]> = computed(() =>
  target.value === "device" ? deviceProfile.value : target.value,
);

const shapes: ReadonlySignal<CompileJob["shapes"]> = computed(() =>
  Object.fromEntries(
    Object.entries(inputChoices.value).flatMap(([name, choice]) =>
      choice.kind === "array" ? [[name, choice.array.shape] as const] : [],
    ),
  ),
);

const job: ReadonlySignal<CompileJob> = computed(() => ({
  source: source.value,
  def: chosenDef.value,
  sizes: setSizes.value,
  shapes: shapes.value,
  options: optionsText.value,
  profile: profile.value,
}));

/** True if what is shown is of an older text, size, mapping or target: the latest has errors, or is being compiled. */
export const isStale: ReadonlySignal<boolean> = computed(
  () => lastGood.value !== null && lastGood.value.job !== job.value,
);

/** False where there is nothing to run, or the latest has errors; what is being compiled is waited for. */
export const isRunnable: ReadonlySignal<boolean> = computed(
  () => lastGood.value !== null && (compiling.value || !isStale.value),
);

/** What the latest text becomes, once that is known; null where it has errors. */
export async function latestGood(): Promise<Good | null> {
  await new Promise<void>((resolve) => {
    const stop = compiling.subscribe((isCompiling) => {
      if (isCompiling) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
  return isStale.value ? null : lastGood.value;
}

const compiler = createCompiler(onEvent);

/** Options of a link that was just opened: if these cannot be taken, they are dropped. */
let optionsOfLink = "";
/** Which compiler wrote these, until they are compiled here. */
let madeOfLink: string | undefined;

function onEvent(event: CompileEvent): void {
  switch (event.kind) {
    case "busy":
      compiling.value = true;
      return;
    case "failed":
      compiling.value = false;
      compilerFault.value = event.message;
      return;
    case "checked":
      showChecked(event.job, event.found);
      return;
    case "answer":
      take(event.job, event.answer);
  }
}

function take(done: CompileJob, said: CompileAnswer): void {
  compiling.value = false;
  compilerFault.value = null;
  if (said.optionsFault !== null && optionsOfLink !== "" && done.options === optionsOfLink) {
    optionsOfLink = "";
    optionsText.value = "";
    if (opened.value !== null)
      opened.value = { ...opened.value, state: { ...opened.value.state, options: "" } };
    notice.value = `The mapping choices of this link were dropped, because this version cannot read them: ${said.optionsFault}. Source and sizes are as they were sent.`;
    return;
  }
  const answered = { ...said, source: done.source, job: done };
  batch(() => {
    showChecked(done, said);
    answer.value = answered;
    if (said.compiled !== null) lastGood.value = { ...answered, compiled: said.compiled };
  });
  if (said.compiled === null) return;
  void link(done);
  if (madeOfLink !== undefined)
    void noteDrift(madeOfLink, { ...answered, compiled: said.compiled });
  madeOfLink = undefined;
}

/** All choices for a device of which nothing is known; null where it does not compile for one. */
export async function choicesAnywhere({ job: done, compiled }: Good): Promise<string | null> {
  if (done.profile === "baseline") return compiled.options;
  const job = { ...done, profile: "baseline" };
  return (await callOnce({ kind: "compile", job }))?.compiled?.options ?? null;
}

async function noteDrift(made: string, good: Good): Promise<void> {
  const options = await choicesAnywhere(good).catch(() => null);
  const text = options === null ? null : driftText(made, options);
  if (text !== null) notice.value ??= text;
}

/** Shows what is known of a text, unless just that is shown. */
function showChecked({ source: text }: CompileJob, found: CheckedView): void {
  const { outline, diagnostics, ranges, def, sizes } = found;
  const next = { outline, diagnostics, ranges, def, sizes, source: text };
  if (JSON.stringify(next) === JSON.stringify(checked.value)) return;
  batch(() => {
    if (ranges.length > 0) {
      shownRanges.value = { statements: ranges, colours: colourIndices(ranges) };
    }
    checked.value = next;
  });
}

/** So long after an answer it is found out how its texts belong together: somebody who types needs the compiler first. */
const linksAfterMs = 60;

/** Finds out how the texts of a compilation belong together, unless a newer one comes between. */
async function link(done: CompileJob): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, linksAfterMs));
  while (compiling.value && lastGood.value?.job === done);
  if (lastGood.value?.job !== done) return;
  const found = await detailOf("links", done);
  // Without them nothing lights up; all else is there.
  if (found !== null && !(found instanceof Error)) links.value = { job: done, links: found };
}

/** More of what compiled, or why there is none; null if something else came between. */
export async function detailOf<Kind extends keyof DetailAnswers>(
  kind: Kind,
  done: CompileJob,
): Promise<DetailAnswers[Kind] | Error | null> {
  const found = await compiler.detail(kind, done);
  return lastGood.value?.job === done ? found : null;
}

/** Compiles whatever the state says, from now on. */
export function startCompiling(): () => void {
  return job.subscribe((next) => compiler.submit(next));
}

/** Ends a compilation that takes too long for its visitor. */
export function stopCompiling(): void {
  compiler.stop();
}

/** The visitor has typed. */
export function setSource(text: string): void {
  source.value = text;
}

/** The program that was opened last, as it was then. */
export const opened: Signal<Opened | null> = signal<Opened | null>(null);

/** A program, and where from. */
export interface Opened {
  readonly state: LinkState;
  readonly from: "link" | "draft" | "here";
}

/** Another program, with nothing left of the one before. */
export function openProgram(state: LinkState, from: Opened["from"] = "here"): void {
  opened.value = { state, from };
  optionsOfLink = state.options;
  madeOfLink = state.options.trim() === "" ? undefined : state.made;
  lastGood.value = null;
  chosenDef.value = state.def;
  setSizes.value = state.sizes;
  inputChoices.value = Object.fromEntries(
    Object.entries(state.inputs).map(([name, text]) => [name, { kind: "words", text }] as const),
  );
  optionsText.value = state.options;
  source.value = state.source;
  replaceRequest.value = { text: state.source };
}

/** What a link to this page holds. Files are not sent. */
export function linkState(): LinkState {
  const inputs = Object.entries(inputChoices.value).flatMap(([name, choice]) =>
    choice.kind === "words" ? [[name, choice.text] as const] : [],
  );
  return {
    source: source.value,
    def: chosenDef.value,
    sizes: setSizes.value,
    inputs: Object.fromEntries(inputs),
    options: optionsText.value,
  };
}
