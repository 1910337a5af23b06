/** What tuning says while it runs and in the end, to people and in lines of JSON. */
import type { Figures, TuneEvent, TuneResult } from "./api.ts";
import { type Context, sizesText } from "./context.ts";
import { plural } from "./reporter.ts";
import { duration, figure } from "./tell-times.ts";

/** Shows events as they come. */
export interface TuningProgress {
  tell(event: TuneEvent): void;
  /** A line on a terminal goes away. */
  end(): void;
}

/** Milliseconds between two plain lines about the progress. */
const patience = 5_000;

const eraseLine = "\r\u001b[2K";

/**
 * On a terminal one line that changes: a bar, the best so far, how much time is left. Elsewhere a line for each
 * improvement, and one every five seconds. Lines of JSON have all candidates and improvements.
 */
export function startTuningProgress({ io, line, report }: Context): TuningProgress {
  const silent = line.quiet || line.format === "json";
  const { stderr } = io;
  const isLive = !silent && stderr.isTerminal;
  let best: { readonly us: number; readonly defaultUs: number } | null = null;
  let [last, shown] = [io.now(), false];
  const clear = (): void => {
    if (shown) stderr.write(eraseLine);
    shown = false;
  };
  const note = (text: string): void => {
    clear();
    report.note(text);
  };
  const bar = (text: string): void => {
    if (isLive) {
      stderr.write(`${eraseLine}${text}`);
      shown = true;
    } else if (io.now() - last >= patience) {
      last = io.now();
      note(text);
    }
  };
  return {
    tell: (event) => {
      record(report, event);
      if (event.type === "best") best = event;
      if (silent) return;
      if (event.type === "progress") return bar(barText(event, best));
      const text = textOf(event, { isLive, verbose: line.verbose });
      if (text !== null) note(text);
    },
    end: clear,
  };
}

/** The line of an event; null where it has none. */
function textOf(
  event: TuneEvent,
  { isLive, verbose }: { readonly isLive: boolean; readonly verbose: boolean },
): string | null {
  switch (event.type) {
    case "start":
      return `tuning ${titleOf(event)} on ${event.adapter}`;
    case "best":
      return isLive ? null : bestText(event, `candidate ${event.i}`);
    case "note":
      return `note: ${event.text}`;
    case "candidate": {
      const quiet = !verbose || event.status === "ok" || event.status === "vetoed";
      return quiet
        ? null
        : `candidate ${event.i}: ${event.status}, ${event.why ?? "nobody says why"}`;
    }
    default:
      return null;
  }
}

function record(report: Context["report"], event: TuneEvent): void {
  if (event.type === "candidate") {
    const { type, ...fields } = event;
    report.record(type, known(fields));
  } else if (event.type === "best") {
    const { type, ...fields } = event;
    report.record(type, { ...fields, source: "tuned" });
  } else if (event.type === "note") {
    report.record("note", { def: event.def, text: event.text });
  }
}

/** The fields that have a value. */
export function known(
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

type Best = Pick<Extract<TuneEvent, { readonly type: "best" }>, "us" | "defaultUs">;

function bestText({ us, defaultUs }: Best, which: string): string {
  return `${which}: ${duration(us)}, ${figure(defaultUs / us)}x as fast as the default`;
}

const barWidth = 24;

/** As many candidates as there is time for. */
const unbounded = 1e6;

/** `[######------] 42/120 measure  best 1.83 ms (2.31x)  12 s left` */
function barText(
  { tried, of, phase, elapsedMs, leftMs }: Extract<TuneEvent, { readonly type: "progress" }>,
  best: Best | null,
): string {
  // Whichever ends it first.
  const part = Math.max(tried / Math.max(1, of), elapsedMs / Math.max(1, elapsedMs + leftMs));
  const full = Math.round(barWidth * Math.min(1, part));
  const bar = `[${"#".repeat(full)}${"-".repeat(barWidth - full)}]`;
  const found =
    best === null ? "" : `  best ${duration(best.us)} (${figure(best.defaultUs / best.us)}x)`;
  const count = of < unbounded ? `${tried}/${of}` : `${tried}`;
  return `${bar} ${count} ${phase}${found}  ${Math.max(0, Math.ceil(leftMs / 1000))} s left`;
}

function titleOf({ def, sizes }: Pick<TuneResult, "def" | "sizes">): string {
  const text = sizesText(sizes);
  return text === "" ? def : `${def} ${text}`;
}

/** The result: a table for people, `best` and `timing` in JSON. */
export function tellTuned({ report }: Context, result: TuneResult, adapter: string): void {
  const { def, options, alternative, source, default: before, tuned: after, ratio } = result;
  const rows = [
    ["", "samples", "median", "mean", "variance", "min", "max"],
    ...(before === null ? [] : [figuresRow("default", before)]),
    ...(after === null ? [] : [figuresRow("tuned", after)]),
  ];
  if (before !== null || after !== null) report.data(tableText(rows));
  if (ratio !== null) {
    const algorithm = alternative === null ? "" : `, by the algorithm of ${alternative}`;
    report.data(`${titleOf(result)}: ${figure(1 / ratio)}x as fast${algorithm}\n`);
  }
  report.note(endText(result));
  for (const [which, figures] of [
    ["default", before],
    ["tuned", after],
  ] as const) {
    if (figures === null) continue;
    const { samples: _, ...rest } = figures;
    report.record("timing", { def, which, ...rest, adapter });
  }
  const times = { us: after?.us ?? null, defaultUs: before?.us ?? null, ratio };
  const found = { def, ...times, options, alternative };
  report.record("best", known({ ...found, source: source.kind }));
}

/** Microseconds, variance in their squares. */
function figuresRow(name: string, f: Figures): readonly string[] {
  const values = [f.us, f.mean, f.variance, f.min, f.max];
  const [us, mean, variance, min, max] = values.map((v) => String(Number(v.toPrecision(4))));
  return [name, String(f.n), us ?? "", mean ?? "", variance ?? "", min ?? "", max ?? ""];
}

function tableText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, c) =>
    Math.max(...rows.map((row) => (row[c] ?? "").length)),
  );
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, c) => pad(cell, widths[c] ?? 0, c))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

/** How many were tried, and why it ended. */
function endText({ counts, elapsedMs, why, source }: TuneResult): string {
  const { ok, ...others } = counts;
  const rejected = Object.entries(others).flatMap(([name, n]) => (n === 0 ? [] : [`${n} ${name}`]));
  const tried = plural(ok + Object.values(others).reduce((sum, n) => sum + n, 0), "candidate");
  const kept = rejected.length === 0 ? "" : ` (${rejected.join(", ")})`;
  const ends: Readonly<Record<TuneResult["why"], string>> = {
    budget: "the budget is spent",
    exhausted: "there is nothing more to try",
    aborted: "interrupted: the best so far is kept",
    lost: "the device was lost too often",
    known: source.kind === "exact" ? "it was known: nothing was launched" : "nothing was launched",
  };
  if (why === "known") return ends.known;
  return `${tried}${kept} in ${duration(1000 * elapsedMs)}; ${ends[why]}`;
}
