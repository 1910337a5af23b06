import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Io, Stream } from "./io.ts";

/** The files, streams, environment and clock of this process. */
export function nodeIo(): Io {
  return {
    stdout: nodeStream(process.stdout),
    stderr: nodeStream(process.stderr),
    env: process.env,
    readFile: (path) => readFile(path),
    writeFile: async (path, content) => {
      await mkdir(dirname(path), { recursive: true });
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

function nodeStream(stream: NodeJS.WriteStream): Stream {
  // A reader that has seen enough (head, less) closes the pipe: that is no error of ours.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    isTerminal: stream.isTTY === true,
    write: (text) => {
      stream.write(text);
    },
  };
}
