/**
 * The part of an emitted module that knows tensors: arguments are checked and become ranges of buffers, results
 * become typed arrays. It uses `program`, and nothing of a plan.
 */
export const tensorSource: string = `
/**
 * @param {GPUDevice} device
 * @param {{ tensor: Tensor, staging: GPUBuffer }} result
 */
async function readBack(device, { tensor, staging }) {
  await staging.mapAsync(1).catch(async (error) => {
    const lost = await Promise.race([device.lost, null]);
    const why = lost === null ? error.message : "the device is lost (" + lost.reason + ")";
    throw new Error(program.name + ": " + tensor.name + " cannot be read: " + why, { cause: error });
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
    throw new TypeError(program.name + " takes one object with its tensors by name: " + names.join(", "));
  }
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    throw new TypeError(program.name + " takes no " + name + " here; it takes " + names.join(", "));
  }
}

/**
 * @param {Given} inputs
 * @returns {readonly Checked[]}
 */
function checkInputs(inputs) {
  checkNames(inputs, program.tensors.filter(({ role }) => role !== "output"));
  return program.tensors.map((tensor) => {
    const given = Object.hasOwn(inputs, tensor.name) ? inputs[tensor.name] : undefined;
    return { tensor, value: checkInput(tensor, given) };
  });
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
  for (const written of program.tensors.filter(({ role }) => role !== "input")) {
    const own = bound.get(written.name)?.buffer;
    const other = program.tensors.find((t) => t !== written && bound.get(t.name)?.buffer === own);
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
  throw new TypeError(program.name + ": " + tensor.name + ": " + type + " " + what);
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
