/**
 * Purpose: loops inside of steps stay loops where Mesa would keep all that they load from one step to the next.
 *
 * ```
 * loop t in 0..128                     loop t in 0..128
 *   loop k in 0..8               -->     loop k.kept in 0..34 to 8 + workgroup-x / 2^31
 *     s = s + h[t, k] * U[k, x]            let k = min(k.kept, 7)
 *   h[t + 1, x] = s                        s = s + h[t, k] * U[k, x]
 *                                        h[t + 1, x] = s
 * ```
 * Mesa writes out loops that it knows to have few iterations (nir_opt_loop_unroll); then what they load is the same in
 * all steps, and is loaded before them (nir_opt_licm). RADV has no registers for it: of an LSTM of 128 rows that took
 * 256 registers, 528 more in 68 kB of scratch, and 27 kB of code on RDNA 3; as a loop it takes 48, none and 4 kB. A bound
 * that is only known when the kernel runs stops it; Tint sees literal bounds all the same.
 *
 * Requires: a kernel that needs no other pass. Ensures: it computes the same.
 */
import type { Kernel, KernelExpression, KernelStatement } from "../../kernel.ts";
import {
  eachKernelStatement,
  innerStatements,
  ownLoads,
  someKernelExpression,
} from "../../walk-kernel.ts";
import { hiddenZero } from "./hidden-zero.ts";
import { hideBound } from "./hide-bound.ts";
import { writtenTrips } from "./written-trips.ts";

/** The most values that steps may keep: half of the registers that an invocation has on RDNA. */
const mostKept = 128;

type Loop = KernelStatement & { kind: "loop" };

/** What a loop of steps is looked at with. */
interface Steps {
  readonly readOnly: ReadonlySet<string>;
  /** Names that have another value in each step. */
  readonly varying: ReadonlySet<string>;
}

/** The kernel, with hidden bounds of loops of few iterations that load too much that no step changes. */
export function keepSteps(kernel: Kernel): Kernel {
  const read = kernel.arrays.filter((a) => a.space === "storage" && a.access === "read");
  const readOnly = new Set(read.map((a) => a.id));
  const zero = hiddenZero(kernel);
  return { ...kernel, body: kernel.body.map((s) => keepIn(s, readOnly, zero)) };
}

function keepIn(
  s: KernelStatement,
  readOnly: ReadonlySet<string>,
  zero: KernelExpression,
): KernelStatement {
  const inside = (body: readonly KernelStatement[]): readonly KernelStatement[] =>
    body.map((inner) => keepIn(inner, readOnly, zero));
  if (s.kind === "if") return { ...s, then: inside(s.then), else: inside(s.else) };
  if (s.kind !== "loop") return s;
  const steps: Steps = { readOnly, varying: varyingIn(s) };
  const kept = s.body.reduce((sum, inner) => sum + keptBy(inner, steps), 0);
  if (s.extent <= 1 || kept <= mostKept) return { ...s, body: inside(s.body) };
  return { ...s, body: s.body.map((inner) => keepWritten(inner, steps, zero)) };
}

/** Whether Mesa writes the iterations of a loop out, if there is no other loop in it. */
function isWritten({ extent, end }: Loop): boolean {
  return extent <= writtenTrips && end === undefined;
}

/** The names of a loop that have another value in each iteration, directly or not. */
function varyingIn({ variable, body }: Loop): ReadonlySet<string> {
  const varying = new Set([variable]);
  const statements = eachKernelStatement(body);
  for (let before = -1; before !== varying.size; ) {
    before = varying.size;
    for (const s of statements) {
      if (s.kind !== "declare" && s.kind !== "assign" && s.kind !== "exchange") continue;
      // Accumulators, and what is loaded from memory that steps write, are theirs.
      const isFixed = s.kind === "declare" && !s.mutable && !dependsOn(s.value, varying);
      if (!isFixed) varying.add(s.name);
    }
  }
  return varying;
}

/** Whether an expression has one of the names in it, or loads something. */
function dependsOn(e: KernelExpression, varying: ReadonlySet<string>): boolean {
  return someKernelExpression(
    e,
    (node) => node.kind === "load" || (node.kind === "variable" && varying.has(node.name)),
  );
}

/** The values that the statements themselves of a body load alike in each step. */
function ownKept(s: KernelStatement, { readOnly, varying }: Steps): number {
  return ownLoads(s).reduce(
    (sum, { array, index, type }) =>
      readOnly.has(array) && !dependsOn(index, varying) ? sum + type.width : sum,
    0,
  );
}

/** The values that a statement loads alike in each step, once the loops in it are written out. */
function keptBy(s: KernelStatement, steps: Steps): number {
  const own = ownKept(s, steps);
  if (s.kind === "loop" && !isWritten(s)) return own;
  const inner = innerStatements(s).reduce((sum, one) => sum + keptBy(one, steps), 0);
  return own + (s.kind === "loop" ? s.extent : 1) * inner;
}

/** A statement of a step whose innermost loops stay, where they load what no step changes. */
function keepWritten(s: KernelStatement, steps: Steps, zero: KernelExpression): KernelStatement {
  const inside = (body: readonly KernelStatement[]): readonly KernelStatement[] =>
    body.map((inner) => keepWritten(inner, steps, zero));
  if (s.kind === "if") return { ...s, then: inside(s.then), else: inside(s.else) };
  if (s.kind !== "loop") return s;
  const isLoading = s.extent > 1 && isWritten(s) && s.body.some((one) => ownKept(one, steps) > 0);
  const loop = { ...s, body: inside(s.body) };
  return isLoading ? hideBound(loop, zero) : loop;
}
