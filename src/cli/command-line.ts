/** A command line, read and checked: what was asked for. */

import { parseArgs } from "node:util";
import { didYouMean } from "../support/edit-distance.ts";
import { own } from "../support/own.ts";
import type { LayoutFlag } from "./api.ts";
import { failed, type Outcome, success } from "./failure.ts";
import { choice, readCount, readDuration, readPort, readTolerance } from "./flag-values.ts";
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
  laterFlags,
  type StageName,
  stageNames,
} from "./flags.ts";
import { type InputSpec, parseInput } from "./generators.ts";
import { readTuningFlags, type TuningFlags } from "./tuning-flags.ts";

export interface CommandLine extends TuningFlags {
  readonly command: CommandName;
  /** The command was named: the first word cannot be a misspelt one. */
  readonly named: boolean;
  /** Files, or the other words that a command takes. */
  readonly files: readonly string[];
  readonly def: string | null;
  readonly sizes: Readonly<Record<string, number>>;
  readonly layouts: Readonly<Record<string, LayoutFlag>>;
  readonly inputs: Readonly<Record<string, InputSpec>>;
  /** Paths by output. */
  readonly outs: Readonly<Record<string, string>>;
  /** Paths by temporary. */
  readonly dumps: Readonly<Record<string, string>>;
  /** `default`, `naive`, `tuned` or a path. */
  readonly options: string;
  /** A name or a path; null where nothing was asked for. */
  readonly profile: string | null;
  readonly adapter: string;
  /** Empty where nothing was asked for. */
  readonly emit: readonly StageName[];
  readonly output: string | null;
  /** The most elements of an output that a record of it holds. */
  readonly values: number;
  readonly verify: boolean;
  readonly verifyBudgetMs: number;
  /** What elements may be off by; both null to leave that to the judges. */
  readonly rtol: number | null;
  readonly atol: number | null;
  /** Show how long each kernel takes. */
  readonly time: boolean;
  /** Look for what made a NaN or an infinity. */
  readonly findNonfinite: boolean;
  /** Where to write a trace of an execution. */
  readonly trace: string | null;
  readonly fix: boolean;
  readonly validate: boolean;
  /** Of `fmt`: write nothing. */
  readonly check: boolean;
  /** Of `play`; 0: any that is free. */
  readonly port: number;
  readonly watch: boolean;
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
    // A flag in the place of a value was not meant as one.
    const swallowed = token.inlineValue === false && token.value.startsWith("--");
    const checked = checkFlag(token.name, token.rawName, swallowed ? "" : token.value);
    if (!checked.ok) return checked;
    const values = given.get(checked.value) ?? [];
    given.set(checked.value, [...values, token.value ?? ""]);
  }
  return chooseCommand(words, given);
}

function chooseCommand(words: readonly string[], given: Given): Outcome<CommandLine> {
  const [first, ...rest] = words;
  if (first === "help") return chooseCommand(rest, new Map([...given, ["help", [""]]]));
  const named = commandNames.find((name) => name === first);
  const command = named ?? "build";
  for (const name of given.keys()) {
    if (flagsOf(command).some(([flag]) => flag === name)) continue;
    const others = flags[name].commands.join(", ");
    return failed(`${command} has no flag --${name}`, `it belongs to: ${others}`);
  }
  return interpretFlags(
    { command, named: named !== undefined },
    named === undefined ? words : rest,
    given,
  );
}

function checkFlag(name: string, raw: string, value: string | undefined): Outcome<FlagName> {
  const later = own(laterFlags, name);
  if (later !== undefined) return failed(`${raw}: ${later[0]}`, later[1]);
  if (!isFlag(name)) {
    const meant = didYouMean(name, Object.keys(flags)) ?? shorterOrLonger(name);
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

/** The longest flag that begins as an unknown one does, as far as the shorter of the two goes: `in` for `input`. */
function shorterOrLonger(name: string): string | undefined {
  const fits = (flag: string): boolean =>
    name.length > 1 && flag.length > 1 && (name.startsWith(flag) || flag.startsWith(name));
  return Object.keys(flags)
    .filter(fits)
    .sort((a, b) => b.length - a.length)[0];
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(flags, name);
}

type Given = ReadonlyMap<FlagName, readonly string[]>;

function interpretFlags(
  chosen: Pick<CommandLine, "command" | "named">,
  files: readonly string[],
  given: Given,
): Outcome<CommandLine> {
  const last = (name: FlagName): string | null => given.get(name)?.at(-1) ?? null;
  const bindings = readBindings(given);
  if (!bindings.ok) return bindings;
  const emit = readStages(given.get("emit") ?? []);
  if (!emit.ok) return emit;
  const style = readStyle(given);
  if (!style.ok) return style;
  const budget = readDuration("verify-budget", last("verify-budget") ?? "10s");
  if (!budget.ok) return budget;
  const port = readPort(last("port"));
  if (!port.ok) return port;
  const values = readCount("values", last("values") ?? "1000");
  if (!values.ok) return values;
  const rtol = readTolerance("rtol", last("rtol"));
  if (!rtol.ok) return rtol;
  const atol = readTolerance("atol", last("atol"));
  if (!atol.ok) return atol;
  const tuning = readTuningFlags(last, (name) => given.has(name));
  if (!tuning.ok) return tuning;
  return success({
    ...chosen,
    files,
    ...bindings.value,
    ...style.value,
    ...tuning.value,
    def: last("def"),
    options: last("options") ?? "default",
    profile: last("profile"),
    adapter: last("adapter") ?? "auto",
    emit: emit.value,
    // Standard output is where texts go by themselves.
    output: last("output") === "-" ? null : last("output"),
    values: values.value,
    verify: given.has("verify"),
    verifyBudgetMs: budget.value,
    rtol: rtol.value,
    atol: atol.value,
    time: given.has("time"),
    findNonfinite: given.has("find-nonfinite"),
    trace: last("trace"),
    fix: given.has("fix"),
    validate: given.has("validate"),
    check: given.has("check"),
    port: port.value,
    watch: given.has("watch"),
    help: given.has("help"),
    version: given.has("version"),
  });
}

/** What the flags with names in their values say. */
function readBindings(
  given: Given,
): Outcome<Pick<CommandLine, "sizes" | "layouts" | "inputs" | "outs" | "dumps">> {
  const sizes = readSizes(assignments(given, "size"));
  if (!sizes.ok) return sizes;
  const layouts = readLayouts(assignments(given, "layout"));
  if (!layouts.ok) return layouts;
  const inputs = readInputs(assignments(given, "in"));
  if (!inputs.ok) return inputs;
  const outs = readTargets("out", assignments(given, "out"));
  if (!outs.ok) return outs;
  const dumped = assignments(given, "dump").map((part) =>
    /^\s*[A-Za-z_]\w*\s*$/.test(part) ? `${part.trim()}=${part.trim()}.npy` : part,
  );
  const dumps = readTargets("dump", dumped);
  if (!dumps.ok) return dumps;
  return success({
    sizes: sizes.value,
    layouts: layouts.value,
    inputs: inputs.value,
    outs: outs.value,
    dumps: dumps.value,
  });
}

/** Files to write tensors to, by their names. */
function readTargets(
  flag: "out" | "dump",
  parts: readonly string[],
): Outcome<Readonly<Record<string, string>>> {
  const pairs = readPairs(flag, parts);
  if (!pairs.ok) return pairs;
  const other = pairs.value.find(
    ([, path]) => /[^/\\.]\.\w+$/.test(path) && !path.endsWith(".npy"),
  );
  if (other === undefined) return success(Object.fromEntries(pairs.value));
  const [name, path] = other;
  return failed(
    `--${flag} ${name}=${path}: ${flag === "out" ? "outputs" : "temporaries"} are written as .npy files`,
    `write --${flag} ${name}=${path.replace(/\.\w+$/, ".npy")}`,
  );
}

/** How the command is to speak. */
function readStyle(
  given: Given,
): Outcome<Pick<CommandLine, "format" | "color" | "quiet" | "verbose">> {
  const format = choice("format", given.get("format")?.at(-1) ?? "human", formatNames);
  if (!format.ok) return format;
  const color = choice("color", given.get("color")?.at(-1) ?? "auto", colourNames);
  if (!color.ok) return color;
  return success({
    format: given.has("json") ? "json" : format.value,
    color: color.value,
    quiet: given.has("quiet"),
    verbose: given.has("verbose"),
  });
}

/** The parts of a flag's values between commas that stand outside of parentheses, which may be left open. */
function assignments(given: Given, name: FlagName): readonly string[] {
  return (given.get(name) ?? []).flatMap(
    (value) => value.match(/(?:\([^)]*\)?|[^,(])+/g) ?? [value],
  );
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
    const [, name = "", value = ""] = match;
    const earlier = pairs.find(([other]) => other === name);
    if (earlier !== undefined) {
      return failed(
        `--${flag} ${name}=${earlier[1]} and --${flag} ${name}=${value}: which is meant?`,
        `give ${name} once`,
      );
    }
    pairs.push([name, value]);
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

/** `A=(1,512)`: strides; `A=(1,512)+4`: at an offset, too, that is a multiple of 1, 2 or 4. */
function readLayouts(parts: readonly string[]): Outcome<Readonly<Record<string, LayoutFlag>>> {
  const pairs = readPairs("layout", parts);
  if (!pairs.ok) return pairs;
  const layouts = new Map<string, LayoutFlag>();
  for (const [name, text] of pairs.value) {
    const match = /^\(([-\d,\s]*)\)(?:\s*\+\s*([124]))?$/.exec(text);
    const words = (match?.[1] ?? "").split(",").filter((word) => word.trim() !== "");
    const strides = words.map(Number);
    if (match === null || strides.some((stride) => !Number.isSafeInteger(stride))) {
      return failed(
        `--layout ${name}=${text}: no strides`,
        "write --layout A=(1,8), or A=(1,8)+4 for an offset that is a multiple of 4 (or 1, or 2)",
      );
    }
    const multiple = match[2] === undefined ? null : (Number(match[2]) as 1 | 2 | 4);
    layouts.set(name, { strides, offsetMultiple: multiple });
  }
  return success(Object.fromEntries(layouts));
}

function readInputs(parts: readonly string[]): Outcome<Readonly<Record<string, InputSpec>>> {
  const pairs = readPairs("in", parts);
  if (!pairs.ok) return pairs;
  const inputs = new Map<string, InputSpec>();
  for (const [name, text] of pairs.value) {
    const spec = parseInput(name, text);
    if (!spec.ok) return spec;
    inputs.set(name, spec.value);
  }
  return success(Object.fromEntries(inputs));
}

function readStages(values: readonly string[]): Outcome<readonly StageName[]> {
  const words = values.flatMap((value) => value.split(",")).filter((word) => word !== "");
  const stages: StageName[] = [];
  for (const word of words) {
    const stage = choice("emit", word.trim(), stageNames);
    if (!stage.ok) return stage;
    if (!stages.includes(stage.value)) stages.push(stage.value);
  }
  return success(stages);
}
