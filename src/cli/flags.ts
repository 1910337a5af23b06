/** The flags: what they are called, what they take, and which commands have them. */
import { namedProfiles } from "../support/device-profile.ts";
import { policyNames } from "../support/mapping-file.ts";

export const commandNames = [
  "build",
  "check",
  "run",
  "tune",
  "bench",
  "db",
  "fmt",
  "explain",
  "info",
  "play",
  "completions",
] as const;

export type CommandName = (typeof commandNames)[number];

/** What `--emit` makes. */
export const stageNames = [
  "wgsl",
  "js",
  "dts",
  "json",
  "ast",
  "program",
  "options",
  "schedule",
  "passes",
  "kernel",
  "facts",
] as const;

export type StageName = (typeof stageNames)[number];

export const formatNames = ["human", "short", "json", "github"] as const;

export type FormatName = (typeof formatNames)[number];

export const colourNames = ["auto", "always", "never"] as const;

export type ColourName = (typeof colourNames)[number];

/** The shells that `completions` knows. */
export const shellNames = ["bash", "zsh", "fish", "pwsh"] as const;

export type ShellName = (typeof shellNames)[number];

/** How much tuning may spend. */
export const effortNames = ["refine", "quick", "normal", "full"] as const;

/** What `db` does. */
export const dbActions = ["ls", "show", "merge", "export", "import", "prune"] as const;

export type DbAction = (typeof dbActions)[number];

/** Flags that there will be: why not yet, and what to do instead. */
export const laterFlags: Readonly<Record<string, readonly [why: string, next: string]>> = {
  symbolic: [
    "sizes cannot be symbolic yet: each is a constant of the compiled text",
    "leave it out, and compile once for each size with --size",
  ],
};

export interface Flag {
  readonly short?: string;
  /** What stands for its value in help; absent for a flag that is on or off. */
  readonly value?: string;
  /** Words that its value may be; there may be others. */
  readonly words?: readonly string[];
  /** Its value may be a path. */
  readonly path?: true;
  readonly commands: readonly CommandName[];
  /** At most 44 columns, so that help fits into 80. */
  readonly help: string;
}

const compiling = ["build", "check", "run"] as const;
const sized = [...compiling, "tune", "bench"] as const;

export type FlagName =
  | "def"
  | "size"
  | "layout"
  | "options"
  | "profile"
  | "emit"
  | "output"
  | "in"
  | "out"
  | "dump"
  | "values"
  | "adapter"
  | "verify"
  | "verify-budget"
  | "rtol"
  | "atol"
  | "find-nonfinite"
  | "effort"
  | "budget"
  | "seed"
  | "approximate"
  | "report"
  | "options-out"
  | "lock"
  | "locked"
  | "tune"
  | "compare"
  | "fail-over"
  | "save"
  | "db"
  | "time"
  | "trace"
  | "fix"
  | "validate"
  | "check"
  | "port"
  | "watch"
  | "format"
  | "json"
  | "color"
  | "quiet"
  | "verbose"
  | "help"
  | "version";

/** What each flag is. */
export const flags: Readonly<Record<FlagName, Flag>> = {
  def: { value: "NAME", commands: sized, help: "the definition to take" },
  size: {
    value: "M=8,N=9",
    commands: sized,
    help: "sizes, over `#! sizes` and inputs' shapes",
  },
  layout: {
    value: "A=(1,8)+4",
    commands: ["build"],
    help: "strides of views; +4: at a multiple of 4",
  },
  options: {
    value: "POLICY|FILE",
    words: [...policyNames, "tuned"],
    path: true,
    commands: compiling,
    help: "how to map it to the device: default, ...",
  },
  profile: {
    value: "NAME|FILE,...",
    words: Object.keys(namedProfiles),
    path: true,
    commands: compiling,
    help: "device to compile for: baseline, gpu, ...",
  },
  emit: {
    value: "STAGE,...",
    words: stageNames,
    commands: ["build"],
    help: "what to make; see below",
  },
  output: {
    short: "o",
    value: "FILE|FOLDER",
    path: true,
    commands: ["build"],
    help: "write files",
  },
  in: { value: "A=INPUT", commands: ["run", "bench"], help: "a.npy, 0.5, zeros, randn(1), ..." },
  out: { value: "C=c.npy", commands: ["run"], help: "write an output" },
  dump: { value: "T=t.npy", commands: ["run"], help: "write a temporary; T alone: to T.npy" },
  values: {
    value: "COUNT|all",
    words: ["all"],
    commands: ["run"],
    help: "longest output in JSON, by default 1000",
  },
  adapter: {
    value: "NAME",
    words: ["auto", "gpu", "software", "reference"],
    commands: ["build", "run", "tune", "bench", "info"],
    help: "auto, gpu, software, reference, part of name",
  },
  verify: { commands: ["run"], help: "compare with the float64 reference" },
  "verify-budget": { value: "10s", commands: ["run"], help: "time for it; then a sample" },
  rtol: { value: "1e-5", commands: ["run"], help: "verify: allow this part of each element" },
  atol: { value: "1e-6", commands: ["run"], help: "verify: allow this much" },
  "find-nonfinite": { commands: ["run"], help: "what made the first NaN or infinity" },
  time: { commands: ["run"], help: "how long each kernel takes" },
  trace: {
    value: "FILE",
    path: true,
    commands: ["run"],
    help: "the same for chrome://tracing, as .json",
  },
  tune: { commands: ["run"], help: "try some options first; remember the best" },
  effort: {
    value: "NAME",
    words: effortNames,
    commands: ["run", "tune"],
    help: "refine, quick, normal, full: how much to try",
  },
  budget: { value: "60s", commands: ["run", "tune"], help: "time for it, over that of the effort" },
  seed: { value: "NUMBER", commands: ["tune"], help: "of what is tried, by default 1" },
  approximate: { commands: ["tune"], help: "alternatives marked approximate, too" },
  report: {
    value: "FILE",
    path: true,
    commands: ["tune"],
    help: "a page (.html) or its data (.json)",
  },
  "options-out": {
    value: "FILE",
    path: true,
    commands: ["tune"],
    help: "write the best, for --options",
  },
  lock: { commands: ["tune"], help: "write the best into tc.lock.json" },
  locked: { commands: ["build"], help: "take the options of tc.lock.json, or fail" },
  compare: { value: "FILE", path: true, commands: ["bench"], help: "times that --save wrote" },
  "fail-over": { value: "5%", commands: ["bench"], help: "exit 5 if more than that is lost" },
  save: { value: "FILE", path: true, commands: ["bench"], help: "write the times, as JSON" },
  db: {
    value: "FILE",
    path: true,
    commands: ["build", "run", "tune", "bench", "db", "play"],
    help: "what is remembered; else your own cache",
  },
  fix: { commands: ["check"], help: "make the changes that are safe" },
  validate: { commands: ["check"], help: "compile, and let Dawn check the WGSL" },
  check: { commands: ["fmt"], help: "name files that would change; write none" },
  port: { value: "NUMBER", commands: ["play"], help: "where to serve it; else any port" },
  watch: { short: "w", commands: compiling, help: "again whenever a file changes" },
  format: {
    value: "STYLE",
    words: formatNames,
    commands: commandNames,
    help: formatNames.join(", "),
  },
  json: { commands: commandNames, help: "lines of JSON on stdout" },
  color: {
    value: colourNames.join("|"),
    words: colourNames,
    commands: commandNames,
    help: "colours",
  },
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
