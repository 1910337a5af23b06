import type { Context } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { readSource, writeBytes } from "./read-files.ts";
import { plural } from "./reporter.ts";

/** What became of a file. */
type Formatted = "changed" | "same" | "wrong";

/**
 * `tc-compile fmt FILE...`: rewrites files in the one style, standard input to standard output. With
 * `--check` it writes nothing and names the files that would change.
 */
export async function fmt(context: Context): Promise<Outcome<ExitKind>> {
  const { line, report } = context;
  if (line.files.length === 0) {
    return failed("no source file", "write tc-compile fmt FILE.tc, or - for standard input");
  }
  const results: Formatted[] = [];
  let usage = false;
  for (const path of line.files) {
    const done = await formatFile(context, path);
    if (done.ok) results.push(done.value);
    else report.failure(done.failure);
    usage ||= !done.ok;
  }
  const changed = results.filter((one) => one === "changed").length;
  const wrong = results.includes("wrong");
  const what = line.check ? "would change" : "changed";
  if (changed === 0) report.detail("nothing changed");
  else if (line.check || line.files.length > 1) report.note(`${plural(changed, "file")} ${what}`);
  if (usage) return success("usage");
  return success(wrong || (line.check && changed > 0) ? "source" : "fine");
}

async function formatFile(
  { io, line, report, tools }: Context,
  path: string,
): Promise<Outcome<Formatted>> {
  const read = await readSource(io, path);
  if (!read.ok) return read;
  const { file, source } = read.value;
  const syntax = tools
    .check(source, { file, sizes: {} })
    .filter(({ code, severity }) => severity === "error" && /^TC1\d+$/.test(code));
  if (syntax.length > 0) {
    report.diagnostics(syntax, source, file);
    report.note(`${file} stays as it is: ${plural(syntax.length, "error")}`);
    return success("wrong");
  }
  const text = tools.format(source);
  const changed = text !== source;
  report.record("format", { file, changed });
  if (line.check) {
    if (changed) report.data(`${file}\n`);
    return success(changed ? "changed" : "same");
  }
  if (path === "-") {
    report.data(text);
    report.record("output", { stage: "source", name: file, text });
    return success("same");
  }
  if (!changed) return success("same");
  const written = await writeBytes(io, path, text);
  if (!written.ok) return written;
  report.note(`formatted ${path}`);
  return success("changed");
}
