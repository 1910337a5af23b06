/**
 * What the lines of a store mean: records of this version, by the content, types and alignment that they are about, the
 * device and the generator; then by sizes; then by candidate.
 *
 * Ensures: what a database says depends on the set of its lines alone, not on their order: databases merge by union.
 * Lines that are no records are told in `faults`, and take no part.
 */
import type { Choices } from "../support/mapping-file.ts";
import { textHash } from "../support/text-hash.ts";
import { efforts } from "./events.ts";
import { isFault, type LineFault, printRecord, readRecord } from "./record.ts";
import type { StoredDevice, StoreKey, TuningRecord } from "./store.ts";

/** What is known of one candidate at one set of sizes. */
export interface Known {
  /** Its latest record that says something, else its latest. */
  readonly record: TuningRecord;
  /** `crashed`: it was tried, and whoever tried it came to an end. */
  readonly state: "ok" | "refused" | "crashed" | "unfinished";
  /** Its latest record of a final duel that it won. */
  readonly won: TuningRecord | null;
  /** Equal for equal choices, at other sizes too. */
  readonly choices: string;
}

/** All that is known at one set of sizes. */
export interface KnownSize {
  readonly key: StoreKey;
  /** By text. */
  readonly candidates: ReadonlyMap<string, Known>;
  /** The answer: the latest winner, else the fastest; null where nothing runs. */
  readonly best: Known | null;
  /** Equal choices are found here. */
  readonly byChoices: ReadonlyMap<string, Known>;
}

/** All sizes of one content, with its types and alignment, on one device, of one generator; by {@link sizesId}. */
export type KnownContent = ReadonlyMap<string, KnownSize>;

export interface Database {
  /** Each once. */
  readonly records: readonly TuningRecord[];
  readonly faults: readonly LineFault[];
  /** Lines of later versions, which whoever rewrites a store keeps. */
  readonly newer: readonly string[];
  /** There are lines, and none is ours: whoever named the store meant another one. Nothing is written to it. */
  readonly isForeign: boolean;
  /** By {@link contentId}. */
  readonly contents: ReadonlyMap<string, KnownContent>;
  /** Ids of contents by {@link kernelId}: all alignments, devices and generators. */
  readonly kernels: ReadonlyMap<string, readonly string[]>;
}

/** What tells sizes apart. */
export function sizesId(sizes: readonly number[]): string {
  return sizes.join(" ");
}

/** What tells contents of different types apart. */
export function kernelId({ kernel, types }: Pick<StoreKey, "kernel" | "types">): string {
  return `${kernel} ${types.join(",")}`;
}

/** What tells devices apart. */
export function deviceId(device: StoredDevice): string {
  const { profile, vendor, architecture, backend, driver } = device;
  return JSON.stringify([profile, vendor, architecture, backend, driver]);
}

/** What tells all of a key but the sizes apart. */
export function contentId(key: Omit<StoreKey, "sizes">): string {
  return `${kernelId(key)} ${key.alignment} ${key.generator} ${deviceId(key.device)}`;
}

/** Values of nested choices in an order that depends on their names alone. */
function ordered(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, part]) => [name, ordered(part)]);
}

/** What tells choices apart, whatever the order of their names. */
export function choicesId(choices: Choices, alternative = ""): string {
  return textHash(JSON.stringify([alternative, ordered(choices)]));
}

/** How much a record says, among those of one second. */
function weight({ outcome }: TuningRecord): number {
  switch (outcome.kind) {
    case "trying":
      return 0;
    case "unfinished":
      return 1;
    case "ok":
      return 2 + outcome.figures.n / (1 + outcome.figures.n) + (outcome.won === true ? 1 : 0);
    case "wrong":
      return 5;
    default:
      return 4;
  }
}

/** The order in which records count: the last one wins. */
function isLater(a: TuningRecord, b: TuningRecord): boolean {
  const [x, y] = [weight(a), weight(b)];
  // What says something is never undone by what says nothing.
  if (x < 2 !== y < 2) return y < 2;
  if (a.at !== b.at) return a.at > b.at;
  return x === y ? printRecord(a) > printRecord(b) : x > y;
}

function knownOf(records: readonly TuningRecord[]): Known | null {
  const [first] = records;
  if (first === undefined) return null;
  const record = records.reduce((last, r) => (isLater(r, last) ? r : last), first);
  const winners = records.filter(({ outcome }) => outcome.kind === "ok" && outcome.won === true);
  const won = winners.reduce<TuningRecord | null>(
    (last, r) => (last === null || isLater(r, last) ? r : last),
    null,
  );
  const { kind } = record.outcome;
  const says = kind === "ok" || kind === "unfinished" ? kind : "refused";
  const state = kind === "trying" ? "crashed" : says;
  return { record, state, won, choices: choicesId(record.choices, record.alternative) };
}

/** Median microseconds of a candidate that runs; infinite for others. */
export function usOf({ record: { outcome } }: Known): number {
  return outcome.kind === "ok" ? outcome.figures.us : Number.POSITIVE_INFINITY;
}

/** The winner that counts: of the greatest effort, then the latest. */
function isBetterWinner(a: TuningRecord, b: TuningRecord): boolean {
  const [x, y] = [efforts[a.effort].candidates, efforts[b.effort].candidates];
  return x === y ? isLater(a, b) : x > y;
}

function isFaster(a: Known, b: Known): boolean {
  return usOf(a) === usOf(b) ? a.record.text < b.record.text : usOf(a) < usOf(b);
}

function bestOf(candidates: Iterable<Known>): Known | null {
  let best: Known | null = null;
  for (const one of candidates) {
    if (one.state !== "ok") continue;
    const isBetter =
      best === null ||
      (best.won === null || one.won === null
        ? one.won !== null || (best.won === null && isFaster(one, best))
        : isBetterWinner(one.won, best.won));
    if (isBetter) best = one;
  }
  return best;
}

function groupBy<T>(list: readonly T[], idOf: (one: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const id = idOf(one);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [one]);
    else group.push(one);
  }
  return groups;
}

function knownSizeOf(records: readonly TuningRecord[], key: StoreKey): KnownSize {
  const candidates = new Map<string, Known>();
  for (const [text, own] of groupBy(records, (r) => r.text)) {
    const known = knownOf(own);
    if (known !== null) candidates.set(text, known);
  }
  const byChoices = new Map<string, Known>();
  for (const known of candidates.values()) {
    const other = byChoices.get(known.choices);
    if (other === undefined || usOf(known) < usOf(other)) byChoices.set(known.choices, known);
  }
  return { key, candidates, best: bestOf(candidates.values()), byChoices };
}

function knownContentOf(records: readonly TuningRecord[]): KnownContent {
  const sizes = new Map<string, KnownSize>();
  for (const [id, own] of groupBy(records, (r) => sizesId(r.key.sizes))) {
    const [first] = own;
    if (first !== undefined) sizes.set(id, knownSizeOf(own, first.key));
  }
  return sizes;
}

function indexed(records: readonly TuningRecord[]): Pick<Database, "contents" | "kernels"> {
  const contents = new Map<string, KnownContent>();
  const kernels = new Map<string, readonly string[]>();
  for (const [id, own] of groupBy(records, (r) => contentId(r.key))) {
    contents.set(id, knownContentOf(own));
    const [first] = own;
    if (first === undefined) continue;
    const kernel = kernelId(first.key);
    kernels.set(kernel, [...(kernels.get(kernel) ?? []), id]);
  }
  return { contents, kernels };
}

/** The database that the lines of a store are. Never throws, whatever the lines. */
export function databaseOf(lines: readonly string[]): Database {
  const records = new Map<string, TuningRecord>();
  const faults: LineFault[] = [];
  const newer = new Set<string>();
  for (const [n, text] of lines.entries()) {
    if (text.trim() === "") continue;
    const read = readRecord(text, n + 1);
    if (!isFault(read)) {
      records.set(printRecord(read), read);
      continue;
    }
    faults.push(read);
    if (read.kind === "newer") newer.add(text);
  }
  const all = [...records.values()];
  const isForeign = all.length === 0 && faults.some((f) => f.kind === "foreign");
  return { records: all, faults, newer: [...newer], isForeign, ...indexed(all) };
}

/** A database with more records. */
export function withRecords(database: Database, more: readonly TuningRecord[]): Database {
  const records = new Map([...database.records, ...more].map((r) => [printRecord(r), r]));
  const all = [...records.values()];
  return { ...database, records: all, ...indexed(all) };
}

/** All lines of a database that are worth keeping: those of its records, and of later versions. */
export function linesOf({ records, newer }: Pick<Database, "records" | "newer">): string[] {
  return [...records.map(printRecord), ...newer];
}

/** How many candidates of a size are kept, beside winners. */
const keptOfSize = 3;

function isKept(
  { candidates, best }: KnownSize,
  generator: string,
): (record: TuningRecord) => boolean {
  const ranking = [...candidates.values()]
    .filter(({ state }) => state === "ok")
    .sort((a, b) => (isFaster(a, b) ? -1 : 1));
  const kept = new Set(
    ranking.filter(({ won }, n) => won !== null || n < keptOfSize).map(({ record }) => record.text),
  );
  return (record) => {
    const known = candidates.get(record.text);
    if (known === undefined) return false;
    // Of another generator one seed is enough, and what it refused says nothing of this one's.
    if (record.key.generator !== generator) return known === best && record === known.record;
    if (known.state !== "ok") return record === known.record && known.state !== "unfinished";
    return kept.has(record.text) && (record === known.record || record === known.won);
  };
}

/**
 * The records that are worth keeping: of each size the best ones, the winners, and what must not be tried again. Of
 * other generators one seed, where this one has no answer.
 */
export function pruned(database: Database, generator: string): readonly TuningRecord[] {
  const current = new Set(
    [...database.contents.values()].flatMap((sizes) =>
      [...sizes.values()].flatMap(({ key, best }) =>
        key.generator === generator && best !== null ? [answerId(key)] : [],
      ),
    ),
  );
  const tests = new Map<KnownSize, (record: TuningRecord) => boolean>();
  return database.records.filter((record) => {
    const { key } = record;
    if (key.generator !== generator && current.has(answerId(key))) return false;
    const size = database.contents.get(contentId(key))?.get(sizesId(key.sizes));
    if (size === undefined) return false;
    const test = tests.get(size) ?? isKept(size, generator);
    tests.set(size, test);
    return test(record);
  });
}

/** What tells a key apart whatever the generator. */
function answerId(key: StoreKey): string {
  return `${contentId({ ...key, generator: "" })} ${sizesId(key.sizes)}`;
}

/** What faults of a store tell people: one line, or null for none. */
export function faultsText(name: string, { faults, isForeign }: Database): string | null {
  const [first] = faults;
  if (first === undefined) return null;
  if (isForeign) {
    return `${name} holds no records of tuning (line ${first.line}: ${first.why}): nothing is written to it; name another file`;
  }
  const others = faults.length === 1 ? "" : `, and ${faults.length - 1} more`;
  return `${name}, line ${first.line}: passed over, ${first.why}${others}; \`tc-compile db prune\` drops what cannot be read`;
}
