/**
 * Which paths of a given mapping a program has no question for.
 *
 * A program may lack a question only because there is nothing to choose: a tile is never in part for these
 * sizes, a row is whole vectors. Then a value that is the plain one says what is so anyway, and is no unused one.
 */
import type { Choice } from "../../support/mapping-file.ts";
import { plainAxis, plainKernel, plainOperand } from "./kernel-mapping.ts";

/** What was asked of a program, and what it has. */
export interface Asked {
  /** Paths that were asked about, or repaired. */
  readonly known: ReadonlySet<string>;
  readonly statements: ReadonlySet<string>;
  readonly kernels: ReadonlySet<string>;
}

const plainFields: Readonly<Record<string, unknown>> = { ...plainKernel(0) };
const plainAxes: Readonly<Record<string, unknown>> = { ...plainAxis, turns: 1 };
const plainOperands: Readonly<Record<string, unknown>> = { ...plainOperand };

/** What a kernel has at a path that it does not say. */
function plainValue([field = "", name = "", part = ""]: readonly string[]): unknown {
  if (field === "axes") return plainAxes[part];
  if (field === "operands") return plainOperands[part];
  if (field === "joins") return false;
  if (field === "places") return "storage";
  return name === "" ? plainFields[field] : undefined;
}

/** Whether a value says of something that is there what is so without it. */
function saysNothing(path: string, value: Choice, { statements, kernels }: Asked): boolean {
  const [root, kind = "", name = "", ...rest] = path.split("/");
  if (root === "kernels") return kernels.has(kind) && plainValue([name, ...rest]) === value;
  const isPlain = value === false || value === "no" || value === 0;
  return kind === "statements" && statements.has(name) && isPlain;
}

/** Whether nobody asked about a path, although its value says something. */
export function isUnused(path: string, value: Choice, asked: Asked): boolean {
  return !asked.known.has(path) && !saysNothing(path, value, asked);
}
