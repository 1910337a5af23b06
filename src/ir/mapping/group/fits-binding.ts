/** Which temporaries a buffer of the device can hold, whatever the sizes. */
import type { Limits } from "../../../support/device-profile.ts";
import { elementCount } from "../../../support/scalar-type.ts";
import type { Program, Tensor } from "../../program.ts";

/** Elements of a buffer that indices of 32 bits, which may be negative, can tell apart. */
const indexable = 2 ** 31 - 1;

/**
 * Whether a buffer of the device can hold a temporary so many times: each of its components has a
 * buffer of its own, of words or of `float16`.
 */
export function fitsBinding(
  { components, shape }: Pick<Tensor, "components" | "shape">,
  { limits }: Pick<Limits, "limits">,
  copies = 1,
): boolean {
  const count = copies * elementCount(shape);
  const bytes = components.every((c) => c === "float16") ? 2 : 4;
  return count <= indexable && count * bytes <= limits.maxBindingBytes;
}

/** Whether a rewrite neither adds temporaries that the device cannot hold nor makes others so. */
export function addsWhatFits(before: Program, after: Program, limits: Limits): boolean {
  const kept = new Set(before.tensors);
  return after.tensors.every(
    (t) => t.role !== "temporary" || kept.has(t) || fitsBinding(t, limits),
  );
}
