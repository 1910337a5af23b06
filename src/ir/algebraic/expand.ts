import { flatMap } from "../../support/flat-map.ts";
import { type Affine, addConstant, type Interval, intervalOf, variable } from "../affine.ts";
import { type AccessRelation, readRelations } from "../dependences/access-relation.ts";
import {
  affineIndex,
  eachStatementId,
  findTensor,
  type Index,
  isScatter,
  type Program,
  type ProgramNode,
  type Statement,
  statementOf,
  touches,
} from "../program.ts";
import { renameApart } from "./align-domains.ts";
import { isWritten, wholeTensor } from "./producer-instance.ts";
import { type Rewrite, refused, rewritten, variableNames } from "./rewrite.ts";

/** A temporary and a program loop around all statements that touch it. */
export interface ExpandTarget {
  readonly tensor: string;
  readonly loop: string;
}

/** A temporary that can be expanded. */
export interface ExpandCandidate extends ExpandTarget {
  /** For example `hidden/expand/t0`, named after the first statement that writes it and the loop. */
  readonly path: string;
}

interface Loop {
  readonly node: Extract<ProgramNode, { kind: "loop" }>;
  /** The values of its variable. */
  readonly range: Interval;
}

/** The loop and the values that its variable takes. */
function findLoop(program: Program, name: string): Loop | undefined {
  const visit = (
    nodes: readonly ProgramNode[],
    outer: ReadonlyMap<string, Interval>,
  ): Loop | undefined => {
    for (const node of nodes) {
      if (node.kind === "statement") continue;
      const of = (v: string): Interval => outer.get(v) ?? { lo: 0, hi: 0 };
      const range = { lo: intervalOf(node.lower, of).lo, hi: intervalOf(node.upper, of).hi - 1 };
      if (node.name === name) return { node, range };
      const inside = visit(node.body, new Map(outer).set(node.name, range));
      if (inside !== undefined) return inside;
    }
    return undefined;
  };
  return visit(program.tree, new Map());
}

/** The statements that surely have run, in the same iteration of all loops around them, before. */
function earlier(nodes: readonly ProgramNode[], id: string): readonly string[] {
  const before: string[] = [];
  for (const node of nodes) {
    if (node.kind === "statement" && node.statement === id) return before;
    if (node.kind === "statement") before.push(node.statement);
    else if (eachStatementId([node]).includes(id)) return [...before, ...earlier(node.body, id)];
  }
  return before;
}

/** What a statement takes from the tensor: its reads, and all of it for a scatter. */
function takenFrom(program: Program, s: Statement, tensor: string): readonly AccessRelation[] {
  const reads = readRelations(program, s).filter((r) => r.tensor === tensor);
  if (s.write.tensor !== tensor || !isScatter(s)) return reads;
  const shape = findTensor(program, tensor)?.shape ?? [];
  const like = {
    statement: s.id,
    access: "write",
    use: "store",
    tensor,
    dims: [],
    exact: true,
  } as const;
  return [...reads, wholeTensor(like, shape)];
}

/** True when all that the loop's statements read was written before in the same iteration. */
function writesBeforeReads(program: Program, loop: Loop, tensor: string): boolean {
  return eachStatementId(loop.node.body).every((id) => {
    const reader = statementOf(program, id);
    const writers = earlier(loop.node.body, id)
      .map((w) => statementOf(program, w))
      .filter((w) => w.write.tensor === tensor && !isScatter(w))
      .map((w) => renameApart(w, variableNames(reader)));
    return takenFrom(program, reader, tensor).every((r) => writers.some((w) => isWritten(w, r)));
  });
}

function expandIn(s: Statement, tensor: string, step: Affine): Statement {
  const widen = <T extends { readonly tensor: string; readonly index: readonly Index[] }>(
    a: T,
  ): T => (a.tensor === tensor ? { ...a, index: [affineIndex(step), ...a.index] } : a);
  return { ...s, write: widen(s.write), reads: s.reads.map(widen) };
}

/**
 * Purpose: gives each iteration of a program loop its own copy of a temporary, so that iterations
 * no longer wait for each other's storage and statements can be distributed out of the loop.
 *
 * ```
 * for t in 1..T { tmp(i) = a(t, i);  b(t, i) = tmp(i) }
 *   -->  for t in 1..T { tmp(t-1, i) = a(t, i);  b(t, i) = tmp(t-1, i) }
 * ```
 * Requires: all statements that touch the temporary are in the loop; every element that one reads
 * was written before, by one statement, in the same iteration.
 *
 * Ensures: the temporary has a first dimension over the loop's values.
 */
export function expandTemporary(program: Program, target: ExpandTarget): Rewrite {
  const tensor = findTensor(program, target.tensor);
  if (tensor?.role !== "temporary") return refused("it is no temporary");
  const loop = findLoop(program, target.loop);
  if (loop === undefined) return refused("no such loop");
  const extent = loop.range.hi - loop.range.lo + 1;
  if (extent < 1) return refused("the loop never runs");
  const users = program.statements.filter((s) => touches(s, tensor.name));
  if (users.length === 0 || users.some((s) => !s.loops.includes(target.loop))) {
    return refused("it is used outside the loop");
  }
  if (!writesBeforeReads(program, loop, tensor.name)) {
    return refused("an iteration may read what an earlier one wrote");
  }
  const step = addConstant(variable(target.loop), -loop.range.lo);
  return rewritten({
    ...program,
    tensors: program.tensors.map((t) =>
      t.name === tensor.name ? { ...t, shape: [extent, ...t.shape] } : t,
    ),
    statements: program.statements.map((s) => expandIn(s, tensor.name, step)),
  });
}

/** The temporaries and loops that {@link expandTemporary} can expand. */
export function expandCandidates(program: Program): readonly ExpandCandidate[] {
  const ordered = eachStatementId(program.tree).map((id) => statementOf(program, id));
  return flatMap(program.tensors, ({ name: tensor }) => {
    const first = ordered.findIndex((s) => s.write.tensor === tensor);
    const loops = ordered[first]?.loops ?? [];
    return flatMap(loops, (loop, depth) => {
      if (expandTemporary(program, { tensor, loop }).kind === "refused") return [];
      return [{ path: `${ordered[first]?.id ?? tensor}/expand/t${depth}`, tensor, loop }];
    });
  });
}
