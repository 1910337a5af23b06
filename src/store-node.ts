/** Where tuning is remembered in Node: in a file. */
export { jsonlStore } from "./runtime/node/jsonl-store.ts";
export { userStorePath } from "./runtime/node/user-store.ts";
export * from "./store.ts";
