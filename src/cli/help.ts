import { type CommandName, commandNames, flagsOf } from "./flags.ts";
import { generatorNames } from "./generators.ts";

/** What to type, and what it does. Each is run by a test, where mm.tc is a matrix product. */
export const examples: Readonly<Record<CommandName, readonly (readonly [string, string])[]>> = {
  build: [
    ["tc-compile mm.tc --size M=512,N=512,K=512", "WGSL on stdout"],
    ["tc-compile mm.tc -o out --emit wgsl,js,dts", "files, to use in a program"],
    ["tc-compile mm.tc -o mm.js --profile nvidia,gpu", "a plan for each; it chooses"],
  ],
  check: [
    ["tc-compile check *.tc", "what is wrong with them"],
    ["tc-compile check mm.tc --fix", "and repair what is safe"],
    ["tc-compile check mm.tc --validate", "and check the generated WGSL"],
  ],
  run: [
    ["tc-compile run mm.tc --in 'A=randn(1),B=b.npy'", "execute it"],
    ["tc-compile run mm.tc --out C=c.npy --verify", "check and keep the result"],
  ],
  tune: [
    ["tc-compile tune mm.tc --report mm.html", "find better options"],
    ["tc-compile tune mm.tc --budget 2s --options-out mm.json", "keep them in a file"],
  ],
  bench: [
    ["tc-compile bench mm.tc --save base.json", "time some options"],
    ["tc-compile bench mm.tc --compare base.json --fail-over 90%", "exit 5 if so"],
  ],
  db: [
    ["tc-compile db ls", "what was tuned"],
    ["tc-compile db export mm.jsonl", "take it elsewhere"],
  ],
  fmt: [
    ["tc-compile fmt *.tc", "rewrite them in the one style"],
    ["tc-compile fmt --check mm.tc", "exit 1 if it would change"],
  ],
  explain: [
    ["tc-compile explain TC2003", "what a code means"],
    ["tc-compile explain", "all codes"],
  ],
  info: [["tc-compile info", "versions and the device in use"]],
  play: [["tc-compile play mm.tc", "see and change it in a browser"]],
  completions: [["tc-compile completions bash", "a script, with its use"]],
};

const usages: Readonly<Record<CommandName, readonly [string, string]>> = {
  build: ["tc-compile [build] FILE|-", "compile to WGSL"],
  check: ["tc-compile check FILE...", "report mistakes, compile nothing"],
  run: ["tc-compile run FILE|-", "compile and execute"],
  tune: ["tc-compile tune FILE", "search for the best options on this device"],
  bench: ["tc-compile bench FILE", "time default, tuned and naive options"],
  db: ["tc-compile db ACTION [FILE...]", "see and move what tuning remembers"],
  fmt: ["tc-compile fmt FILE...|-", "rewrite in the one style"],
  explain: ["tc-compile explain [CODE]", "show what a code means"],
  info: ["tc-compile info", "show versions and the device in use"],
  play: ["tc-compile play [FILE]", "serve the playground on this machine"],
  completions: ["tc-compile completions SHELL", "print a script: bash zsh fish pwsh"],
};

/** What each command does, in a few words. */
export const commandHelps: Readonly<Record<CommandName, string>> = {
  build: usages.build[1],
  check: usages.check[1],
  run: usages.run[1],
  tune: usages.tune[1],
  bench: usages.bench[1],
  db: usages.db[1],
  fmt: usages.fmt[1],
  explain: usages.explain[1],
  info: usages.info[1],
  play: usages.play[1],
  completions: usages.completions[1],
};

/** What `--emit` makes. */
const stages =
  "Stages:\n" +
  "  wgsl  the kernels           js   a module that runs them, needs nothing else\n" +
  "  json  the plan as data      dts  the types of that module\n" +
  "  ast program options schedule passes kernel   what the compiler works on\n" +
  "  facts what the kernels ask of a GPU, a table; with --json all of it\n";

/** What `db` does. */
const actions =
  "Actions:\n" +
  "  ls             what was tuned, where, and what it gained\n" +
  "  show [KEY]     the options of entries whose key begins so\n" +
  "  merge FILE...  take in the records of other files\n" +
  "  export FILE    write the records to a file; import FILE: merge, of one\n" +
  "  prune          drop what is of no use any more\n";

const exits =
  "Exit codes: 0 fine, 1 errors in the source, 2 usage or input, 3 no usable\n" +
  "adapter, 4 wrong result, 5 slower, 6 not decided, 70 internal error, 130\n" +
  "interrupted.\n";

/** The examples of general help: one of each command but the last, two of the first. */
function shortExamples(): readonly (readonly [string, string])[] {
  const [first, ...others] = commandNames.map((name) => examples[name]);
  return [...(first ?? []), ...others.map((list) => list[0])].flatMap((one) =>
    one === undefined ? [] : [one],
  );
}

/** The help of a command, or of all; at most 80 columns, examples first. */
export function helpText(command: CommandName | null): string {
  const commands = command === null ? commandNames : [command];
  const shown = command === null ? shortExamples() : examples[command];
  const sections = [
    `Examples:\n${table(shown)}`,
    `Usage:\n${table(commands.map((name) => usages[name]))}`,
    ...(command === null
      ? ["`tc-compile COMMAND --help` lists the flags of a command.\n"]
      : [`Flags:\n${table(flagRows(command))}`]),
    ...(command === "build" ? [stages] : []),
    ...(command === "run" || command === "bench" ? [inputs()] : []),
    ...(command === "db" ? [actions] : []),
    exits,
  ];
  return sections.join("\n");
}

function flagRows(command: CommandName): readonly (readonly [string, string])[] {
  return flagsOf(command).map(([name, { short, value, help }]) => {
    const letter = short === undefined ? "" : `-${short}, `;
    return [`${letter}--${name}${value === undefined ? "" : ` ${value}`}`, help] as const;
  });
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}

function inputs(): string {
  const lines = [generatorNames.slice(0, 4), generatorNames.slice(4)];
  const text = lines.map((names) => `  ${names.join("  ")}\n`).join("");
  return `Inputs: a .npy file, a number, or\n${text}`;
}
