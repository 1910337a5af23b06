/** Tunes in a worker, whose candidates run in another one: a device that hangs or is lost ends nothing but that. */

import type { Mapping } from "../../../src/index.ts";
import {
  createWorkerBench,
  type Effort,
  emptyLockFile,
  generatorVersion,
  lockEntryOf,
  printLockFile,
  type TuneEvent,
  type TuneResult,
  tuneWithStore,
  withEntries,
} from "../../../src/tune.ts";
import { CallFailure } from "../call-failure.ts";
import { openPageStore } from "./page-store.ts";

/** What to tune, and how much it may take. */
export interface TuneJob {
  readonly source: string;
  readonly def: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly effort: Effort;
  /** Choices of the visitor, with which the search begins. */
  readonly given: Mapping | null;
  /** Whether to search although an earlier run has found the answer. */
  readonly again: boolean;
  /** Where `tc-compile play` has its records; null where it does not serve the page. */
  readonly records: string | null;
}

/** What a run found. */
export interface Tuned {
  readonly result: TuneResult;
  /** The same as a lock file, which `tc-compile build --locked` takes. */
  readonly lock: string;
}

/** What the page may do to a run. */
export interface TuneControl {
  /** Ends it, with the best so far. */
  readonly signal: AbortSignal;
  /** Resolves when it may go on. */
  readonly unpaused: () => Promise<void>;
}

/** Runs a tuning to its end, or until the signal ends it; what it finds is kept meanwhile. */
export async function tuneJob(
  { source, def, sizes, effort, given, again, records }: TuneJob,
  onEvent: (event: TuneEvent) => void,
  { signal, unpaused }: TuneControl,
): Promise<Tuned> {
  const bench = await createWorkerBench({ source, def, sizes }, { start: startBench }).catch(
    (error: Error) => {
      const next = "`npx tc-compile tune FILE` tunes without a browser.";
      throw new CallFailure(`there is nothing to measure on: ${error.message}`, next);
    },
  );
  try {
    const starts = given === null ? [] : [{ mapping: given, kind: "given" }];
    const options = { def, sizes, effort, signal, starts, again, bench };
    const { store, notes } = await openPageStore(records);
    for (const text of notes) onEvent({ type: "note", def, text });
    for await (const event of tuneWithStore(bench, source, options, store)) {
      if (event.type === "done") {
        const { result } = event;
        const { profile } = bench;
        const entry = lockEntryOf(result, source, { profile, generator: generatorVersion });
        return { result, lock: printLockFile(withEntries(emptyLockFile, [entry])) };
      }
      onEvent(event);
      // A run that is not asked for its next event pauses.
      await unpaused();
    }
  } finally {
    await bench.close();
  }
  throw new CallFailure("the run ended without a result", "Tune again.");
}

function startBench(): Worker {
  return new Worker(new URL("../../../src/bench-thread.ts", import.meta.url), { type: "module" });
}
