/** Compute pipelines with explicit layouts, compiled together, cached by text. */
import type { PlanKernel } from "../codegen/plan.ts";
import { type DeviceContext, scoped } from "./device-context.ts";
import { computeStage } from "./gpu-flags.ts";
import { RuntimeFault } from "./runtime-fault.ts";

/** What a pipeline is made from; equal specifications share one. */
export interface PipelineSpec {
  /** For messages. */
  readonly name: string;
  readonly wgsl: string;
  readonly entryPoint: string;
  /** Storage bindings 0, 1, ... of group 0. */
  readonly access: readonly ("read" | "read_write")[];
  /** Step indices that the kernel reads, and how: see `Plan.stepIndices`. */
  readonly stepSlots: number;
  readonly stepIndices: "immediate" | "table";
}

export interface Pipeline {
  readonly pipeline: GPUComputePipeline;
  /** The layout of group 0: the storage bindings, then one uniform per step slot in a table. */
  readonly groupLayout: GPUBindGroupLayout;
}

export interface PipelineCache {
  /**
   * Compiles all that are not in the cache, at the same time; `onCompiled` hears of each that is there.
   * @throws RuntimeFault `shader` with the kernel's name and the compiler's messages.
   */
  compile(specs: readonly PipelineSpec[], onCompiled?: () => void): Promise<readonly Pipeline[]>;
}

/** Pipelines that are kept for plans to come; plans hold on to their own. */
const cachedPipelines = 128;

/** The specification of a plan's kernel. */
export function kernelSpec(kernel: PlanKernel, stepIndices: "immediate" | "table"): PipelineSpec {
  return {
    name: kernel.kernel.name,
    wgsl: kernel.wgsl,
    entryPoint: kernel.entryPoint,
    access: kernel.bindings.map((binding) => binding.access),
    stepSlots: kernel.kernel.steps.length,
    stepIndices,
  };
}

/** An empty cache on the device. */
export function createPipelineCache(context: DeviceContext): PipelineCache {
  const cache = new Map<string, Promise<Pipeline>>();
  const remember = (key: string, made: Promise<Pipeline>): void => {
    cache.delete(key);
    cache.set(key, made);
    for (const oldest of cache.keys()) {
      if (cache.size <= cachedPipelines) break;
      cache.delete(oldest);
    }
  };
  return {
    compile: async (specs, onCompiled) => {
      const started = specs.map((spec) => {
        const key = keyOf(spec);
        const made = cache.get(key) ?? compilePipeline(context, spec);
        remember(key, made);
        made.catch(() => {
          if (cache.get(key) === made) cache.delete(key);
        });
        return made.finally(onCompiled);
      });
      const settled = await Promise.allSettled(started);
      return settled.map((result) => {
        if (result.status === "rejected") throw result.reason;
        return result.value;
      });
    },
  };
}

function keyOf(spec: PipelineSpec): string {
  const layout = `${spec.access.join()};${spec.stepSlots};${spec.stepIndices}`;
  return `${layout};${spec.entryPoint}\n${spec.wgsl}`;
}

async function compilePipeline(context: DeviceContext, spec: PipelineSpec): Promise<Pipeline> {
  const { device } = context;
  let module: GPUShaderModule | undefined;
  try {
    const { pending, groupLayout } = await scoped(context, `compile kernel "${spec.name}"`, () => {
      const groupLayout = createGroupLayout(device, spec);
      const immediate = spec.stepIndices === "immediate" ? 4 * spec.stepSlots : 0;
      const layout = device.createPipelineLayout({
        bindGroupLayouts: [groupLayout],
        // Browsers without immediates must not see the member at all.
        ...(immediate > 0 ? { immediateSize: immediate } : {}),
      });
      module = device.createShaderModule({ label: spec.name, code: spec.wgsl });
      const pending = device.createComputePipelineAsync({
        label: spec.name,
        layout,
        compute: { module, entryPoint: spec.entryPoint },
      });
      // Awaited below; until then its rejection must not count as unhandled.
      pending.catch(() => undefined);
      return { pending, groupLayout };
    });
    return { pipeline: await pending, groupLayout };
  } catch (error) {
    throw await compileFault(context, spec, module, error);
  }
}

function createGroupLayout(device: GPUDevice, spec: PipelineSpec): GPUBindGroupLayout {
  const storage = spec.access.map((access, binding): GPUBindGroupLayoutEntry => {
    const type = access === "read" ? "read-only-storage" : "storage";
    return { binding, visibility: computeStage, buffer: { type } };
  });
  const slots = spec.stepIndices === "table" ? spec.stepSlots : 0;
  const uniforms = Array.from({ length: slots }, (_, slot): GPUBindGroupLayoutEntry => {
    return {
      binding: storage.length + slot,
      visibility: computeStage,
      buffer: { type: "uniform", hasDynamicOffset: true, minBindingSize: 4 },
    };
  });
  return device.createBindGroupLayout({ entries: [...storage, ...uniforms] });
}

async function compileFault(
  context: DeviceContext,
  spec: PipelineSpec,
  module: GPUShaderModule | undefined,
  error: unknown,
): Promise<unknown> {
  if (error instanceof RuntimeFault && error.kind === "device-lost") return error;
  const messages = module === undefined ? [] : await compilerMessages(module, spec.wgsl);
  if (messages.length > 0) {
    return new RuntimeFault("shader", `kernel "${spec.name}": ${messages.join("\n")}`);
  }
  const loss = await context.loss();
  if (loss !== null) return loss;
  if (error instanceof RuntimeFault) return error;
  const text = error instanceof Error ? error.message.trim() : String(error);
  return new RuntimeFault("shader", `kernel "${spec.name}": ${text}`);
}

async function compilerMessages(module: GPUShaderModule, wgsl: string): Promise<readonly string[]> {
  const info = await module.getCompilationInfo().catch(() => null);
  const lines = wgsl.split("\n");
  return [...(info?.messages ?? [])]
    .filter((message) => message.type === "error")
    .map((message) => {
      const text = lines[message.lineNum - 1];
      const source = text === undefined ? "" : `\n  ${text.trim()}`;
      return `line ${message.lineNum}:${message.linePos}: ${message.message}${source}`;
    });
}

/** The specification of the kernel that fills words of a buffer with zero; see {@link zeroGrid}. */
export function zeroSpec(width: 1 | 4): PipelineSpec {
  const element = width === 4 ? "vec4<u32>" : "u32";
  return {
    name: `zero ${element}`,
    wgsl: `@group(0) @binding(0) var<storage, read_write> words: array<${element}>;
@compute @workgroup_size(64)
fn zero(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = (group.y * groups.x + group.x) * 64u + lane;
  if (i < arrayLength(&words)) {
    words[i] = ${element}();
  }
}
`,
    entryPoint: "zero",
    access: ["read_write"],
    stepSlots: 0,
    stepIndices: "table",
  };
}

/** Workgroups in x and y that give each of `elements` an invocation of the zero kernel. */
export function zeroGrid(elements: number, mostPerDimension: number): readonly [number, number] {
  const groups = Math.ceil(elements / 64);
  const x = Math.min(groups, mostPerDimension);
  return [x, x === 0 ? 0 : Math.ceil(groups / x)];
}
