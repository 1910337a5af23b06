/**
 * The part of an emitted module that makes a plan callable. It stands below `const program`, a `ModuleData`, and uses
 * WebGPU and nothing else, as the other parts do. Tests check their types, and execute them.
 */
export const loadSource: string = `
/** The flags of WebGPU, which are globals in browsers only. */
const usage = { mapRead: 1, copySource: 4, copyDestination: 8, uniform: 64, storage: 128 };

/** Multiples at which buffers may be bound on every device, in bytes. */
const alignment = 256;

/** @typedef {"input" | "output" | "inout"} Role */
/** @typedef {{ name: string, role: Role, type: string, shape: readonly number[], array: string, bytes: number }} Tensor */
/** @typedef {readonly [where: string | number, access: "read" | "read_write", bytes: number]} Binding */
/** @typedef {{ name: string, entryPoint: string, grid: readonly [number, number, number], steps: readonly string[], bindings: readonly Binding[], wgsl: string }} Kernel */
/** @typedef {number | Repeat} Step */
/** @typedef {{ repeat: string, extent: number, body: readonly Step[] }} Repeat */
/** @typedef {{ requiredFeatures: readonly GPUFeatureName[], requiredLimits: Readonly<Record<string, number>>, subgroupSize?: number }} Requirements */
/** @typedef {{ name: string, tensors: readonly Tensor[] }} Program */
/** @typedef {{ requirements: Requirements, scratch: readonly number[], stepIndices: "immediate" | "table", steps: readonly Step[], kernels: readonly Kernel[] }} Plan */
/** @typedef {GPUDevice | GPUAdapter} Able */
/** @typedef {{ buffer: GPUBuffer, offset: number }} Range */
/** @typedef {Map<string, Range>} Bound */
/** @typedef {Record<string, unknown>} Given */
/** @typedef {{ pipeline: GPUComputePipeline, layout: GPUBindGroupLayout }} Compiled */
/** @typedef {Float32Array | Int32Array | Uint32Array | Uint16Array | Int16Array | Uint8Array | Int8Array} Elements */
/** @typedef {{ plan: Plan, pipelines: readonly Compiled[], scratch: readonly GPUBuffer[], table: GPUBuffer | null }} Memory */
/** @typedef {{ tensor: Tensor, value: Elements | Range | null }} Checked */
/** @typedef {(size: number, flags: number) => GPUBuffer} Create */

/**
 * Compiles the kernels of a plan for a device and allocates the temporaries.
 * @param {GPUDevice} device
 * @param {Plan} plan
 */
async function loadPlan(device, plan) {
  const pipelines = await Promise.all(plan.kernels.map((kernel) => compile(device, plan, kernel)));
  const memory = await scoped(device, () => ({
    plan,
    pipelines,
    scratch: plan.scratch.map((size) => device.createBuffer({ size, usage: usage.storage })),
    table: createTable(device, plan),
  }));
  /** @type {(pass: GPUComputePassEncoder, bound: Bound) => void} */
  const steps = (pass, bound) => encodeSteps(device, pass, { ...memory, bound });
  return {
    /** @param {Given} inputs */
    run: (inputs) => run(device, inputs, steps),
    /** @type {(pass: GPUComputePassEncoder, tensors: Given) => void} */
    encode: (pass, tensors) => steps(pass, boundTo(tensors)),
    dispose: () => {
      for (const buffer of memory.scratch) buffer.destroy();
      memory.table?.destroy();
    },
  };
}

/**
 * Tensors on the device, as the caller's pass binds them.
 * @param {Given} tensors
 */
function boundTo(tensors) {
  checkNames(tensors, program.tensors);
  /** @type {Bound} */
  const bound = new Map();
  for (const tensor of program.tensors) {
    const value = tensors[tensor.name];
    if (!isOnDevice(value)) fail(tensor, "needs a GPUBuffer here");
    bound.set(tensor.name, deviceRange(tensor, value, usage.storage));
  }
  checkAliases(bound);
  return bound;
}

/**
 * @param {GPUDevice} device
 * @param {Given} inputs
 * @param {(pass: GPUComputePassEncoder, bound: Bound) => void} steps
 */
async function run(device, inputs, steps) {
  const given = checkInputs(inputs);
  /** @type {GPUBuffer[]} */
  const made = [];
  /** @type {Create} */
  const create = (size, flags) => {
    const buffer = device.createBuffer({ size, usage: flags });
    made.push(buffer);
    return buffer;
  };
  try {
    const copies = await scoped(device, () => {
      const bound = upload(device, given, create);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      steps(pass, bound);
      pass.end();
      const staged = copyResults(encoder, bound, create);
      device.queue.submit([encoder.finish()]);
      return staged;
    });
    return Object.fromEntries(await Promise.all(copies.map((copy) => readBack(device, copy))));
  } finally {
    for (const buffer of made) buffer.destroy();
  }
}

/**
 * Buffers for all tensors: those that were given, and new ones.
 * @param {GPUDevice} device
 * @param {readonly Checked[]} given
 * @param {Create} create
 */
function upload(device, given, create) {
  /** @type {Bound} */
  const bound = new Map();
  for (const { tensor, value } of given) {
    if (value !== null && !ArrayBuffer.isView(value)) {
      bound.set(tensor.name, value);
      continue;
    }
    const flags = usage.storage | usage.copySource | usage.copyDestination;
    const buffer = create(tensor.bytes, flags);
    if (value !== null) device.queue.writeBuffer(buffer, 0, words(tensor, value));
    bound.set(tensor.name, { buffer, offset: 0 });
  }
  checkAliases(bound);
  return bound;
}

/**
 * @param {GPUCommandEncoder} encoder
 * @param {Bound} bound
 * @param {Create} create
 */
function copyResults(encoder, bound, create) {
  const written = program.tensors.filter(({ role }) => role !== "input");
  return written.map((tensor) => {
    const { buffer, offset } = /** @type {Range} */ (bound.get(tensor.name));
    const staging = create(tensor.bytes, usage.mapRead | usage.copyDestination);
    encoder.copyBufferToBuffer(buffer, offset, staging, 0, tensor.bytes);
    return { tensor, staging };
  });
}

/**
 * Runs commands in error scopes of their own.
 * @template T
 * @param {GPUDevice} device
 * @param {() => T} commands
 * @returns {Promise<T>}
 */
async function scoped(device, commands) {
  device.pushErrorScope("out-of-memory");
  device.pushErrorScope("validation");
  /** @type {Promise<(GPUError | null)[]>} */
  let popped = Promise.resolve([]);
  let value;
  try {
    value = commands();
  } finally {
    // On a lost device it may reject; reading back tells of that.
    popped = Promise.all([device.popErrorScope(), device.popErrorScope()]).catch(() => []);
  }
  const [validation, memory] = await popped;
  const error = memory ?? validation;
  if (error) throw new Error(program.name + ": " + error.message);
  return value;
}
`;
