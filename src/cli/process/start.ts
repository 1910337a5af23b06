/** What this process does itself, and what it lets a child do. */
import { type CommandLine, readCommandLine } from "../command-line.ts";
import type { Failure } from "../failure.ts";
import type { Io } from "../io.ts";
import { createReporter, plural, type Reporter } from "../reporter.ts";
import { nodeIo } from "./node-io.ts";
import { type Reads, recordReads } from "./record-reads.ts";
import {
  type Ending,
  endedBy,
  endWithParent,
  isChild,
  supervise,
  tellParent,
} from "./supervise.ts";
import { type Round, watch } from "./watch.ts";

/** Does what the arguments ask for; the exit code. */
export async function start(args: readonly string[]): Promise<number> {
  const io = nodeIo();
  const line = readCommandLine(args);
  if (isChild()) return await workAsChild(args, io, line.ok && line.value.watch);
  if (!line.ok || line.value.help || line.value.version) return await work(args, io);
  if (line.value.watch) return await rounds(args, io, line.value);
  return line.value.command === "run" ? await once(args, io, line.value) : await work(args, io);
}

/** Loaded here only: a parent starts fast, and compiles nothing. */
async function work(args: readonly string[], io: Io): Promise<number> {
  const [{ dispatch }, { toolchain }] = await Promise.all([
    import("../dispatch.ts"),
    import("../toolchain.ts"),
  ]);
  return await dispatch(args, io, toolchain);
}

async function workAsChild(args: readonly string[], io: Io, watched: boolean): Promise<number> {
  endWithParent();
  if (!watched) return await work(args, io);
  const recorded = recordReads(io);
  const code = await work(args, recorded.io);
  await tellParent(recorded.reads());
  return code;
}

/** A reporter of what a parent has to say: never diagnostics. */
function parentReporter(io: Io, line: CommandLine): Reporter {
  return createReporter(io, line, { render: () => "", records: () => [] });
}

async function once(args: readonly string[], io: Io, line: CommandLine): Promise<number> {
  return finish(parentReporter(io, line), await supervise(args).ending);
}

/** Says how a child ended, if it did not say so itself; the exit code. */
function finish(report: Reporter, ending: Ending): number {
  switch (ending.kind) {
    case "exit":
      return ending.code;
    case "interrupted": {
      const exit = endedBy[ending.by];
      report.note(exit === "interrupted" ? "interrupted" : `ended by ${ending.by}`);
      return report.finish(exit);
    }
    case "crash":
      report.failure(crash(ending.cause));
      return report.finish("internal");
  }
}

function crash(cause: string): Failure {
  return {
    exit: "internal",
    message: `the process that did the work died of ${cause}, perhaps in the driver of the device`,
    next: "try --adapter software, and report it as a bug with the source",
  };
}

async function rounds(args: readonly string[], io: Io, line: CommandLine): Promise<number> {
  const report = parentReporter(io, line);
  if (line.files.includes("-")) {
    report.failure({
      exit: "usage",
      message: "standard input cannot be watched",
      next: "give a file",
    });
    return report.finish("usage");
  }
  const startRound = (first: boolean): Round => {
    if (!first && io.stdout.isTerminal && io.stderr.isTerminal)
      io.stderr.write("\u001b[2J\u001b[H");
    const { ending, reads, kill } = supervise(args);
    const done = ending.then(async (end) => {
      if (end.kind === "interrupted") return null;
      if (end.kind === "crash") finish(report, end);
      const found = await reads;
      // One that ended early depends at least on what it was given.
      return Object.keys(found).length > 0 ? found : await readsOf(io, line.files);
    });
    return { done, kill };
  };
  try {
    await watch(startRound, (files) =>
      report.note(`watching ${plural(files, "file")}; Ctrl-C ends it`),
    );
    return report.finish("fine");
  } catch (error) {
    report.failure({
      exit: "usage",
      message: `cannot watch: ${error instanceof Error ? error.message : String(error)}`,
      next: "run it without --watch",
    });
    return report.finish("usage");
  }
}

/** The files as they are. */
async function readsOf(io: Io, paths: readonly string[]): Promise<Reads> {
  const recorded = recordReads(io);
  for (const path of paths) await recorded.io.readFile(path).catch(() => null);
  return recorded.reads();
}
