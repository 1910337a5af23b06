import {
  access,
  constants,
  lstat,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { exitCodes } from "../failure.ts";
import type { Io, Stream } from "../io.ts";
import { endedBy, onEndSignal } from "./supervise.ts";

/** The files, streams, environment and clock of this process. */
export function nodeIo(): Io {
  return {
    stdout: nodeStream(process.stdout, "standard output"),
    stderr: nodeStream(process.stderr, "standard error"),
    env: process.env,
    readFile: (path) => readFile(path),
    writeFile: async (path, content) => {
      await makeFolder(dirname(path));
      await replaceFile(path, content);
    },
    kindOf: async (path) => {
      const found = await stat(path).catch(() => null);
      if (found === null) return "nothing";
      return found.isDirectory() ? "folder" : "file";
    },
    readStdin: async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks);
    },
    now: () => performance.now(),
    onInterrupt: (act) => {
      let asked = false;
      return onEndSignal((signal) => {
        if (asked) process.exit(exitCodes[endedBy[signal]]);
        asked = true;
        act(endedBy[signal]);
      });
    },
  };
}

/** Makes a folder and those around it; Node's own `recursive` never ends where /proc refuses. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return;
    const outer = dirname(path);
    if (code !== "ENOENT" || outer === path) throw error;
    await makeFolder(outer);
    await mkdir(path);
  }
}

/**
 * Writes beside the file and renames, so that nobody sees half of it, and a full disk or Ctrl-C
 * leaves the old one. Links stay links and keep the permissions of what they lead to.
 */
async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const old = await lstat(target).catch(() => null);
  // A device, a pipe or a link that leads nowhere is written to, not replaced.
  if (old !== null && !old.isFile()) return await writeFile(path, content);
  // Renaming would replace a file that may not be written.
  if (old !== null) await access(target, constants.W_OK);
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    await writeFile(draft, content, { flag: "wx", ...(old === null ? {} : { mode: old.mode }) });
  } catch (error) {
    const code = codeOf(error);
    // Folders may refuse new files and let those in them be written.
    const locked = old !== null && (code === "EACCES" || code === "EPERM" || code === "EROFS");
    if (locked) return await writeFile(target, content);
    await rm(draft, { force: true });
    throw error;
  }
  try {
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

function nodeStream(stream: NodeJS.WriteStream, name: string): Stream {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough (head, less) closes the pipe: that is no error of ours.
    if (error.code === "EPIPE") return;
    if (stream !== process.stderr) {
      process.stderr.write(
        `error: cannot write to ${name}: ${error.message}\n  next: send it elsewhere\n`,
      );
    }
    process.exit(exitCodes.usage);
  });
  return {
    isTerminal: stream.isTTY === true,
    write: (text) => {
      stream.write(text);
    },
  };
}
