import type { Diagnostic, Toolchain } from "./api.ts";
import { type ExitKind, exitCodes, type Failure } from "./failure.ts";
import type { ColourName, FormatName } from "./flags.ts";
import { type Io, useColour } from "./io.ts";

/**
 * Where a command's words go: data to stdout, everything for people to stderr, and in the format
 * `json` everything as lines of JSON to stdout, the last one of type `summary`.
 */
export interface Reporter {
  /** Data for stdout; nothing in the format `json`, which has {@link Reporter.record} instead. */
  data(text: string): void;
  /** A line of JSON, in the format `json` only. */
  record(type: string, fields: Readonly<Record<string, unknown>>): void;
  /** A line for people, unless they want quiet. */
  note(text: string): void;
  /** A line for people who want to know more. */
  detail(text: string): void;
  diagnostics(found: readonly Diagnostic[], source: string, file: string): void;
  failure(failure: Failure): void;
  /** Errors and warnings so far; failures are errors. */
  counts(): { readonly errors: number; readonly warnings: number };
  /** Ends the report; the exit code. */
  finish(exit: ExitKind): number;
}

export interface ReportStyle {
  readonly format: FormatName;
  readonly color: ColourName;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** What JSON calls a failure: its `code`. */
const failureCodes: Readonly<Record<ExitKind, string>> = {
  fine: "none",
  source: "source",
  usage: "usage",
  adapter: "adapter",
  wrong: "wrong-result",
  regression: "regression",
  internal: "internal",
  interrupted: "interrupted",
};

export function createReporter(
  io: Io,
  style: ReportStyle,
  render: Pick<Toolchain, "render" | "record">,
): Reporter {
  const json = style.format === "json";
  const counted = { errors: 0, warnings: 0 };
  const colour = useColour(io, io.stderr, style.color);
  const line = (type: string, fields: Readonly<Record<string, unknown>>): void => {
    io.stdout.write(`${JSON.stringify({ schema: 1, type, ...fields }, plainNumbers)}\n`);
  };
  const show = (found: readonly Diagnostic[], source: string, file: string): string => {
    switch (style.format) {
      case "human":
        return render.render(found, { source, file, format: colour ? "ansi" : "text" });
      case "short":
        return render.render(found, { source, file, format: "short" });
      case "github":
        return found.map((one) => githubLine(render.record(one, { source, file }))).join("");
      case "json":
        return "";
    }
  };
  return {
    data: (text) => {
      if (!json) io.stdout.write(text);
    },
    record: (type, fields) => {
      if (json) line(type, fields);
    },
    note: (text) => {
      if (!json && !style.quiet) io.stderr.write(`${text}\n`);
    },
    detail: (text) => {
      if (!json && style.verbose) io.stderr.write(`${text}\n`);
    },
    diagnostics: (found, source, file) => {
      for (const one of found) counted[one.severity === "error" ? "errors" : "warnings"] += 1;
      if (json)
        for (const one of found) line("diagnostic", { ...render.record(one, { source, file }) });
      else io.stderr.write(show(found, source, file));
    },
    failure: ({ exit, message, next }) => {
      counted.errors += 1;
      if (json) {
        line("diagnostic", { severity: "error", code: failureCodes[exit], message, hint: next });
      } else {
        const word = colour ? "\u001b[31merror\u001b[0m" : "error";
        io.stderr.write(`${word}: ${message}\n  next: ${next}\n`);
      }
    },
    counts: () => ({ ...counted }),
    finish: (exit) => {
      if (json) line("summary", { ...counted, exit: exitCodes[exit] });
      return exitCodes[exit];
    },
  };
}

/** A workflow command of GitHub Actions. */
function githubLine(record: ReturnType<Toolchain["record"]>): string {
  const encode = (text: string): string =>
    text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const { severity, file, line, column, code, message } = record;
  const place = `file=${encode(file)},line=${line},col=${column},title=${code}`;
  return `::${severity} ${place}::${encode(message)}\n`;
}

/** JSON has no names for numbers that are not finite: they become strings. */
function plainNumbers(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/** `3 errors`, `1 warning`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
