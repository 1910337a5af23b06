import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { exitCodes } from "./failure.ts";
import type { Io, Stream } from "./io.ts";

/** The files, streams, environment and clock of this process. */
export function nodeIo(): Io {
  return {
    stdout: nodeStream(process.stdout, "standard output"),
    stderr: nodeStream(process.stderr, "standard error"),
    env: process.env,
    readFile: (path) => readFile(path),
    writeFile: async (path, content) => {
      await makeFolder(dirname(path));
      await writeFile(path, content);
    },
    readStdin: async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks);
    },
    now: () => performance.now(),
  };
}

/** Makes a folder and those around it; Node's own `recursive` never ends where /proc refuses. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "EEXIST") return;
    const outer = dirname(path);
    if (code !== "ENOENT" || outer === path) throw error;
    await makeFolder(outer);
    await mkdir(path);
  }
}

function nodeStream(stream: NodeJS.WriteStream, name: string): Stream {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough (head, less) closes the pipe: that is no error of ours.
    if (error.code === "EPIPE") return;
    if (stream !== process.stderr) {
      process.stderr.write(`error: cannot write to ${name}: ${error.message}\n`);
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
