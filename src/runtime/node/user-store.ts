import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";

/** The folder for data of a user's programs; null where there is no home. */
function dataHome(): string | null {
  const { XDG_DATA_HOME: given, LOCALAPPDATA: local } = process.env;
  if (given) return given;
  const home = homedir();
  if (process.platform === "win32" && local) return local;
  // Users without a home have one that is not there, or the root.
  if (home === "" || home === "/") return null;
  if (process.platform === "darwin") return join(home, "Library", "Application Support");
  return join(home, ".local", "share");
}

/** Makes a folder of the user alone; whether there is one that can be written to. */
async function made(folder: string): Promise<boolean> {
  return await mkdir(folder, { recursive: true, mode: 0o700 }).then(
    () => true,
    () => false,
  );
}

/**
 * The file in which tuning remembers what nobody named another one for: `tc-wgsl/tuned.jsonl` in the user's folder for
 * data (`XDG_DATA_HOME`, else the platform's), which lasts; where there can be none, in that for caches.
 * @throws Error saying what to do when there can be no such folder.
 */
export async function userStorePath(): Promise<string> {
  const home = dataHome();
  const folder = home === null ? null : join(home, "tc-wgsl");
  const found = folder !== null && (await made(folder)) ? folder : await cacheFolder();
  return join(found, "tuned.jsonl");
}
