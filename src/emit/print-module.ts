import type { Plan } from "../codegen/plan.ts";
import { halfSource, loaderSource, noHalfSource } from "./loader-source.ts";
import { type ModuleData, type ModuleKernel, moduleData } from "./module-data.ts";

/** What the head of an emitted file says. */
export interface EmitOptions {
  /** Who made it, as `tc-wgsl 0.1.0`. */
  readonly producer: string;
}

/**
 * A plan as an ES module that imports nothing: `load(device)` gives `run`, `encode` and `dispose`,
 * `requirements` is what to request the device with. `printTypes` has its types.
 */
export function printModule(plan: Plan, { producer }: EmitOptions): string {
  const data = moduleData(plan);
  const halves = data.tensors.some(({ type }) => type === "float16");
  return `// ${oneLine(plan.name)}, compiled by ${oneLine(producer)}. Do not edit.

${printData(data)}

export const name = plan.name;

/** What to request a device with: an argument of \`adapter.requestDevice\`. */
export const requirements = plan.requirements;
${loaderSource}${halves ? halfSource : noHalfSource}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** The data as JavaScript; the text of kernels keeps its lines. */
function printData({ kernels, ...rest }: ModuleData): string {
  const fields = Object.entries(rest).map(([key, value]) => `  ${key}: ${inline(value)},\n`);
  const texts = kernels.map(printKernel).join("");
  return `/** @type {Plan} */\nconst plan = {\n${fields.join("")}  kernels: [${texts}],\n};`;
}

function printKernel({ wgsl, ...rest }: ModuleKernel): string {
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}: ${inline(value)},`);
  return `{${fields.join("")} wgsl: \`\n${inTemplate(wgsl)}\` }, `;
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
