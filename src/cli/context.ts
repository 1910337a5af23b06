import type { DeviceProfile } from "../support/device-profile.ts";
import type { CompileRequest, SourceOutline, Toolchain } from "./api.ts";
import { chooseDefinition } from "./choose-definition.ts";
import type { CommandLine } from "./command-line.ts";
import { type Outcome, success } from "./failure.ts";
import type { Io } from "./io.ts";
import { readOneSource, readOptions, readProfiles, type SourceFile } from "./read-files.ts";
import type { Reporter } from "./reporter.ts";

/** What a command works with. */
export interface Context {
  readonly io: Io;
  readonly line: CommandLine;
  readonly report: Reporter;
  readonly tools: Toolchain;
}

/** A source text with all that its compilation needs. */
export interface Job extends SourceFile {
  readonly outline: SourceOutline;
  /** For the first of the profiles. */
  readonly request: CompileRequest;
  /** Empty where none is named. */
  readonly profiles: readonly DeviceProfile[];
}

/** Reads the source file, options and profiles that a command line names. */
export async function readJob({ io, line, tools }: Context): Promise<Outcome<Job>> {
  const file = await readOneSource(io, line);
  if (!file.ok) return file;
  const options = await readOptions(io, line);
  if (!options.ok) return options;
  const profiles = await readProfiles(io, line);
  if (!profiles.ok) return profiles;
  const [profile] = profiles.value;
  const outline = tools.outline(file.value.source);
  const def = chooseDefinition(outline.definitions, line.def);
  if (!def.ok) return def;
  const request: CompileRequest = {
    file: file.value.file,
    sizes: line.sizes,
    options: options.value,
    ...(def.value === undefined ? {} : { def: def.value }),
    ...(profile === undefined ? {} : { profile }),
  };
  return success({ ...file.value, outline, request, profiles: profiles.value });
}

/** `M=512 N=512`, or nothing. */
export function sizesText(sizes: Readonly<Record<string, number>>): string {
  return Object.entries(sizes)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
