/**
 * The part of an emitted module that is the same for all plans: it makes pipelines and memory, checks
 * arguments, and encodes the steps. It stands below `const plan`, which is a `ModuleData`, and uses
 * WebGPU and nothing else. A test checks its types, and executes it.
 */
export const loaderSource: string = `
/** The flags of WebGPU, which are globals in browsers only. */
const usage = { mapRead: 1, copySource: 4, copyDestination: 8, uniform: 64, storage: 128 };

/** Multiples at which buffers may be bound on every device, in bytes. */
const alignment = 256;

/**
 * Compiles the kernels for a device and allocates the temporaries.
 * @param {GPUDevice} device
 */
export async function load(device) {
  checkDevice(device);
  const pipelines = await Promise.all(plan.kernels.map((kernel) => compile(device, kernel)));
  const { scratch, table } = await scoped(device, () => ({
    scratch: plan.scratch.map((size) => device.createBuffer({ size, usage: usage.storage })),
    table: createTable(device),
  }));
  /** @type {(pass: GPUComputePassEncoder, bound: Bound) => void} */
  const steps = (pass, bound) => encodeSteps(device, pass, { pipelines, scratch, table, bound });
  return {
    /** @param {Given} inputs */
    run: (inputs) => run(device, inputs, steps),
    /** @type {(pass: GPUComputePassEncoder, tensors: Given) => void} */
    encode: (pass, tensors) => {
      checkNames(tensors, plan.tensors);
      /** @type {Bound} */
      const bound = new Map();
      for (const tensor of plan.tensors) {
        const value = tensors[tensor.name];
        if (!isOnDevice(value)) fail(tensor, "needs a GPUBuffer here");
        bound.set(tensor.name, deviceRange(tensor, value, usage.storage));
      }
      checkAliases(bound);
      steps(pass, bound);
    },
    dispose: () => {
      for (const buffer of scratch) buffer.destroy();
      table?.destroy();
    },
  };
}

/** @typedef {"input" | "output" | "inout"} Role */
/** @typedef {{ name: string, role: Role, type: string, shape: readonly number[], array: string, bytes: number }} Tensor */
/** @typedef {readonly [where: string | number, access: "read" | "read_write", bytes: number]} Binding */
/** @typedef {{ name: string, entryPoint: string, grid: readonly [number, number, number], steps: readonly string[], bindings: readonly Binding[], wgsl: string }} Kernel */
/** @typedef {number | Repeat} Step */
/** @typedef {{ repeat: string, extent: number, body: readonly Step[] }} Repeat */
/** @typedef {{ requiredFeatures: readonly GPUFeatureName[], requiredLimits: Readonly<Record<string, number>>, subgroupSize?: number }} Requirements */
/** @typedef {{ name: string, requirements: Requirements, tensors: readonly Tensor[], scratch: readonly number[], stepIndices: "immediate" | "table", steps: readonly Step[], kernels: readonly Kernel[] }} Plan */
/** @typedef {{ buffer: GPUBuffer, offset: number }} Range */
/** @typedef {Map<string, Range>} Bound */
/** @typedef {Record<string, unknown>} Given */
/** @typedef {{ pipeline: GPUComputePipeline, layout: GPUBindGroupLayout }} Compiled */
/** @typedef {Float32Array | Int32Array | Uint32Array | Uint16Array | Int16Array | Uint8Array | Int8Array} Elements */

/** @param {GPUDevice} device */
function checkDevice(device) {
  for (const feature of plan.requirements.requiredFeatures) {
    if (device.features.has(feature)) continue;
    throw new Error(plan.name + ": the device lacks " + feature + "; request it with \`requirements\`");
  }
  const { subgroupSize } = plan.requirements;
  const { subgroupMinSize, subgroupMaxSize } = device.adapterInfo ?? {};
  if (
    subgroupSize !== undefined &&
    (subgroupMinSize !== subgroupSize || subgroupMaxSize !== subgroupSize)
  ) {
    throw new Error(plan.name + ": made for devices with subgroups of " + subgroupSize);
  }
  for (const [name, needed] of Object.entries(plan.requirements.requiredLimits)) {
    const allowed = Reflect.get(device.limits, name) ?? 0;
    if (allowed >= needed) continue;
    throw new Error(
      plan.name + ": needs " + name + " " + needed + ", the device has " + allowed +
        "; request it with \`requirements\`",
    );
  }
}

/**
 * @param {GPUDevice} device
 * @param {Kernel} kernel
 * @returns {Promise<Compiled>}
 */
async function compile(device, kernel) {
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
 */
function createTable(device) {
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
 * @param {{ pipelines: Compiled[], scratch: GPUBuffer[], table: GPUBuffer | null, bound: Bound }} memory
 */
function encodeSteps(device, pass, { pipelines, scratch, table, bound }) {
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

/**
 * @param {GPUDevice} device
 * @param {Given} inputs
 * @param {(pass: GPUComputePassEncoder, bound: Bound) => void} steps
 */
async function run(device, inputs, steps) {
  checkNames(inputs, plan.tensors.filter(({ role }) => role !== "output"));
  const checked = plan.tensors.map((tensor) => ({ tensor, value: checkInput(tensor, Object.hasOwn(inputs, tensor.name) ? inputs[tensor.name] : undefined) }));
  /** @type {GPUBuffer[]} */
  const made = [];
  /** @type {(size: number, flags: number) => GPUBuffer} */
  const create = (size, flags) => {
    const buffer = device.createBuffer({ size, usage: flags });
    made.push(buffer);
    return buffer;
  };
  try {
    const results = await scoped(device, () => {
      /** @type {Bound} */
      const bound = new Map();
      for (const { tensor, value } of checked) {
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
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      steps(pass, bound);
      pass.end();
      const written = plan.tensors.filter(({ role }) => role !== "input");
      const copies = written.map((tensor) => {
        const { buffer, offset } = /** @type {Range} */ (bound.get(tensor.name));
        const staging = create(tensor.bytes, usage.mapRead | usage.copyDestination);
        encoder.copyBufferToBuffer(buffer, offset, staging, 0, tensor.bytes);
        return { tensor, staging };
      });
      device.queue.submit([encoder.finish()]);
      return copies;
    });
    return Object.fromEntries(await Promise.all(results.map((result) => readBack(device, result))));
  } finally {
    for (const buffer of made) buffer.destroy();
  }
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
  if (error) throw new Error(plan.name + ": " + error.message);
  return value;
}

/**
 * @param {GPUDevice} device
 * @param {{ tensor: Tensor, staging: GPUBuffer }} result
 */
async function readBack(device, { tensor, staging }) {
  await staging.mapAsync(1).catch(async (error) => {
    const lost = await Promise.race([device.lost, null]);
    const why = lost === null ? error.message : "the device is lost (" + lost.reason + ")";
    throw new Error(plan.name + ": " + tensor.name + " cannot be read: " + why, { cause: error });
  });
  const bytes = staging.getMappedRange().slice(0);
  const count = elements(tensor);
  const data =
    tensor.type === "float16"
      ? Float32Array.from(new Uint16Array(bytes, 0, count), fromHalf)
      : new (arrayType(tensor))(bytes, 0, count);
  return /** @type {const} */ ([tensor.name, data]);
}

/** @param {Tensor} tensor */
function elements(tensor) {
  return tensor.shape.reduce((product, extent) => product * extent, 1);
}

/** @param {Tensor} tensor */
function arrayType(tensor) {
  return /** @type {new (...args: unknown[]) => Elements} */ (Reflect.get(globalThis, tensor.array));
}

/**
 * The elements as whole words.
 * @param {Tensor} tensor
 * @param {Elements} data
 */
function words(tensor, data) {
  const bytes = new Uint8Array(tensor.bytes);
  const stored = tensor.type === "float16" ? Uint16Array.from(data, toHalf) : data;
  bytes.set(new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength));
  return bytes;
}

/**
 * @param {Given} given
 * @param {readonly Tensor[]} known
 */
function checkNames(given, known) {
  const names = known.map(({ name }) => name);
  if (typeof given !== "object" || given === null) {
    throw new TypeError(plan.name + " takes one object with its tensors by name: " + names.join(", "));
  }
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    throw new TypeError(plan.name + " takes no " + name + " here; it takes " + names.join(", "));
  }
}

/**
 * @param {Tensor} tensor
 * @param {unknown} value
 * @returns {Elements | Range | null} null for a tensor that the call makes
 */
function checkInput(tensor, value) {
  if (tensor.role === "output") return null;
  if (value === undefined) fail(tensor, "is missing");
  if (isOnDevice(value)) {
    const read = tensor.role === "inout" ? usage.copySource : 0;
    return deviceRange(tensor, value, usage.storage | read);
  }
  const type = arrayType(tensor);
  const data = typeof value === "number" && tensor.shape.length === 0 ? new type([value]) : value;
  if (!(data instanceof type)) fail(tensor, "needs a " + tensor.array);
  const count = elements(tensor);
  if (data.length !== count) {
    fail(tensor, "has " + count + " elements, the " + tensor.array + " has " + data.length);
  }
  if (tensor.type === "bool" && data.some((word) => word > 1)) fail(tensor, "holds 0 and 1 only");
  return data;
}

/**
 * @param {unknown} value
 * @returns {value is GPUBuffer | { buffer: GPUBuffer, offset?: number }}
 */
function isOnDevice(value) {
  return typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
}

/**
 * Refuses a tensor that says itself that it is not dense.
 * @param {Tensor} tensor
 * @param {object} value
 */
function checkDense(tensor, value) {
  const place = /** @type {{ strides?: unknown, shape?: unknown }} */ (value);
  const { strides, shape = tensor.shape } = place;
  if (!Array.isArray(strides) || !Array.isArray(shape) || shape.includes(0)) return;
  let dense = 1;
  for (let d = shape.length - 1; d >= 0; d -= 1) {
    if (shape[d] > 1 && strides[d] !== dense) {
      const next = "copy it, or run a plan that --layout and --emit json compile for it";
      fail(tensor, "is dense here, the strides are [" + strides.join(", ") + "]: " + next);
    }
    dense *= shape[d];
  }
}

/**
 * @param {Tensor} tensor
 * @param {GPUBuffer | { buffer: GPUBuffer, offset?: number }} value
 * @param {number} flags
 * @returns {Range}
 */
function deviceRange(tensor, value, flags) {
  const { buffer, offset = 0 } = "buffer" in value ? value : { buffer: value };
  checkDense(tensor, value);
  if ((buffer.usage & flags) !== flags) {
    const both = flags === usage.storage ? "" : " and COPY_SRC";
    fail(tensor, "needs a GPUBuffer with usage STORAGE" + both);
  }
  if (offset % alignment !== 0) fail(tensor, "offset " + offset + " is no multiple of 256");
  if (buffer.size - offset < tensor.bytes) {
    fail(tensor, "takes " + tensor.bytes + " bytes, the GPUBuffer has " + (buffer.size - offset));
  }
  return { buffer, offset };
}

/**
 * A buffer that is written under one name must not be used under another.
 * @param {Bound} bound
 */
function checkAliases(bound) {
  for (const written of plan.tensors.filter(({ role }) => role !== "input")) {
    const own = bound.get(written.name)?.buffer;
    const other = plan.tensors.find((t) => t !== written && bound.get(t.name)?.buffer === own);
    if (other !== undefined) fail(written, "is written, and shares its buffer with " + other.name);
  }
}

/**
 * @param {Tensor} tensor
 * @param {string} what
 * @returns {never}
 */
function fail(tensor, what) {
  const type = tensor.type + "[" + tensor.shape.join(", ") + "]";
  throw new TypeError(plan.name + ": " + tensor.name + ": " + type + " " + what);
}
`;

/** The conversions of an emitted module whose plan has tensors of type float16. */
export const halfSource: string = `
/**
 * The bits of the nearest float16, halves to the even one.
 * @param {number} value
 */
function toHalf(value) {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | roundEven(size * 2 ** 24);
  // float32 holds every float16, so that its exponent is exact.
  const exponent = (new Uint32Array(Float32Array.of(size).buffer)[0] >>> 23) - 127;
  return sign | (((exponent + 14) << 10) + roundEven(size * 2 ** (10 - exponent)));
}

/** @param {number} value */
function roundEven(value) {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

/** @param {number} bits */
function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
`;

/** What stands for {@link halfSource} where no tensor needs it. */
export const noHalfSource: string = `
/** @type {(value: number) => number} */
const toHalf = (value) => value;
/** @type {(bits: number) => number} */
const fromHalf = (bits) => bits;
`;
