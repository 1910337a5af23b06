/** A store in a file of lines that is only ever appended to. */
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Store } from "../../support/line-store.ts";
import { withLock } from "./file-lock.ts";

/** Where there is nothing yet. */
function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** What became of a file, as one line that says what to do. */
function failure(path: string, what: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const advice: Readonly<Record<string, string>> = {
    ENOSPC: "the disk is full",
    EDQUOT: "the disk's quota is used up",
    EACCES: "you may not; name another file",
    EPERM: "you may not; name another file",
    EROFS: "the disk is read-only; name another file",
    EISDIR: "it is a folder; name a file in it",
  };
  return new Error(`${path} cannot be ${what}: ${advice[code ?? ""] ?? message}`, { cause: error });
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw failure(path, "read", error);
  }
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** Milliseconds in which a file may change twice without another time of change; clocks of file systems have steps. */
const clockStep = 1_000;

/** What tells a file as it is from what it was; null where nothing does. */
async function revisionOf(path: string): Promise<string | null> {
  try {
    const { dev, ino, size, mtimeMs, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    const isSettled = Math.abs(Date.now() - Number(mtimeMs)) > clockStep;
    return isSettled ? [dev, ino, size, mtimeNs, ctimeNs].join(" ") : null;
  } catch {
    return null;
  }
}

function textOfLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** Appends, behind a line that somebody was ended in the middle of; on the disk when it resolves. */
async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  const file = await open(path, "a+");
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isTorn = size > 0 && last.toString() !== "\n";
    const bytes = Buffer.from((isTorn ? "\n" : "") + textOfLines(lines));
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) {
      await file.truncate(size);
      throw Object.assign(new Error("not all was written"), { code: "ENOSPC" });
    }
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Writes beside the file, then puts that in its place. */
async function replaceLines(path: string, lines: readonly string[]): Promise<void> {
  const made = `${path}.${process.pid}.new`;
  try {
    const file = await open(made, "w");
    try {
      await file.writeFile(textOfLines(lines));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(made, path);
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
}

/**
 * A store in a file, one line after the other; the file and its folder are made by the first append. Several processes
 * may write to it. What was appended stays when the process is ended at any moment: at most the line that is being
 * written loses its end.
 */
export function jsonlStore(path: string): Store {
  const writing = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      await mkdir(dirname(path), { recursive: true });
      return await withLock(`${path}.lock`, act);
    } catch (error) {
      throw failure(path, "written", error);
    }
  };
  let last: { readonly revision: string; readonly lines: readonly string[] } | null = null;
  return {
    name: path,
    // Of a file that nobody has changed the same list is given again.
    read: async () => {
      const revision = await revisionOf(path);
      if (last !== null && last.revision === revision) return last.lines;
      const lines = linesOf(await textOf(path));
      last = revision === null ? null : { revision, lines };
      return lines;
    },
    append: async (lines) => {
      if (lines.length > 0) await writing(() => appendLines(path, lines));
    },
    rewrite: (change) =>
      writing(async () => {
        const lines = change(linesOf(await textOf(path)));
        await replaceLines(path, lines);
        return lines;
      }),
  };
}
