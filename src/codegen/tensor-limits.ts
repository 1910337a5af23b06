/** Tensors that a device cannot bind, however they are computed. */
import { type Diagnostic, diagnose } from "../diagnostics/diagnostic.ts";
import { noSpan } from "../diagnostics/span.ts";
import { findTensor, type Program } from "../ir/program.ts";
import type { DeviceProfile } from "../support/device-profile.ts";
import { flatMap } from "../support/flat-map.ts";
import { elementCount } from "../support/scalar-type.ts";
import { spanOfView } from "../support/strided-view.ts";
import { storedBytes } from "../support/words.ts";
import { bytesOfBuffer, type Plan } from "./plan.ts";

/** A tensor in storage. */
interface Stored {
  readonly name: string;
  readonly type: Parameters<typeof storedBytes>[0];
  readonly shape: readonly number[];
  /** From the first element to the last. */
  readonly bytes: number;
  readonly temporary: boolean;
}

/** The limits of a device, and what diagnostics call it. */
type NamedLimits = Pick<DeviceProfile, "name" | "limits">;

/** What of the caller's tensors is too large for one binding: asked before anything is mapped. */
export function callersTensorLimits(program: Program, profile: NamedLimits): readonly Diagnostic[] {
  const stored = flatMap(program.tensors, (tensor): Stored[] => {
    const { name, components, stored, shape, role, layout } = tensor;
    const type = stored ?? components[0];
    if (role === "temporary" || type === undefined) return [];
    const bytes =
      layout === undefined
        ? storedBytes(type, shape)
        : storedBytes(type, [spanOfView(shape, layout.strides)]);
    return [{ name, type, shape, bytes, temporary: false }];
  });
  return tooLarge(stored, program, profile);
}

/** What of the temporaries of a plan is too large for one binding. */
export function temporaryLimits(
  plan: Plan,
  program: Program,
  profile: NamedLimits,
): readonly Diagnostic[] {
  const temporaries = plan.buffers.filter((buffer) => buffer.role === "temporary");
  return tooLarge(
    temporaries.map((buffer) => {
      const bytes = bytesOfBuffer(buffer);
      return { ...buffer, bytes, temporary: true };
    }),
    program,
    profile,
  );
}

function tooLarge(
  tensors: readonly Stored[],
  program: Program,
  profile: NamedLimits,
): readonly Diagnostic[] {
  const limit = profile.limits.maxBindingBytes;
  return flatMap(tensors, ({ name, type, shape, bytes, temporary }) => {
    if (bytes <= limit) return [];
    const tensor = findTensor(program, name);
    // The plan may have it flat, or several times.
    const whole = tensor !== undefined && elementCount(tensor.shape) === elementCount(shape);
    const named = { name, type, shape: whole ? tensor.shape : shape, temporary };
    const data = { ...named, bytes, limit, profile: profile.name };
    return [diagnose("TC5002", data, tensor?.span ?? noSpan)];
  });
}
