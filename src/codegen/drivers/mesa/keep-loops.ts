/**
 * Purpose: loops that Mesa would write out into long text stay loops.
 *
 * ```
 * loop channel in 0..2             loop channel in 0..2
 *   loop row in 0..3        -->      loop row.kept in 0..34 to 3 + workgroup-x / 2^31
 *     loop column in 0..3              let row = min(row.kept, 2)
 *       (20 statements)                loop column in 0..3
 *                                        (20 statements)
 * ```
 * Mesa writes out loops that it knows to have few iterations, and those around them as long as no loop is
 * left inside (nir_opt_loop_unroll). LLVM then takes 4 to 9 ms of the first call for each statement of the
 * result. More iterations than it writes out, and an exit before that is only known
 * when the kernel runs, stop it; Tint sees literal bounds all the same. Nests are still written out from the
 * inside as far as that is short, so that an iteration of a kept loop has enough to do. First calls of windows,
 * gathers and recurrent layers take 0.02 to 0.6 of the time; later ones take as long, and those that
 * gather 0.6 of it, as less text is in the way.
 *
 * Requires: a kernel that needs no other pass. Ensures: it computes the same.
 */
import type { Kernel, KernelExpression, KernelStatement } from "../../kernel.ts";
import { hiddenZero } from "./hidden-zero.ts";
import { hideBound } from "./hide-bound.ts";
import { writtenTrips } from "./written-trips.ts";

/** What of a device matters, and something that is 0. */
interface Limits {
  /** The most statements of a kernel. */
  readonly mostStatements: number;
  readonly zero: KernelExpression;
}

/** What Mesa makes of statements. */
interface Written {
  /** How many they are for LLVM: vectors count once for each component. */
  readonly size: number;
  /** Whether a loop is left in them. */
  readonly loops: boolean;
}

interface WrittenStatement extends Written {
  readonly statement: KernelStatement;
}

interface WrittenBody extends Written {
  readonly body: readonly KernelStatement[];
}

/** The kernel, with hidden bounds of loops of few iterations that are too long to be written out. */
export function keepLoops(kernel: Kernel, device: Omit<Limits, "zero">): Kernel {
  const { body } = keepIn(kernel.body, { ...device, zero: hiddenZero(kernel) });
  return { ...kernel, body };
}

function keepIn(statements: readonly KernelStatement[], limits: Limits): WrittenBody {
  const parts = statements.map((s) => keep(s, limits));
  return {
    body: parts.map((part) => part.statement),
    size: parts.reduce((sum, part) => sum + part.size, 0),
    loops: parts.some((part) => part.loops),
  };
}

function keep(s: KernelStatement, limits: Limits): WrittenStatement {
  switch (s.kind) {
    case "declare":
    case "assign":
    case "store":
      return { statement: s, size: s.value.type.width, loops: false };
    case "loop":
      return keepLoop(s, limits);
    case "if": {
      const [yes, no] = [keepIn(s.then, limits), keepIn(s.else, limits)];
      const statement = { ...s, then: yes.body, else: no.body };
      return { statement, size: 1 + yes.size + no.size, loops: yes.loops || no.loops };
    }
    default:
      return { statement: s, size: 1, loops: false };
  }
}

type Loop = KernelStatement & { kind: "loop" };

function keepLoop(s: Loop, limits: Limits): WrittenStatement {
  const { body, size, loops } = keepIn(s.body, limits);
  const inside = { ...s, body };
  // Mesa leaves it: another loop is in it, it is long, or it has a second exit.
  if (loops || s.extent > writtenTrips || s.end !== undefined) {
    return { statement: inside, size, loops: true };
  }
  const written = s.extent * size;
  // Half of what a kernel may have: there may be another nest in it.
  if (written <= limits.mostStatements / 2) {
    return { statement: inside, size: written, loops: false };
  }
  return { statement: hideBound(inside, limits.zero), size, loops: true };
}
