/** Does a plan fit the device? Asked before anything is compiled, to name the limit that it hits. */
import { bytesOfBuffer, type Plan, type PlanKernel, type Step } from "../codegen/plan.ts";
import { invariant } from "../support/assert.ts";
import { bytesText } from "../support/bytes-text.ts";
import { RuntimeFault } from "./runtime-fault.ts";

/**
 * Throws RuntimeFault `unsupported` naming the first limit that the plan exceeds: bytes per
 * binding, bindings, invocations, workgroups, immediates where the device has none, subgroups of a
 * size that the device has not or cannot be asked for, or matrix units where it has none. A plan that refers to a kernel, buffer or index that it does not have is our own bug.
 */
export function checkPlan(
  plan: Plan,
  { limits, adapterInfo, features }: Pick<GPUDevice, "limits" | "adapterInfo" | "features">,
): void {
  checkReferences(plan);
  // Undefined in browsers that do not describe the adapter of a device.
  const info: GPUAdapterInfo | undefined = adapterInfo;
  for (const { kernel, wgsl } of plan.kernels) {
    checkSubgroups(kernel, wgsl, info, features);
    checkMatrixUnits(kernel, wgsl, features);
  }
  for (const buffer of plan.buffers) {
    const bytes = bytesOfBuffer(buffer);
    const most = limits.maxStorageBufferBindingSize;
    const who = `tensor "${buffer.name}" [${buffer.shape.join(", ")}]`;
    require(bytes <=
      most, `${who} takes ${bytesText(bytes)}`, "maxStorageBufferBindingSize", bytesText(most));
  }
  for (const kernel of plan.kernels) checkKernel(plan, kernel, limits);
}

function checkKernel(plan: Plan, kernel: PlanKernel, limits: GPUSupportedLimits): void {
  const { name, workgroupSize, grid, steps } = kernel.kernel;
  const bindings = kernel.bindings.length;
  const most = limits.maxStorageBuffersPerShaderStage;
  const who = `kernel "${name}"`;
  require(bindings <=
    most, `${who} binds ${bindings} buffers`, "maxStorageBuffersPerShaderStage", most);
  const invocations = limits.maxComputeInvocationsPerWorkgroup;
  require(workgroupSize <=
    invocations, `${who} has ${workgroupSize} invocations per workgroup`, "maxComputeInvocationsPerWorkgroup", invocations);
  const groups = limits.maxComputeWorkgroupsPerDimension;
  for (const extent of grid) {
    require(extent <=
      groups, `${who} needs ${extent} workgroups in a dimension`, "maxComputeWorkgroupsPerDimension", groups);
  }
  if (plan.stepIndices === "immediate") {
    // Undefined in browsers without immediates.
    const bytes = limits.maxImmediateSize ?? 0;
    const used = 4 * steps.length;
    require(used <= bytes, `${who} uses ${used} bytes of immediates`, "maxImmediateSize", bytes);
  }
}

function checkSubgroups(
  { name, subgroupSize }: PlanKernel["kernel"],
  wgsl: string,
  info: GPUAdapterInfo | undefined,
  features: GPUSupportedFeatures,
): void {
  if (subgroupSize === undefined) return;
  const asks = wgsl.includes("enable subgroup_size_control;");
  const feature = "subgroup-size-control";
  const lacks = asks && !features.has(feature) ? ` without ${feature}` : "";
  const [min, max] = [info?.subgroupMinSize ?? 0, info?.subgroupMaxSize ?? 0];
  const [least, most] = asks ? [min, max] : [max, min];
  if (least <= subgroupSize && subgroupSize <= most && lacks === "") return;
  throw new RuntimeFault(
    "unsupported",
    `kernel "${name}" is for subgroups of ${subgroupSize}; this device has ${min} to ${max} ` +
      `(subgroupMinSize, subgroupMaxSize)${lacks}; compile for its profile, or use another`,
  );
}

function checkMatrixUnits(
  { name }: PlanKernel["kernel"],
  wgsl: string,
  features: GPUSupportedFeatures,
): void {
  const feature = "chromium-experimental-subgroup-matrix";
  const isUsed = wgsl.includes("enable chromium_experimental_subgroup_matrix;");
  if (!isUsed || features.has(feature)) return;
  throw new RuntimeFault(
    "unsupported",
    `kernel "${name}" is for matrix units; this device has none (${feature}); ` +
      "compile for its profile, or use another",
  );
}

function require(fits: boolean, what: string, limit: string, most: number | string): void {
  if (fits) return;
  throw new RuntimeFault(
    "unsupported",
    `${what}; this device allows ${most} (${limit}); compile for its profile, or use another`,
  );
}

function checkReferences(plan: Plan): void {
  const own = plan.buffers.map((buffer) => buffer.id);
  invariant(new Set(own).size === own.length, "buffer ids of a plan are unique");
  const ids = new Set([...own, ...(plan.shared ?? []).map(({ id }) => id)]);
  for (const kernel of plan.kernels) {
    const bound = kernel.bindings.map((binding) => binding.buffer);
    invariant(new Set(bound).size === bound.length, "a kernel binds each buffer once");
    invariant(
      bound.every((id) => ids.has(id)),
      `kernel ${kernel.kernel.name} binds buffers of the plan`,
    );
  }
  const offsets = plan.buffers.flatMap(({ layout }) => layout?.variable ?? []);
  checkSteps(plan, plan.steps, ids, offsets);
}

function checkSteps(
  plan: Plan,
  steps: readonly Step[],
  ids: ReadonlySet<string>,
  variables: readonly string[],
): void {
  for (const step of steps) {
    if (step.kind === "zero") invariant(ids.has(step.buffer), `buffer ${step.buffer} to zero`);
    if (step.kind === "repeat") checkSteps(plan, step.body, ids, [...variables, step.variable]);
    if (step.kind !== "dispatch") continue;
    const used = plan.kernels[step.kernel]?.kernel.steps;
    invariant(used !== undefined, `kernel ${step.kernel} to dispatch`);
    invariant(
      used.every((name) => variables.includes(name)),
      `kernel ${step.kernel} reads indices of the repeats around it`,
    );
  }
}
