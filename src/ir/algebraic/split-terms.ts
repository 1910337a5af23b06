import { flatMap } from "../../support/flat-map.ts";
import { addConstant, variable } from "../affine.ts";
import { boundingBox } from "../domain.ts";
import { binary, type Expression, read } from "../expression.ts";
import { simpleMonoid } from "../monoid.ts";
import {
  affineIndex,
  eachStatementId,
  findStatement,
  isScatter,
  type Program,
  type Reduction,
  type Statement,
  statementOf,
} from "../program.ts";
import { readsIn } from "../statement-parts.ts";
import { elementIndex, elementShape } from "./element-access.ts";
import { findLoop } from "./loop-graph.ts";
import { sameMonoid } from "./match-update.ts";
import { narrowedDomain } from "./narrow-domain.ts";
import { parallelBoundsUseReduced, parallelPart } from "./parallel-part.ts";
import {
  addTensor,
  dimRole,
  freshStatementId,
  freshTensorName,
  orderedStatements,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
  temporary,
} from "./rewrite.ts";
import { dropUnused } from "./substitute-statement.ts";

/** A sum in a loop. */
export interface TermsTarget {
  readonly statement: string;
  readonly loop: string;
}

/** A sum with terms that can be added up before. */
export interface TermsCandidate extends TermsTarget {
  /** For example `h#1/terms/t0`, named after the sum and the loop. */
  readonly path: string;
}

/** The terms that an expression is the sum of. */
function termsOf(e: Expression): readonly Expression[] {
  if (e.kind !== "binary" || e.operator !== "+") return [e];
  return [...termsOf(e.left), ...termsOf(e.right)];
}

/** The sum of at least one term. */
function sumOf(terms: readonly Expression[]): Expression | undefined {
  const [first, ...others] = terms;
  return first && others.reduce((sum, e) => binary("+", sum, e, sum.type), first);
}

/** The tensors that statements inside of a loop write. */
function writtenIn(program: Program, loop: string): ReadonlySet<string> {
  const body = findLoop(program, loop)?.loop.body ?? [];
  return new Set(eachStatementId(body).map((id) => statementOf(program, id).write.tensor));
}

/** Terms of a sum: those that the loop does not change, and the others. */
interface Terms {
  readonly reduction: Reduction;
  readonly fixed: Expression;
  readonly rest: Expression | undefined;
}

function splitBody(program: Program, s: Statement, loop: string): Terms | string {
  const { reduction } = s;
  const [body] = s.body;
  if (reduction === null || body === undefined || isScatter(s)) return "it is no sum";
  const type = reduction.monoid.state[0] ?? "float32";
  const isSum = sameMonoid(reduction.monoid, simpleMonoid("+", type));
  if (!isSum || !reduction.projected) return "it is no sum";
  if (parallelBoundsUseReduced(s)) return "a parallel dim depends on a reduced one";
  const written = writtenIn(program, loop);
  const isFixed = (e: Expression): boolean =>
    [...readsIn(s, [e])].every((n) => !written.has(s.reads[n]?.tensor ?? ""));
  const terms = termsOf(body);
  const fixed = sumOf(terms.filter(isFixed));
  const rest = sumOf(terms.filter((e) => !isFixed(e)));
  if (fixed === undefined) return "every term waits for the loop";
  if (rest === undefined && (reduction.init ?? []).every(isFixed))
    return "no term waits for the loop";
  return { reduction, fixed, rest };
}

/** The sum of the rest: from what it started from and the fixed part on. */
function restOf(s: Statement, { reduction, rest }: Terms, part: Expression): Statement {
  const [init] = reduction.init ?? [];
  const start = init === undefined ? part : binary("+", init, part, part.type);
  return rest === undefined
    ? { ...s, domain: parallelPart(s), reduction: null, body: [start] }
    : { ...s, reduction: { ...reduction, init: [start] }, body: [rest] };
}

/**
 * Purpose: adds the terms of a sum up that nothing in the loop around it changes, so that they can leave the
 * loop: the input's product of a recurrent layer.
 *
 * ```
 * for t in 0..T { h(b) = h(b) with sum[i] w(i) * x(t, b, i) }
 *   -->  for t in 0..T { fixed(t, b) = sum[i] w(i) * x(t, b, i);  h(b) = h(b) + fixed(t, b) }
 * ```
 * Requires: a sum that is no scatter, directly in the loop, with a term that reads nothing which statements of
 * the loop write, and a start or another term that does.
 *
 * Ensures: the same elements, float sums reassociated; `fixed` is a temporary with an element for each iteration.
 */
export function splitTerms(program: Program, target: TermsTarget): Rewrite {
  const s = findStatement(program, target.statement);
  if (s === undefined || s.loops.at(-1) !== target.loop) return refused("it is not in the loop");
  const terms = splitBody(program, s, target.loop);
  if (typeof terms === "string") return refused(terms);
  const steps = boundingBox(narrowedDomain(s.domain, target.loop)).get(target.loop) ?? {
    lo: 0,
    hi: -1,
  };
  const shape = [steps.hi - steps.lo + 1, ...elementShape(s)];
  if (shape.some((n) => n <= 0)) return refused("the domain is empty");
  const { reduction } = terms;
  const name = freshTensorName(program, `${s.write.tensor}_fixed`);
  const tensor = temporary(name, { components: reduction.monoid.state, shape, span: s.span });
  const step = addConstant(variable(target.loop), -steps.lo);
  const index = [step, ...elementIndex(s)].map(affineIndex);
  const fixed = dropUnused({
    ...s,
    id: freshStatementId(program, `${s.id}.fixed`),
    write: { tensor: name, index },
    reduction: { ...reduction, init: null },
    body: [terms.fixed],
  });
  const reads = [...s.reads, { tensor: name, index, guard: [], fill: 0 }];
  const part = read(s.reads.length, terms.fixed.type);
  const rest = dropUnused(restOf({ ...s, reads }, terms, part));
  return rewritten(replaceStatement(addTensor(program, tensor), s.id, [fixed, rest]));
}

/** The sums that {@link splitTerms} can divide. */
export function termsCandidates(program: Program): readonly TermsCandidate[] {
  return flatMap(orderedStatements(program), (s): readonly TermsCandidate[] => {
    const loop = s.loops.at(-1);
    if (loop === undefined || s.reduction === null) return [];
    const target = { statement: s.id, loop };
    if (splitTerms(program, target).kind === "refused") return [];
    return [{ ...target, path: `${s.id}/terms/${dimRole(s, loop)}` }];
  });
}
