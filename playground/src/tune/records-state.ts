/** What the page knows of the records of tuning, and what the visitor does with them. */
import { type Signal, signal } from "@preact/signals";
import { failureText } from "../call-failure.ts";
import { recordsUrl } from "../served-program.ts";
import { download } from "../share/download.ts";
import { callOnce } from "../worker-client.ts";
import type { RecordCounts, RecordsAnswer, RecordsJob } from "./records.ts";

/** Null as long as it is not known, or cannot be. */
export const recordCounts: Signal<RecordCounts | null> = signal<RecordCounts | null>(null);
/** The file of the command line whose records are among them; null where there is none. */
export const recordsFile: Signal<string | null> = signal<string | null>(null);
/** What became of what the visitor did last. */
export const recordsSaid: Signal<string> = signal("");

/** So long may a file of records take, in milliseconds. */
const longestMs = 60_000;

async function perform(job: RecordsJob): Promise<RecordsAnswer | null> {
  try {
    const answer = await callOnce({ kind: "records", job, url: recordsUrl() }, longestMs);
    recordCounts.value = answer.counts;
    recordsFile.value = answer.file;
    return answer;
  } catch (error) {
    recordsSaid.value = failureText(error);
    return null;
  }
}

function recordsText(count: number): string {
  return `${count.toLocaleString("en")} record${count === 1 ? "" : "s"}`;
}

/** Counts what is remembered. */
export async function countRecords(): Promise<void> {
  const answer = await perform({ kind: "count" });
  if (answer !== null && answer.notes.length > 0) recordsSaid.value = answer.notes.join(" ");
}

/** Gives the visitor all records as a file. */
export async function exportRecords(): Promise<void> {
  const answer = await perform({ kind: "export" });
  if (answer === null) return;
  download("tuning.jsonl", answer.text);
  recordsSaid.value = `Saved ${recordsText(answer.counts.records)} as tuning.jsonl.`;
}

/** Adds the records of a file. */
export async function importRecords(file: File): Promise<void> {
  const answer = await perform({ kind: "import", name: file.name, text: await file.text() });
  if (answer === null) return;
  recordsSaid.value = [`Took ${recordsText(answer.added)} of ${file.name}.`, ...answer.notes].join(
    " ",
  );
}

/** Forgets all of them. */
export async function forgetRecords(): Promise<void> {
  const answer = await perform({ kind: "forget" });
  if (answer === null) return;
  recordsSaid.value =
    answer.file === null ? "Forgotten." : `Forgotten here; ${answer.file} keeps its own.`;
}
