/** Files that an npm package brings packed, unpacked into the cache folder once. */
import { access, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";

/** Where an installed package is, and which it is. */
export interface InstalledPackage {
  readonly folder: string;
  readonly version: string;
}

/**
 * Finds an installed package.
 * @throws Error saying what to install.
 */
export async function findPackage(name: string): Promise<InstalledPackage> {
  let folder: string;
  try {
    folder = dirname(createRequire(import.meta.url).resolve(name));
  } catch {
    throw new Error(`the package ${name} is not installed (npm install ${name})`);
  }
  // Its package.json is not exported: it lies above the file that is.
  while (folder !== dirname(folder)) {
    const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
    const found: unknown = JSON.parse(text);
    if (isManifest(found) && found.name === name) return { folder, version: found.version };
    folder = dirname(folder);
  }
  throw new Error(`the package ${name} has no package.json`);
}

function isManifest(value: unknown): value is { name: string; version: string } {
  if (typeof value !== "object" || value === null) return false;
  const named = "name" in value && typeof value.name === "string";
  return named && "version" in value && typeof value.version === "string";
}

/**
 * The folder `name` of the cache folder with the `wanted` files in it; `unpack` makes them if they
 * are not there. Many processes may do so at the same time: each unpacks into a folder of its own,
 * and one of them wins by renaming it.
 * @throws Error when there is no place to write to, or what `unpack` throws.
 */
export async function unpackOnce(
  name: string,
  wanted: readonly string[],
  unpack: (folder: string) => Promise<void>,
): Promise<string> {
  const cache = await cacheFolder();
  const target = join(cache, name);
  if (await isComplete(target, wanted)) return target;
  const made = await mkdtemp(join(cache, "unpack-"));
  try {
    await unpack(made);
    await install(made, target, wanted);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return target;
}

async function isComplete(folder: string, wanted: readonly string[]): Promise<boolean> {
  const found = await Promise.allSettled(wanted.map((name) => access(join(folder, name))));
  return found.every((result) => result.status === "fulfilled");
}

/** Renames `made` to `target`, unless another process was first. */
async function install(made: string, target: string, wanted: readonly string[]): Promise<void> {
  if ((await renamed(made, target)) || (await isComplete(target, wanted))) return;
  // A cleaner of temporary files took a part of it.
  const broken = `${made}-broken`;
  await renamed(target, broken);
  const done = await renamed(made, target);
  await rm(broken, { recursive: true, force: true });
  if (!done && !(await isComplete(target, wanted))) throw new Error(`cannot write ${target}`);
}

async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch {
    return false;
  }
}
