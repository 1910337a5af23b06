/** Runs command lines as documents show them, inside of this process. */
import { readFile, stat } from "node:fs/promises";
import type { Toolchain } from "../../../src/cli/api.ts";
import { dispatch } from "../../../src/cli/dispatch.ts";
import type { Io } from "../../../src/cli/io.ts";
import { toolchain } from "../../../src/cli/toolchain.ts";
import { root } from "./markdown.ts";

/** A place where commands run one after the other: files are those of the repository. */
export interface Workplace {
  /** What was written; it is found before the repository's files. */
  readonly written: Map<string, string | Uint8Array>;
  run(words: readonly string[], stdin?: string): Promise<Outcome>;
}

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

/** Opens a workplace; nothing that its commands write reaches the disk. */
export function openWorkplace(tools: Toolchain = toolchain): Workplace {
  const written = new Map<string, string | Uint8Array>();
  return {
    written,
    run: async (words, stdin = "") => {
      const out = { stdout: "", stderr: "" };
      const io: Io = {
        stdout: { isTerminal: false, write: (text) => (out.stdout += text) },
        stderr: { isTerminal: false, write: (text) => (out.stderr += text) },
        env: {},
        readFile: async (path) => {
          const content = written.get(path) ?? (await readFile(new URL(path, root)));
          return typeof content === "string" ? new TextEncoder().encode(content) : content;
        },
        writeFile: async (path, content) => {
          written.set(path, content);
        },
        kindOf: async (path) => {
          if (written.has(path)) return "file";
          const found = await stat(new URL(path, root)).catch(() => null);
          if (found === null) return "nothing";
          return found.isDirectory() ? "folder" : "file";
        },
        readStdin: async () => new TextEncoder().encode(stdin),
        now: () => performance.now(),
        onInterrupt: () => () => undefined,
      };
      const exit = await dispatch(words, io, tools);
      return { ...out, exit };
    },
  };
}

/** The words of a command line: quotes hold words together, `#` starts a comment. */
export function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  for (const [, quoted, plain] of line.matchAll(/'([^']*)'|([^\s']+)/g)) {
    if (plain === "#") break;
    words.push(quoted ?? plain ?? "");
  }
  return words;
}
