/** A store in a browser's IndexedDB. */
import type { Store } from "../support/line-store.ts";

const tableName = "lines";

/** The result of a request. */
function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Until all of a transaction is kept. */
function endOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}

async function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(tableName, { autoIncrement: true });
  };
  const database = await resultOf(request);
  // Another page deletes it, or has a newer version of this program: it is not kept from that.
  database.onversionchange = () => database.close();
  return database;
}

/** Runs `act` in one transaction, which is kept whole or not at all. */
async function within<T>(
  name: string,
  mode: IDBTransactionMode,
  act: (table: IDBObjectStore) => Promise<T>,
): Promise<T> {
  if (typeof indexedDB === "undefined") throw new Error("there is no IndexedDB here");
  const database = await openDatabase(name);
  try {
    const transaction = database.transaction(tableName, mode, { durability: "strict" });
    const end = endOf(transaction);
    const [made] = await Promise.all([act(transaction.objectStore(tableName)), end]);
    return made;
  } finally {
    database.close();
  }
}

async function linesOf(table: IDBObjectStore): Promise<readonly string[]> {
  return (await resultOf(table.getAll())).filter((line) => typeof line === "string");
}

/**
 * A store in the database `name` of the page's origin, which pages and workers share.
 * Its methods reject where there is none: in a private window, or when the browser gives no more room.
 */
export function idbStore(name = "tc-wgsl"): Store {
  return {
    name: `IndexedDB ${name}`,
    read: () => within(name, "readonly", linesOf),
    append: (lines) =>
      within(name, "readwrite", async (table) => {
        for (const line of lines) table.add(line);
      }),
    rewrite: (change) =>
      within(name, "readwrite", async (table) => {
        const lines = change(await linesOf(table));
        table.clear();
        for (const line of lines) table.add(line);
        return lines;
      }),
  };
}
