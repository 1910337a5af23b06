/** The tensors that a caller gives, checked against the plan before anything runs. */

import type { Plan, PlanBuffer } from "../codegen/plan.ts";
import { didYouMean } from "../support/edit-distance.ts";
import { own } from "../support/own.ts";
import {
  allocate,
  elementBytes,
  elementCount,
  type HalfArray,
  isFloat,
  rowMajorStrides,
  type TensorData,
} from "../support/scalar-type.ts";
import { isRowMajor } from "../support/strided-view.ts";
import { paddedBytes, storedBytes, wordCount } from "../support/words.ts";
import { aliasFault, type Placed } from "./alias-fault.ts";
import { bytesOfPlace, type DevicePlace, placeFault } from "./check-place.ts";
import { bufferUsage } from "./gpu-flags.ts";
import { RuntimeFault } from "./runtime-fault.ts";
import { checkData, type GpuTensor } from "./tensor.ts";
import {
  type GivenBuffer,
  readTensorInput,
  type TensorInput,
  type TensorInputs,
} from "./tensor-input.ts";

/** A checked argument. `owner` keeps the tensor, and so its memory, alive. */
export type Argument = { readonly kind: "host"; readonly data: TensorData } | DeviceArgument;

/** A tensor in a buffer of the device. */
export interface DeviceArgument extends DevicePlace {
  readonly kind: "device";
  /** Bytes from the offset on that are the tensor's, as far as the caller says so. */
  readonly own: number;
  readonly owner: GpuTensor | null;
}

/** Which roles of buffers a set of arguments may and must contain. */
export interface ExpectedArguments {
  readonly required: readonly PlanBuffer["role"][];
  readonly allowed: readonly PlanBuffer["role"][];
  /** Host arrays are refused where nothing may be copied. */
  readonly hostAllowed: boolean;
  /** Tensors on the device may lie as they like: what they are compiled for is not known yet. */
  readonly anyPlace?: true;
}

/** What is called, and the buffers that it names. */
export type Callee = Pick<Plan, "name" | "buffers">;

/**
 * Matches arguments with the plan's buffers, by buffer id. Without a device only host arrays fit.
 *
 * @throws RuntimeFault `argument` naming the tensor, and the dimension and both numbers, when one
 *   is missing, unknown, of the wrong type, rank or size, disposed or from another device.
 */
export function checkArguments(
  plan: Callee,
  device: GPUDevice | null,
  given: TensorInputs,
  expected: ExpectedArguments,
): ReadonlyMap<string, Argument> {
  const named = plan.buffers.filter((buffer) => buffer.role !== "temporary");
  for (const name of Object.keys(given)) checkName(plan, named, name, expected);
  const found = new Map<string, Argument>();
  for (const buffer of named) {
    const value = own(given, buffer.name);
    if (value !== undefined) found.set(buffer.id, checkOne(buffer, device, value, expected));
    else if (expected.required.includes(buffer.role)) {
      fail(buffer, `missing; it is a ${describe(buffer)}`);
    }
  }
  return found;
}

/**
 * A tensor that is given on the device, checked but for where it lies; null for one on the host.
 * @throws RuntimeFault `argument`, as {@link checkArguments}.
 */
export function deviceArgument(
  buffer: PlanBuffer,
  device: GPUDevice,
  value: TensorInput,
): DeviceArgument | null {
  const given = readTensorInput(buffer.name, value, adviceFor(buffer));
  if (given.kind === "tensor") return checkTensor(buffer, device, given.tensor, anywhere);
  return given.kind === "buffer" ? checkBuffer(buffer, given, anywhere) : null;
}

const anywhere = { required: [], allowed: [], hostAllowed: false, anyPlace: true } as const;

/**
 * Refuses a buffer that is written under one name and used under another: the result would depend
 * on the order of the invocations. WebGPU takes no buffer for reading and writing at once, not even
 * ranges of it that do not overlap, unless the plan binds them as one: then they must have no element
 * in common. An inout tensor is one name, so updating in place is fine.
 */
export function checkAliases(plan: Plan, found: ReadonlyMap<string, Argument>): void {
  const seen: Placed[] = [];
  for (const buffer of plan.buffers) {
    const argument = found.get(buffer.id);
    if (argument?.kind !== "device") continue;
    const one = { buffer, argument };
    for (const other of seen) {
      if (other.argument.buffer !== argument.buffer) continue;
      const fault = aliasFault(one, other, sharesBuffer(plan, buffer.id, other.buffer.id));
      if (fault !== null) fail(fault.written, fault.what);
    }
    seen.push(one);
  }
}

function sharesBuffer({ shared = [] }: Plan, a: string, b: string): boolean {
  return shared.some(({ set }) => set.includes(a) && set.includes(b));
}

function checkName(
  plan: Callee,
  named: readonly PlanBuffer[],
  name: string,
  expected: ExpectedArguments,
): void {
  const known = named.find((buffer) => buffer.name === name);
  if (known !== undefined && expected.allowed.includes(known.role)) return;
  if (known !== undefined) fail(known, `it is an ${known.role} and cannot be given here`);
  const candidates = named.filter((buffer) => expected.allowed.includes(buffer.role));
  const names = candidates.map((buffer) => buffer.name);
  const meant = didYouMean(name, names);
  const hint = meant === undefined ? `it has ${names.join(", ")}` : `did you mean "${meant}"?`;
  throw new RuntimeFault("argument", `"${plan.name}" has no tensor "${name}" here; ${hint}`);
}

function checkOne(
  buffer: PlanBuffer,
  device: GPUDevice | null,
  value: TensorInput,
  expected: ExpectedArguments,
): Argument {
  const given = readTensorInput(buffer.name, value, adviceFor(buffer));
  if (given.kind === "tensor") return checkTensor(buffer, device, given.tensor, expected);
  if (given.kind === "buffer") {
    if (device === null) fail(buffer, "needs a typed array here, got a GPUBuffer");
    return checkBuffer(buffer, given, expected);
  }
  if (!expected.hostAllowed) fail(buffer, "needs a GpuTensor or a GPUBuffer here");
  if (buffer.layout !== undefined) {
    const strides = `[${buffer.layout.strides.join(", ")}]`;
    fail(buffer, `the plan is for strides ${strides}: give a tensor on the device that lies so`);
  }
  switch (given.kind) {
    case "number":
      if (buffer.shape.length > 0) {
        fail(buffer, `is a ${describe(buffer)}, got the number ${given.value}`);
      }
      return { kind: "host", data: elementData(buffer, [given.value]) };
    case "elements":
      checkShape(buffer, given.shape);
      return { kind: "host", data: elementData(buffer, given.elements) };
    case "array":
      if (given.shape !== null) checkShape(buffer, given.shape);
      return { kind: "host", data: checked(buffer, given.data) };
  }
}

function adviceFor(buffer: PlanBuffer): string {
  const dimensions = buffer.shape.join(", ");
  return buffer.shape.length === 0 ? "give a number" : `give { data, shape: [${dimensions}] }`;
}

/** Numbers as elements of the tensor's type, each of which must be a value of it. */
function elementData(buffer: PlanBuffer, elements: readonly number[]): TensorData {
  const data = allocate(buffer.type, elements.length);
  data.set(elements);
  const bad = isFloat(buffer.type) ? -1 : elements.findIndex((value, i) => data[i] !== value);
  if (bad >= 0) {
    const where = buffer.shape.length === 0 ? "" : `element ${bad} is `;
    fail(
      buffer,
      `${where}${elements[bad]}${where === "" ? " is" : ", which is"} no ${buffer.type}`,
    );
  }
  return checked(buffer, data);
}

function checked(buffer: PlanBuffer, data: TensorData | HalfArray): TensorData {
  return checkData(`tensor "${buffer.name}"`, buffer.type, buffer.shape, data);
}

function checkTensor(
  buffer: PlanBuffer,
  device: GPUDevice | null,
  tensor: GpuTensor,
  expected: ExpectedArguments,
): DeviceArgument {
  if (device === null) fail(buffer, "needs a typed array here, got a GpuTensor");
  if (tensor.disposed) fail(buffer, "the tensor was disposed");
  if (tensor.device !== device) fail(buffer, "the tensor is on another device");
  if (tensor.dtype !== buffer.type) fail(buffer, `is ${buffer.type}, got ${tensor.dtype}`);
  checkShape(buffer, tensor.shape);
  const { offset, strides } = tensor;
  checkPlace(buffer, { offset, strides }, expected);
  const bytes = storedBytes(buffer.type, buffer.shape);
  const own = tensor.padded ? paddedBytes(bytes) : bytes;
  const place = { buffer: tensor.buffer, offset, strides };
  checkPadding(buffer, { ...place, own });
  return { kind: "device", ...place, own, owner: tensor };
}

function checkPlace(
  buffer: PlanBuffer,
  place: Pick<DevicePlace, "offset" | "strides">,
  { anyPlace }: ExpectedArguments,
): void {
  const fault = anyPlace === true ? null : placeFault(buffer, place);
  if (fault !== null) fail(buffer, fault);
}

function checkBuffer(
  buffer: PlanBuffer,
  given: GivenBuffer,
  expected: ExpectedArguments,
): DeviceArgument {
  const { offset } = given;
  const strides = given.strides ?? rowMajorStrides(buffer.shape);
  if (given.type !== null && given.type !== buffer.type) {
    fail(buffer, `is ${buffer.type}, got ${given.type}`);
  }
  if (given.shape !== null) checkShape(buffer, given.shape);
  if (strides.length !== buffer.shape.length) {
    fail(buffer, `has rank ${buffer.shape.length}, its strides are [${strides.join(", ")}]`);
  }
  const bytes = elementBytes(buffer.type);
  if (offset % bytes !== 0) fail(buffer, `offset ${offset} is no multiple of ${bytes} bytes`);
  checkPlace(buffer, { offset, strides }, expected);
  if ((given.buffer.usage & bufferUsage.storage) === 0) {
    fail(buffer, "the GPUBuffer was made without GPUBufferUsage.STORAGE");
  }
  checkBytes(buffer, given, strides);
  // That it is a buffer of the same device cannot be seen; WebGPU's validation says so if not.
  const place = { buffer: given.buffer, offset, strides };
  const own = ownBytes(buffer, given);
  checkPadding(buffer, { ...place, own });
  return { kind: "device", ...place, own, owner: null };
}

/**
 * The bytes of a caller's buffer that are a tensor's: those that the caller says, or its elements. What is
 * after them may be anything else, even in the last few bytes of the buffer.
 */
function ownBytes({ type, shape }: PlanBuffer, { size }: GivenBuffer): number {
  return size ?? storedBytes(type, shape);
}

/** Whether kernels may read up to so many bytes of what is given, and write them if they write it. */
export function hasRoom(
  { role }: PlanBuffer,
  { buffer, offset, own }: Pick<DeviceArgument, "buffer" | "offset" | "own">,
  bytes: number,
): boolean {
  return (role === "input" ? buffer.size - offset : own) >= bytes;
}

function checkPadding(
  buffer: PlanBuffer,
  argument: Pick<DeviceArgument, "buffer" | "offset" | "own">,
): void {
  const { bytes } = buffer;
  if (bytes === undefined || hasRoom(buffer, argument, bytes)) return;
  const rule = `the plan takes it in whole vectors, ${bytes} bytes of which it has ${argument.own}`;
  const allocated = paddedBytes(bytes);
  const advice = `give a GPUBuffer with { size: ${allocated} }, or compile without padding`;
  fail(buffer, `${rule}: ${advice}`);
}

function checkBytes(buffer: PlanBuffer, given: GivenBuffer, strides: readonly number[]): void {
  if (!isRowMajor(buffer.shape, strides)) {
    checkSpan(buffer, given, strides);
    return;
  }
  const bytes = 4 * wordCount(buffer.type, elementCount(buffer.shape));
  const there = given.buffer.size - given.offset;
  if (given.size !== null && given.size > there) {
    fail(
      buffer,
      `its size is ${given.size} bytes, the GPUBuffer has ${there} from ${given.offset} on`,
    );
  }
  if (given.size !== null && given.size < bytes) {
    fail(buffer, `takes ${bytes} bytes, its size is ${given.size}`);
  }
  if (there < Math.max(4, bytes)) {
    fail(buffer, `takes ${bytes} bytes, the GPUBuffer has ${there} from offset ${given.offset}`);
  }
}

/** The elements of a view, all of them in the buffer, and in the range if there is one. */
function checkSpan(buffer: PlanBuffer, given: GivenBuffer, strides: readonly number[]): void {
  const { first, end } = bytesOfPlace(buffer.type, buffer.shape, { ...given, strides });
  const from = given.size === null ? 0 : given.offset;
  const to = given.size === null ? given.buffer.size : given.offset + given.size;
  if (to > given.buffer.size) {
    const there = given.buffer.size - from;
    const range = `its size is ${given.size} bytes`;
    fail(buffer, `${range}, the GPUBuffer has ${there} from ${from} on`);
  }
  if (first >= from && end <= to) return;
  const elements = `its elements lie from byte ${first} to ${end} with strides [${strides.join(", ")}]`;
  fail(buffer, `${elements}, its memory is from ${from} to ${to}`);
}

function checkShape(buffer: PlanBuffer, shape: readonly number[]): void {
  const ranks = `has rank ${buffer.shape.length} ([${buffer.shape.join(", ")}])`;
  if (shape.length !== buffer.shape.length) {
    fail(buffer, `${ranks}, got rank ${shape.length} ([${shape.join(", ")}])`);
  }
  for (const [d, extent] of buffer.shape.entries()) {
    if (shape[d] !== extent) fail(buffer, `dimension ${d} is ${extent}, got ${shape[d]}`);
  }
}

function describe(buffer: PlanBuffer): string {
  return `${buffer.type} tensor of shape [${buffer.shape.join(", ")}]`;
}

function fail(buffer: PlanBuffer, what: string): never {
  throw new RuntimeFault("argument", `tensor "${buffer.name}": ${what}`);
}
