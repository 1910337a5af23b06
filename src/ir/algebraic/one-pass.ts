import { flatMap } from "../../support/flat-map.ts";
import { coefficientOf, isConstant, printConstraint } from "../affine.ts";
import {
  binary,
  type Expression,
  literal,
  mapExpression,
  read,
  readNumbers,
  select,
} from "../expression.ts";
import { rescaledSum, simpleMonoid } from "../monoid.ts";
import {
  type Access,
  eachStatementId,
  findStatement,
  isScatter,
  type Program,
  reducedDims,
  type Statement,
  sameIndex,
  statementOf,
} from "../program.ts";
import { alignParallel, alignReduced } from "./align-domains.ts";
import { elementAccess, elementShape } from "./element-access.ts";
import { sameExpression, sameMonoid } from "./match-update.ts";
import { parallelPart } from "./parallel-part.ts";
import {
  addTensor,
  freshStatementId,
  freshTensorName,
  orderedStatements,
  positionOf,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
  temporary,
} from "./rewrite.ts";
import { dropUnused } from "./substitute-statement.ts";

/** A maximum, and a sum of exponentials below it. */
export interface OnePassTarget {
  readonly greatest: string;
  readonly sum: string;
}

/** A pair that {@link onePass} can compute together. */
export interface OnePassCandidate extends OnePassTarget {
  /** For example `total/online`, named after the sum. */
  readonly path: string;
}

/** `exp(exponent - read)` where a condition holds, if there is one, and 0 elsewhere. */
interface Term {
  /** That of no term, minus infinity, where the condition does not hold. */
  readonly exponent: Expression;
  /** 1, or 0 where the condition does not hold. */
  readonly weight: Expression;
  /** The read that is subtracted. */
  readonly read: number;
  readonly masked: boolean;
}

const type = "float32";

/** The term that an exponential of a difference is. */
function exponentialOf(e: Expression): Term | undefined {
  if (e.kind !== "call" || e.function !== "exp") return undefined;
  const [power] = e.arguments;
  if (power?.kind !== "binary" || power.operator !== "-") return undefined;
  const { left, right } = power;
  if (right.kind !== "read" || right.component !== 0) return undefined;
  return { exponent: left, weight: literal(1, type), read: right.read, masked: false };
}

/** The term that an expression is, if it is one. */
function termOf(e: Expression): Term | undefined {
  if (e.kind !== "select") return exponentialOf(e);
  const { condition, whenTrue, whenFalse } = e;
  const isMask = whenFalse.kind === "literal" && whenFalse.value === 0;
  const term = isMask ? exponentialOf(whenTrue) : undefined;
  if (term === undefined) return undefined;
  const exponent = select(condition, term.exponent, literal(-Infinity, type));
  const weight = select(condition, term.weight, literal(0, type));
  return { ...term, exponent, weight, masked: true };
}

/** Whether a reduction is by a monoid of one component, starts from nothing and stores its result, not rounded. */
function reducesBy(operator: "max" | "+", { reduction }: Statement): boolean {
  if (reduction === null || !reduction.projected || reduction.init !== null) return false;
  return sameMonoid(reduction.monoid, simpleMonoid(operator, type));
}

/** Whether each element is reduced over the same points, at least one. */
function hasWholeRows({ domain, reduction }: Statement): boolean {
  const reduced = reduction?.dims ?? [];
  const isRow = (name: string): boolean => {
    const dim = domain.dims.find((d) => d.name === name);
    if (dim === undefined || !isConstant(dim.lower) || !isConstant(dim.upper)) return false;
    return dim.lower.constant < dim.upper.constant;
  };
  const isFree = reduced.every((d) => domain.guards.every((c) => coefficientOf(c.affine, d) === 0));
  return domain.quotients.length === 0 && isFree && reduced.every(isRow);
}

/** Whether two reads, of elements that their dims alone choose, have the same values everywhere. */
function sameAccess(a: Access, b: Access): boolean {
  const guards = [a, b].map(({ guard }) => guard.map(printConstraint).join());
  return (
    a.tensor === b.tensor &&
    sameIndex(a.index, b.index) &&
    guards[0] === guards[1] &&
    Object.is(a.fill, b.fill)
  );
}

/** An expression over the reads of one statement as one over equal ones of another. */
function overReads(
  e: Expression,
  from: readonly Access[],
  to: readonly Access[],
): Expression | undefined {
  const numbers = new Map(
    readNumbers(e).map((n) => {
      const own = from[n];
      return [n, own === undefined ? -1 : to.findIndex((b) => sameAccess(own, b))] as const;
    }),
  );
  if ([...numbers.values()].some((n) => n < 0)) return undefined;
  return mapExpression(e, (node) =>
    node.kind === "read" ? { ...node, read: numbers.get(node.read) ?? node.read } : undefined,
  );
}

/** Whether what lies between two statements of one list of nodes writes nothing that either reads. */
function canMeet(program: Program, first: Statement, second: Statement): boolean {
  const position = positionOf(program, first.id);
  if (position === undefined) return false;
  const { nodes, index } = position;
  const at = nodes.findIndex((n) => n.kind === "statement" && n.statement === second.id);
  if (at <= index) return false;
  const between = eachStatementId(nodes.slice(index + 1, at)).map((id) => statementOf(program, id));
  const read = new Set([...first.reads, ...second.reads].map((r) => r.tensor));
  return between.every((s) => !read.has(s.write.tensor));
}

/** A sum of terms below a maximum, and its read of that. */
interface Pair {
  readonly sum: Statement;
  readonly term: Term;
  readonly maximum: Access;
}

/** The term of a sum of exponentials below an element that the sum reads once, and that read. */
function termsOf(sum: Statement, tensor: string): { term: Term; maximum: Access } | string {
  const [body] = sum.body;
  const term = body === undefined ? undefined : termOf(body);
  const maximum = sum.reads[term?.read ?? -1];
  if (body === undefined || term === undefined || maximum === undefined) {
    return "the sum is not one of exponentials";
  }
  const uses = readNumbers(body).filter((n) => n === term.read);
  const reads = sum.reads.filter((r) => r.tensor === tensor);
  if (maximum.tensor !== tensor || reads.length !== 1 || uses.length !== 1) {
    return "what is subtracted is not the maximum";
  }
  return maximum.guard.length > 0 ? "the maximum is not read everywhere" : { term, maximum };
}

/** Why a maximum and a sum have no state in common, whatever the terms of the sum are. */
function whyApart(greatest: Statement, sum: Statement): string | undefined {
  if (!reducesBy("max", greatest) || !reducesBy("+", sum)) return "they are no maximum and sum";
  if (isScatter(greatest) || isScatter(sum)) return "a scatter has no element of its own";
  if (!hasWholeRows(sum)) return "not all elements are reduced over the same points";
  const readsOwn = sum.reads.some((r) => r.tensor === sum.write.tensor);
  return readsOwn ? "the sum reads what it writes" : undefined;
}

function pairOf(program: Program, target: OnePassTarget): Pair | string {
  const greatest = findStatement(program, target.greatest);
  const sum = findStatement(program, target.sum);
  if (greatest === undefined || sum === undefined) return "no such statement";
  const reason = whyApart(greatest, sum);
  if (reason !== undefined) return reason;
  const terms = termsOf(sum, greatest.write.tensor);
  if (typeof terms === "string") return terms;
  const { term, maximum } = terms;
  const like = { ...sum, write: { tensor: maximum.tensor, index: maximum.index } };
  const parallel = alignParallel(like, greatest);
  const aligned = parallel === undefined ? undefined : alignReduced(like, parallel);
  if (aligned === undefined) return "they reduce over other points";
  const [own] = aligned.body;
  const exponent = own === undefined ? undefined : overReads(own, aligned.reads, sum.reads);
  if (exponent === undefined || !sameExpression(exponent, term.exponent)) {
    return "the maximum is not that of the exponents";
  }
  if (!canMeet(program, greatest, sum)) return "what they read is written between them";
  return { sum, term, maximum };
}

function call(name: string, e: Expression): Expression {
  return { kind: "call", function: name, arguments: [e], type };
}

/**
 * The sum as it was stored: of exponentials below the maximum, which is read 0, not below the reference
 * of the state, read 1. NaN where the maximum is infinite, as is the exponential of its difference to
 * itself; 0 where no condition of a masked sum held.
 */
function storedSum({ masked }: Term): Expression {
  const [greatest, reference, sum] = [read(0, type), read(1, type, 0), read(1, type, 1)];
  const size = call("abs", greatest);
  const none = call("sqrt", { kind: "unary", operator: "negate", operand: size, type });
  const isEmpty = binary("==", sum, literal(0, type), "bool");
  const otherwise = masked ? select(isEmpty, sum, none) : none;
  const below = call("exp", binary("-", reference, greatest, type));
  const isNumber = binary("<", size, literal(Infinity, type), "bool");
  return select(isNumber, binary("*", sum, below, type), otherwise);
}

/**
 * Purpose: makes a sum of exponentials below a maximum one that does not wait for it, so that both are
 * reduced in one pass, in which what both read is loaded once.
 *
 * ```
 * M: { i in 0..M, k in 0..K } m(i) = max[k] e(i, k)
 * S: { i in 0..M, k in 0..K } s(i) = sum[k] exp(e(i, k) - m(i))
 *   -->
 * M: { i in 0..M, k in 0..K } m(i) = max[k] e(i, k)
 * R: { i in 0..M, k in 0..K } r(i) = state of rescaled sum[k] (e(i, k), 1)
 * S: { i in 0..M } s(i) = r(i).1 * exp(r(i).0 - m(i))
 * ```
 * Terms may be masked: `c ? exp(e - m) : 0` below the maximum of `c ? e : -inf`. They have no factors: a
 * sum with such may overflow before a greater exponent makes it small.
 *
 * Requires: float32; both directly in one list of nodes, with the same points, as many for each
 * element; nothing between them writes what they read.
 *
 * Ensures: the same elements, as long as no exponent is NaN; the sum is reassociated, and rounded once
 * more wherever it is scaled.
 */
export function onePass(program: Program, target: OnePassTarget): Rewrite {
  const pair = pairOf(program, target);
  if (typeof pair === "string") return refused(pair);
  const { sum, term, maximum } = pair;
  const shape = elementShape(sum);
  if (shape.some((n) => n <= 0)) return refused("the domain is empty");
  const name = freshTensorName(program, `${sum.write.tensor}_state`);
  const monoid = rescaledSum(type);
  const tensor = temporary(name, { components: monoid.state, shape, span: sum.span });
  const element = elementAccess(sum, name);
  const state = dropUnused({
    ...sum,
    id: freshStatementId(program, `${sum.id}.state`),
    write: { tensor: name, index: element.index },
    reduction: { monoid, dims: reducedDims(sum), init: null, projected: false },
    body: [term.exponent, term.weight],
  });
  const stored = {
    ...sum,
    domain: parallelPart(sum),
    reads: [maximum, element],
    reduction: null,
    body: [storedSum(term)],
  };
  return rewritten(replaceStatement(addTensor(program, tensor), target.sum, [state, stored]));
}

/** The pairs that {@link onePass} can compute together: each sum with the nearest maximum before it. */
export function onePassCandidates(program: Program): readonly OnePassCandidate[] {
  const ordered = orderedStatements(program);
  return flatMap(ordered, (s, n): readonly OnePassCandidate[] => {
    if (!reducesBy("+", s)) return [];
    const before = ordered.slice(0, n).reverse();
    const greatest = before.find(
      (m) => typeof pairOf(program, { greatest: m.id, sum: s.id }) !== "string",
    );
    if (greatest === undefined) return [];
    const path = `${s.id}/online`;
    return [{ path, greatest: greatest.id, sum: s.id }];
  });
}
