/** The tensors that a caller gives, checked against the plan before anything runs. */
import type { Plan, PlanBuffer } from "../codegen/plan.ts";
import { didYouMean } from "../support/edit-distance.ts";
import { allocate, elementCount, type TensorData } from "../support/scalar-type.ts";
import { bindingAlignment, bufferUsage } from "./gpu-flags.ts";
import { RuntimeFault } from "./runtime-fault.ts";
import { checkData, type GpuTensor } from "./tensor.ts";

/** A range of a buffer of the same device: dense and row-major, with STORAGE usage. */
export interface BufferInput {
  readonly buffer: GPUBuffer;
  /** Bytes, a multiple of 256; 0 by default. */
  readonly offset?: number;
  /** Checked if it is given. */
  readonly shape?: readonly number[];
}

/** A typed array that says its shape, so that the shape is checked too. */
export interface ArrayInput {
  readonly data: TensorData;
  readonly shape: readonly number[];
}

/** What may be given for a tensor; a number only for one of rank 0. */
export type TensorInput = TensorData | number | ArrayInput | GpuTensor | BufferInput;

/** Tensors by the names that the source gives them. */
export type TensorInputs = Readonly<Record<string, TensorInput>>;

/** A checked argument. `owner` keeps the tensor, and so its memory, alive. */
export type Argument =
  | { readonly kind: "host"; readonly data: TensorData }
  | {
      readonly kind: "device";
      readonly buffer: GPUBuffer;
      readonly offset: number;
      readonly owner: GpuTensor | null;
    };

/** Which roles of buffers a set of arguments may and must contain. */
export interface ExpectedArguments {
  readonly required: readonly PlanBuffer["role"][];
  readonly allowed: readonly PlanBuffer["role"][];
  /** Host arrays are refused where nothing may be copied. */
  readonly hostAllowed: boolean;
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
    const value = Object.hasOwn(given, buffer.name) ? given[buffer.name] : undefined;
    if (value !== undefined) found.set(buffer.id, checkOne(buffer, device, value, expected));
    else if (expected.required.includes(buffer.role)) {
      fail(buffer, `missing; it is a ${describe(buffer)}`);
    }
  }
  return found;
}

/**
 * Refuses a buffer that is written under one name and used under another: the result would depend
 * on the order of the invocations. An inout tensor is one name, so updating in place is fine.
 */
export function checkAliases(plan: Plan, found: ReadonlyMap<string, Argument>): void {
  const seen = new Map<GPUBuffer, PlanBuffer>();
  for (const buffer of plan.buffers) {
    const argument = found.get(buffer.id);
    if (argument?.kind !== "device") continue;
    const other = seen.get(argument.buffer);
    if (other !== undefined && (writes(other) || writes(buffer))) {
      const written = writes(buffer) ? buffer : other;
      const user = written === buffer ? other : buffer;
      fail(written, `it is written, and shares its memory with tensor "${user.name}"`);
    }
    seen.set(argument.buffer, buffer);
  }
}

function writes(buffer: PlanBuffer): boolean {
  return buffer.role === "output" || buffer.role === "inout";
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
  if (isTensor(value)) return checkTensor(buffer, device, value);
  if (isBufferInput(value)) {
    if (device === null) fail(buffer, "needs a typed array here, got a GPUBuffer");
    return checkBuffer(buffer, value);
  }
  if (!expected.hostAllowed) fail(buffer, "needs a GpuTensor or a GPUBuffer here");
  return { kind: "host", data: hostData(buffer, value) };
}

function isTensor(value: TensorInput): value is GpuTensor {
  return typeof value === "object" && value !== null && "read" in value;
}

function isBufferInput(value: TensorInput): value is BufferInput {
  return isRecord(value) && !("data" in value) && "buffer" in value;
}

function isRecord(value: TensorInput): value is ArrayInput | GpuTensor | BufferInput {
  return typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
}

function hostData(buffer: PlanBuffer, value: TensorData | number | ArrayInput): TensorData {
  if (typeof value === "number") return scalarData(buffer, value);
  const isArray = isRecord(value);
  if (isArray) checkShape(buffer, value.shape);
  const data = isArray ? value.data : value;
  checkData(`tensor "${buffer.name}"`, buffer.type, buffer.shape, data);
  return data;
}

function scalarData(buffer: PlanBuffer, value: number): TensorData {
  if (buffer.shape.length > 0) fail(buffer, `is a ${describe(buffer)}, got the number ${value}`);
  const data = allocate(buffer.type, 1);
  data[0] = value;
  const exact = buffer.type === "float32" || data[0] === value;
  if (!exact) fail(buffer, `${value} is no ${buffer.type}`);
  checkData(`tensor "${buffer.name}"`, buffer.type, buffer.shape, data);
  return data;
}

function checkTensor(buffer: PlanBuffer, device: GPUDevice | null, tensor: GpuTensor): Argument {
  if (device === null) fail(buffer, "needs a typed array here, got a GpuTensor");
  if (tensor.disposed) fail(buffer, "the tensor was disposed");
  if (tensor.device !== device) fail(buffer, "the tensor is on another device");
  if (tensor.dtype !== buffer.type) fail(buffer, `is ${buffer.type}, got ${tensor.dtype}`);
  checkShape(buffer, tensor.shape);
  return { kind: "device", buffer: tensor.buffer, offset: 0, owner: tensor };
}

function checkBuffer(buffer: PlanBuffer, input: BufferInput): Argument {
  const offset = input.offset ?? 0;
  if (input.shape !== undefined) checkShape(buffer, input.shape);
  if (!Number.isSafeInteger(offset) || offset < 0 || offset % bindingAlignment !== 0) {
    fail(buffer, `offset ${offset} is no multiple of ${bindingAlignment}`);
  }
  if ((input.buffer.usage & bufferUsage.storage) === 0) {
    fail(buffer, "the GPUBuffer was made without GPUBufferUsage.STORAGE");
  }
  const bytes = 4 * elementCount(buffer.shape);
  if (input.buffer.size - offset < Math.max(4, bytes)) {
    const has = `the GPUBuffer has ${input.buffer.size - offset} from offset ${offset}`;
    fail(buffer, `takes ${bytes} bytes, ${has}`);
  }
  // That it is a buffer of the same device cannot be seen; WebGPU's validation says so if not.
  return { kind: "device", buffer: input.buffer, offset, owner: null };
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
