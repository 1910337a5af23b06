/**
 * Work that may not answer is done by a child process: a dispatch that hangs, or the reference in a
 * long loop, cannot be ended from within. The parent waits, and Ctrl-C kills the child.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { exitCodes, type SignalExit } from "../failure.ts";
import type { Reads } from "./record-reads.ts";

/** Set in the environment of a child, so that it does the work itself. */
const marker = "TC_COMPILE_CHILD";

/** Signals that ask a process to end. */
const endSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export type EndSignal = (typeof endSignals)[number];

/** What a process ends with that such a signal asked to. */
export const endedBy: Readonly<Record<EndSignal, SignalExit>> = {
  SIGINT: "interrupted",
  SIGTERM: "terminated",
  SIGHUP: "hungUp",
};

/** True in a process that {@link supervise} has started. */
export function isChild(): boolean {
  return process.env[marker] === "1";
}

/** How a child ended. */
export type Ending =
  | { readonly kind: "exit"; readonly code: number }
  /** Ctrl-C, or another signal that asks to end. */
  | { readonly kind: "interrupted"; readonly by: EndSignal }
  /** It died of something else, such as a fault of a driver. */
  | { readonly kind: "crash"; readonly cause: string };

/** A child at work. */
export interface Work {
  readonly ending: Promise<Ending>;
  /** The files that it has read; none unless it told so. */
  readonly reads: Promise<Reads>;
  /** Ends it at once. */
  kill(): void;
}

/** Starts this program again, with the streams of this process. */
export function supervise(args: readonly string[]): Work {
  const [, program = ""] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    env: { ...process.env, [marker]: "1" },
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  let asked: EndSignal | null = null;
  const end = (by: EndSignal): void => {
    asked ??= by;
    child.kill("SIGKILL");
  };
  const stop = onEndSignal(end);
  const reads = new Promise<Reads>((resolve) => {
    child.on("message", (told) => resolve(told as Reads));
    child.on("exit", () => resolve({}));
  });
  return { ending: endingOf(child, () => asked).finally(stop), reads, kill: () => end("SIGINT") };
}

/** Calls `act` for each signal that asks this process to end, until the function is called. */
export function onEndSignal(act: (signal: EndSignal) => void): () => void {
  const listeners = endSignals.map((name) => [name, (): void => act(name)] as const);
  for (const [name, listener] of listeners) process.on(name, listener);
  return () => {
    for (const [name, listener] of listeners) process.off(name, listener);
  };
}

function endingOf(child: ChildProcess, asked: () => EndSignal | null): Promise<Ending> {
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ kind: "crash", cause: error.message }));
    child.on("exit", (code, signal) => {
      const by = asked() ?? endSignals.find((name) => name === signal);
      if (by !== undefined) resolve({ kind: "interrupted", by });
      else if (code === null) resolve({ kind: "crash", cause: signal ?? "no exit code" });
      else resolve({ kind: "exit", code });
    });
  });
}

/** In a child: ends with the parent, and tells it which files were read. */
export async function tellParent(reads: Reads): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.send === undefined || !process.connected) return resolve();
    process.send(reads, () => resolve());
  });
}

/** In a child: ends when the parent is gone. */
export function endWithParent(): void {
  process.on("disconnect", () => process.exit(exitCodes.interrupted));
  process.channel?.unref();
}
