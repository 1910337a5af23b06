import { availableParallelism, loadavg } from "node:os";
import type { CompileRequest, Runtime } from "./api.ts";
import { checkTargets } from "./check-targets.ts";
import { compileAsked } from "./compile-asked.ts";
import { type Context, readJob } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { writeLock } from "./locked-options.ts";
import { writeBytes } from "./read-files.ts";
import { plural } from "./reporter.ts";
import { onRuntime } from "./runtime-failure.ts";
import { tellTuned } from "./tell-tuning.ts";
import { tuneAndShow } from "./tune-and-show.ts";

/**
 * `tc-compile tune FILE`: searches for the best options of one definition on the adapter; remembers and tells them. What
 * interrupts it keeps the best so far.
 */
export async function tune(context: Context): Promise<Outcome<ExitKind>> {
  const { io, line, report, tools } = context;
  const refused = refuseReference("tune", line.adapter);
  if (refused !== null) return refused;
  const paths = [line.reportTo, line.optionsOut].flatMap((path) => (path === null ? [] : [path]));
  const writable = await checkTargets(io, paths);
  if (!writable.ok) return writable;
  const job = await readJob(context);
  if (!job.ok) return job;
  const { source, file, request } = job.value;
  const compiled = compileAsked(() => tools.compile(source, request));
  if (!compiled.ok) return compiled;
  report.diagnostics(compiled.value.diagnostics, source, file);
  if (!compiled.value.ok) {
    report.note(`${plural(report.counts().errors, "error")} in ${file}`);
    return success("source");
  }
  const { sizes } = compiled.value;
  return await onRuntime(context, (runtime) =>
    tuneOn(context, runtime, source, { ...request, sizes }),
  );
}

/** Times are those of a device. */
export function refuseReference(
  command: string,
  adapter: string,
): ReturnType<typeof failed> | null {
  if (adapter !== "reference") return null;
  return failed(
    `${command} with --adapter reference: the interpreter has no kernels to time`,
    "leave --adapter out, or give another one",
  );
}

async function tuneOn(
  context: Context,
  runtime: Runtime,
  source: string,
  request: CompileRequest,
): Promise<Outcome<ExitKind>> {
  const { io, line, report, tools } = context;
  const { events, ended } = await tuneAndShow(context, runtime, source, request);
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error("tuning ended without a result");
  const { result } = last;
  tellTuned(context, result, runtime.adapterText);
  if (line.reportTo !== null) {
    const environment = { ...environmentOf(context, runtime), file: request.file };
    const reuse = await runtime.reuse(source, request, line.db);
    const told = await tools.tuningReport(events, environment, reuse);
    const text = line.reportTo.endsWith(".html")
      ? told.page
      : `${JSON.stringify(told.data, null, 2)}\n`;
    const written = await writeBytes(io, line.reportTo, text);
    if (!written.ok) return written;
    report.note(`wrote ${line.reportTo}`);
  }
  if (line.optionsOut !== null) {
    const written = await writeBytes(
      io,
      line.optionsOut,
      `${JSON.stringify(result.options, null, 2)}\n`,
    );
    if (!written.ok) return written;
    report.note(`wrote ${line.optionsOut}`);
  }
  if (line.lock) {
    const locked = await writeLock(context, runtime, source, result);
    if (!locked.ok) return locked;
  }
  if (result.why === "aborted") return success(ended ?? "interrupted");
  if (result.why !== "lost") return success("fine");
  return failed(
    "the device was lost again and again: the best so far is kept",
    "try --adapter software, or smaller sizes with --size",
    "adapter",
  );
}

/** Where it runs, for the report. */
function environmentOf(
  { tools }: Context,
  { adapterText, profile }: Runtime,
): Readonly<Record<string, string>> {
  return {
    "tc-wgsl": tools.version,
    adapter: adapterText,
    profile: profile.name,
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    "logical cores": String(availableParallelism()),
    "load average": loadavg()
      .map((load) => load.toFixed(1))
      .join(" "),
    date: new Date().toISOString(),
  };
}
