import { flatMap } from "../../support/flat-map.ts";
import { constant, variable } from "../affine.ts";
import type { Dim } from "../domain.ts";
import { read } from "../expression.ts";
import {
  type Access,
  affineIndex,
  findStatement,
  isScatter,
  type Program,
  type Statement,
  type Tensor,
  tensorOf,
} from "../program.ts";
import { parallelBoundsUseReduced, parallelPart } from "./parallel-part.ts";
import {
  addTensor,
  freshName,
  freshStatementId,
  freshTensorName,
  orderedStatements,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
  temporary,
} from "./rewrite.ts";
import { mayReadOthers } from "./same-cell.ts";
import { dropUnused } from "./substitute-statement.ts";

/** The statement whose results are to wait in a temporary. */
export interface StageTarget {
  readonly statement: string;
}

/** A statement that can be staged. */
export interface StageCandidate extends StageTarget {
  /** For example `x/stage`. */
  readonly path: string;
  /** False when the statement may as well write its elements at once. */
  readonly needed: boolean;
}

/**
 * Whether a statement may read elements that other points of it write in the same iteration of the
 * program loops, so that its points cannot run in any order without staging. True when unknown.
 */
export function needsStaging(program: Program, statement: Statement): boolean {
  return mayReadOthers(program, statement);
}

/** The statement that copies the elements which `s` wrote from the staged tensor. */
function copyOfWritten(program: Program, s: Statement, staged: Tensor): Statement {
  const n = s.reads.length;
  const from: Access = { tensor: staged.name, index: s.write.index, guard: [], fill: 0 };
  return dropUnused({
    ...s,
    id: freshStatementId(program, `${s.id}.copy`),
    domain: parallelPart(s),
    reads: [...s.reads, from],
    reduction: null,
    body: staged.components.map((type, c) => read(n, type, c)),
  });
}

/** A statement over all elements: `to = from`. */
function copyOfAll(id: string, s: Statement, from: Tensor, to: Tensor): Statement {
  const own = s.domain.dims.filter((d) => s.loops.includes(d.name));
  const names: string[] = [...s.loops];
  const dims = from.shape.map((extent): Dim => {
    const name = freshName(names, `c${names.length - s.loops.length}`);
    names.push(name);
    return { name, lower: constant(0), upper: constant(extent), indices: [] };
  });
  const index = dims.map((d) => affineIndex(variable(d.name)));
  return {
    ...s,
    id,
    domain: { dims: [...own, ...dims], guards: [], quotients: [] },
    write: { tensor: to.name, index },
    reads: [{ tensor: from.name, index, guard: [], fill: 0 }],
    reduction: null,
    body: from.components.map((type, c) => read(0, type, c)),
  };
}

/**
 * Purpose: lets a statement that reads its own tensor run its points in any order: they write
 * elsewhere, and a copy follows.
 *
 * ```
 * S: { i in 0..N } x(i) = x(N-1-i)   -->  S.stage: { i in 0..N } x_new(i) = x(N-1-i)
 *                                         S.copy:  { i in 0..N } x(i) = x_new(i)
 * ```
 * A scatter begins with a copy of the whole tensor, because it combines into what was there, and
 * ends with one; so does a statement with a written index that is computed at run time.
 *
 * Requires: parallel ranges that use no reduced dim.
 *
 * Ensures: no statement of the result reads, at other points' elements, the tensor that it writes.
 */
export function stageWrites(program: Program, target: StageTarget): Rewrite {
  const s = findStatement(program, target.statement);
  if (s === undefined) return refused("no such statement");
  // Which elements are written is known before the run only for affine indices.
  const whole = isScatter(s) || s.write.index.some((i) => i.kind === "opaque");
  if (parallelBoundsUseReduced(s)) return refused("a parallel dim depends on a reduced one");
  const tensor = tensorOf(program, s.write.tensor);
  const staged = temporary(freshTensorName(program, `${tensor.name}_new`), tensor);
  const stage: Statement = {
    ...s,
    id: freshStatementId(program, `${s.id}.stage`),
    write: { ...s.write, tensor: staged.name },
  };
  const id = (role: string): string => freshStatementId(program, `${s.id}.${role}`);
  const parts = whole
    ? [copyOfAll(id("fill"), s, tensor, staged), stage, copyOfAll(id("copy"), s, staged, tensor)]
    : [stage, copyOfWritten(program, s, staged)];
  return rewritten(replaceStatement(addTensor(program, staged), s.id, parts));
}

/** The statements that {@link stageWrites} can stage among those that read their own tensor. */
export function stageCandidates(program: Program): readonly StageCandidate[] {
  return flatMap(orderedStatements(program), (s) => {
    if (!s.reads.some((a) => a.tensor === s.write.tensor)) return [];
    if (stageWrites(program, { statement: s.id }).kind === "refused") return [];
    const path = `${s.id}/stage`;
    return [{ path, statement: s.id, needed: needsStaging(program, s) }];
  });
}
