import type { CompileRequest, SourceOutline, Toolchain } from "./api.ts";
import { chooseDefinition } from "./choose-definition.ts";
import type { CommandLine } from "./command-line.ts";
import { type Outcome, success } from "./failure.ts";
import type { Io } from "./io.ts";
import { readOneSource, readOptions, readProfile, type SourceFile } from "./read-files.ts";
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
  readonly request: CompileRequest;
}

/** Reads the source file, options and profile that a command line names. */
export async function readJob({ io, line, tools }: Context): Promise<Outcome<Job>> {
  const file = await readOneSource(io, line);
  if (!file.ok) return file;
  const options = await readOptions(io, line);
  if (!options.ok) return options;
  const profile = line.profile === null ? null : await readProfile(io, line.profile);
  if (profile !== null && !profile.ok) return profile;
  const outline = tools.outline(file.value.source);
  const def = chooseDefinition(outline.definitions, line.def);
  if (!def.ok) return def;
  const request: CompileRequest = {
    file: file.value.file,
    sizes: line.sizes,
    options: options.value,
    ...(def.value === undefined ? {} : { def: def.value }),
    ...(profile === null ? {} : { profile: profile.value }),
  };
  return success({ ...file.value, outline, request });
}

/** `M=512 N=512`, or nothing. */
export function sizesText(sizes: Readonly<Record<string, number>>): string {
  return Object.entries(sizes)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
