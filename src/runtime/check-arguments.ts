/** The tensors that a caller gives, checked against the plan before anything runs. */
import type { Plan, PlanBuffer } from "../codegen/plan.ts";
import { didYouMean } from "../support/edit-distance.ts";
import {
  allocate,
  elementCount,
  type HalfArray,
  isFloat,
  rowMajorStrides,
  type TensorData,
} from "../support/scalar-type.ts";
import { wordCount } from "../support/words.ts";
import { bindingAlignment, bufferUsage } from "./gpu-flags.ts";
import { RuntimeFault } from "./runtime-fault.ts";
import { checkData, type GpuTensor } from "./tensor.ts";
import {
  type GivenBuffer,
  readTensorInput,
  type TensorInput,
  type TensorInputs,
} from "./tensor-input.ts";

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
 * on the order of the invocations. WebGPU takes no buffer for reading and writing at once, not even
 * ranges of it that do not overlap. An inout tensor is one name, so updating in place is fine.
 */
export function checkAliases(plan: Plan, found: ReadonlyMap<string, Argument>): void {
  const seen = new Map<GPUBuffer, { readonly buffer: PlanBuffer; readonly offset: number }>();
  for (const buffer of plan.buffers) {
    const argument = found.get(buffer.id);
    if (argument?.kind !== "device") continue;
    const { offset } = argument;
    const other = seen.get(argument.buffer);
    if (other !== undefined) checkPair(buffer, other.buffer, offset === other.offset);
    seen.set(argument.buffer, { buffer, offset });
  }
}

/** Two tensors in one buffer. */
function checkPair(a: PlanBuffer, b: PlanBuffer, sameOffset: boolean): void {
  if (!writes(a) && !writes(b)) return;
  const [written, user] = writes(a) ? [a, b] : [b, a];
  const shares = sameOffset ? "shares its memory with" : "is in one GPUBuffer with";
  fail(written, `it is written, and ${shares} tensor "${user.name}"`);
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
  const given = readTensorInput(buffer.name, value, adviceFor(buffer));
  if (given.kind === "tensor") return checkTensor(buffer, device, given.tensor);
  if (given.kind === "buffer") {
    if (device === null) fail(buffer, "needs a typed array here, got a GPUBuffer");
    return checkBuffer(buffer, given);
  }
  if (!expected.hostAllowed) fail(buffer, "needs a GpuTensor or a GPUBuffer here");
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

function checkTensor(buffer: PlanBuffer, device: GPUDevice | null, tensor: GpuTensor): Argument {
  if (device === null) fail(buffer, "needs a typed array here, got a GpuTensor");
  if (tensor.disposed) fail(buffer, "the tensor was disposed");
  if (tensor.device !== device) fail(buffer, "the tensor is on another device");
  if (tensor.dtype !== buffer.type) fail(buffer, `is ${buffer.type}, got ${tensor.dtype}`);
  checkShape(buffer, tensor.shape);
  return { kind: "device", buffer: tensor.buffer, offset: tensor.offset, owner: tensor };
}

function checkBuffer(buffer: PlanBuffer, given: GivenBuffer): Argument {
  const { offset } = given;
  if (given.type !== null && given.type !== buffer.type) {
    fail(buffer, `is ${buffer.type}, got ${given.type}`);
  }
  if (given.shape !== null) checkShape(buffer, given.shape);
  if (given.strides !== null) checkStrides(buffer, given.strides);
  if (offset % bindingAlignment !== 0) {
    fail(buffer, `offset ${offset} is no multiple of ${bindingAlignment}`);
  }
  if ((given.buffer.usage & bufferUsage.storage) === 0) {
    fail(buffer, "the GPUBuffer was made without GPUBufferUsage.STORAGE");
  }
  checkBytes(buffer, given);
  // That it is a buffer of the same device cannot be seen; WebGPU's validation says so if not.
  return { kind: "device", buffer: given.buffer, offset, owner: null };
}

function checkBytes(buffer: PlanBuffer, given: GivenBuffer): void {
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

function checkStrides(buffer: PlanBuffer, strides: readonly number[]): void {
  const dense = rowMajorStrides(buffer.shape);
  // The stride of a dimension with one element is never used.
  const fits = dense.every((stride, d) => strides[d] === stride || buffer.shape[d] === 1);
  if (fits && strides.length === dense.length) return;
  const found = `got [${strides.join(", ")}]`;
  fail(buffer, `has to be dense, with strides [${dense.join(", ")}]; ${found}: copy it first`);
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
