/** From checked arguments to what is bound, and the offsets that kernels are told. */
import type { Plan, PlanBuffer, SharedBuffer } from "../codegen/plan.ts";
import { bytesText } from "../support/bytes-text.ts";
import { elementBytes } from "../support/scalar-type.ts";
import type { Argument, DeviceArgument } from "./check-arguments.ts";
import { bytesOfPlace } from "./check-place.ts";
import type { BoundBuffer } from "./encode-plan.ts";
import { bindingAlignment } from "./gpu-flags.ts";
import { RuntimeFault } from "./runtime-fault.ts";

/** Places for a plan's bindings, and values for the step variables that hold offsets. */
export interface PlacedArguments {
  readonly bound: ReadonlyMap<string, BoundBuffer>;
  readonly indices: ReadonlyMap<string, number>;
}

/** A tensor, and the bytes that it takes. */
interface Piece {
  readonly buffer: PlanBuffer;
  readonly argument: DeviceArgument;
  readonly first: number;
  readonly end: number;
}

/**
 * Places the arguments that are on the device.
 *
 * Requires: they fit the plan, see `checkArguments` and `checkAliases`. Throws RuntimeFault
 * `argument` if tensors that the plan has in one buffer are in several, `unsupported` if they are too
 * far apart for one binding of the device.
 */
export function placeArguments(
  plan: Plan,
  found: ReadonlyMap<string, Argument>,
  limits: GPUSupportedLimits,
): PlacedArguments {
  const pieces = plan.buffers.flatMap((buffer): readonly Piece[] => {
    const argument = found.get(buffer.id);
    if (argument?.kind !== "device") return [];
    return [{ buffer, argument, ...bytesOfPlace(buffer.type, buffer.shape, argument) }];
  });
  const bound = new Map<string, BoundBuffer>();
  const indices = new Map<string, number>();
  for (const piece of pieces) {
    const { buffer, argument } = piece;
    if (buffer.layout === undefined) {
      bound.set(buffer.id, { buffer: argument.buffer, offset: argument.offset });
      continue;
    }
    const shared = plan.shared?.find(({ members }) => members.includes(buffer.id));
    const together = shared === undefined ? [piece] : membersOf(shared, pieces, piece);
    const place = placeTogether(together, limits);
    bound.set(shared?.id ?? buffer.id, place);
    const { variable, offsetMultiple } = buffer.layout;
    if (variable === null || offsetMultiple === null) continue;
    const elements = (piece.first - place.offset) / elementBytes(buffer.type);
    indices.set(variable, elements / offsetMultiple);
  }
  return { bound, indices };
}

function membersOf(
  { members }: SharedBuffer,
  pieces: readonly Piece[],
  piece: Piece,
): readonly Piece[] {
  return members.map((id) => {
    const other = pieces.find(({ buffer }) => buffer.id === id);
    if (other?.argument.buffer === piece.argument.buffer) return other;
    const what = `the plan has it in one GPUBuffer with ${members.join(", ")}`;
    throw new RuntimeFault("argument", `tensor "${piece.buffer.name}": ${what}`);
  });
}

/** The range of a buffer that holds them all. */
function placeTogether(
  pieces: readonly Piece[],
  limits: GPUSupportedLimits,
): BoundBuffer & { readonly size: number } {
  const first = Math.min(...pieces.map((piece) => piece.first));
  const offset = bindingAlignment * Math.floor(first / bindingAlignment);
  const size = Math.max(...pieces.map((piece) => piece.end)) - offset;
  const names = pieces.map(({ buffer }) => `"${buffer.name}"`).join(", ");
  const most = limits.maxStorageBufferBindingSize;
  if (size > most) {
    throw new RuntimeFault(
      "unsupported",
      `${names} take ${bytesText(size)} of one GPUBuffer from the first element to the last; this device allows ${bytesText(most)} (maxStorageBufferBindingSize)`,
    );
  }
  const [one] = pieces;
  if (one === undefined) throw new RuntimeFault("internal", "a binding without tensors");
  return { buffer: one.argument.buffer, offset, size };
}
