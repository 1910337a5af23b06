/** A private folder for files that are unpacked once. */
import { chmod, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * `tc-wgsl` in `XDG_CACHE_HOME`, else `tc-wgsl-<user>` in the folder for temporary files, made if
 * missing. Libraries are loaded from it, so it must be the user's own and closed to others.
 * @throws Error saying what to do when it belongs to somebody else or cannot be made.
 */
export async function cacheFolder(): Promise<string> {
  const user = process.getuid?.();
  const { XDG_CACHE_HOME: home } = process.env;
  const folder = home ? join(home, "tc-wgsl") : join(tmpdir(), `tc-wgsl-${user ?? "user"}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory() || (user !== undefined && found.uid !== user)) {
    throw new Error(`${folder} is not yours; set XDG_CACHE_HOME to a folder that is`);
  }
  if ((found.mode & 0o022) !== 0) await chmod(folder, 0o700);
  return folder;
}
