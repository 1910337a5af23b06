import type { CompletedFlag, CompletedValue, CompletionTable } from "./completion-table.ts";

/** A script for zsh. */
export function zshCompletions({ commands, valued }: CompletionTable): string {
  const values = valued.map(({ name, short, value }) => {
    const pattern = short === null ? `--${name}` : `--${name}|-${short}`;
    return `    ${pattern}) ${completeValue(value)}; return ;;\n`;
  });
  const flags = commands.map(({ name, flags: own }) => {
    const lines = own.flatMap(described).map((one) => `          ${quoted(one)}\n`);
    return `        ${name}) flags=(\n${lines.join("")}        ) ;;\n`;
  });
  const rest = commands.map(({ name, words }) => {
    if (words === null) return "";
    return `      ${name}) ${words.length === 0 ? "" : `compadd -- ${words.join(" ")}`} ;;\n`;
  });
  const names = commands.map(({ name, help }) => `          ${quoted(`${name}:${help}`)}\n`);
  return `#compdef tc-compile
# Completions of tc-compile for zsh. In ~/.zshrc, after compinit:
#   eval "$(tc-compile completions zsh)"
_tc_compile() {
  local command= word previous=\${words[CURRENT-1]}
  local -a flags names
  for word in \${words[2,CURRENT-1]}; do
    case $word in
      ${commands.map(({ name }) => name).join("|")}) command=$word; break ;;
    esac
  done
  case $previous in
${values.join("")}  esac
  if [[ $PREFIX == -* ]]; then
    case \${command:-build} in
${flags.join("")}    esac
    _describe -o flag flags
    return
  fi
  case $command in
      '')
        names=(
${names.join("")}        )
        _describe command names
        _files -g '*.tc' ;;
${rest.join("")}      *) _files -g '*.tc' ;;
  esac
}
compdef _tc_compile tc-compile
`;
}

function completeValue({ words, paths, list }: CompletedValue): string {
  const parts = [
    ...(list ? ["compset -P '*,'"] : []),
    ...(words.length > 0 ? [`compadd -- ${words.join(" ")}`] : []),
    ...(paths ? ["_files"] : []),
  ];
  return parts.length === 0 ? ":" : parts.join("; ");
}

function described({ name, short, help }: CompletedFlag): readonly string[] {
  const text = help.replaceAll(":", "\\:");
  return [`--${name}:${text}`, ...(short === null ? [] : [`-${short}:${text}`])];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
