import { didYouMean } from "../../support/edit-distance.ts";
import type { Context } from "../context.ts";
import { type ExitKind, failed, type Outcome, success } from "../failure.ts";
import { type ShellName, shellNames } from "../flags.ts";
import { commandHelps } from "../help.ts";
import { bashCompletions } from "./bash.ts";
import { type CompletionTable, completionTable } from "./completion-table.ts";
import { fishCompletions } from "./fish.ts";
import { pwshCompletions } from "./pwsh.ts";
import { zshCompletions } from "./zsh.ts";

const scripts: Readonly<Record<ShellName, (table: CompletionTable) => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
  pwsh: pwshCompletions,
};

function complaint(words: readonly string[]): string {
  const [word] = words;
  if (word === undefined) return "no shell";
  if (words.length > 1) return `completions takes one shell, not ${words.length}`;
  return `there are no completions for ${word}`;
}

/** `tc-compile completions SHELL`: a script that completes commands, flags and their values. */
export async function completions({ line, report, tools }: Context): Promise<Outcome<ExitKind>> {
  const [word = ""] = line.files;
  const shell = shellNames.find((name) => name === word);
  if (shell === undefined || line.files.length > 1) {
    const meant = didYouMean(word, shellNames);
    return failed(
      complaint(line.files),
      shell !== undefined
        ? "run it once for each shell"
        : meant === undefined
          ? `write one of ${shellNames.join(", ")}`
          : `did you mean ${meant}?`,
    );
  }
  const codes = (await tools.explanations()).map(({ code }) => code);
  const text = scripts[shell](completionTable(codes, commandHelps));
  report.data(text);
  report.record("output", { stage: "completions", name: shell, text });
  return success("fine");
}
