/** The flags: what they are called, what they take, and which commands have them. */

export const commandNames = ["build", "check", "run", "info"] as const;

export type CommandName = (typeof commandNames)[number];

export const stageNames = [
  "wgsl",
  "json",
  "ast",
  "program",
  "options",
  "schedule",
  "kernel",
] as const;

export type StageName = (typeof stageNames)[number];

export const formatNames = ["human", "short", "json", "github"] as const;

export type FormatName = (typeof formatNames)[number];

export const colourNames = ["auto", "always", "never"] as const;

export type ColourName = (typeof colourNames)[number];

interface Flag {
  readonly short?: string;
  /** What stands for its value in help; absent for a flag that is on or off. */
  readonly value?: string;
  readonly commands: readonly CommandName[];
  /** At most 44 columns, so that help fits into 80. */
  readonly help: string;
}

const compiling = ["build", "check", "run"] as const;

export type FlagName =
  | "def"
  | "size"
  | "options"
  | "profile"
  | "emit"
  | "output"
  | "in"
  | "out"
  | "adapter"
  | "verify"
  | "verify-budget"
  | "format"
  | "json"
  | "color"
  | "quiet"
  | "verbose"
  | "help"
  | "version";

/** What each flag is. */
export const flags: Readonly<Record<FlagName, Flag>> = {
  def: { value: "NAME", commands: compiling, help: "the definition to take" },
  size: {
    value: "M=8,N=9",
    commands: compiling,
    help: "sizes, over `#! sizes` and inputs' shapes",
  },
  options: {
    value: "default|naive|FILE",
    commands: ["build", "run"],
    help: "how to map it to the device; a JSON file",
  },
  profile: {
    value: "NAME|FILE",
    commands: ["build", "run"],
    help: "device to compile for: baseline, gpu, ...",
  },
  emit: { value: "STAGE,...", commands: ["build"], help: stageNames.join(" ") },
  output: { short: "o", value: "FILE|FOLDER", commands: ["build"], help: "write files" },
  in: { value: "A=INPUT", commands: ["run"], help: "a.npy, 0.5, zeros, randn(1), ..." },
  out: { value: "C=c.npy", commands: ["run"], help: "write an output" },
  adapter: {
    value: "NAME",
    commands: ["run", "info"],
    help: "auto, gpu, software, reference, part of name",
  },
  verify: { commands: ["run"], help: "compare with the float64 reference" },
  "verify-budget": { value: "10s", commands: ["run"], help: "time for it; then a sample" },
  format: { value: "STYLE", commands: commandNames, help: formatNames.join(", ") },
  json: { commands: commandNames, help: "lines of JSON on stdout" },
  color: { value: colourNames.join("|"), commands: commandNames, help: "colours" },
  quiet: { short: "q", commands: commandNames, help: "say less on stderr" },
  verbose: { short: "v", commands: commandNames, help: "say more on stderr" },
  help: { short: "h", commands: commandNames, help: "this help" },
  version: { short: "V", commands: commandNames, help: "the version" },
};

/** The flags of a command. */
export function flagsOf(command: CommandName): readonly (readonly [FlagName, Flag])[] {
  const all = Object.entries(flags) as [FlagName, Flag][];
  return all.filter(([, flag]) => flag.commands.includes(command));
}
