/** How the tensors of a call lie in memory: what a compilation depends on besides the sizes. */

import type { PlanBuffer } from "../codegen/plan.ts";
import { layoutFault } from "../ir/apply-layouts.ts";
import { callerShape, elementTypeOf, type Program } from "../ir/program.ts";
import { aliasFault, isWritten, type Placed } from "../runtime/alias-fault.ts";
import { type DeviceArgument, deviceArgument, hasRoom } from "../runtime/check-arguments.ts";
import { bytesOfPlace } from "../runtime/check-place.ts";
import { bindingAlignment } from "../runtime/gpu-flags.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import type { GpuTensor } from "../runtime/tensor.ts";
import {
  type GivenBuffer,
  readTensorInput,
  type TensorInput,
  type TensorInputs,
} from "../runtime/tensor-input.ts";
import type { DeviceProfile } from "../support/device-profile.ts";
import { own } from "../support/own.ts";
import { type ElementType, elementBytes, elementCount } from "../support/scalar-type.ts";
import {
  canonicalStrides,
  isRowMajor,
  type OffsetMultiple,
  type TensorLayout,
} from "../support/strided-view.ts";
import { paddedBytes, storedBytes } from "../support/words.ts";

/** Layouts of the tensors that are views, and which lie in one buffer; see `CompileRequest`. */
export interface CallLayouts {
  readonly layouts: Readonly<Record<string, TensorLayout>>;
  readonly shared: readonly (readonly string[])[];
  /** Whether the memory of all that are no views goes on to a multiple of 16 bytes. */
  readonly padded: boolean;
}

/** No views, and tensors of the runtime, or buffers like theirs. */
export const denseCall: CallLayouts = { layouts: {}, shared: [], padded: true };

/** No views, in buffers of which some end with the last element. */
export const exactCall: CallLayouts = { ...denseCall, padded: false };

/** The device that a call is for. */
export interface CallDevice {
  readonly device: GPUDevice;
  readonly profile: DeviceProfile;
}

/** The tensors of a program that its caller names, as the runtime knows them. */
export function callerBuffers({ tensors }: Program): readonly PlanBuffer[] {
  return tensors.map((tensor) => ({
    id: tensor.name,
    name: tensor.name,
    role: tensor.role,
    type: elementTypeOf(tensor),
    shape: callerShape(tensor),
    live: [0, 0],
  }));
}

/** False where all tensors are on the host, or dense and each in a buffer of its own. */
export function mayBeViews(given: TensorInputs): boolean {
  const seen = new Set<GPUBuffer>();
  return Object.entries(given).some(([name, value]) => {
    const place = isOnHost(value) ? null : placeOf(name, value);
    if (place === null) return false;
    const { buffer, shape, strides, offset } = place;
    const dense = strides === null || (shape !== null && isRowMajor(shape, strides));
    if (!dense || offset % bindingAlignment !== 0 || seen.has(buffer)) return true;
    seen.add(buffer);
    return false;
  });
}

/** False where all tensors surely have padding, or need none: what callers allocate may have none. */
export function mayLackPadding(given: TensorInputs): boolean {
  return Object.entries(given).some(([name, value]) => {
    const place = isOnHost(value) ? null : placeOf(name, value);
    if (place === null || ("padded" in place && place.padded)) return false;
    return place.shape === null || elementCount(place.shape) % 16 !== 0;
  });
}

/** A tensor that is given on the device. */
interface Given extends Placed {
  readonly argument: DeviceArgument;
}

/** Whether what is given can be read, and written if it is, up to a multiple of 16 bytes. */
function hasPadding({ buffer, argument }: Given): boolean {
  const bytes = storedBytes(buffer.type, buffer.shape);
  return bytes % 16 === 0 || hasRoom(buffer, argument, paddedBytes(bytes));
}

/** Arrays and numbers, which may be many to look at. */
function isOnHost(value: TensorInput): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Array.isArray(value) || ArrayBuffer.isView(value) || "data" in value;
}

function placeOf(name: string, value: TensorInput): GpuTensor | GivenBuffer | null {
  const read = readTensorInput(name, value, "give a tensor");
  if (read.kind === "tensor") return read.tensor;
  return read.kind === "buffer" ? read : null;
}

/**
 * What a call has to be compiled for, besides its sizes.
 *
 * @param buffers the tensors of the definition, for the sizes of the call.
 * @param given all tensors of the call, results among them.
 * @throws RuntimeFault `argument` naming the tensor: a result with two indices for one element, one
 *   that shares memory with another argument, one of which a word holds elements of several rows.
 */
export function callLayouts(
  { device, profile }: CallDevice,
  buffers: readonly PlanBuffer[],
  given: TensorInputs,
): CallLayouts {
  const placed = buffers.flatMap((buffer): readonly Given[] => {
    const value = buffer.role === "temporary" ? undefined : own(given, buffer.name);
    const argument = value === undefined ? null : argumentOf(buffer, device, value);
    return argument === null ? [] : [{ buffer, argument }];
  });
  const shared = setsInOneBuffer(placed);
  const together = new Set(shared.flat());
  const layouts = placed.flatMap(({ buffer, argument }) => {
    const { name, type, shape } = buffer;
    if (elementCount(shape) === 0) return [];
    const dense = isRowMajor(shape, argument.strides) && argument.offset % bindingAlignment === 0;
    if (dense && !together.has(name)) return [];
    const { first } = bytesOfPlace(type, shape, argument);
    const layout = {
      strides: canonicalStrides(shape, argument.strides),
      offsetMultiple: multipleOf(type, first / elementBytes(type)),
    };
    const fault = layoutFault(buffer, layout, profile.features.float16);
    if (fault !== null) throw new RuntimeFault("argument", `tensor "${name}": ${fault}`);
    return [[name, layout] as const];
  });
  const views = new Set(layouts.map(([name]) => name));
  const padded = placed.every((one) => views.has(one.buffer.name) || hasPadding(one));
  return { layouts: Object.fromEntries(layouts), shared, padded };
}

/** Null also for a dense one that does not fit: the call itself says so, after what is worse. */
function argumentOf(
  buffer: PlanBuffer,
  device: GPUDevice,
  value: TensorInput,
): DeviceArgument | null {
  try {
    return deviceArgument(buffer, device, value);
  } catch (error) {
    if (mayBeViews({ [buffer.name]: value }) || !(error instanceof RuntimeFault)) throw error;
    return null;
  }
}

/** The tensors in each buffer that has several, of which one is written. */
function setsInOneBuffer(placed: readonly Placed[]): readonly (readonly string[])[] {
  const byBuffer = new Map<GPUBuffer, Placed[]>();
  for (const one of placed) {
    if (elementCount(one.buffer.shape) === 0) continue;
    const others = byBuffer.get(one.argument.buffer) ?? [];
    for (const other of others) checkApart(one, other);
    byBuffer.set(one.argument.buffer, [...others, one]);
  }
  return [...byBuffer.values()]
    .filter((set) => set.length > 1 && set.some(({ buffer }) => isWritten(buffer)))
    .map((set) => set.map(({ buffer }) => buffer.name));
}

function checkApart(a: Placed, b: Placed): void {
  const fault = aliasFault(a, b, true);
  if (fault === null) return;
  throw new RuntimeFault("argument", `tensor "${fault.written.name}": ${fault.what}`);
}

/** What compiled text is told of an offset: few classes, so that few texts are compiled. */
function multipleOf(type: ElementType, offset: number): OffsetMultiple {
  if (offset % 4 === 0) return 4;
  return elementBytes(type) === 2 && offset % 2 === 0 ? 2 : 1;
}
