import type { Plan } from "../codegen/plan.ts";
import { type ModuleTensor, moduleData } from "./module-data.ts";
import type { EmitOptions } from "./print-module.ts";

/**
 * The types of the module that `printModule` makes: a `.d.ts` in which the names of tensors are
 * fields, so that a misspelt one is an error. It names types of WebGPU, which are globals.
 */
export function printTypes(plan: Plan, { producer }: EmitOptions): string {
  const { tensors } = moduleData(plan);
  const inputs = tensors.filter(({ role }) => role !== "output");
  const results = tensors.filter(({ role }) => role !== "input");
  return `// Types of ${plan.name}, compiled by ${producer}. Do not edit.
// The types of WebGPU are those of the package @webgpu/types, where TypeScript has none.

export declare const name: ${JSON.stringify(plan.name)};

/** What to request a device with: an argument of \`adapter.requestDevice\`. */
export declare const requirements: {
  readonly requiredFeatures: readonly GPUFeatureName[];
  readonly requiredLimits: Readonly<Record<string, number>>;
  readonly subgroupSize?: number;
};

/** Dense, row-major, with usage STORAGE; the offset is in bytes, a multiple of 256. */
export type DeviceTensor = GPUBuffer | { readonly buffer: GPUBuffer; readonly offset?: number };

/** What \`run\` takes. On the device, a tensor that is updated in place needs COPY_SRC too. */
export interface Inputs {
${inputs.map((t) => field(t, `${hostType(t)} | DeviceTensor`)).join("")}}

/** What \`run\` gives: row-major elements. */
export interface Results {
${results.map((t) => field(t, t.array)).join("")}}

/** What \`encode\` takes. */
export interface Tensors {
${tensors.map((t) => field(t, "DeviceTensor")).join("")}}

export interface Kernel {
  /** Executes it once and reads the results. Tensors updated in place are copied, on the device not. */
  run(inputs: Inputs): Promise<Results>;
  /** Writes the work into a pass: no submission, no copy, nothing is read. */
  encode(pass: GPUComputePassEncoder, tensors: Tensors): void;
  /** Gives the memory of the temporaries back. */
  dispose(): void;
}

/** Compiles the kernels for a device and allocates the temporaries. */
export declare function load(device: GPUDevice): Promise<Kernel>;
`;
}

function field({ name, role, type, shape }: ModuleTensor, text: string): string {
  const inPlace = role === "inout" ? ", updated in place" : "";
  return `  /** ${type}[${shape.join(", ")}]${inPlace} */\n  readonly ${name}: ${text};\n`;
}

function hostType({ array, shape }: ModuleTensor): string {
  return shape.length === 0 ? `${array} | number` : array;
}
