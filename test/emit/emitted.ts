/** Emitted modules, written to a folder and imported. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plan } from "../../src/codegen/plan.ts";
import type { PlanFor } from "../../src/emit/plan-for.ts";
import { printModule } from "../../src/emit/print-module.ts";
import type { TensorData } from "../../src/support/scalar-type.ts";

/** A tensor on the device, as emitted modules take it. */
export type DeviceTensor = GPUBuffer | { readonly buffer: GPUBuffer; readonly offset?: number };

export interface EmittedKernel {
  run(
    inputs: Readonly<Record<string, TensorData | number | DeviceTensor>>,
  ): Promise<Readonly<Record<string, TensorData>>>;
  encode(pass: GPUComputePassEncoder, tensors: Readonly<Record<string, DeviceTensor>>): void;
  dispose(): void;
}

export interface EmittedModule {
  readonly name: string;
  readonly requirements: {
    readonly requiredFeatures: readonly GPUFeatureName[];
    readonly requiredLimits: Readonly<Record<string, number>>;
  };
  load(device: GPUDevice): Promise<EmittedKernel>;
}

/** Which of the plans of a module is taken, and why. */
export interface EmittedChoice {
  readonly profile: string;
  readonly wanted: string;
  readonly isFallback: boolean;
  readonly refused: readonly { readonly profile: string; readonly why: string }[];
  readonly requirements: EmittedModule["requirements"];
}

/** A module with plans for several profiles. */
export interface SeveralModule {
  readonly profiles: readonly string[];
  choose(on: GPUDevice | GPUAdapter): EmittedChoice;
  load(device: GPUDevice, profile?: string): Promise<EmittedKernel & { readonly profile: string }>;
}

/** A folder for modules, in the project, so that compilers find the types of WebGPU. */
export interface ModuleFolder {
  readonly path: string;
  /** The path of a new file. */
  write(name: string, text: string): string;
  load(plan: Plan): Promise<EmittedModule>;
  loadSeveral(plans: readonly PlanFor[]): Promise<SeveralModule>;
  remove(): void;
}

export function openFolder(): ModuleFolder {
  const cache = join(import.meta.dirname, "..", "..", ".cache");
  mkdirSync(cache, { recursive: true });
  const path = mkdtempSync(join(cache, "emit-"));
  let count = 0;
  const write = (name: string, text: string): string => {
    const file = join(path, name);
    writeFileSync(file, text);
    return file;
  };
  const load = async (plans: Plan | readonly PlanFor[]): Promise<unknown> => {
    count += 1;
    const file = write(`module-${count}.mjs`, printModule(plans, { producer: "a test" }));
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  };
  return {
    path,
    write,
    load: async (plan) => (await load(plan)) as EmittedModule,
    loadSeveral: async (plans) => (await load(plans)) as SeveralModule,
    remove: () => rmSync(path, { recursive: true }),
  };
}
