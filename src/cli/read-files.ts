import { baselineProfile, type DeviceProfile, namedProfiles } from "../support/device-profile.ts";
import { didYouMean } from "../support/edit-distance.ts";
import { mappingFault, policyNames } from "../support/mapping-file.ts";
import { own } from "../support/own.ts";
import type { CommandLine } from "./command-line.ts";
import { failed, type Outcome, success } from "./failure.ts";
import { commandNames } from "./flags.ts";
import type { Io } from "./io.ts";

/** A source text and the name to call it by. */
export interface SourceFile {
  readonly file: string;
  readonly source: string;
}

/** The longest source text, in bytes: more is some other file. */
const longestSource = 16 * 2 ** 20;

/** Reads a source file; `-` is standard input. */
export async function readSource(io: Io, path: string): Promise<Outcome<SourceFile>> {
  if (path === "")
    return failed("the name of a source file is empty", "give a file with definitions");
  if (path === "-") return decoded("<stdin>", await io.readStdin());
  const bytes = await readBytes(io, path);
  return bytes.ok ? decoded(path, bytes.value) : bytes;
}

function decoded(file: string, bytes: Uint8Array): Outcome<SourceFile> {
  if (bytes.length > longestSource) {
    const size = `${Math.ceil(bytes.length / 2 ** 20)} MiB`;
    return failed(
      `${file} is no source text: it has ${size}`,
      `give a file with definitions, of at most ${longestSource / 2 ** 20} MiB`,
    );
  }
  if (bytes.includes(0)) {
    return failed(`${file} is not a text`, "give a file with definitions, saved as UTF-8");
  }
  const text = decode(bytes);
  if (text !== null) return success({ file, source: text });
  const line = lineOfFault(bytes);
  return failed(`${file} is not UTF-8: line ${line}`, "save it as UTF-8, without other encodings");
}

/** The text of UTF-8 bytes; null if they are none. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The first line that is not UTF-8, from 1. */
function lineOfFault(bytes: Uint8Array): number {
  let line = 1;
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    if (decode(bytes.subarray(start, end)) === null) return line;
    line += 1;
    start = end + 1;
  }
  return line;
}

/** The only file of a command that takes one. */
export async function readOneSource(
  io: Io,
  { command, named, files }: Pick<CommandLine, "command" | "named" | "files">,
): Promise<Outcome<SourceFile>> {
  const [path, second] = files;
  if (path === undefined) {
    return failed("no source file", `write tc-compile ${command} FILE.tc, or - for standard input`);
  }
  const meant = named ? undefined : didYouMean(path, commandNames);
  if (second !== undefined) {
    if (meant !== undefined) return noCommand(path, meant);
    return failed(`${command} takes one file, not ${files.length}`, "run it once for each file");
  }
  const read = await readSource(io, path);
  return read.ok || meant === undefined ? read : noCommand(path, meant);
}

function noCommand(word: string, meant: string): ReturnType<typeof failed> {
  return failed(`there is no command ${word}`, `did you mean ${meant}?`);
}

/** The bytes of a file. */
export async function readBytes(io: Io, path: string): Promise<Outcome<Uint8Array>> {
  try {
    return success(await io.readFile(path));
  } catch (error) {
    const [reason, next] = reasonOf(error) ?? ["", "check the path"];
    return failed(`cannot read ${path}: ${reason || textOf(error)}`, next);
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
    const [reason] = reasonOf(error) ?? [""];
    const next = "choose a place that can be written";
    return failed(`cannot write ${path}: ${reason || textOf(error)}`, next);
  }
}

/** What the system says, and what its user can do about it. */
const reasons: Readonly<Record<string, readonly [reason: string, next: string]>> = {
  ENOENT: ["there is no such file", "check the path"],
  ENOTDIR: ["a part of the path is a file, not a folder", "check the path"],
  EISDIR: ["it is a folder", "give a file"],
  EACCES: ["permission denied", "change its permissions, or choose another file"],
  EPERM: ["permission denied", "change its permissions, or choose another file"],
  EROFS: ["its disk is read-only", "choose another place"],
  ENOSPC: ["the disk is full", "make room"],
  EMFILE: ["too many files are open", "close some programs"],
  ELOOP: ["its links lead in a circle", "check the path"],
  ENAMETOOLONG: ["its name is too long", "choose a shorter one"],
  ERR_FS_FILE_TOO_LARGE: ["it is larger than 2 GiB", "give a smaller file"],
};

function reasonOf(error: unknown): readonly [reason: string, next: string] | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return own(reasons, code);
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ");
}

/** What a file of JSON holds. */
export async function readJson(io: Io, path: string): Promise<Outcome<unknown>> {
  const bytes = await readBytes(io, path);
  return bytes.ok ? jsonOf(new TextDecoder().decode(bytes.value), path, "correct the file") : bytes;
}

/** What a text of JSON says; `name` and `next` are for who gave another one. */
function jsonOf(text: string, name: string, next: string): Outcome<unknown> {
  try {
    return success(JSON.parse(text));
  } catch (error) {
    return failed(`${name} is not JSON: ${textOf(error)}`, next);
  }
}

/** What `--options` stands for: a policy's name, a mapping in JSON, or the content of a file. */
export async function readOptions(
  io: Io,
  { options: word, command }: Pick<CommandLine, "options" | "command">,
): Promise<Outcome<unknown>> {
  if (policyNames.some((name) => name === word)) return success(word);
  // Whoever knows the device puts what is remembered for it in its place.
  if (word === "tuned" && command !== "check") return success(word);
  if (word === "tuned") {
    return failed(
      "check knows no device, for which options could be tuned",
      "write --options default, or give a .json file",
    );
  }
  const isText = word.trimStart().startsWith("{");
  if (!isText && !word.endsWith(".json")) {
    const meant = didYouMean(word, policyNames);
    return failed(
      `--options ${word}: not known`,
      meant === undefined
        ? `write ${policyNames.join(", ")} or a .json file`
        : `did you mean ${meant}?`,
    );
  }
  const found = isText
    ? jsonOf(word, "--options", "quote all of it for your shell, or give a .json file")
    : await readJson(io, word);
  if (!found.ok) return found;
  const bad = mappingFault(found.value);
  if (bad !== null) {
    return failed(
      `${isText ? "--options" : word} holds no options: ${bad}`,
      'tc-compile FILE.tc --emit options prints a whole one; {"version": 2, "kernels": {...}} says a part',
    );
  }
  return found;
}

/** The profiles that a command line names, of which only `build` takes several; none where it names none. */
export async function readProfiles(
  io: Io,
  { profile: list, command }: Pick<CommandLine, "profile" | "command">,
): Promise<Outcome<readonly DeviceProfile[]>> {
  const words = list === null ? [] : list.split(",").map((word) => word.trim());
  if (words.length > 1 && command !== "build") {
    return failed(`${command} takes one profile`, `write --profile ${words[0]}`);
  }
  const profiles: DeviceProfile[] = [];
  for (const word of words) {
    const read = await readProfile(io, word);
    if (!read.ok) return read;
    if (profiles.some(({ name }) => name === read.value.name)) {
      return failed(`--profile names ${read.value.name} twice`, "name each profile once");
    }
    profiles.push(read.value);
  }
  return success(profiles);
}

/** The profile of a name or a file. */
async function readProfile(io: Io, word: string): Promise<Outcome<DeviceProfile>> {
  const named = own(namedProfiles, word);
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
  const bad =
    difference(found.value, baselineProfile, "") ?? widthFault(found.value as DeviceProfile);
  if (bad === null) return success(found.value as DeviceProfile);
  return failed(`${word} is no profile: ${bad}`, "start from the output of tc-compile info --json");
}

/** What is wrong with the size of subgroups that kernels are to ask for; null if nothing is. */
function widthFault({ subgroups }: Partial<DeviceProfile>): string | null {
  const { min = 0, max = 0, width = min } = subgroups ?? {};
  const isPower = Number.isInteger(width) && Number.isInteger(Math.log2(width));
  if (width === min || (isPower && min <= width && width <= max)) return null;
  return `subgroups.width must be a power of two from ${min} to ${max}`;
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
