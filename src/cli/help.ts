import { type CommandName, flagsOf } from "./flags.ts";
import { generatorNames } from "./generators.ts";

const examples: Readonly<Record<CommandName, readonly (readonly [string, string])[]>> = {
  build: [
    ["tc-compile mm.tc --size M=512,N=512,K=512", "WGSL on stdout"],
    ["tc-compile mm.tc -o out --emit wgsl,json", "files"],
  ],
  check: [
    ["tc-compile check *.tc", "what is wrong with them"],
    ["tc-compile check mm.tc --format short", "one line each"],
  ],
  run: [
    ["tc-compile run mm.tc --in 'A=randn(1),B=b.npy'", "execute it"],
    ["tc-compile run mm.tc --out C=c.npy --verify", "check and keep the result"],
  ],
  info: [["tc-compile info", "versions and the device in use"]],
};

const usages: Readonly<Record<CommandName, readonly [string, string]>> = {
  build: ["tc-compile [build] FILE|-", "compile to WGSL"],
  check: ["tc-compile check FILE...", "report mistakes, compile nothing"],
  run: ["tc-compile run FILE|-", "compile and execute"],
  info: ["tc-compile info", "show versions and the device in use"],
};

const exits =
  "Exit codes: 0 fine, 1 errors in the source, 2 usage or input, 3 no usable\n" +
  "adapter, 4 wrong result, 70 internal error, 130 interrupted.\n";

/** The help of a command, or of all; at most 80 columns, examples first. */
export function helpText(command: CommandName | null): string {
  const commands = command === null ? (Object.keys(usages) as CommandName[]) : [command];
  const sections = [
    `Examples:\n${table(commands.flatMap((name) => examples[name]))}`,
    `Usage:\n${table(commands.map((name) => usages[name]))}`,
    ...(command === null
      ? ["`tc-compile COMMAND --help` lists the flags of a command.\n"]
      : [`Flags:\n${table(flagRows(command))}`]),
    ...(command === "run" ? [inputs()] : []),
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
