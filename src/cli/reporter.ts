import { shorten } from "../support/shorten.ts";
import type { Diagnostic, RenderFormat, Toolchain } from "./api.ts";
import { type ExitKind, exitCodes, type Failure } from "./failure.ts";
import type { ColourName, FormatName } from "./flags.ts";
import { type Io, useColour } from "./io.ts";

/** The types of the lines of JSON; docs/cli.md says what is in each. */
export type RecordType =
  | "best"
  | "candidate"
  | "decision"
  | "diagnostic"
  | "entry"
  | "explanation"
  | "facts"
  | "fix"
  | "format"
  | "info"
  | "nonfinite"
  | "note"
  | "output"
  | "serving"
  | "summary"
  | "timing"
  | "validation"
  | "verification";

/**
 * Where a command's words go: data to stdout, everything for people to stderr, and in the format
 * `json` everything as lines of JSON to stdout, the last one of type `summary`.
 */
export interface Reporter {
  /** Data for stdout; nothing in the format `json`, which has {@link Reporter.record} instead. */
  data(text: string): void;
  /** A line of JSON, in the format `json` only. */
  record(type: RecordType, fields: Readonly<Record<string, unknown>>): void;
  /** A line for people, unless they want quiet. */
  note(text: string): void;
  /** A line for people who want to know more. */
  detail(text: string): void;
  /** A line of somebody else, such as a driver, for those who want to know more, in every format. */
  aside(text: string): void;
  diagnostics(found: readonly Diagnostic[], source: string, file: string): void;
  /** Something that is no error, but hardly what its user wanted, and what to do about it. */
  warning(code: WarningCode, message: string, next: string): void;
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

/** What a warning of a command is about: its `code` in JSON. */
export type WarningCode = "options" | "verification";

/** What JSON calls a failure: its `code`. */
const failureCodes: Readonly<Record<ExitKind, string>> = {
  fine: "none",
  source: "source",
  usage: "usage",
  adapter: "adapter",
  wrong: "wrong-result",
  regression: "regression",
  undecided: "not-decided",
  internal: "internal",
  hungUp: "interrupted",
  interrupted: "interrupted",
  terminated: "interrupted",
};

export function createReporter(
  io: Io,
  style: ReportStyle,
  render: Pick<Toolchain, "render" | "records">,
): Reporter {
  const json = style.format === "json";
  const counted = { errors: 0, warnings: 0 };
  const colour = useColour(io, io.stderr, style.color);
  const line = (type: RecordType, fields: Readonly<Record<string, unknown>>): void => {
    io.stdout.write(`${JSON.stringify({ schema: 1, type, ...fields }, plainNumbers)}\n`);
  };
  const complain = (severity: "error" | "warning", given: Complaint): void => {
    const [message, next] = [shorten(given.message, longestWord), shorten(given.next, longestWord)];
    const { code, details } = given;
    counted[severity === "error" ? "errors" : "warnings"] += 1;
    if (json) line("diagnostic", { severity, code, message, hint: next, details });
    else io.stderr.write(complaintText(severity, { code, message, next }, style.format, colour));
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
    aside: (text) => {
      if (style.verbose) io.stderr.write(`${text}\n`);
    },
    diagnostics: (found, source, file) => {
      for (const one of found) counted[one.severity === "error" ? "errors" : "warnings"] += 1;
      if (style.format !== "json") {
        const format = renderFormat(style.format, colour);
        io.stderr.write(render.render(found, { source, file, format }));
        return;
      }
      for (const one of render.records(found, { source, file })) line("diagnostic", { ...one });
    },
    warning: (code, message, next) => complain("warning", { code, message, next }),
    failure: ({ exit, message, next, details }) => {
      const more = details === undefined ? {} : { details };
      complain("error", { code: failureCodes[exit], message, next, ...more });
      if (json) return;
      for (const [name, text] of Object.entries(details ?? {})) {
        io.stderr.write(`\n${name}:\n${text}${text.endsWith("\n") ? "" : "\n"}`);
      }
    },
    counts: () => ({ ...counted }),
    finish: (exit) => {
      if (json) line("summary", { ...counted, exit: exitCodes[exit] });
      return exitCodes[exit];
    },
  };
}

/** What `render` is asked for. */
function renderFormat(format: Exclude<FormatName, "json">, colour: boolean): RenderFormat {
  if (format !== "human") return format;
  return colour ? "ansi" : "text";
}

interface Complaint extends Omit<Failure, "exit"> {
  readonly code: string;
}

/** Of a word in what is said, such as a path, so many characters are shown. */
const longestWord = 400;

function complaintText(
  severity: "error" | "warning",
  { code, message, next }: Complaint,
  format: FormatName,
  colour: boolean,
): string {
  if (format === "github") {
    const text = `${message}\nnext: ${next}`;
    const data = text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
    return `::${severity} title=${code}::${data}\n`;
  }
  const word = colour ? `\u001b[${severity === "error" ? 31 : 33}m${severity}\u001b[0m` : severity;
  return `${word}: ${message}\n  next: ${next}\n`;
}

/** JSON has no names for numbers that are not finite: they become strings. */
function plainNumbers(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/** `3 errors`, `1 warning`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
