import { join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";

/**
 * The file in which tuning remembers what nobody named another one for: `tuned.jsonl` in the user's folder for caches.
 * @throws Error saying what to do when there can be no such folder.
 */
export async function userStorePath(): Promise<string> {
  return join(await cacheFolder(), "tuned.jsonl");
}
