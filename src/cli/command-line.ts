/** A command line, read and checked: what was asked for. */
import { parseArgs } from "node:util";
import { didYouMean } from "../support/edit-distance.ts";
import { failed, type Outcome, success } from "./failure.ts";
import {
  type ColourName,
  type CommandName,
  colourNames,
  commandNames,
  type FlagName,
  type FormatName,
  flags,
  flagsOf,
  formatNames,
  type StageName,
  stageNames,
} from "./flags.ts";
import { type InputSpec, parseInput } from "./generators.ts";

export interface CommandLine {
  readonly command: CommandName;
  readonly files: readonly string[];
  readonly def: string | null;
  readonly sizes: Readonly<Record<string, number>>;
  readonly inputs: Readonly<Record<string, InputSpec>>;
  /** Paths by output. */
  readonly outs: Readonly<Record<string, string>>;
  /** `default`, `naive` or a path. */
  readonly options: string;
  /** A name or a path. */
  readonly profile: string | null;
  readonly adapter: string;
  readonly emit: readonly StageName[];
  readonly output: string | null;
  readonly verify: boolean;
  readonly verifyBudgetMs: number;
  readonly format: FormatName;
  readonly color: ColourName;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

/** Reads the arguments that follow the program's name. */
export function readCommandLine(args: readonly string[]): Outcome<CommandLine> {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(flags).map(([name, flag]) => [
        name,
        {
          type: "value" in flag ? ("string" as const) : ("boolean" as const),
          ...("short" in flag ? { short: flag.short } : {}),
        },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const given = new Map<FlagName, string[]>();
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const checked = checkFlag(token.name, token.rawName, token.value);
    if (!checked.ok) return checked;
    const values = given.get(checked.value) ?? [];
    given.set(checked.value, [...values, token.value ?? ""]);
  }
  const first = words[0];
  const named = commandNames.find((name) => name === first);
  const command = named ?? "build";
  const files = named === undefined ? words : words.slice(1);
  for (const name of given.keys()) {
    const own = flagsOf(command).map(([flag]) => flag);
    if (own.includes(name)) continue;
    const others = flags[name].commands.join(", ");
    return failed(`${command} has no flag --${name}`, `it belongs to: ${others}`);
  }
  return interpretFlags(command, files, given);
}

function checkFlag(name: string, raw: string, value: string | undefined): Outcome<FlagName> {
  if (!isFlag(name)) {
    const meant = didYouMean(name, Object.keys(flags));
    return failed(
      `unknown flag ${raw}`,
      meant === undefined ? "tc-compile --help lists the flags" : `did you mean --${meant}?`,
    );
  }
  const flag = flags[name];
  if ("value" in flag && (value === undefined || value === "")) {
    return failed(`${raw} needs a value`, `write ${raw} ${flag.value}`);
  }
  if (!("value" in flag) && value !== undefined) {
    return failed(`${raw} takes no value`, `write ${raw}`);
  }
  return success(name);
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(flags, name);
}

type Given = ReadonlyMap<FlagName, readonly string[]>;

function interpretFlags(
  command: CommandName,
  files: readonly string[],
  given: Given,
): Outcome<CommandLine> {
  const last = (name: FlagName): string | null => given.get(name)?.at(-1) ?? null;
  const sizes = readSizes(assignments(given, "size"));
  if (!sizes.ok) return sizes;
  const inputs = readInputs(assignments(given, "in"));
  if (!inputs.ok) return inputs;
  const outs = readPairs("out", assignments(given, "out"));
  if (!outs.ok) return outs;
  const emit = readStages(given.get("emit") ?? []);
  if (!emit.ok) return emit;
  const format = choice("format", last("format") ?? "human", formatNames);
  if (!format.ok) return format;
  const color = choice("color", last("color") ?? "auto", colourNames);
  if (!color.ok) return color;
  const budget = readDuration("verify-budget", last("verify-budget") ?? "10s");
  if (!budget.ok) return budget;
  return success({
    command,
    files,
    def: last("def"),
    sizes: sizes.value,
    inputs: inputs.value,
    outs: Object.fromEntries(outs.value),
    options: last("options") ?? "default",
    profile: last("profile"),
    adapter: last("adapter") ?? "auto",
    emit: emit.value,
    output: last("output"),
    verify: given.has("verify"),
    verifyBudgetMs: budget.value,
    format: given.has("json") ? "json" : format.value,
    color: color.value,
    quiet: given.has("quiet"),
    verbose: given.has("verbose"),
    help: given.has("help"),
    version: given.has("version"),
  });
}

/** The parts of a flag's values between commas that stand outside of parentheses. */
function assignments(given: Given, name: FlagName): readonly string[] {
  return (given.get(name) ?? []).flatMap((value) => value.match(/(?:\([^)]*\)|[^,(])+/g) ?? []);
}

function readPairs(
  flag: FlagName,
  parts: readonly string[],
): Outcome<readonly (readonly [string, string])[]> {
  const pairs: [string, string][] = [];
  for (const part of parts) {
    const match = /^\s*([A-Za-z_]\w*)\s*=\s*(.+?)\s*$/.exec(part);
    if (match === null) {
      const { value } = { value: "", ...flags[flag] };
      return failed(`--${flag} ${part}: NAME=VALUE is expected`, `write --${flag} ${value}`);
    }
    pairs.push([match[1] ?? "", match[2] ?? ""]);
  }
  return success(pairs);
}

function readSizes(parts: readonly string[]): Outcome<Readonly<Record<string, number>>> {
  const pairs = readPairs("size", parts);
  if (!pairs.ok) return pairs;
  const bad = pairs.value.find(([, text]) => !/^-?\d+$/.test(text));
  if (bad !== undefined) {
    return failed(`--size ${bad[0]}=${bad[1]}: not an integer`, "write --size M=8,N=9");
  }
  return success(Object.fromEntries(pairs.value.map(([name, text]) => [name, Number(text)])));
}

function readInputs(parts: readonly string[]): Outcome<Readonly<Record<string, InputSpec>>> {
  const pairs = readPairs("in", parts);
  if (!pairs.ok) return pairs;
  const inputs: Record<string, InputSpec> = {};
  for (const [name, text] of pairs.value) {
    const spec = parseInput(name, text);
    if (!spec.ok) return spec;
    inputs[name] = spec.value;
  }
  return success(inputs);
}

function readStages(values: readonly string[]): Outcome<readonly StageName[]> {
  const words = values.flatMap((value) => value.split(",")).filter((word) => word !== "");
  const stages: StageName[] = [];
  for (const word of words.length === 0 ? ["wgsl"] : words) {
    const stage = choice("emit", word.trim(), stageNames);
    if (!stage.ok) return stage;
    if (!stages.includes(stage.value)) stages.push(stage.value);
  }
  return success(stages);
}

function choice<T extends string>(flag: FlagName, value: string, values: readonly T[]): Outcome<T> {
  const found = values.find((one) => one === value);
  if (found !== undefined) return success(found);
  const meant = didYouMean(value, values);
  return failed(
    `--${flag} ${value}: expected ${values.join(", ")}`,
    meant === undefined ? "choose one of them" : `did you mean ${meant}?`,
  );
}

/** `10s`, `500ms`, `2m`, or seconds as a bare number; in milliseconds. */
function readDuration(flag: FlagName, text: string): Outcome<number> {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|)$/.exec(text);
  if (match === null) return failed(`--${flag} ${text}: no duration`, `write --${flag} 10s`);
  const unit = { ms: 1, s: 1000, m: 60_000, "": 1000 }[match[2] ?? ""] ?? 1000;
  return success(Number(match[1]) * unit);
}
