/** What native code prints to standard error, which no stream of Node sees. */
import { closeSync, fstatSync, readSync } from "node:fs";
import type { LibraryHandle } from "koffi";
import { loadLibrary } from "./native-library.ts";

/** What an action returned, and what was printed meanwhile. */
export interface Captured<T> {
  readonly value: T;
  /** Empty where standard error cannot be turned aside: no koffi, or not Linux. */
  readonly printed: string;
}

/**
 * Runs an action with standard error turned aside. The action is synchronous: nothing else of this
 * thread prints meanwhile. What it throws is thrown on, and its prints are lost.
 */
export type CaptureStderr = <T>(action: () => T) => Captured<T>;

let opened: Promise<CaptureStderr> | null = null;

/** The capture of this process, or one that lets everything pass where there is none. */
export function openStderrCapture(): Promise<CaptureStderr> {
  opened ??= openCapture().catch(() => letPass);
  return opened;
}

const letPass: CaptureStderr = (action) => ({ value: action(), printed: "" });

const standardError = 2;

async function openCapture(): Promise<CaptureStderr> {
  if (process.platform !== "linux") return letPass;
  const calls = systemCalls(await loadLibrary(null));
  return (action) => {
    const original = calls.dup(standardError);
    const memory = calls.memfdCreate("stderr", 1);
    if (original < 0 || memory < 0) return letPass(action);
    calls.dup2(memory, standardError);
    try {
      const value = action();
      return { value, printed: readAll(memory) };
    } finally {
      calls.dup2(original, standardError);
      closeSync(original);
      closeSync(memory);
    }
  };
}

/** Functions of the C library; each returns a file descriptor, or -1. */
interface SystemCalls {
  dup(from: number): number;
  dup2(from: number, to: number): number;
  /** A file in memory; flag 1 closes it in child processes. */
  memfdCreate(name: string, flags: number): number;
}

function systemCalls(library: LibraryHandle): SystemCalls {
  return {
    dup: library.func("int dup(int)"),
    dup2: library.func("int dup2(int, int)"),
    memfdCreate: library.func("int memfd_create(const char *, unsigned int)"),
  };
}

function readAll(file: number): string {
  const bytes = new Uint8Array(fstatSync(file).size);
  const read = readSync(file, bytes, 0, bytes.length, 0);
  return new TextDecoder().decode(bytes.subarray(0, read));
}
