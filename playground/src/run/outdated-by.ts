/** Whether numbers on the page are still those of the program that it shows. */
import type { RunJob } from "../worker-protocol.ts";
import { choicesOf, type InputChoice } from "./inputs.ts";
import type { RunResult } from "./run-state.ts";

/** What a result is of. */
type Subject = Pick<RunResult, "job" | "meaning">;

/** What a result is of, in words, where a run `now` would give another one; null where it would not. */
export function outdatedBy(found: Subject & Pick<RunResult, "by">, now: Subject): string | null {
  const { job } = found;
  if (found.meaning !== now.meaning) return "an earlier version of the source";
  if (job.def !== now.job.def) return `the definition ${job.def}`;
  if (!sameData(job.sizes, now.job.sizes)) return `other sizes (${sizesText(job.sizes)})`;
  if (!sameInputs(job, now.job)) return "other inputs";
  // The reference runs no kernels.
  if (found.by === "reference" || sameData(job.plan, now.job.plan)) return null;
  return "other kernels: the mapping, or what to compile for, was another one";
}

function sizesText(sizes: RunJob["sizes"]): string {
  return Object.entries(sizes)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

function sameData(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function sameInputs(a: RunJob, b: RunJob): boolean {
  const [own, others] = [a, b].map(({ plan, inputs }) => choicesOf(plan.buffers, inputs));
  return (
    own?.length === others?.length &&
    own?.every(([, choice], n) => sameChoice(choice, others?.[n]?.[1])) === true
  );
}

/** Files are the same that were read once. */
function sameChoice(a: InputChoice, b: InputChoice | undefined): boolean {
  if (a.kind === "words") return b?.kind === "words" && a.text.trim() === b.text.trim();
  return b?.kind === "array" && a.array === b.array;
}
