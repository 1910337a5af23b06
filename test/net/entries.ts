/**
 * The net: what programs become under which mapping, as hashes, so that a change that is to move code shows whether it
 * changed any kernel.
 *
 * ```
 * file  := "generator N" (program entry*)*
 * program := "# NAME"
 * entry := PROFILE WAY PROGRAM SCHEDULE KERNELS WGSL      the last four are hashes
 * WAY   := "default" | "naive" | "drawN"                  the N-th draw of all knobs, from seed N
 * ```
 */
import { readdirSync, readFileSync } from "node:fs";
import { cases } from "../../bench/cases/cases.js";
import { generate } from "../../src/codegen/generate.ts";
import { printKernel } from "../../src/codegen/print-kernel.ts";
import { type CompileRequest, lowerSource } from "../../src/compile.ts";
import { padTensors } from "../../src/ir/apply-layouts.ts";
import { mapWith } from "../../src/ir/mapping/map-program.ts";
import { type Policy, policyOf } from "../../src/ir/mapping/policy/policies.ts";
import { printProgram } from "../../src/ir/print-program.ts";
import type { Program } from "../../src/ir/program.ts";
import { printSchedule } from "../../src/ir/schedule.ts";
import { defined } from "../../src/support/assert.ts";
import { type DeviceProfile, namedProfiles } from "../../src/support/device-profile.ts";
import { seededRandom } from "../../src/support/random.ts";
import { textHash } from "../../src/support/text-hash.ts";
import { kernelClasses } from "../differential/kernel-classes.ts";
import { randomPolicy } from "../support/random-policy.ts";

/** A program of the net. */
export interface Source {
  readonly name: string;
  readonly source: string;
  readonly request: CompileRequest;
  /** Its memory goes on to whole vectors, as the benchmark's does. */
  readonly padded: boolean;
}

/** One way of mapping a program, and the hashes of what it becomes. */
export interface Entry {
  readonly name: string;
  readonly profile: string;
  readonly way: string;
  readonly program: string;
  readonly schedule: string;
  readonly kernels: string;
  readonly wgsl: string;
}

const examples: readonly Source[] = readdirSync("examples")
  .filter((file) => file.endsWith(".tc"))
  .sort()
  .map((file) => ({
    name: file.slice(0, -".tc".length),
    source: readFileSync(`examples/${file}`, "utf8"),
    request: {},
    padded: false,
  }));

/** The benchmark's programs, of a scaling curve none: they differ in sizes alone. */
const benchmark: readonly Source[] = cases
  .filter(({ group }) => group !== "scaling")
  .map(({ name, source, inputs }) => ({ name, source, request: { shapes: inputs }, padded: true }));

const classes: readonly Source[] = kernelClasses.map(({ name, source, sizes: [sizes] }) => ({
  name,
  source,
  request: { sizes },
  padded: false,
}));

/** The programs by the file that their entries are in. */
export const sources: Readonly<Record<string, readonly Source[]>> = {
  examples,
  benchmark,
  classes,
};

/** Profiles whose policies differ in more than figures: these have draws. */
const drawn = ["baseline", "gpu", "llvmpipe", "swiftshader"];
const draws = 20;

const families = Object.keys(namedProfiles).filter((profile) => !drawn.includes(profile));

function drawsFrom(first: number, end: number): readonly (readonly [string, string])[] {
  const seeds = Array.from({ length: end - first }, (_, n) => first + n);
  return seeds.map((n) => [drawn[n % drawn.length] ?? "", `draw${n}`]);
}

/** All ways of mapping a program: profile and way, in the order in which they are recorded if not all are. */
export const ways: readonly (readonly [profile: string, way: string])[] = [
  ...drawn.map((profile) => [profile, "default"] as const),
  ["gpu", "naive"],
  ...drawsFrom(0, 4),
  ...families.map((profile) => [profile, "default"] as const),
  ...drawn.filter((p) => p !== "gpu").map((profile) => [profile, "naive"] as const),
  ...drawsFrom(4, draws),
];

function policyFor(way: string, profile: DeviceProfile): Policy {
  if (way === "default" || way === "naive") return policyOf(way, profile);
  const seed = Number(way.slice("draw".length));
  return randomPolicy(profile, seededRandom(seed + 1));
}

function programOf({ name, source, request, padded }: Source): Program {
  const lowered = lowerSource(source, request);
  if (!lowered.ok) throw new Error(`${name}: ${lowered.diagnostics.map((d) => d.message).join()}`);
  return padded ? padTensors(lowered.program) : lowered.program;
}

/** Half of the hash: enough to tell a change. */
function short(text: string): string {
  return textHash(text).slice(0, 8);
}

/** What a program becomes one way. */
export function entryOf(source: Source, profileName: string, way: string): Entry {
  const profile = defined(namedProfiles[profileName], "profile", profileName);
  const policy = policyFor(way, profile);
  const { mapped } = mapWith(programOf(source), profile, new Map(), policy);
  const plan = generate(mapped.program, mapped.schedule, profile);
  return {
    name: source.name,
    profile: profileName,
    way,
    program: short(printProgram(mapped.program)),
    schedule: short(printSchedule(mapped.schedule)),
    kernels: short(plan.kernels.map((k) => printKernel(k.kernel)).join("\n")),
    wgsl: short(JSON.stringify([plan.kernels.map((k) => k.wgsl), plan.steps])),
  };
}

/** The text of a file of the net. */
export function printNet(generator: string, entries: readonly Entry[]): string {
  const lines = [`generator ${generator}`];
  let last = "";
  for (const { name, profile, way, program, schedule, kernels, wgsl } of entries) {
    if (name !== last) lines.push(`# ${name}`);
    last = name;
    lines.push([profile, way, program, schedule, kernels, wgsl].join(" "));
  }
  return `${lines.join("\n")}\n`;
}

/** A file of the net. */
export interface Net {
  readonly generator: string;
  readonly entries: readonly Entry[];
}

/** Reads what {@link printNet} wrote. */
export function readNet(text: string): Net {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  let name = "";
  const entries = lines.flatMap((line): readonly Entry[] => {
    if (line.startsWith("# ")) {
      name = line.slice(2);
      return [];
    }
    const [profile = "", way = "", program = "", schedule = "", kernels = "", wgsl = ""] =
      line.split(" ");
    return [{ name, profile, way, program, schedule, kernels, wgsl }];
  });
  return { generator: head.slice("generator ".length), entries };
}

/** What names an entry. */
export function keyOf({ name, profile, way }: Pick<Entry, "name" | "profile" | "way">): string {
  return `${name}, ${profile}, ${way}`;
}

/** Which of an entry's parts are others than those recorded, the earliest one first. */
export function changedParts(recorded: Entry, found: Entry): readonly string[] {
  const parts = ["program", "schedule", "kernels", "wgsl"] as const;
  return parts.filter((part) => recorded[part] !== found[part]);
}

/** An entry that is not as recorded. */
export interface NetFault {
  /** The same program and schedule became another text, by a generator that has the same number. */
  readonly raise: boolean;
  readonly text: string;
}

/** What of what programs become is not as recorded, with the first stage that changed. */
export function netFaults(
  net: Net,
  found: readonly Entry[],
  generator: string,
): readonly NetFault[] {
  const recorded = new Map(net.entries.map((entry) => [keyOf(entry), entry]));
  return found.flatMap((entry): readonly NetFault[] => {
    const before = recorded.get(keyOf(entry));
    if (before === undefined) return [{ raise: false, text: `${keyOf(entry)}: not recorded` }];
    const [first] = changedParts(before, entry);
    if (first === undefined) return [];
    const raise = (first === "kernels" || first === "wgsl") && net.generator === generator;
    const text = `${keyOf(entry)}: another ${first} than recorded`;
    const advice =
      "raise `generatorVersion` in src/codegen/generator.ts, then scripts/net --update";
    return [{ raise, text: raise ? `${text}: ${advice}` : text }];
  });
}
