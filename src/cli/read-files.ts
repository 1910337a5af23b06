/** The files that a command line names. */
import { baselineProfile, type DeviceProfile, namedProfiles } from "../support/device-profile.ts";
import { didYouMean } from "../support/edit-distance.ts";
import { failed, type Outcome, success } from "./failure.ts";
import { commandNames } from "./flags.ts";
import type { Io } from "./io.ts";

/** A source text and the name to call it by. */
export interface SourceFile {
  readonly file: string;
  readonly source: string;
}

/** Reads a source file; `-` is standard input. */
export async function readSource(io: Io, path: string): Promise<Outcome<SourceFile>> {
  if (path === "-") return decoded("<stdin>", await io.readStdin());
  const bytes = await readBytes(io, path);
  return bytes.ok ? decoded(path, bytes.value) : bytes;
}

function decoded(file: string, bytes: Uint8Array): Outcome<SourceFile> {
  if (bytes.includes(0)) return failed(`${file} is not a text`, "give a file with definitions");
  return success({ file, source: new TextDecoder().decode(bytes) });
}

/** The only file of a command that takes one. */
export async function readOneSource(
  io: Io,
  command: string,
  paths: readonly string[],
): Promise<Outcome<SourceFile>> {
  const [path, second] = paths;
  if (path === undefined) {
    return failed("no source file", `write tc-compile ${command} FILE.tc, or - for standard input`);
  }
  if (second !== undefined) {
    const meant = didYouMean(path, commandNames);
    if (meant !== undefined) {
      return failed(`there is no command ${path}`, `did you mean ${meant}?`);
    }
    return failed(`${command} takes one file, not ${paths.length}`, "run it once for each file");
  }
  return await readSource(io, path);
}

/** The bytes of a file. */
export async function readBytes(io: Io, path: string): Promise<Outcome<Uint8Array>> {
  try {
    return success(await io.readFile(path));
  } catch (error) {
    return failed(`cannot read ${path}: ${reason(error)}`, "check the path");
  }
}

/** Writes a file, making its folders. */
export async function writeBytes(
  io: Io,
  path: string,
  content: string | Uint8Array,
): Promise<Outcome<null>> {
  try {
    await io.writeFile(path, content);
    return success(null);
  } catch (error) {
    return failed(`cannot write ${path}: ${reason(error)}`, "choose a place that can be written");
  }
}

function reason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES") return "permission denied";
  return error instanceof Error ? error.message : String(error);
}

async function readJson(io: Io, path: string): Promise<Outcome<unknown>> {
  const bytes = await readBytes(io, path);
  if (!bytes.ok) return bytes;
  try {
    return success(JSON.parse(new TextDecoder().decode(bytes.value)));
  } catch (error) {
    return failed(`${path} is not JSON: ${reason(error).replace(/\s+/g, " ")}`, "correct the file");
  }
}

/** What `--options` stands for: `default`, `naive`, or the content of a file. */
export async function readOptions(io: Io, word: string): Promise<Outcome<unknown>> {
  if (word === "default" || word === "naive") return success(word);
  if (!word.endsWith(".json")) {
    return failed(`--options ${word}: not known`, "write default, naive or a .json file");
  }
  const found = await readJson(io, word);
  if (!found.ok || isOptions(found.value)) return found;
  return failed(`${word} holds no options`, 'write {"version": 1, "choices": {...}}');
}

function isOptions(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { version, choices } = value;
  if (version !== 1 || !isRecord(choices)) return false;
  return Object.values(choices).every((v) => ["number", "string", "boolean"].includes(typeof v));
}

/** The profile of a name or a file. */
export async function readProfile(io: Io, word: string): Promise<Outcome<DeviceProfile>> {
  const named = Object.hasOwn(namedProfiles, word) ? namedProfiles[word] : undefined;
  if (named !== undefined) return success(named);
  const names = Object.keys(namedProfiles);
  if (!word.endsWith(".json")) {
    const meant = didYouMean(word, names);
    return failed(
      `there is no profile ${word}`,
      meant === undefined
        ? `write one of ${names.join(", ")}, or a .json file`
        : `did you mean ${meant}?`,
    );
  }
  const found = await readJson(io, word);
  if (!found.ok) return found;
  const bad = difference(found.value, baselineProfile, "");
  if (bad === null) return success(found.value as DeviceProfile);
  return failed(`${word} is no profile: ${bad}`, "start from the output of tc-compile info --json");
}

/** What keeps a value from having the fields and types of the model; null if nothing does. */
function difference(value: unknown, model: unknown, path: string): string | null {
  if (model === null) return null;
  if (!isRecord(model)) {
    return typeof value === typeof model ? null : `${path} must be a ${typeof model}`;
  }
  if (!isRecord(value)) return `${path || "it"} must be an object`;
  for (const [key, part] of Object.entries(model)) {
    const found = difference(value[key], part, path === "" ? key : `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
