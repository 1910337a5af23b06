import { defined } from "../../support/assert.ts";
import type { Affine, Constraint } from "../affine.ts";
import type { Program, ProgramNode } from "../program.ts";

/** A compiled expression: reads the frame and the tensors, returns the value. */
export type Evaluate = () => number;

/** The current values of all loops, dims and quotients of a program, one slot for each name. */
export interface Frame {
  readonly values: Int32Array;
  readonly slots: ReadonlyMap<string, number>;
}

/** A frame with a slot for every name in the program. Statements share the slot of a name. */
export function createFrame(program: Program): Frame {
  const slots = new Map<string, number>();
  const add = (name: string): void => {
    if (!slots.has(name)) slots.set(name, slots.size);
  };
  const visit = (nodes: readonly ProgramNode[]): void => {
    for (const node of nodes) {
      if (node.kind !== "loop") continue;
      add(node.name);
      visit(node.body);
    }
  };
  visit(program.tree);
  for (const { domain } of program.statements) {
    for (const { name } of [...domain.dims, ...domain.quotients]) add(name);
  }
  return { values: new Int32Array(slots.size), slots };
}

/** The slot of a name that the program has. */
export function slotOf(frame: Frame, name: string): number {
  return defined(frame.slots.get(name), "variable", name);
}

/** Compiles an affine expression; up to three variables without a loop. */
export function compileAffine(a: Affine, frame: Frame): Evaluate {
  const { values } = frame;
  const c = a.constant;
  const [t, u, v] = a.terms;
  if (t === undefined) return () => c;
  const [s, m] = [slotOf(frame, t.variable), t.coefficient];
  if (u === undefined) {
    if (m === 1) return () => (values[s] as number) + c;
    return () => (values[s] as number) * m + c;
  }
  const [s2, m2] = [slotOf(frame, u.variable), u.coefficient];
  if (v === undefined) return () => (values[s] as number) * m + (values[s2] as number) * m2 + c;
  const [s3, m3] = [slotOf(frame, v.variable), v.coefficient];
  const head = (): number =>
    (values[s] as number) * m + (values[s2] as number) * m2 + (values[s3] as number) * m3 + c;
  if (a.terms.length === 3) return head;
  const rest = compileAffine({ terms: a.terms.slice(3), constant: 0 }, frame);
  return () => head() + rest();
}

/** Compiles a constraint to a test. */
function compileConstraint(c: Constraint, frame: Frame): () => boolean {
  const value = compileAffine(c.affine, frame);
  return c.kind === "zero" ? () => value() === 0 : () => value() >= 0;
}

/** Compiles the conjunction of constraints; null when there is none. */
export function compileConstraints(
  constraints: readonly Constraint[],
  frame: Frame,
): (() => boolean) | null {
  const [first, ...rest] = constraints.map((c) => compileConstraint(c, frame));
  if (first === undefined) return null;
  if (rest.length === 0) return first;
  return () => first() && rest.every((test) => test());
}
