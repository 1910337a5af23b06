import type { SignalExit } from "./failure.ts";

/** The world as commands see it: tests give them another. */
export interface Io {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Rejects where the file cannot be read. */
  readFile(path: string): Promise<Uint8Array>;
  /**
   * Makes the folders that are missing. Whoever reads the file meanwhile sees all of the old content
   * or all of the new. Rejects where the file cannot be written.
   */
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  /** What is at a path; a device or a pipe counts as a file. */
  kindOf(path: string): Promise<"file" | "folder" | "nothing">;
  readStdin(): Promise<Uint8Array>;
  /** Milliseconds since some moment. */
  now(): number;
  /**
   * Calls `act` when the process is asked to end, as with Ctrl-C, in the place of ending, with what it is to end with;
   * once more ends it at once. The function that it gives undoes that.
   */
  onInterrupt(act: (exit: SignalExit) => void): () => void;
}

/** Standard output or standard error. */
export interface Stream {
  readonly isTerminal: boolean;
  write(text: string): void;
}

/** Whether to use colours on a stream: as told, else NO_COLOR, FORCE_COLOR, else on terminals. */
export function useColour(io: Io, stream: Stream, told: "auto" | "always" | "never"): boolean {
  if (told !== "auto") return told === "always";
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: terminal } = io.env;
  if (no !== undefined && no !== "") return false;
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  return stream.isTerminal && terminal !== "dumb";
}
