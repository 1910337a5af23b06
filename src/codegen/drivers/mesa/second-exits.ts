/**
 * Purpose: gives loops that carry vectors a second exit, which is never taken, for drivers that would
 * otherwise keep each vector twice.
 *
 * ```
 * loop k in 0..512                 loop k in 0..512 to 512 + x / 2^31
 *   acc = acc + a[k] * b[k]   -->    acc = acc + a[k] * b[k]
 * c[x] = acc * f                   c[x] = acc * f
 * ```
 * Mesa turns a loop whose only exit is a known number of iterations into one that tests behind its body,
 * and lets what follows use the components that the body computed last, not the vector that was put
 * together of them (nir_opt_loop, nir_copy_prop). Before it makes registers it gives such components
 * registers of their own (nir_convert_to_lcssa), so that each iteration of a loop in llvmpipe, where the
 * lanes that left are masked, stores every accumulator twice. Behind two exits a vector is one value.
 *
 * Requires: a kernel that needs no other pass. Ensures: it computes the same; the end of a loop is not
 * below its extent, whatever workgroup it is in.
 */
import { addIndex, indexLiteral } from "../../build.ts";
import type { Kernel, KernelStatement } from "../../kernel.ts";
import { mapKernelStatements } from "../../rewrite-kernel.ts";
import { hiddenZero } from "./hidden-zero.ts";

type Loop = KernelStatement & { kind: "loop" };

/** Instructions up to which Mesa writes a loop out: 32 iterations of 26 each (nir_opt_loop_unroll.c). */
const writtenInstructions = 32 * 26;

/** The components of all vectors that a loop assigns, again and again those that it takes several steps of. */
function assignedComponents({ body }: Loop): number {
  const own = new Set(body.map((s) => (s.kind === "declare" ? s.name : undefined)));
  return body.reduce((sum, s) => {
    const width = s.kind === "assign" && !own.has(s.name) ? s.value.type.width : 1;
    return width > 1 ? sum + width : sum;
  }, 0);
}

/** Whether a loop leaves vectors behind, and stays a loop: a component takes a product and a sum at least. */
function gains(loop: Loop, writtenTrips: number): boolean {
  const components = assignedComponents(loop);
  if (loop.end !== undefined || components === 0) return false;
  return loop.extent > writtenTrips || loop.extent * components * 2 > writtenInstructions;
}

/** The kernel, with a second exit of each loop that gains by it; Mesa writes out so many iterations of any. */
export function secondExits(kernel: Kernel, writtenTrips: number): Kernel {
  if (kernel.grid.every((extent) => extent <= 1)) return kernel;
  const zero = hiddenZero(kernel);
  const body = mapKernelStatements(kernel.body, (s) =>
    s.kind === "loop" && gains(s, writtenTrips)
      ? [{ ...s, end: addIndex(indexLiteral(s.extent), zero) }]
      : [s],
  );
  return { ...kernel, body };
}
