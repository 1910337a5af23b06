import { createHash } from "node:crypto";
import type { Io } from "../io.ts";

/** Files that were read or asked for: a text by path that differs where the content does. */
export type Reads = Readonly<Record<string, string>>;

/** What stands for a file that could not be read. */
export const unread = "";

/** The text that stands for a content. */
export function fingerprint(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The same Io, and the files that were read with it, as it has left them. */
export function recordReads(io: Io): { readonly io: Io; reads(): Reads } {
  const reads = new Map<string, string>();
  return {
    io: {
      ...io,
      readFile: async (path) => {
        reads.set(path, unread);
        const content = await io.readFile(path);
        reads.set(path, fingerprint(content));
        return content;
      },
      writeFile: async (path, content) => {
        await io.writeFile(path, content);
        if (reads.has(path)) reads.set(path, fingerprint(content));
      },
    },
    reads: () => Object.fromEntries(reads),
  };
}
