/** From a store to a database: whatever is in the store, and whether or not it can be read. */
import type { Store } from "../support/line-store.ts";
import { rememberWhile } from "../support/remember.ts";
import { type Database, databaseOf, faultsText, linesOf } from "./database.ts";

/** A database, and where more of it goes. */
export interface Opened {
  readonly database: Database;
  /** The store; one that keeps nothing where the store holds something else. */
  readonly store: Store;
  /** What people should know, a line each. */
  readonly notes: readonly string[];
}

/** A store that gives the lines that it gave before is read once. Some hand out the list that they add to. */
const databaseIn: (lines: readonly string[], parts: readonly unknown[]) => Database = rememberWhile(
  (lines: readonly string[]) => databaseOf(lines),
);

/** Keeps a file as it is that is no store. */
function readOnly(store: Store): Store {
  return {
    ...store,
    append: () => Promise.resolve(),
    rewrite: () => Promise.reject(new Error(`${store.name} holds no records of tuning`)),
  };
}

/** Opens the database of a store. Never rejects: a store that cannot be read holds nothing, and is told. */
export async function openDatabase(store: Store): Promise<Opened> {
  try {
    const lines = await store.read();
    const database = databaseIn(lines, [lines.length, lines.at(-1)]);
    const note = faultsText(store.name, database);
    return {
      database,
      store: database.isForeign ? readOnly(store) : store,
      notes: note === null ? [] : [note],
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { database: databaseOf([]), store, notes: [`nothing is known of earlier runs: ${why}`] };
  }
}

/**
 * Adds those of some lines to a store that are records, and are not there yet: how many, and what the lines are. Rejects
 * where the store cannot be read or written.
 */
export async function mergeLines(
  store: Store,
  lines: readonly string[],
): Promise<{ readonly added: number; readonly lines: Database }> {
  const other = databaseOf(lines);
  const known = new Set(linesOf(databaseOf(await store.read())));
  const more = linesOf(other).filter((line) => !known.has(line));
  if (more.length > 0) await store.append(more);
  return { added: more.length, lines: other };
}
