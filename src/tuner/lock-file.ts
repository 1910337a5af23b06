/**
 * Tuned options beside a `.tc` file, to be committed: `tc.lock.json`.
 *
 * ```
 * lock  := { schema: 1, entries: [entry ...] }
 * entry := { def, sizes, profile, content, generator, options, alternative, us, defaultUs }
 * ```
 * There is one entry for each definition, set of sizes and profile, which is the class of devices that it was tuned on.
 * Its `content` is that of the definition: an entry does not outlive a change of what it computes. Entries are in order,
 * so that two runs that found the same write the same text.
 */
import { kindOf } from "../support/check-call-shape.ts";
import { isRecord, type Mapping, mappingFault } from "../support/mapping-file.ts";

/** Where tuned options are kept, beside a source. */
export const lockFileName = "tc.lock.json";

/** What is locked. */
export interface LockedPlace {
  readonly def: string;
  readonly sizes: Readonly<Record<string, number>>;
  /** The name of the profile that is compiled for. */
  readonly profile: string;
}

export interface LockEntry extends LockedPlace {
  /** See `Content`. */
  readonly content: string;
  readonly generator: string;
  /** Complete, in canonical names. */
  readonly options: Mapping;
  /** The algorithm that they are for; null for the definition itself. */
  readonly alternative: string | null;
  /** Median microseconds where they were found; null where nothing was measured. */
  readonly us: number | null;
  readonly defaultUs: number | null;
}

export interface LockFile {
  readonly schema: 1;
  readonly entries: readonly LockEntry[];
}

function isSizes(value: unknown): value is Readonly<Record<string, number>> {
  return isRecord(value) && Object.values(value).every((v) => Number.isSafeInteger(v));
}

function isTime(value: unknown): value is number | null {
  return value === null || (typeof value === "number" && value >= 0);
}

/** What is wrong with an entry; null for nothing. */
function entryFault(entry: unknown): string | null {
  if (!isRecord(entry)) return `it is ${kindOf(entry)}, no object`;
  for (const field of ["def", "profile", "content", "generator"]) {
    if (typeof entry[field] !== "string") return `\`${field}\` is ${kindOf(entry[field])}, no text`;
  }
  if (!isSizes(entry["sizes"])) return "`sizes` are no whole numbers by name";
  const { alternative, us, defaultUs } = entry;
  if (alternative !== null && typeof alternative !== "string") {
    return `\`alternative\` is ${kindOf(alternative)}, neither text nor null`;
  }
  if (!isTime(us) || !isTime(defaultUs)) return "`us` and `defaultUs` are times or null";
  const wrong = mappingFault(entry["options"]);
  return wrong === null ? null : `\`options\`: ${wrong}`;
}

function isEntry(entry: unknown): entry is LockEntry {
  return entryFault(entry) === null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The lock file of a text, or what is wrong with it, in one line. */
export function readLockFile(text: string): LockFile | { readonly fault: string } {
  const value = parsed(text);
  if (!isRecord(value)) return { fault: "it is no JSON object; write it anew with `tune --lock`" };
  const { schema, entries } = value;
  if (schema !== 1) return { fault: `\`schema\` is ${kindOf(schema)}; this version reads 1` };
  if (!Array.isArray(entries)) return { fault: `\`entries\` is ${kindOf(entries)}, no list` };
  if (entries.every(isEntry)) return { schema, entries };
  const at = entries.findIndex((entry) => !isEntry(entry));
  return { fault: `entry ${at}: ${entryFault(entries[at])}` };
}

/** Sizes in the order of their names. */
function sizesText(sizes: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(sizes).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, value]) => `${name}=${value}`).join(" ");
}

function placeId({ def, sizes, profile }: LockedPlace): string {
  return `${def} ${sizesText(sizes)} ${profile}`;
}

/** A lock file with these entries in the place of those for the same definitions, sizes and profiles. */
export function withEntries({ entries }: LockFile, more: readonly LockEntry[]): LockFile {
  const all = new Map([...entries, ...more].map((entry) => [placeId(entry), entry]));
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  return { schema: 1, entries: sorted.map(([, entry]) => entry) };
}

/** An empty lock file. */
export const emptyLockFile: LockFile = { schema: 1, entries: [] };

/** A lock file as text: an entry's options on one line, so that differences are short. */
export function printLockFile({ entries }: LockFile): string {
  const lines = entries.map((entry) => {
    const { def, sizes, profile, content, generator, options, alternative, us, defaultUs } = entry;
    const head = { def, sizes, profile, content, generator, alternative, us, defaultUs };
    const fields = Object.entries({ ...head, options }).map(
      ([name, value]) => `      ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
    );
    return `    {\n${fields.join(",\n")}\n    }`;
  });
  const list = lines.length === 0 ? "[]" : `[\n${lines.join(",\n")}\n  ]`;
  return `{\n  "schema": 1,\n  "entries": ${list}\n}\n`;
}

/** The entry for a definition whose content is given; or why there is none, and what to do. */
export function findLocked(
  { entries }: LockFile,
  place: LockedPlace,
  content: string,
  generator: string,
): LockEntry | { readonly missing: string } {
  const id = placeId(place);
  const found = entries.find((entry) => placeId(entry) === id);
  const what = `${place.def} at ${sizesText(place.sizes) || "its sizes"} for ${place.profile}`;
  if (found === undefined) {
    const others = entries.filter((e) => placeId({ ...e, profile: place.profile }) === id);
    const known = others.map((e) => `--profile ${e.profile}`).join(", ");
    return {
      missing: `there is no entry for ${what}${known === "" ? "" : `; there is one with ${known}`}`,
    };
  }
  if (found.content !== content) {
    return { missing: `the entry for ${what} is of another text of ${place.def}` };
  }
  if (found.generator !== generator) {
    return {
      missing: `the entry for ${what} is of generator ${found.generator}, this is ${generator}`,
    };
  }
  return found;
}
