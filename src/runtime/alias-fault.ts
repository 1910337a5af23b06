/** Two tensors of a call in one buffer of the device. */
import type { PlanBuffer } from "../codegen/plan.ts";
import { elementBytes } from "../support/scalar-type.ts";
import { type StridedView, shareAnElement } from "../support/strided-view.ts";
import { bytesOfPlace, type DevicePlace } from "./check-place.ts";
import { bindingAlignment } from "./gpu-flags.ts";

/** A tensor, and where it lies. */
export interface Placed {
  readonly buffer: PlanBuffer;
  readonly argument: DevicePlace;
}

/** What is wrong, of the one that is written. */
export interface AliasFault {
  readonly written: PlanBuffer;
  readonly what: string;
}

/** True for tensors that a call changes. */
export function isWritten({ role }: PlanBuffer): boolean {
  return role === "output" || role === "inout";
}

/**
 * What is wrong with two tensors in one buffer; null if neither is written. With `shared`, they are
 * bound so that it is enough if they have no element in common.
 */
export function aliasFault(a: Placed, b: Placed, shared: boolean): AliasFault | null {
  if (!isWritten(a.buffer) && !isWritten(b.buffer)) return null;
  const [one, other] = isWritten(a.buffer) ? [a, b] : [b, a];
  const of = `tensor "${other.buffer.name}"`;
  const says = (what: string) => ({
    written: one.buffer,
    what: `it is written, and ${what} ${of}`,
  });
  if (shared) {
    const fault = says("shares its memory with");
    const advice = "give one of them memory of its own";
    return overlap(one, other) ? { ...fault, what: `${fault.what}: ${advice}` } : null;
  }
  const same = one.argument.offset === other.argument.offset;
  return says(same ? "shares its memory with" : "is in one GPUBuffer with");
}

/** Whether they have an element in common; of other types, whether their bindings overlap. */
function overlap(a: Placed, b: Placed): boolean {
  if (a.buffer.type === b.buffer.type) return shareAnElement(viewOf(a), viewOf(b));
  const [x, y] = [bound(a), bound(b)];
  return x.first < y.end && y.first < x.end;
}

function viewOf({ buffer, argument }: Placed): StridedView {
  const { type, shape } = buffer;
  const { strides } = argument;
  return { shape, strides, offset: argument.offset / elementBytes(type) };
}

function bound({ buffer, argument }: Placed): { readonly first: number; readonly end: number } {
  const { first, end } = bytesOfPlace(buffer.type, buffer.shape, argument);
  return { first: bindingAlignment * Math.floor(first / bindingAlignment), end };
}
