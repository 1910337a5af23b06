import type { CompletedValue, CompletionTable } from "./completion-table.ts";

/** A script for bash, 3.2 or later. */
export function bashCompletions({ commands, valued }: CompletionTable): string {
  const names = commands.map(({ name }) => name);
  const values = valued.map(({ name, short, value }) => {
    const pattern = short === null ? `--${name}` : `--${name}|-${short}`;
    return `    ${pattern}) ${completeValue(value)} ;;\n`;
  });
  const flags = commands.map(({ name, flags: own }) => {
    const words = own.flatMap((f) => [`--${f.name}`, ...(f.short === null ? [] : [`-${f.short}`])]);
    return `      ${name}) words='${words.join(" ")}' ;;\n`;
  });
  const rest = commands.map(({ name, words }) => {
    return words === null ? "" : `      ${name}) words='${words.join(" ")}' paths= ;;\n`;
  });
  return `# Completions of tc-compile for bash. In ~/.bashrc:
#   eval "$(tc-compile completions bash)"
_tc_compile() {
  local IFS=$' \\t\\n'
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command= words= paths= head= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      ${names.join("|")}) command=$word; break ;;
    esac
  done
  case $previous in
${values.join("")}    *) previous= ;;
  esac
  if [[ -z $previous && $current == -* ]]; then
    case \${command:-build} in
${flags.join("")}    esac
  elif [[ -z $previous ]]; then
    paths=1
    case $command in
      '') words='${names.join(" ")}' ;;
${rest.join("")}    esac
  fi
  COMPREPLY=($(compgen -P "$head" -W "$words" -- "\${current#"$head"}"))
  if [[ -n $paths ]]; then
    IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$current"))
    type compopt > /dev/null 2>&1 && compopt -o filenames 2> /dev/null
  fi
}
complete -F _tc_compile tc-compile
`;
}

function completeValue({ words, paths, list }: CompletedValue): string {
  const parts = [
    `words='${words.join(" ")}'`,
    ...(paths ? ["paths=1"] : []),
    ...(list ? [`[[ $current == *,* ]] && head=\${current%,*},`] : []),
  ];
  return parts.join("; ");
}
