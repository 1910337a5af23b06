/** Tensors on the device. */
import { kindOf } from "../support/check-call-shape.ts";
import { bitsToHalf } from "../support/half.ts";
import {
  allocate,
  type ElementType,
  elementBytes,
  elementCount,
  elementTypes,
  type HalfArray,
  rowMajorStrides,
  type TensorData,
} from "../support/scalar-type.ts";
import {
  elementPositions,
  isRowMajor,
  type StridedView,
  viewFrom,
} from "../support/strided-view.ts";
import {
  elementsPerWord,
  packWords,
  paddedBytes,
  storedBytes,
  unpackWords,
  wordCount,
} from "../support/words.ts";
import { bytesOfPlace } from "./check-place.ts";
import { type DeviceContext, scoped, scopedLater, spoiltBy } from "./device-context.ts";
import { bufferUsage, mapModeRead } from "./gpu-flags.ts";
import type { BufferPool } from "./pool.ts";
import { RuntimeFault } from "./runtime-fault.ts";
import {
  broadcast,
  checkInside,
  type SliceRange,
  sliced,
  transposed,
  type ViewOptions,
  viewOf,
} from "./tensor-view.ts";

/**
 * A tensor in a buffer of the device: dense and row-major, or a view of one. Its memory returns to the pool when it is
 * disposed, or when it is garbage; keep it until commands that you encoded with it are submitted.
 * `Data` is the typed array of its elements, as far as types tell.
 */
export interface GpuTensor<Data extends TensorData = TensorData> extends Disposable {
  readonly dtype: ElementType;
  readonly shape: readonly number[];
  readonly device: GPUDevice;
  /** The buffer may be larger than the tensor. Destroy it never, dispose instead. */
  readonly buffer: GPUBuffer;
  /**
   * Where element (0, ..., 0) lies, in bytes: 0, unless the tensor is a view or the buffer is one
   * that a caller gave.
   */
  readonly offset: number;
  /** From an element to its neighbour in each dimension, in elements. */
  readonly strides: readonly number[];
  /**
   * True where its memory goes on to a multiple of 16 bytes and holds nothing else there, so that
   * kernels may take the tensor in whole vectors.
   */
  readonly padded: boolean;
  /** Of a view, also when its tensor is. */
  readonly disposed: boolean;
  /**
   * The elements row by row, after all work that was submitted before. Rejects with RuntimeFault
   * `device-lost`, or `misuse` after `dispose`; with the fault of the call that should have computed
   * them, or what it took, where that did not wait for WebGPU to check it.
   */
  read(): Promise<Data>;
  /**
   * Another tensor on the same memory. Views keep the memory, unless the tensor is disposed; to
   * dispose of a view gives nothing back. A kernel compiles once for each set of strides that it
   * meets. All four throw RuntimeFault `argument` for what the tensor does not have.
   */
  view(options: ViewOptions): GpuTensor<Data>;
  /** The dimensions in another order, by default the reverse. */
  transpose(...order: readonly number[]): GpuTensor<Data>;
  /** Parts of dimensions, from the first on: `[from, to, step]`, an index, or null for all. */
  slice(...ranges: readonly SliceRange[]): GpuTensor<Data>;
  /** Repeats dimensions of one element, and new ones in front. */
  broadcastTo(shape: readonly number[]): GpuTensor<Data>;
  /** Gives the memory back. A second call does nothing. Also under `Symbol.dispose`. */
  dispose(): void;
}

/** Where the elements of a tensor are. */
export interface TensorRange {
  readonly dtype: ElementType;
  readonly shape: readonly number[];
  readonly buffer: GPUBuffer;
  /** Of element (0, ..., 0), in bytes. */
  readonly offset: number;
  readonly strides: readonly number[];
}

/** Makes tensors of one runtime. */
export interface TensorMaker {
  /** A tensor that owns a pool buffer and gives it back. */
  adopt(dtype: ElementType, shape: readonly number[], buffer: GPUBuffer): GpuTensor;
  /**
   * A tensor in a buffer of the caller, who keeps it: disposing gives nothing back. `own`: bytes from its
   * offset on that are the tensor's.
   */
  borrow(range: TensorRange, own: number): GpuTensor;
  /**
   * A tensor with the given elements, or zeros. Memory that cannot be had is told by what reads
   * the tensor. Throws RuntimeFault `argument` if type or number of the elements do not fit.
   */
  create(dtype: ElementType, shape: readonly number[], data?: TensorData | HalfArray): GpuTensor;
}

/** Who answers for the memory of a tensor. */
interface Owner {
  /** Of the buffer, from its start: what views may show. */
  readonly bytes: number;
  /** Where in the buffer the memory ends that is the tensor's. */
  readonly end: number;
  isGone(): boolean;
  release(): void;
}

/** A tensor, whose memory is the owner's. */
function makeTensor(
  context: DeviceContext,
  pool: BufferPool,
  range: TensorRange,
  owner: Owner,
): GpuTensor {
  const { dtype, buffer } = range;
  const size = elementBytes(dtype);
  const base = { ...range, offset: range.offset / size };
  let disposed = false;
  const isDisposed = (): boolean => disposed || owner.isGone();
  const checkUsable = (): void => {
    if (isDisposed()) throw new RuntimeFault("misuse", "the tensor was disposed");
  };
  const dispose = (): void => {
    if (disposed) return;
    disposed = true;
    owner.release();
  };
  const derive = (who: string, view: StridedView): GpuTensor => {
    checkUsable();
    checkInside(who, view, { first: 0, end: Math.floor(owner.bytes / size) });
    const part = { ...view, dtype, buffer, offset: view.offset * size };
    const { bytes } = owner;
    // A part of a tensor has other parts behind it; the same elements have what the tensor has.
    const last = bytesOfPlace(dtype, part.shape, part).end;
    const end = last === bytesOfPlace(dtype, range.shape, range).end ? owner.end : last;
    // To hold the tensor keeps its memory from being garbage.
    const isGone = (): boolean => tensor.disposed;
    return makeTensor(context, pool, part, { bytes, end, isGone, release: nothing });
  };
  const tensor: GpuTensor = {
    dtype,
    buffer,
    offset: range.offset,
    shape: [...range.shape],
    strides: [...range.strides],
    device: context.device,
    padded: isPadded(range, owner.end),
    get disposed() {
      return isDisposed();
    },
    read: async () => {
      checkUsable();
      return await readTensor(context, pool, range);
    },
    view: (options) => derive("view", viewOf(base, options)),
    transpose: (...order) =>
      derive("transpose", transposed(base, order.length === 0 ? undefined : order)),
    slice: (...ranges) => derive("slice", sliced(base, ranges)),
    broadcastTo: (shape) => derive("broadcastTo", broadcast(base, shape)),
    dispose,
    [Symbol.dispose]: dispose,
  };
  return tensor;
}

/** Whether the elements of a dense tensor, up to a multiple of 16 bytes, are before the end of its memory. */
function isPadded({ dtype, shape, offset, strides }: TensorRange, end: number): boolean {
  const bytes = storedBytes(dtype, shape);
  return isRowMajor(shape, strides) && offset + paddedBytes(bytes) <= end;
}

function nothing(): void {}

/** Tensors on the context's device, with memory from the pool. */
export function createTensorMaker(context: DeviceContext, pool: BufferPool): TensorMaker {
  const garbage = new FinalizationRegistry<GPUBuffer>((buffer) => pool.release(buffer));
  const adopt = (dtype: ElementType, shape: readonly number[], buffer: GPUBuffer): GpuTensor => {
    const range = { dtype, shape, buffer, offset: 0, strides: rowMajorStrides(shape) };
    context.spoilt.delete(buffer);
    const tensor = makeTensor(context, pool, range, {
      bytes: elementBytes(dtype) * elementCount(shape),
      end: buffer.size,
      isGone: () => false,
      release: () => {
        garbage.unregister(buffer);
        pool.release(buffer);
      },
    });
    garbage.register(tensor, buffer, buffer);
    return tensor;
  };
  return {
    adopt,
    borrow: (range, own) => {
      const { buffer, dtype, shape, offset, strides } = range;
      const life = { isGone: () => false, release: nothing };
      const isDense = isRowMajor(shape, strides);
      const end = isDense ? offset + own : bytesOfPlace(dtype, shape, range).end;
      const owner = { bytes: buffer.size, end, ...life };
      return makeTensor(context, pool, range, owner);
    },
    create: (dtype, shape, data) => {
      checkType(dtype);
      checkShape(shape);
      const who = `tensor(${dtype}, [${shape}])`;
      const elements = data === undefined ? null : checkData(who, dtype, shape, data);
      const bytes = 4 * wordCount(dtype, elementCount(shape));
      const buffer = scopedLater(context, `create a tensor of ${bytes} bytes`, () => {
        const made = pool.acquire(paddedBytes(bytes), "storage");
        if (elements === null) clear(context.device, made, bytes);
        else upload(context.device, made, dtype, elements);
        return made;
      });
      return adopt(dtype, shape, buffer);
    },
  };
}

const tensorCall = 'tensor("float32", [2, 3], data)';

/** For callers without types: `float` is a word of the language, not of WebGPU. */
function checkType(dtype: unknown): void {
  if (elementTypes.some((type) => type === dtype)) return;
  if (typeof dtype !== "string") {
    const got = `the first argument is the type of the elements, got ${kindOf(dtype)}`;
    throw new RuntimeFault("argument", `tensor: ${got}. For example ${tensorCall}`);
  }
  const known = elementTypes.join(", ");
  throw new RuntimeFault("argument", `there is no type ${dtype}; there are ${known}`);
}

function checkShape(shape: readonly number[]): void {
  if (!Array.isArray(shape)) {
    const got = `the second argument is the shape, got ${kindOf(shape)}`;
    throw new RuntimeFault("argument", `tensor: ${got}. For example ${tensorCall}`);
  }
  const bad = shape.findIndex((extent) => !Number.isSafeInteger(extent) || extent < 0);
  if (bad < 0) return;
  throw new RuntimeFault("argument", `dimension ${bad} of shape [${shape}] is ${shape[bad]}`);
}

/**
 * The elements as the typed array of `dtype`; for `float16` also their bits are taken, in a
 * `Uint16Array` or a `Float16Array`.
 *
 * Throws RuntimeFault `argument` unless `data` is such an array with as many elements as the shape
 * has, 0 and 1 only for `bool`.
 */
export function checkData(
  who: string,
  dtype: ElementType,
  shape: readonly number[],
  data: TensorData | HalfArray,
): TensorData {
  const elements = dtype === "float16" ? halfValues(data) : data;
  if (!isOfType(elements, dtype)) {
    const more = dtype === "float16" ? ", or a Uint16Array of bits" : "";
    const name = arrayName(dtype);
    const expected = `${dtype} needs ${name.startsWith("I") ? "an" : "a"} ${name}${more}`;
    throw new RuntimeFault("argument", `${who}: ${expected}, got ${kindOf(data)}`);
  }
  const count = elementCount(shape);
  if (elements.length !== count) {
    const of = `shape [${shape.join(", ")}] has ${count} elements`;
    throw new RuntimeFault("argument", `${who}: ${of}, the array has ${elements.length}`);
  }
  const bad = dtype === "bool" ? elements.findIndex((word) => word > 1) : -1;
  if (bad < 0) return elements;
  throw new RuntimeFault("argument", `${who}: bool is 0 or 1, element ${bad} is ${elements[bad]}`);
}

/** The values of a `Uint16Array` or `Float16Array` of bits; anything else as it is. */
function halfValues(data: TensorData | HalfArray): TensorData | HalfArray {
  const tag = ArrayBuffer.isView(data) ? data[Symbol.toStringTag] : "";
  if (tag !== "Uint16Array" && tag !== "Float16Array") return data;
  const bits = new Uint16Array(data.buffer, data.byteOffset, data.length);
  return Float32Array.from(bits, bitsToHalf);
}

function isOfType(data: TensorData | HalfArray, dtype: ElementType): data is TensorData {
  return ArrayBuffer.isView(data) && data[Symbol.toStringTag] === arrayName(dtype);
}

function arrayName(dtype: ElementType): string {
  return allocate(dtype, 0)[Symbol.toStringTag];
}

/** Copies elements to the start of a buffer, in the order of the queue. */
export function upload(
  device: GPUDevice,
  buffer: GPUBuffer,
  dtype: ElementType,
  data: TensorData,
): void {
  // WebGPU copies whole words.
  const asStored =
    elementsPerWord(dtype) === 1 || (dtype !== "float16" && data.byteLength % 4 === 0);
  device.queue.writeBuffer(buffer, 0, unshared(asStored ? data : packWords(dtype, data)));
}

/** WebGPU refuses views of shared memory. */
function unshared(data: TensorData): TensorData & ArrayBufferView<ArrayBuffer> {
  return isUnshared(data) ? data : (data.slice() as TensorData & ArrayBufferView<ArrayBuffer>);
}

function isUnshared(data: TensorData): data is TensorData & ArrayBufferView<ArrayBuffer> {
  return data.buffer instanceof ArrayBuffer;
}

function clear(device: GPUDevice, buffer: GPUBuffer, bytes: number): void {
  if (bytes === 0) return;
  const encoder = device.createCommandEncoder();
  encoder.clearBuffer(buffer, 0, bytes);
  device.queue.submit([encoder.finish()]);
}

async function readTensor(
  context: DeviceContext,
  pool: BufferPool,
  { dtype, shape, buffer, offset, strides }: TensorRange,
): Promise<TensorData> {
  const count = elementCount(shape);
  if (count === 0) return allocate(dtype, 0);
  if ((buffer.usage & bufferUsage.copySource) === 0) {
    throw new RuntimeFault("misuse", "the GPUBuffer was made without GPUBufferUsage.COPY_SRC");
  }
  const { first, end } = bytesOfPlace(dtype, shape, { offset, strides });
  // Copies begin and end at whole words.
  const from = 4 * Math.floor(first / 4);
  const words = await readBuffer(context, pool, { buffer, offset: from, bytes: end - from });
  const size = elementBytes(dtype);
  const before = (first - from) / size;
  if (before === 0 && isRowMajor(shape, strides)) {
    return unpackWords(dtype, new Uint32Array(words), count);
  }
  const all = unpackWords(dtype, new Uint32Array(words), (end - from) / size);
  const result = allocate(dtype, count);
  const positions = elementPositions(viewFrom(shape, strides, before));
  for (const [n, position] of positions.entries()) result[n] = all[position] ?? 0;
  return result;
}

/** Bytes of a buffer, after all work that was submitted before this call. */
export async function readBuffer(
  context: DeviceContext,
  pool: BufferPool,
  {
    buffer,
    offset,
    bytes,
  }: { readonly buffer: GPUBuffer; readonly offset: number; readonly bytes: number },
): Promise<ArrayBuffer> {
  let staging: GPUBuffer | undefined;
  try {
    const copied = scoped(context, `read ${bytes} bytes back`, () => {
      const made = pool.acquire(bytes, "staging");
      staging = made;
      const encoder = context.device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, offset, made, 0, bytes);
      context.device.queue.submit([encoder.finish()]);
      return made;
    });
    const mapped = await copied;
    await mapped.mapAsync(mapModeRead, 0, bytes);
    const cause = spoiltBy(context, [buffer]);
    if (cause !== null) throw cause;
    const result = mapped.getMappedRange(0, bytes).slice(0);
    mapped.unmap();
    pool.release(mapped);
    return result;
  } catch (error) {
    if (staging !== undefined) pool.discard(staging);
    throw spoiltBy(context, [buffer]) ?? (await readFault(context, error));
  }
}

async function readFault(context: DeviceContext, error: unknown): Promise<RuntimeFault> {
  if (error instanceof RuntimeFault) return error;
  try {
    context.check();
  } catch (fault) {
    // The runtime was disposed, or the device lost, while the copy was under way.
    if (fault instanceof RuntimeFault) return fault;
  }
  const loss = await context.loss();
  if (loss !== null) return loss;
  const text = error instanceof Error ? error.message || error.name : String(error);
  return new RuntimeFault("internal", `could not read back from the device: ${text}`);
}
