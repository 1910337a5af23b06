/** Tuning as the command line uses it; loaded by commands that need it. */

import { baselineProfile } from "../index.ts";
import { createProcessBench, type Runtime } from "../node.ts";
import { jsonlStore, type Store, userStorePath } from "../store-node.ts";
import type { DeviceProfile } from "../support/device-profile.ts";
import {
  type Database,
  databaseOf,
  type Effort,
  efforts,
  emptyLockFile,
  faultsText,
  generatorVersion,
  type KnownSize,
  linesOf,
  lockEntryOf,
  lockedEntry,
  mergeLines,
  type Opened,
  openDatabase,
  printLockFile,
  printRecord,
  pruned,
  type RememberedAnswer,
  type ReuseLosses,
  readLockFile,
  rememberedAnswer,
  rememberedLosses,
  reportOf,
  reportPage,
  type StoredDevice,
  type TuneEvent,
  type TuneResult,
  tuneWithStore,
  withEntries,
} from "../tune.ts";
import type {
  CompileRequest,
  KnownOptions,
  RecordedAnswer,
  Records,
  RememberedOptions,
  ServedRecords,
  TuneRequest,
  TuningReport,
} from "./api.ts";

/** See `Toolchain`. */
export function tuningReport(
  events: readonly TuneEvent[],
  environment: Readonly<Record<string, string>>,
  reuse: ReuseLosses | null,
): TuningReport {
  const data = reportOf(events, environment, reuse);
  return { data, page: reportPage(data) };
}

/** See `Runtime.tune` of the command line. */
export async function* tuneOn(
  runtime: Runtime,
  source: string,
  request: TuneRequest,
): AsyncGenerator<TuneEvent> {
  const { def, sizes, approximate, seed, signal, budgetMs, adapter } = request;
  const named = def === undefined ? {} : { def };
  const task = { source, sizes, approximate, ...named };
  const options = {
    ...{ ...named, sizes, approximate, effort: effortOf(request), seed, signal },
    // In a process of its own: a kernel that hangs ends nothing but that.
    bench: () => createProcessBench(task, { adapter }),
    ...(budgetMs === null ? {} : { budget: budgetMs }),
  };
  yield* tuneWithStore(runtime, source, options, await storeOf(request.db));
}

async function storeOf(given: string | null): Promise<Store> {
  return jsonlStore(given ?? (await userStorePath()));
}

/** The one that was asked for, else the least one that has the time of the budget. */
function effortOf({ effort, budgetMs }: TuneRequest): Effort {
  if (effort !== null) return effort;
  if (budgetMs === null) return "quick";
  const names = Object.keys(efforts) as Effort[];
  return names.find((name) => efforts[name].ms >= budgetMs) ?? "full";
}

/** See `Runtime.tuned` of the command line. */
export async function knownOptions(
  runtime: Pick<Runtime, "profile" | "adapter">,
  source: string,
  { def, sizes }: CompileRequest,
  db: string | null,
  refused: readonly KnownOptions[] = [],
): Promise<RememberedOptions> {
  const idOf = ({ options, alternative }: KnownOptions): string =>
    JSON.stringify([options, alternative]);
  const failed = new Set(refused.map(idOf));
  const isRefused = ({ mapping: options, alternative }: RememberedAnswer): boolean =>
    failed.has(idOf({ options, alternative }));
  const asked = { sizes, isRefused, ...(def === undefined ? {} : { def }) };
  const { answer, notes } = await rememberedAnswer(runtime, source, asked, await storeOf(db));
  const known =
    answer === null ? null : { options: answer.mapping, alternative: answer.alternative };
  return { known, notes };
}

/** See `Runtime.reuse` of the command line. */
export async function knownLosses(
  runtime: Runtime,
  source: string,
  { def, sizes }: CompileRequest,
  db: string | null,
): Promise<ReuseLosses | null> {
  const asked = { sizes, ...(def === undefined ? {} : { def }) };
  return await rememberedLosses(runtime, source, asked, await storeOf(db));
}

/** See `Toolchain`. */
export function lockedOptions(
  text: string,
  source: string,
  { def, sizes, profile = baselineProfile }: CompileRequest,
): KnownOptions | { readonly missing: string } {
  const lock = readLockFile(text);
  if ("fault" in lock) return { missing: lock.fault };
  const named = def === undefined ? {} : { def };
  const entry = lockedEntry(lock, source, {
    ...named,
    sizes,
    profile,
    generator: generatorVersion,
  });
  return entry;
}

/** See `Toolchain`. */
export function lockText(
  before: string | null,
  result: TuneResult,
  source: string,
  profile: DeviceProfile,
): string | { readonly fault: string } {
  const lock = before === null ? emptyLockFile : readLockFile(before);
  if ("fault" in lock) return lock;
  const entry = lockEntryOf(result, source, { profile, generator: generatorVersion });
  return printLockFile(withEntries(lock, [entry]));
}

/** See `Toolchain`. */
export async function openRecords(given: string | null): Promise<Records> {
  const store = await storeOf(given);
  const path = store.name;
  const database = databaseOf(await store.read());
  return {
    path,
    fault: faultsText(path, database),
    answers: answersOf(database),
    lines: linesOf(database),
    merge: async (lines) => {
      const { added, lines: other } = await mergeLines(store, lines);
      return { added, fault: faultsText("it", other) };
    },
    prune: async () => {
      let before = 0;
      const after = await store.rewrite((lines) => {
        before = lines.filter((line) => line.trim() !== "").length;
        const all = databaseOf(lines);
        return linesOf({ records: pruned(all, generatorVersion), newer: all.newer });
      });
      return before - after.length;
    },
  };
}

/** See `ServedRecords`. */
export function servedRecords(given: string | null): ServedRecords {
  let latest: Promise<Opened> | null = null;
  const open = (): Promise<Opened> => (latest = storeOf(given).then(openDatabase));
  return {
    read: async () => {
      const { database, store, notes } = await open();
      return { name: store.name, lines: linesOf(database), notes };
    },
    append: async (lines) => {
      // Pages read before they write: the file is not read again for each candidate.
      const { database, store, notes } = await (latest?.catch(open) ?? open());
      if (database.isForeign) throw new Error(notes[0]);
      const records = databaseOf(lines).records.map(printRecord);
      await store.append(records);
      return records.length;
    },
  };
}

function answersOf({ contents }: Database): readonly RecordedAnswer[] {
  return [...contents.values()].flatMap((sizes) => [...sizes.values()].map(answerOf));
}

function answerOf({ key, candidates, best }: KnownSize): RecordedAnswer {
  const record = best?.won ?? best?.record ?? null;
  const found = record?.outcome.kind === "ok" ? record.outcome : null;
  return {
    key: key.kernel,
    sizes: key.sizes,
    types: key.types,
    device: deviceText(key.device),
    us: found?.figures.us ?? null,
    defaultUs: found?.defaultUs ?? null,
    tried: candidates.size,
    choices: record?.choices ?? null,
    generator: key.generator,
    at: record?.at ?? null,
  };
}

function deviceText({ vendor, architecture, backend, driver }: StoredDevice): string {
  return [vendor, architecture, backend, driver].filter((part) => part !== "").join(" ");
}
