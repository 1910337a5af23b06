/** What can be completed, from the tables of commands and flags: the same for all shells. */
import { commandNames, dbActions, type Flag, flags, flagsOf, shellNames } from "../flags.ts";

/** A command with what may follow it. */
export interface CompletedCommand {
  readonly name: string;
  readonly help: string;
  readonly flags: readonly CompletedFlag[];
  /** The words that it takes, or `null` for source files. */
  readonly words: readonly string[] | null;
}

export interface CompletedFlag {
  /** Without dashes. */
  readonly name: string;
  readonly short: string | null;
  readonly help: string;
  readonly value: CompletedValue | null;
}

/** What may stand for a value. */
export interface CompletedValue {
  readonly words: readonly string[];
  readonly paths: boolean;
  /** Several words, with commas between them. */
  readonly list: boolean;
}

export interface CompletionTable {
  readonly commands: readonly CompletedCommand[];
  /** All flags with values. */
  readonly valued: readonly (CompletedFlag & { readonly value: CompletedValue })[];
}

/** @param codes what `explain` takes. */
export function completionTable(
  codes: readonly string[],
  helps: Readonly<Record<string, string>>,
): CompletionTable {
  const words: Readonly<Record<string, readonly string[]>> = {
    explain: codes,
    completions: shellNames,
    db: dbActions,
    info: [],
  };
  const all = Object.entries(flags).map(([name, flag]) => completedFlag(name, flag));
  return {
    commands: commandNames.map((name) => ({
      name,
      help: helps[name] ?? "",
      flags: flagsOf(name).map(([flag, entry]) => completedFlag(flag, entry)),
      words: words[name] ?? null,
    })),
    valued: all.flatMap((flag) => (flag.value === null ? [] : [{ ...flag, value: flag.value }])),
  };
}

function completedFlag(name: string, { short, value, words, path, help }: Flag): CompletedFlag {
  return {
    name,
    short: short ?? null,
    help,
    value:
      value === undefined
        ? null
        : { words: words ?? [], paths: path === true, list: value.endsWith(",...") },
  };
}
