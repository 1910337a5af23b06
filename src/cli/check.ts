import type { Context } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { readSource } from "./read-files.ts";
import { plural } from "./reporter.ts";

/** `tc-compile check FILE...`: diagnostics of all files; one that cannot be read ends it. */
export async function check({ io, line, report, tools }: Context): Promise<Outcome<ExitKind>> {
  if (line.files.length === 0) return failed("no source file", "write tc-compile check FILE.tc");
  for (const path of line.files) {
    const read = await readSource(io, path);
    if (!read.ok) return read;
    const { source, file } = read.value;
    const found = tools.check(source, {
      file,
      sizes: line.sizes,
      ...(line.def === null ? {} : { def: line.def }),
    });
    report.diagnostics(found, source, file);
  }
  const { errors, warnings } = report.counts();
  const [only] = line.files;
  const where = line.files.length === 1 ? only : plural(line.files.length, "file");
  const parts = [
    ...(errors > 0 ? [plural(errors, "error")] : []),
    ...(warnings > 0 ? [plural(warnings, "warning")] : []),
  ];
  report.note(`${parts.length === 0 ? "no errors" : parts.join(", ")} in ${where}`);
  return success(errors > 0 ? "source" : "fine");
}
