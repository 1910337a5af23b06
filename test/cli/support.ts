/** The built program, in a folder of its own. */
import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The program; `buildPackage` makes it. */
export const program: string = join(root, "dist", "cli.js");

/** A folder in which commands run. */
export interface Workplace {
  readonly folder: string;
  path(name: string): string;
  write(name: string, content: string | Uint8Array): string;
  read(name: string): string;
  /** Runs a command to its end. */
  run(
    args: readonly string[],
    input?: string,
    environment?: Readonly<Record<string, string>>,
  ): SpawnSyncReturns<string>;
  /** Starts a command. */
  start(args: readonly string[]): Started;
  remove(): void;
}

/** A command at work. */
export interface Started {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves when it has written a text to a stream. */
  until(stream: "out" | "err", text: string, times?: number): Promise<void>;
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export function openWorkplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), "tc-compile-"));
  const path = (name: string): string => join(folder, name);
  const env = { ...process.env, NO_COLOR: "1" };
  const options = { cwd: folder, env };
  return {
    folder,
    path,
    write: (name, content) => {
      writeFileSync(path(name), content);
      return name;
    },
    read: (name) => readFileSync(path(name), "utf8"),
    run: (args, input = "", environment = {}) =>
      spawnSync(process.execPath, [program, ...args], {
        ...options,
        env: { ...env, ...environment },
        encoding: "utf8",
        input,
      }),
    start: (args) =>
      follow(spawn(process.execPath, [program, ...args], { ...options, stdio: "pipe" })),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function follow(child: ChildProcess): Started {
  const text = { out: "", err: "" };
  const listeners = new Set<() => void>();
  const collect = (stream: "out" | "err") => (chunk: Buffer) => {
    text[stream] += chunk.toString();
    for (const listener of listeners) listener();
  };
  child.stdout?.on("data", collect("out"));
  child.stderr?.on("data", collect("err"));
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal }));
  });
  return {
    child,
    out: () => text.out,
    err: () => text.err,
    until: async (stream, wanted, times = 1) => {
      await new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (text[stream].split(wanted).length <= times) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        exit.then(() => reject(new Error(`it ended without ${wanted}: ${text.out}${text.err}`)));
        look();
      });
    },
    exit,
  };
}

/** The lines of JSON of an output. */
export function records(out: string): readonly Readonly<Record<string, unknown>>[] {
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

/** The source of an example of the project. */
export function example(name: string): string {
  return readFileSync(join(root, "examples", `${name}.tc`), "utf8");
}
