import type { PlanBuffer } from "../codegen/plan.ts";
import { elementBytes, elementCount } from "../support/scalar-type.ts";

/** Bytes of a buffer on the device: whole words, and at least one, since WebGPU has no empty ones. */
export function bufferBytes({ type, shape }: Pick<PlanBuffer, "type" | "shape">): number {
  const bytes = elementCount(shape) * elementBytes(type);
  return Math.max(4, 4 * Math.ceil(bytes / 4));
}
