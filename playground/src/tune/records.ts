/** What tuning has found: in this browser, in the place where pages of one origin share it, and on the command line. */
import { type Database, databaseOf, faultsText, linesOf, mergeLines } from "../../../src/tune.ts";
import { CallFailure } from "../call-failure.ts";
import { openPageStore } from "./page-store.ts";

/** How much is remembered. */
export interface RecordCounts {
  /** One for each thing that became of a candidate or one of its kernels. */
  readonly records: number;
  /** Definitions at their sizes, on their devices, that were tuned. */
  readonly tuned: number;
}

/** What to do with the records. */
export type RecordsJob =
  | { readonly kind: "count" | "export" | "forget" }
  | { readonly kind: "import"; readonly name: string; readonly text: string };

/** What there is after it was done. */
export interface RecordsAnswer {
  readonly counts: RecordCounts;
  /** Of `export`: a line for each record, as `tc-compile db` reads and writes them. */
  readonly text: string;
  /** Of `import`: records that were not there before. */
  readonly added: number;
  /** The file that has records, too; null where this browser alone has. */
  readonly file: string | null;
  readonly notes: readonly string[];
}

function countsOf({ records, contents }: Database): RecordCounts {
  const definitions = [...contents].filter(([id]) => id.startsWith("def:"));
  return {
    records: records.length,
    tuned: definitions.reduce((sum, [, sizes]) => sum + sizes.size, 0),
  };
}

/** Reads or changes what is remembered; `url`: where `tc-compile play` has its records. */
export async function recordsJob(job: RecordsJob, url: string | null): Promise<RecordsAnswer> {
  try {
    return await perform(job, url);
  } catch (error) {
    if (error instanceof CallFailure) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new CallFailure(
      `this browser does not keep what tuning finds: ${why}`,
      "Private windows often keep nothing.",
    );
  }
}

async function perform(job: RecordsJob, url: string | null): Promise<RecordsAnswer> {
  const { store, file, notes: told } = await openPageStore(url);
  let added = 0;
  const notes = [...told];
  if (job.kind === "forget") await store.rewrite(() => []);
  if (job.kind === "import") {
    const merged = await mergeLines(store, job.text.split("\n"));
    if (merged.lines.isForeign || linesOf(merged.lines).length === 0) {
      throw new CallFailure(
        `${job.name} holds no records of tuning`,
        "Take a file of Export, or of `npx tc-compile db export`.",
      );
    }
    const fault = faultsText(job.name, merged.lines);
    if (fault !== null) notes.push(fault);
    added = merged.added;
  }
  const database = databaseOf(await store.read());
  const lines = job.kind === "export" ? linesOf(database) : [];
  return {
    counts: countsOf(database),
    text: lines.map((line) => `${line}\n`).join(""),
    added,
    file,
    notes,
  };
}
