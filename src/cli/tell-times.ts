/** `run --time` and `run --trace`: where the time of a run goes. */
import type { HostTensors, KernelTime, Plan, RunTimes, Runtime } from "./api.ts";
import type { CommandLine } from "./command-line.ts";
import type { Context } from "./context.ts";
import { failed, type Outcome, success } from "./failure.ts";
import { writeBytes } from "./read-files.ts";

type TimeFlags = Pick<CommandLine, "time" | "trace" | "adapter" | "options">;

/** Times are those of a device. */
export function checkTimed({ time, trace, adapter }: TimeFlags): Outcome<null> {
  if (adapter !== "reference" || (!time && trace === null)) return success(null);
  return failed(
    `--${time ? "time" : "trace"} with --adapter reference: the interpreter has no kernels to time`,
    "leave --adapter out, or give another one",
  );
}

/** Measures if it is asked for: before anything else runs the plan, so that the first run is seen. */
export async function measureTimes(
  { time, trace }: TimeFlags,
  runtime: Runtime,
  plan: Plan,
  tensors: HostTensors,
): Promise<RunTimes | null> {
  return time || trace !== null ? await runtime.time(plan, tensors) : null;
}

/** Shows the table, records it, and writes the trace. `compileMs`: milliseconds on the host. */
export async function tellTimes(
  { io, line, report }: Context,
  plan: Plan,
  adapter: string,
  times: RunTimes,
  compileMs: number,
): Promise<Outcome<null>> {
  if (line.time) {
    const { whole, kernels, pipelinesMs, firstMs, ceilings } = times;
    report.data(`\n${timesText(times, compileMs)}`);
    report.record("timing", {
      def: plan.name,
      which: line.options === "default" || line.options === "naive" ? line.options : "file",
      ...whole,
      adapter,
      compileMs,
      pipelinesMs,
      firstMs,
      ceilings: { gigabytes: ceilings.gigabytes, gflops: ceilings.gflops },
      kernels: kernels.map(({ work, ...kernel }) => ({
        ...kernel,
        bytes: work?.bytes ?? null,
        operations: work?.operations ?? null,
      })),
    });
  }
  if (line.trace === null) return success(null);
  const text = `${JSON.stringify(times.trace(compileMs))}\n`;
  const written = await writeBytes(io, line.trace, text);
  if (written.ok) report.note(`wrote ${line.trace}`);
  return written;
}

/** The table for people. */
function timesText(times: RunTimes, compileMs: number): string {
  const { pipelinesMs, firstMs, whole, kernels, ceilings } = times;
  const before = [
    `compile ${duration(1000 * compileMs)}`,
    `pipelines ${duration(1000 * pipelinesMs)}`,
    ...(firstMs === null ? [] : [`first run ${duration(1000 * firstMs)}`]),
  ];
  const head = [
    ["once", before.join(", ")],
    ["a run", `${duration(whole.us)} +- ${duration(whole.mad)}, the median of ${whole.n}`],
    ["clock", `${whole.clock}, in steps of ${duration(whole.quantumNs / 1000)}`],
    ["at most", `${figure(ceilings.gigabytes)} GB/s copied, ${figure(ceilings.gflops)} GFLOP/s`],
  ];
  const lines = head.map(([name = "", text = ""]) => `${name.padEnd(7)}  ${text}\n`);
  const alone = kernels.some(({ measured }) => measured === "alone");
  const note = "* alone, again and again: a step of the clock is too long for one dispatch\n";
  return `${lines.join("")}\n${tableText(rowsOf(times))}${alone ? note : ""}`;
}

const columns = [
  "kernel",
  "time",
  "share",
  "dispatches",
  "bytes",
  "GB/s",
  "of",
  "flop",
  "GFLOP/s",
  "of",
];

function rowsOf({ whole, kernels, ceilings }: RunTimes): readonly (readonly string[])[] {
  const inKernels = kernels.reduce((sum, { us }) => sum + us, 0);
  const total = Math.max(whole.us, inKernels);
  const rest = total - inKernels;
  const between = ["(between)", duration(rest), percent(rest, total)];
  return [
    columns,
    ...kernels.map((kernel) => kernelRow(kernel, total, ceilings)),
    ...(rest > 0 ? [between] : []),
  ];
}

function kernelRow(
  { kernel, us, dispatches, measured, work }: KernelTime,
  total: number,
  ceilings: RunTimes["ceilings"],
): readonly string[] {
  const row = [
    measured === "alone" ? `${kernel}*` : kernel,
    duration(us),
    percent(us, total),
    String(dispatches),
  ];
  if (work === null || us === 0) return row;
  const [gigabytes, gflops] = [work.bytes / us / 1000, work.operations / us / 1000];
  return [
    ...row,
    amount(work.bytes),
    figure(gigabytes),
    percent(gigabytes, ceilings.gigabytes),
    amount(work.operations),
    figure(gflops),
    percent(gflops, ceilings.gflops),
  ];
}

/** Columns side by side, the first flush left. */
function tableText(rows: readonly (readonly string[])[]): string {
  const widths = columns.map((_, c) => Math.max(...rows.map((row) => (row[c] ?? "").length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, c) => (c === 0 ? cell.padEnd(widths[c] ?? 0) : cell.padStart(widths[c] ?? 0)))
      .join("  ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}

function percent(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((100 * part) / whole)}%` : "";
}

/** Microseconds in the unit that fits. */
export function duration(us: number): string {
  if (us < 1) return `${figure(us * 1000)} ns`;
  if (us < 1000) return `${figure(us)} us`;
  return us < 1e6 ? `${figure(us / 1000)} ms` : `${figure(us / 1e6)} s`;
}

/** A count with the prefix of its size. */
function amount(count: number): string {
  const prefixes = ["", "k", "M", "G", "T"];
  const step = Math.min(4, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)));
  return `${figure(count / 1000 ** step)}${prefixes[step]}`;
}

/** Three digits that count. */
export function figure(value: number): string {
  if (value === 0 || value >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}
