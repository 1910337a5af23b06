import { bytesOfBuffer, type Plan } from "../codegen/plan.ts";

/** What a device has to be requested with to run a plan: an argument of `requestDevice`. */
export interface Requirements {
  readonly requiredFeatures: readonly string[];
  readonly requiredLimits: Readonly<Record<string, number>>;
  /**
   * Lanes that all subgroups must have, where kernels depend on it: those of the device, or with
   * `subgroup-size-control` among the features those of kernels, in the device's range.
   */
  readonly subgroupSize?: number;
}

/** The limits that every device has; see "Limits" in the WebGPU specification. */
const guaranteed: Readonly<Record<string, number>> = {
  maxBufferSize: 268435456,
  maxStorageBufferBindingSize: 134217728,
  maxStorageBuffersPerShaderStage: 8,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeWorkgroupsPerDimension: 65535,
  maxDynamicUniformBuffersPerPipelineLayout: 8,
  maxImmediateSize: 0,
};

/** What WGSL calls the features that it can enable, and WebGPU. */
const featureNames: Readonly<Record<string, string>> = {
  f16: "shader-f16",
  subgroups: "subgroups",
  subgroup_size_control: "subgroup-size-control",
  chromium_experimental_subgroup_matrix: "chromium-experimental-subgroup-matrix",
};

/** The features of a plan, and those of its limits that not every device has. */
export function requirementsOf(plan: Plan): Requirements {
  const needed = Object.entries(limitsOf(plan));
  const enabled = plan.kernels.flatMap(({ wgsl }) =>
    [...wgsl.matchAll(/^enable (\w+);/gm)].map(([, name = ""]) => featureNames[name] ?? name),
  );
  const [subgroupSize] = plan.kernels.flatMap(({ kernel }) => kernel.subgroupSize ?? []);
  return {
    ...(subgroupSize === undefined ? {} : { subgroupSize }),
    requiredFeatures: [...new Set(enabled)].sort(),
    requiredLimits: Object.fromEntries(
      needed.filter(([name, value]) => value > (guaranteed[name] ?? 0)),
    ),
  };
}

function limitsOf(plan: Plan): Readonly<Record<string, number>> {
  const most = (numbers: readonly number[]): number => Math.max(0, ...numbers);
  const kernels = plan.kernels.map((k) => k.kernel);
  const bytes = most(plan.buffers.map(bytesOfBuffer));
  const slots = most(kernels.map((kernel) => kernel.steps.length));
  const immediate = plan.stepIndices === "immediate";
  return {
    maxBufferSize: bytes,
    maxStorageBufferBindingSize: bytes,
    maxStorageBuffersPerShaderStage: most(plan.kernels.map((k) => k.bindings.length)),
    maxComputeInvocationsPerWorkgroup: most(kernels.map((k) => k.workgroupSize)),
    maxComputeWorkgroupSizeX: most(kernels.map((k) => k.workgroupSize)),
    maxComputeWorkgroupStorageSize: most(kernels.map(workgroupBytes)),
    maxComputeWorkgroupsPerDimension: most(kernels.flatMap((k) => k.grid)),
    maxDynamicUniformBuffersPerPipelineLayout: immediate ? 0 : slots,
    maxImmediateSize: immediate ? 4 * slots : 0,
  };
}

/** Bytes of workgroup memory that a kernel declares; each array begins at a multiple of 16. */
function workgroupBytes({ arrays }: Plan["kernels"][number]["kernel"]): number {
  return arrays
    .filter((array) => array.space === "workgroup")
    .reduce((sum, { length }) => sum + 16 * Math.ceil((4 * length) / 16), 0);
}
