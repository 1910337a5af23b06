/**
 * The part of an emitted module that knows plans: what they need of a device, their pipelines and memory, their
 * steps in a pass.
 */
export const planSource: string = `
/**
 * What a device or an adapter lacks for a plan; null for nothing.
 * @param {Plan} plan
 * @param {Able} on
 */
function lackOf({ requirements }, on) {
  const { requiredFeatures, requiredLimits, subgroupSize } = requirements;
  const feature = requiredFeatures.find((name) => !on.features.has(name));
  if (feature !== undefined) return "the device lacks " + feature + "; request it with " + request;
  const { subgroupMinSize = 0, subgroupMaxSize = 0 } = infoOf(on) ?? {};
  // Of a device with several sizes kernels ask for one in its range.
  const asks = requiredFeatures.includes("subgroup-size-control");
  const [least, most] = asks ? [subgroupMinSize, subgroupMaxSize] : [subgroupMaxSize, subgroupMinSize];
  if (subgroupSize !== undefined && (subgroupSize < least || subgroupSize > most)) {
    return "made for devices with subgroups of " + subgroupSize;
  }
  for (const [name, needed] of Object.entries(requiredLimits)) {
    const allowed = Reflect.get(on.limits, name) ?? 0;
    if (allowed >= needed) continue;
    const both = "needs " + name + " " + needed + ", the device has " + allowed;
    return both + "; request it with " + request;
  }
  return null;
}

/**
 * @param {Able} on
 * @returns {GPUAdapterInfo | undefined}
 */
function infoOf(on) {
  return "adapterInfo" in on ? on.adapterInfo : "info" in on ? on.info : undefined;
}

/**
 * @param {GPUDevice} device
 * @param {Plan} plan
 * @param {Kernel} kernel
 * @returns {Promise<Compiled>}
 */
async function compile(device, plan, kernel) {
  const storage = kernel.bindings.map(([, access], binding) => ({
    binding,
    visibility: 4,
    buffer: {
      type: /** @type {GPUBufferBindingType} */ (access === "read" ? "read-only-storage" : "storage"),
    },
  }));
  const inTable = plan.stepIndices === "table" ? kernel.steps : [];
  const uniforms = inTable.map((_, slot) => ({
    binding: storage.length + slot,
    visibility: 4,
    buffer: {
      type: /** @type {GPUBufferBindingType} */ ("uniform"),
      hasDynamicOffset: true,
      minBindingSize: 4,
    },
  }));
  const immediateSize = 4 * (kernel.steps.length - inTable.length);
  const layout = device.createBindGroupLayout({ entries: [...storage, ...uniforms] });
  const pipeline = await device.createComputePipelineAsync({
    label: kernel.name,
    layout: device.createPipelineLayout({
      bindGroupLayouts: [layout],
      ...(immediateSize > 0 ? { immediateSize } : {}),
    }),
    compute: {
      module: device.createShaderModule({ label: kernel.name, code: kernel.wgsl }),
      entryPoint: kernel.entryPoint,
    },
  });
  return { pipeline, layout };
}

/**
 * Word i at byte 256 i, for kernels that read the index of a repeat.
 * @param {GPUDevice} device
 * @param {Plan} plan
 */
function createTable(device, plan) {
  const needed = plan.stepIndices === "table" && plan.kernels.some((k) => k.steps.length > 0);
  if (!needed) return null;
  const length = longest(plan.steps);
  const words = new Uint32Array((length * alignment) / 4);
  for (let i = 0; i < length; i++) words[(i * alignment) / 4] = i;
  const table = device.createBuffer({
    size: Math.max(alignment, words.byteLength),
    usage: usage.uniform | usage.copyDestination,
  });
  device.queue.writeBuffer(table, 0, words);
  return table;
}

/**
 * @param {readonly Step[]} steps
 * @returns {number}
 */
function longest(steps) {
  const lengths = steps.map((step) =>
    typeof step === "number" ? 0 : Math.max(step.extent, longest(step.body)),
  );
  return Math.max(0, ...lengths);
}

/**
 * @param {GPUDevice} device
 * @param {GPUComputePassEncoder} pass
 * @param {Memory & { bound: Bound }} memory
 */
function encodeSteps(device, pass, { plan, pipelines, scratch, table, bound }) {
  const groups = plan.kernels.map((kernel, n) => {
    /** @type {GPUBindGroupEntry[]} */
    const entries = kernel.bindings.map(([where, , size], binding) => {
      const range = typeof where === "number" ? { buffer: scratch[where] } : bound.get(where);
      return { binding, resource: { .../** @type {Range} */ (range), size } };
    });
    if (table !== null) {
      kernel.steps.forEach((_, slot) => {
        entries.push({ binding: kernel.bindings.length + slot, resource: { buffer: table, size: 4 } });
      });
    }
    return device.createBindGroup({ layout: pipelines[n].layout, entries });
  });
  /** @type {(steps: readonly Step[], indices: Record<string, number>) => void} */
  const walk = (steps, indices) => {
    for (const step of steps) {
      if (typeof step !== "number") {
        for (let i = 0; i < step.extent; i++) walk(step.body, { ...indices, [step.repeat]: i });
        continue;
      }
      const kernel = plan.kernels[step];
      const [x, y, z] = kernel.grid;
      if (x * y * z === 0) continue;
      const values = kernel.steps.map((name) => indices[name]);
      pass.setPipeline(pipelines[step].pipeline);
      if (table !== null) {
        pass.setBindGroup(0, groups[step], values.map((value) => value * alignment));
      } else {
        pass.setBindGroup(0, groups[step]);
        if (values.length > 0) pass.setImmediates(0, new Uint32Array(values));
      }
      pass.dispatchWorkgroups(x, y, z);
    }
  };
  walk(plan.steps, {});
}
`;
