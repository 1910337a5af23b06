import type { ModuleTensor } from "./module-data.ts";
import { isForProfiles, type ModulePlans, programOf } from "./plan-for.ts";
import type { EmitOptions } from "./print-module.ts";

/**
 * The types of the module that `printModule` makes: a `.d.ts` in which the names of tensors are
 * fields, so that a misspelt one is an error. It names types of WebGPU, which are globals.
 */
export function printTypes(plans: ModulePlans, { producer }: EmitOptions): string {
  const { name, tensors } = programOf(plans);
  const inputs = tensors.filter(({ role }) => role !== "output");
  const results = tensors.filter(({ role }) => role !== "input");
  return `// Types of ${name}, compiled by ${producer}. Do not edit.
// The types of WebGPU are those of the package @webgpu/types, where TypeScript has none.

export declare const name: ${JSON.stringify(name)};

/** What to request a device with: an argument of \`adapter.requestDevice\`. */
export interface Requirements {
  readonly requiredFeatures: readonly GPUFeatureName[];
  readonly requiredLimits: Readonly<Record<string, number>>;
  readonly subgroupSize?: number;
}

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

${isForProfiles(plans) ? typesOfSeveral(plans.map((p) => p.profile)) : typesOfOne}`;
}

const typesOfOne = `export declare const requirements: Requirements;

/** Compiles the kernels for a device and allocates the temporaries. */
export declare function load(device: GPUDevice): Promise<Kernel>;
`;

function typesOfSeveral(profiles: readonly string[]): string {
  return `/** What its plans were compiled for. */
export type Profile = ${profiles.map((profile) => JSON.stringify(profile)).join(" | ")};
export declare const profiles: readonly Profile[];

/** Which plan is taken. */
export interface Choice {
  /** What it was compiled for. */
  readonly profile: Profile;
  /** The profile of tc-wgsl that is made for such adapters. */
  readonly wanted: string;
  /** True where the plan was compiled for others, and is right, but may be slow. */
  readonly isFallback: boolean;
  /** Nearer plans, and why they cannot run. */
  readonly refused: readonly { readonly profile: Profile; readonly why: string }[];
  readonly requirements: Requirements;
}

/** Which plan an adapter or a device gets. Throws where it can run none. */
export declare function choose(on: GPUAdapter | GPUDevice): Choice;

/**
 * Compiles the kernels of the plan that \`choose\` takes, or of the one for \`profile\`, and allocates the
 * temporaries. \`profile\` of the kernel says which it was.
 */
export declare function load(
  device: GPUDevice,
  profile?: Profile,
): Promise<Kernel & { readonly profile: Profile }>;
`;
}

function field({ name, role, type, shape }: ModuleTensor, text: string): string {
  const inPlace = role === "inout" ? ", updated in place" : "";
  return `  /** ${type}[${shape.join(", ")}]${inPlace} */\n  readonly ${name}: ${text};\n`;
}

function hostType({ array, shape }: ModuleTensor): string {
  return shape.length === 0 ? `${array} | number` : array;
}
