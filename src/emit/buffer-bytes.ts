import type { PlanBuffer } from "../codegen/plan.ts";
import { storedBytes } from "../support/words.ts";

/** Bytes of a buffer on the device: whole words, and at least one, since WebGPU has no empty ones. */
export function bufferBytes({ type, shape }: Pick<PlanBuffer, "type" | "shape">): number {
  return storedBytes(type, shape);
}
