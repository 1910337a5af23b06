// The command line of the benchmark.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { cases } from "./cases/cases.js";

/** tc-wgsl with its different options, in the order of the tables. */
export const ownNames = ["default", "tuned", "fuse none", "naive"];
export const peerNames = ["jax-js", "tfjs", "onnxruntime"];
/** Stands in a relative's run for the default's figures of its plain case. */
export const plainName = "plain case";
/** How much the tuner may spend on a case. */
const tuneEfforts = ["refine", "quick", "normal", "full"];
export const groupNames = ["cases", "recurrent", "relatives", "scaling", "figures"];

export const help = `Examples:
  npm run bench                                    everything, on the best adapter of this machine
  npm run bench -- --case matmul,softmax           the cases whose names contain one of these
  npm run bench -- --who default --peers tfjs      one of our forms beside one peer
  npm run -s bench -- --json > a.jsonl             one JSON object per line
  npm run bench -- --report a.jsonl --html a.html  tables and a page from such lines
  npm run bench -- --tune normal --case softmax    tunes softmax, keeps what was found
Flags:
  --case NAMES      parts of names of cases, separated by commas
  --group NAMES     ${groupNames.join(", ")}
  --who NAMES       of ours: ${ownNames.join(", ")}
  --peers NAMES     ${peerNames.join(", ")}; or none
  --adapter NAME    auto, gpu, software, or part of a name: swiftshader, llvmpipe
  --rounds N        how often each is measured, in turns (7)
  --json            JSON lines on stdout, everything else on stderr
  --html FILE       also writes a page with plots
  --markdown FILE   also writes the tables as Markdown
  --report FILES    measures nothing: reads lines that --json wrote
  --tune EFFORT     measures nothing beside peers: tunes each case, ${tuneEfforts.join(", ")}; what was
                    found goes to bench/options/<adapter>/<case>.json
  --budget SECONDS  of --tune, for each case, in the place of the effort's own
  --seed N          of --tune (1)
  -h, --help
`;

/** A mistake on the command line, named. */
export class FlagError extends Error {}

/**
 * @typedef {object} Flags
 * @property {"help" | "run" | "tune" | "report"} mode
 * @property {readonly import("./cases/case.js").Case[]} cases
 * @property {boolean} figures
 * @property {readonly string[]} who ours, then peers
 * @property {string} adapter
 * @property {number} rounds
 * @property {boolean} json
 * @property {string | undefined} html
 * @property {string | undefined} markdown
 * @property {readonly string[]} files of --report
 * @property {string | undefined} effort of --tune
 * @property {number | undefined} budgetMs of --tune, for a case
 * @property {number} seed
 */

/**
 * @param {readonly string[]} args
 * @returns {Flags}
 * @throws FlagError naming the flag and what it was given.
 */
export function readFlags(args) {
  const { values, positionals } = parse(args);
  const files = values.report === undefined ? [] : [values.report, ...positionals];
  if (values.report === undefined && positionals.length > 0) {
    throw new FlagError(`"${positionals[0]}" belongs to no flag`);
  }
  const groups = names("--group", values.group, groupNames);
  return {
    mode: modeOf(values),
    cases: chooseCases(values.case, groups),
    figures: groups.includes("figures") && values.case === undefined,
    who: [
      ...names("--who", values.who, ownNames),
      ...(values.peers === "none" ? [] : names("--peers", values.peers, peerNames)),
    ],
    adapter: values.adapter,
    rounds: count("--rounds", values.rounds),
    json: values.json,
    html: writable("--html", values.html),
    markdown: writable("--markdown", values.markdown),
    files: files.flatMap((list) => list.split(",")),
    effort: effortOf(values),
    budgetMs: values.budget === undefined ? undefined : 1000 * count("--budget", values.budget),
    seed: count("--seed", values.seed),
  };
}

function modeOf({ help: asked, report, tune }) {
  if (asked) return "help";
  if (report !== undefined && tune !== undefined) {
    throw new FlagError("--report measures nothing, --tune does: give one of them");
  }
  if (report !== undefined) return "report";
  return tune === undefined ? "run" : "tune";
}

function effortOf({ tune, budget }) {
  if (tune === undefined && budget !== undefined) throw new FlagError("--budget belongs to --tune");
  if (tune === undefined || tuneEfforts.includes(tune)) return tune;
  throw new FlagError(`--tune is one of ${tuneEfforts.join(", ")}, not "${tune}"`);
}

function parse(args) {
  const string = /** @type {const} */ ({ type: "string" });
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        case: string,
        group: string,
        who: string,
        peers: string,
        adapter: { type: "string", default: "auto" },
        rounds: { type: "string", default: "7" },
        json: { type: "boolean", default: false },
        html: string,
        markdown: string,
        report: string,
        tune: string,
        budget: string,
        seed: { type: "string", default: "1" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw new FlagError(String(error.message).split(". ")[0]);
  }
}

/** What a list of names chooses, in the order in which they are known; all without a list. */
function names(flag, list, known) {
  if (list === undefined) return known;
  const asked = list.split(",").map((name) => name.trim());
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const other = { "--who": peerNames, "--peers": ownNames }[flag]?.includes(unknown) ?? false;
    const hint = other ? `; ${unknown} is one of ${flag === "--who" ? "--peers" : "--who"}` : "";
    throw new FlagError(`${flag} knows no "${unknown}"; there are ${known.join(", ")}${hint}`);
  }
  return known.filter((name) => asked.includes(name));
}

/** Asked now: a run takes long, and what it measured would be lost. */
function writable(flag, file) {
  if (file === undefined || existsSync(dirname(file))) return file;
  throw new FlagError(`${flag}: there is no folder ${dirname(file)}`);
}

function count(flag, text) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new FlagError(`${flag} wants a whole number from 1 on, not "${text}"`);
}

function chooseCases(list, groups) {
  const members = cases.filter((c) => groups.includes(c.group));
  if (list === undefined) return members;
  const parts = list.split(",").map((part) => part.trim());
  for (const part of parts) {
    if (members.some((c) => c.name.includes(part))) continue;
    const all = members.map((c) => c.name).join(", ");
    throw new FlagError(`--case: no name contains "${part}"; there are ${all}`);
  }
  return members.filter((c) => parts.some((part) => c.name.includes(part)));
}
