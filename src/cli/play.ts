import type { ServeOptions } from "./api.ts";
import type { Context } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { readSource, type SourceFile } from "./read-files.ts";

/** `tc-compile play [FILE]`: serves the playground on this machine, with the file and the user's records. */
export async function play({ io, line, report, tools }: Context): Promise<Outcome<ExitKind>> {
  const [path, second] = line.files;
  if (second !== undefined || path === "-") {
    return failed("play takes one file, or none", "write tc-compile play FILE.tc");
  }
  let program: ServeOptions["program"] = null;
  if (path !== undefined) {
    const first = await readSource(io, path);
    if (!first.ok) return first;
    let last: SourceFile = first.value;
    // While an editor writes it, a file may be gone for a moment.
    const read = async (): Promise<SourceFile> => {
      const now = await readSource(io, path);
      if (now.ok) last = now.value;
      return last;
    };
    program = { path, read };
  }
  const onStart = (url: string): void => {
    report.data(`${url}\n`);
    report.record("serving", { url, ...(path === undefined ? {} : { file: path }) });
    report.note("Ctrl-C ends it");
  };
  try {
    await tools.serve({ port: line.port, program, db: line.db, onStart });
    return success("fine");
  } catch (error) {
    return serveFailure(error, line.port);
  }
}

function serveFailure(error: unknown, port: number): Outcome<ExitKind> {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "EADDRINUSE":
      return failed(`port ${port} is taken`, "write another --port, or none");
    case "EACCES":
      return failed(`port ${port} is not for everybody`, "write a --port above 1023, or none");
    case "ENOENT":
      return failed(
        "the page of the playground is not built",
        "npm run build:playground builds it",
      );
    default:
      throw error;
  }
}
