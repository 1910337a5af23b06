import type { CheckRequest, DefinitionOutline, Diagnostic } from "./api.ts";
import { chooseDefinition, freeDefinitions } from "./choose-definition.ts";
import type { Context } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { readSource, type SourceFile, writeBytes } from "./read-files.ts";
import { plural } from "./reporter.ts";
import { validate } from "./validate.ts";

/** Passes of fixes: one may show the next mistake, and none may go on for ever. */
const mostPasses = 20;

/**
 * `tc-compile check FILE...`: diagnostics of all files, after fixes if they are asked for, and what
 * a WGSL compiler has against the code if that is. A file that cannot be read does not end it.
 */
export async function check(context: Context): Promise<Outcome<ExitKind>> {
  const { io, line, report } = context;
  if (line.files.length === 0) {
    return failed("no source file", "write tc-compile check FILE.tc, or - for standard input");
  }
  let usage = false;
  let fixed = 0;
  for (const path of line.files) {
    const read = await readSource(io, path);
    const done = read.ok ? await checkFile(context, path, read.value) : read;
    if (done.ok) {
      fixed += done.value;
    } else if (done.failure.exit === "usage") {
      report.failure(done.failure);
      usage = true;
    } else {
      return done;
    }
  }
  const [only] = line.files;
  // Of a single file that cannot be read, all is said.
  if (usage && line.files.length === 1) return success("usage");
  const where = line.files.length === 1 ? only : plural(line.files.length, "file");
  report.note(`${summaryOf(fixed, report.counts())} in ${where}`);
  if (usage) return success("usage");
  return success(report.counts().errors > 0 ? "source" : "fine");
}

function summaryOf(
  fixed: number,
  { errors, warnings }: { readonly errors: number; readonly warnings: number },
): string {
  const parts = [
    ...(fixed === 0 ? [] : [fixed === 1 ? "1 fix made" : `${fixed} fixes made`]),
    ...(errors === 0 ? [] : [plural(errors, "error")]),
    ...(warnings === 0 ? [] : [plural(warnings, "warning")]),
    ...(errors + warnings === 0 ? ["no errors"] : []),
  ];
  return parts.join(", ");
}

/** Checks one file; how many fixes were made in it. */
async function checkFile(
  context: Context,
  path: string,
  { file, source }: SourceFile,
): Promise<Outcome<number>> {
  const { line, report, tools } = context;
  const { definitions } = tools.outline(source);
  if (line.def !== null) {
    const known = chooseDefinition(definitions, line.def);
    if (!known.ok) return known;
  }
  const request: CheckRequest = {
    file,
    sizes: line.sizes,
    ...(line.def === null ? {} : { def: line.def }),
  };
  const repaired = line.fix
    ? repair(context, source, request)
    : { source, made: [], left: tools.check(source, request) };
  if (line.fix) {
    const kept = await keep(context, path, { file, source }, repaired);
    if (!kept.ok) return kept;
  }
  const made = repaired.made.length;
  const wrong = repaired.left.some((one) => one.severity === "error");
  if (!line.validate || wrong) {
    report.diagnostics(repaired.left, repaired.source, file);
    return success(made);
  }
  const names = toValidate(definitions, line.def);
  const validated = await validate(context, { file, source: repaired.source }, names);
  return validated.ok ? success(made) : validated;
}

/** What is compiled for validation: what was asked for, else all that no other definition calls. */
function toValidate(
  definitions: readonly DefinitionOutline[],
  def: string | null,
): readonly DefinitionOutline[] {
  if (def !== null) return definitions.filter(({ name }) => name === def);
  return freeDefinitions(definitions);
}

interface Repaired {
  readonly source: string;
  /** The diagnostics that were fixed, each with the text that it is about. */
  readonly made: readonly { readonly diagnostic: Diagnostic; readonly source: string }[];
  /** What is left to say. */
  readonly left: readonly Diagnostic[];
}

/** Fixes and checks again until there is nothing more to fix. */
function repair({ tools }: Context, source: string, request: CheckRequest): Repaired {
  const made: Repaired["made"][number][] = [];
  let text = source;
  for (let pass = 0; pass < mostPasses; pass++) {
    const found = tools.check(text, request);
    const { source: next, applied } = tools.fix(text, found);
    if (applied.length === 0 || next === text) return { source: text, made, left: found };
    for (const diagnostic of applied) made.push({ diagnostic, source: text });
    text = next;
  }
  return { source: text, made, left: tools.check(text, request) };
}

/** Writes a fixed source, and tells what was fixed. That of standard input goes to standard output. */
async function keep(
  { io, report, tools }: Context,
  path: string,
  before: SourceFile,
  { source, made }: Repaired,
): Promise<Outcome<null>> {
  if (path !== "-" && source !== before.source) {
    const written = await writeBytes(io, path, source);
    if (!written.ok) return written;
  }
  for (const one of made) {
    const { file } = before;
    const { code } = one.diagnostic;
    const about = { source: one.source, file, format: "short" } as const;
    const [record] = tools.records([one.diagnostic], about);
    report.record("fix", { ...record, type: "fix", code });
    report.note(
      tools
        .render([one.diagnostic], about)
        .trimEnd()
        .replace(/: (error|warning)\[/, ": fixed["),
    );
  }
  if (path === "-") {
    report.data(source);
    report.record("output", { stage: "source", name: before.file, text: source });
  }
  return success(null);
}
