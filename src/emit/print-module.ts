import { adapterRules } from "../support/adapter-rules.ts";
import { onePlanSource, severalPlansSource } from "./loader/choose-source.ts";
import { loadSource } from "./loader/load-source.ts";
import { planSource } from "./loader/plan-source.ts";
import { halfSource, noHalfSource, tensorSource } from "./loader/tensor-source.ts";
import { type ModuleKernel, type ModulePlan, modulePlan } from "./module-data.ts";
import { isForProfiles, type ModulePlans, programOf } from "./plan-for.ts";

/** What the head of an emitted file says. */
export interface EmitOptions {
  /** Who made it, as `tc-wgsl 0.1.0`. */
  readonly producer: string;
}

/**
 * A plan as an ES module that imports nothing: `load(device)` gives `run`, `encode` and `dispose`,
 * `requirements` is what to request the device with. Of plans for several profiles `load` takes the one that
 * fits the device, `choose(adapter)` tells which, and what to request. `printTypes` has the types.
 * @throws RangeError for plans that are not of one definition at the same sizes, or whose tensors are views.
 */
export function printModule(plans: ModulePlans, { producer }: EmitOptions): string {
  const program = programOf(plans);
  const whom = isForProfiles(plans) ? ` for ${plans.map((p) => p.profile).join(", ")}` : "";
  const halves = program.tensors.some(({ type }) => type === "float16");
  return `// ${oneLine(`${program.name}, compiled${whom} by ${producer}`)}. Do not edit.

/** @type {Program} */
const program = {
${printFields(program)}};

${isForProfiles(plans) ? printSeveral(plans) : printOne(plans)}
export const name = program.name;
${isForProfiles(plans) ? severalPlansSource : onePlanSource}${loadSource}${planSource}${tensorSource}${
  halves ? halfSource : noHalfSource
}`;
}

function printOne(plan: Exclude<ModulePlans, readonly unknown[]>): string {
  const made = modulePlan(plan);
  const { texts, numberOf } = textsOf([made]);
  return `${texts}/** @type {Plan} */\nconst plan = ${printPlan(made, numberOf)};\n`;
}

function printSeveral(plans: Extract<ModulePlans, readonly unknown[]>): string {
  const made = plans.map(({ profile, plan }) => [profile, modulePlan(plan)] as const);
  const { texts, numberOf } = textsOf(made.map(([, plan]) => plan));
  const pairs = made.map(
    ([profile, plan]) => `[${inline(profile)}, ${printPlan(plan, numberOf)}],\n`,
  );
  const rules = adapterRules.map(({ pattern, profile }) => `  ${inline([pattern, profile])},\n`);
  return `${texts}/** @type {readonly (readonly [profile: string, plan: Plan])[]} */
const plans = [${pairs.join("")}];

/**
 * Which profile an adapter has: the first whose pattern is found in its words.
 * @type {readonly (readonly [pattern: string, profile: string])[]}
 */
const rules = [
${rules.join("")}];
`;
}

/** The texts of all kernels, each once, and the number of one. */
function textsOf(plans: readonly ModulePlan[]): {
  readonly texts: string;
  readonly numberOf: (wgsl: string) => number;
} {
  const all = [...new Set(plans.flatMap(({ kernels }) => kernels.map(({ wgsl }) => wgsl)))];
  const printed = all.map((wgsl) => `\`\n${inTemplate(wgsl)}\`, `).join("");
  return { texts: `const texts = [${printed}];\n\n`, numberOf: (wgsl) => all.indexOf(wgsl) };
}

function printPlan({ kernels, ...rest }: ModulePlan, numberOf: (wgsl: string) => number): string {
  const printed = kernels.map((kernel) => printKernel(kernel, numberOf)).join("");
  return `{\n${printFields(rest)}  kernels: [\n${printed}  ],\n}`;
}

function printKernel({ wgsl, ...rest }: ModuleKernel, numberOf: (wgsl: string) => number): string {
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}: ${inline(value)},`);
  return `    {${fields.join("")} wgsl: texts[${numberOf(wgsl)}] },\n`;
}

function printFields(data: object): string {
  return Object.entries(data)
    .map(([key, value]) => `  ${key}: ${inline(value)},\n`)
    .join("");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** JSON with the separators of JavaScript's lines escaped: a part of a program. */
function inline(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16)}`,
  );
}

/** What a template literal has to hold to mean the text. */
function inTemplate(text: string): string {
  return text.replace(/[\\`]|\$\{/g, (found) => `\\${found}`);
}
