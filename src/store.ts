/** Where tuning is remembered, in any program: in memory, or in a browser's IndexedDB. */
export { idbStore } from "./runtime/idb-store.ts";
export { memoryStore, type Store } from "./support/line-store.ts";
