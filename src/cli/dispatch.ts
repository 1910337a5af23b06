import type { Toolchain } from "./api.ts";
import { bench } from "./bench.ts";
import { build } from "./build.ts";
import { check } from "./check.ts";
import { readCommandLine } from "./command-line.ts";
import { completions } from "./completions/completions.ts";
import type { Context } from "./context.ts";
import { db } from "./db.ts";
import { explain } from "./explain.ts";
import { type ExitKind, exitCodes, failed, type Outcome } from "./failure.ts";
import type { CommandName } from "./flags.ts";
import { fmt } from "./fmt.ts";
import { helpText } from "./help.ts";
import { info } from "./info.ts";
import type { Io } from "./io.ts";
import { play } from "./play.ts";
import { createReporter, type ReportStyle } from "./reporter.ts";
import { run } from "./run.ts";
import { tune } from "./tune.ts";

const commands: Readonly<
  Record<CommandName, (context: Context) => Outcome<ExitKind> | Promise<Outcome<ExitKind>>>
> = { build, check, run, tune, bench, db, fmt, explain, info, play, completions };

/** Does what the arguments ask for; the exit code. Never rejects. */
export async function dispatch(args: readonly string[], io: Io, tools: Toolchain): Promise<number> {
  const line = readCommandLine(args);
  const report = createReporter(io, line.ok ? line.value : styleOf(args), tools);
  if (!line.ok) {
    report.failure(line.failure);
    return report.finish(line.failure.exit);
  }
  if (line.value.version) {
    io.stdout.write(`${tools.version}\n`);
    return exitCodes.fine;
  }
  if (line.value.help || args.length === 0) {
    io.stdout.write(helpText(line.value.named ? line.value.command : null));
    return line.value.help ? exitCodes.fine : exitCodes.usage;
  }
  const outcome = await attempt({ io, line: line.value, report, tools });
  if (!outcome.ok) report.failure(outcome.failure);
  return report.finish(outcome.ok ? outcome.value : outcome.failure.exit);
}

/** Runs a command; what it throws is our own bug. */
async function attempt(context: Context): Promise<Outcome<ExitKind>> {
  try {
    return await commands[context.line.command](context);
  } catch (error) {
    const [text = "", ...trace] = traceOf(error).split("\n");
    return failed(
      `internal error: ${text}`,
      "report it as a bug, with the source and what the command says with -v",
      "internal",
      context.line.verbose && trace.length > 0 ? { trace: trace.join("\n") } : undefined,
    );
  }
}

function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The style of a command line that could not be read. */
function styleOf(args: readonly string[]): ReportStyle {
  const asked = args.some((arg, i) => /^--(json|format=json)$/.test(arg) || isJsonFormat(args, i));
  return { format: asked ? "json" : "human", color: "auto", quiet: false, verbose: false };
}

function isJsonFormat(args: readonly string[], i: number): boolean {
  return args[i] === "--format" && args[i + 1] === "json";
}
