import { flatMap } from "../../support/flat-map.ts";
import { type Affine, addConstant, constant, isConstant, subtract, variable } from "../affine.ts";
import { commonLoops, programOrder, type StatementOrder } from "../dependences/program-order.ts";
import { writesWhole } from "../dependences/total-write.ts";
import {
  affineIndex,
  eachStatementId,
  findTensor,
  type Program,
  type ProgramNode,
  type Statement,
  statementOf,
  touches,
} from "../program.ts";
import type { ExpandTarget } from "./expand.ts";
import { type Rewrite, refused, rewritten } from "./rewrite.ts";

type Loop = Extract<ProgramNode, { kind: "loop" }>;

/** When a statement touches a tensor: which versions it reads, and which it writes. */
interface Versions {
  readonly read: Affine;
  readonly write: Affine;
}

/** The first of the body's statements that touches the tensor by writing, if it stands in no inner loop. */
function firstWriter(program: Program, loop: Loop, tensor: string): Statement | undefined {
  const writers = eachStatementId(loop.body)
    .map((id) => statementOf(program, id))
    .filter((s) => s.write.tensor === tensor);
  const [first] = writers;
  return first?.loops.at(-1) === loop.name ? first : undefined;
}

/** The versions of the tensor that a statement reads and writes. */
function versionsOf(
  at: StatementOrder,
  first: StatementOrder,
  step: Affine,
  trips: number,
): Versions {
  const [here, writer] = [at.positions[0] ?? 0, first.positions[0] ?? 0];
  if (here !== writer) {
    const version = constant(here < writer ? 0 : trips);
    return { read: version, write: version };
  }
  const depth = commonLoops(at, first);
  const after = (at.positions[depth] ?? 0) - (first.positions[depth] ?? 0);
  const made = addConstant(step, 1);
  return { read: after > 0 ? made : step, write: made };
}

function withVersions(s: Statement, tensor: string, { read, write }: Versions): Statement {
  const writes = s.write.tensor === tensor;
  return {
    ...s,
    write: writes ? { ...s.write, index: [affineIndex(write), ...s.write.index] } : s.write,
    reads: s.reads.map((a) =>
      a.tensor === tensor ? { ...a, index: [affineIndex(read), ...a.index] } : a,
    ),
  };
}

/**
 * Purpose: keeps what a temporary holds after each iteration of a program loop, and what it held before, so that
 * statements that read it can be distributed out of the loop.
 *
 * ```
 * h(i) = a(i);  for t in 0..T { h(i) = f(h(i));  y(t, i) = g(h(i)) }
 *   -->  h(0, i) = a(i);  for t in 0..T { h(t+1, i) = f(h(t, i));  y(t, i) = g(h(t+1, i)) }
 * ```
 * Requires: a loop with no loop around it, which runs a constant number of times, at least once; of its statements that write the
 * temporary the first is in no inner loop and writes all of it in each iteration.
 *
 * Ensures: the temporary has a first dimension with one more than the loop's iterations.
 */
export function keepHistory(program: Program, target: ExpandTarget): Rewrite {
  const tensor = findTensor(program, target.tensor);
  if (tensor?.role !== "temporary") return refused("it is no temporary");
  const loop = program.tree.find((n): n is Loop => n.kind === "loop" && n.name === target.loop);
  if (loop === undefined) return refused("there is a loop around the loop, or there is no such");
  const extent = subtract(loop.upper, loop.lower);
  if (!isConstant(extent) || extent.constant < 1) return refused("the loop may not run");
  const first = firstWriter(program, loop, tensor.name);
  const order = programOrder(program);
  const at = first && order.get(first.id);
  if (at === undefined || first === undefined || !writesWhole(program, first, at)) {
    return refused("an iteration may not write all of it");
  }
  const step = subtract(variable(loop.name), loop.lower);
  const statements = program.statements.map((s) => {
    const here = order.get(s.id);
    if (here === undefined || !touches(s, tensor.name)) return s;
    return withVersions(s, tensor.name, versionsOf(here, at, step, extent.constant));
  });
  const tensors = program.tensors.map((t) =>
    t === tensor ? { ...t, shape: [extent.constant + 1, ...t.shape] } : t,
  );
  return rewritten({ ...program, statements, tensors });
}

/** The temporaries and loops that {@link keepHistory} takes. */
export function historyCandidates(program: Program): readonly ExpandTarget[] {
  return flatMap(program.tree, (node) => {
    if (node.kind === "statement") return [];
    const written = eachStatementId(node.body).map((id) => statementOf(program, id).write.tensor);
    const targets = [...new Set(written)].map((tensor) => ({ tensor, loop: node.name }));
    return targets.filter((target) => keepHistory(program, target).kind === "rewritten");
  });
}
