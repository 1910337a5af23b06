/** `tc.lock.json`: tuned options beside a source, to be committed. */
import { dirname, join } from "node:path";
import type { CompileRequest, Runtime, TuneResult } from "./api.ts";
import type { Context } from "./context.ts";
import { failed, type Outcome, success } from "./failure.ts";
import { readBytes, writeBytes } from "./read-files.ts";
import { withOptions } from "./tuned-options.ts";

const lockName = "tc.lock.json";

/** The file of a source; standard input has none. */
function lockPath({ line }: Context): Outcome<string> {
  const [file] = line.files;
  if (file !== undefined && file !== "-") return success(join(dirname(file), lockName));
  return failed(`standard input has no ${lockName} beside it`, "give a file");
}

/** A request with the options that are locked for it; fails where there are none. */
export async function withLockedOptions(
  context: Context,
  source: string,
  request: CompileRequest,
): Promise<Outcome<CompileRequest>> {
  const { io, line, tools } = context;
  if (!line.locked) return success(request);
  if (line.options !== "default") {
    return failed(`--locked and --options ${line.options}: which is meant?`, "leave one out");
  }
  const path = lockPath(context);
  if (!path.ok) return path;
  const next = `write it with tc-compile tune ${request.file} --lock, or build without --locked`;
  if ((await io.kindOf(path.value)) === "nothing") return failed(`there is no ${path.value}`, next);
  const read = await readBytes(io, path.value);
  if (!read.ok) return read;
  const found = await tools.lockedOptions(new TextDecoder().decode(read.value), source, request);
  if (!("missing" in found)) return success(withOptions(request, found));
  return failed(`${path.value}: ${found.missing}`, next);
}

/** Puts what was found into the file of the source. */
export async function writeLock(
  context: Context,
  { profile }: Runtime,
  source: string,
  result: TuneResult,
): Promise<Outcome<null>> {
  const { io, report, tools } = context;
  const path = lockPath(context);
  if (!path.ok) return path;
  let before: string | null = null;
  if ((await io.kindOf(path.value)) !== "nothing") {
    const read = await readBytes(io, path.value);
    if (!read.ok) return read;
    before = new TextDecoder().decode(read.value);
  }
  const made = await tools.lockText(before, result, source, profile);
  if (typeof made !== "string") {
    return failed(`${path.value} holds no locked options: ${made.fault}`, "correct or remove it");
  }
  const written = await writeBytes(io, path.value, made);
  if (written.ok) report.note(`wrote ${path.value}`);
  return written;
}
