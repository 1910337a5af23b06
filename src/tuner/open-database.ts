/** From a store to a database: whatever is in the store, and whether or not it can be read. */
import type { Store } from "../support/line-store.ts";
import { type Database, databaseOf, faultsText } from "./database.ts";

/** A database, and where more of it goes. */
export interface Opened {
  readonly database: Database;
  /** The store; one that keeps nothing where the store holds something else. */
  readonly store: Store;
  /** What people should know, a line each. */
  readonly notes: readonly string[];
}

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
    const database = databaseOf(await store.read());
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
