import type { CompletedFlag, CompletionTable } from "./completion-table.ts";

/** A script for fish. */
export function fishCompletions({ commands }: CompletionTable): string {
  const names = commands.map(({ name }) => name).join(" ");
  const none = `not __fish_seen_subcommand_from ${names}`;
  const lines = commands.flatMap(({ name, help, flags, words }) => {
    const here = `__fish_seen_subcommand_from ${name}`;
    const when = name === "build" ? `${here}; or ${none}` : here;
    return [
      "",
      `complete -c tc-compile -n ${quoted(none)} -a ${name} -d ${quoted(help)}`,
      ...(words === null
        ? []
        : [`complete -c tc-compile -f -n ${quoted(here)} -a ${quoted(words.join(" "))}`]),
      ...flags.map((flag) => `complete -c tc-compile -n ${quoted(when)} ${flagOf(flag)}`),
    ];
  });
  return `# Completions of tc-compile for fish:
#   tc-compile completions fish > ~/.config/fish/completions/tc-compile.fish
${lines.join("\n")}
`;
}

function flagOf({ name, short, help, value }: CompletedFlag): string {
  const parts = [
    ...(short === null ? [] : [`-s ${short}`]),
    `-l ${name}`,
    ...(value === null ? [] : [value.paths ? "-r" : "-x"]),
    ...(value === null || value.words.length === 0 ? [] : [`-a ${quoted(value.words.join(" "))}`]),
    `-d ${quoted(help)}`,
  ];
  return parts.join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
