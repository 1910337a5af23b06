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
 * Requires: a kernel that needs no other pass. Ensures: it computes the same; the end of a loop is above
 * its extent, whatever workgroup it is in.
 */
import { addIndex, builtinOf, divideIndex, indexLiteral } from "../build.ts";
import type { Builtin, Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { mapKernelStatements } from "../rewrite-kernel.ts";

type Loop = KernelStatement & { kind: "loop" };

/** Iterations up to which Mesa may write out any loop (nir_shader_compiler_options). */
const writtenTrips = 33;

/** Instructions up to which it writes one out: those iterations of 26 each (nir_opt_loop_unroll.c). */
const writtenInstructions = 32 * 26;

/** How many vectors of four a loop carries from one iteration to the next. */
function carriedVectors({ body }: Loop): number {
  const own = new Set(body.map((s) => (s.kind === "declare" ? s.name : undefined)));
  return body.filter((s) => s.kind === "assign" && s.value.type.width > 1 && !own.has(s.name))
    .length;
}

/** Whether a loop is left with vectors, and stays a loop: each is computed from what is loaded. */
function gains(loop: Loop): boolean {
  const vectors = carriedVectors(loop);
  if (loop.end !== undefined || vectors === 0) return false;
  return loop.extent > writtenTrips || loop.extent * vectors * 2 * 4 > writtenInstructions;
}

/** Something that is 0 in every workgroup, but that no driver knows to be; undefined in a single one. */
function hiddenZero({ grid }: Kernel): KernelExpression | undefined {
  const dims: readonly Builtin[] = ["workgroup-x", "workgroup-y", "workgroup-z"];
  const dim = dims.find((_, d) => (grid[d] ?? 1) > 1);
  return dim === undefined ? undefined : divideIndex(builtinOf(dim), 2 ** 31);
}

/** The kernel, with a second exit of each loop that gains by it. */
export function secondExits(kernel: Kernel): Kernel {
  const zero = hiddenZero(kernel);
  if (zero === undefined) return kernel;
  const body = mapKernelStatements(kernel.body, (s) =>
    s.kind === "loop" && gains(s) ? [{ ...s, end: addIndex(indexLiteral(s.extent), zero) }] : [s],
  );
  return { ...kernel, body };
}
