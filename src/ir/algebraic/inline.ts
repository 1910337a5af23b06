import { flatMap } from "../../support/flat-map.ts";
import { remember, rememberWhile } from "../../support/remember.ts";
import type { ScalarType } from "../../support/scalar-type.ts";
import { type Affine, affineEquals, type Constraint, variable } from "../affine.ts";
import { type AccessRelation, readRelations } from "../dependences/access-relation.ts";
import type { Quotient } from "../domain.ts";
import { binary, type Expression, literal, select } from "../expression.ts";
import {
  type Access,
  eachStatementId,
  findTensor,
  type Program,
  type ProgramNode,
  type Statement,
  statementOf,
  uniteSpans,
  usersOf,
} from "../program.ts";
import { renameApart } from "./align-domains.ts";
import { isWritten, type ProducerInstance, producerInstance } from "./producer-instance.ts";
import {
  orderedStatements,
  positionOf,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
  takenWith,
  variableNames,
} from "./rewrite.ts";
import { readsOf } from "./same-cell.ts";
import {
  dropUnused,
  mapAccessExpressions,
  mapStatementExpressions,
  type Replacement,
  replacementOf,
  replaceReads,
  shiftReads,
  substituteAccess,
  substituteDomain,
  substituteExpression,
} from "./substitute-statement.ts";

/** The temporary to compute where it is read. */
export interface InlineTarget {
  readonly tensor: string;
}

/** A temporary that can be inlined. */
export interface InlineCandidate extends InlineTarget {
  /** For example `t/inline`, named after the statement that defines it. */
  readonly path: string;
}

/** The statements that may run between the producer and a reader, in one iteration. */
function between(
  program: Program,
  producer: Statement,
  reader: Statement,
): readonly string[] | null {
  const position = positionOf(program, producer.id);
  if (position === undefined) return null;
  const passed: string[] = [];
  for (const node of position.nodes.slice(position.index + 1)) {
    const inside = eachStatementId([node]);
    if (!inside.includes(reader.id)) passed.push(...inside);
    else return isItself(node, reader) ? passed : [...passed, ...inside];
  }
  return null;
}

function isItself(node: ProgramNode, s: Statement): boolean {
  return node.kind === "statement" && node.statement === s.id;
}

/** Whether a reader, given what it reads, reads only elements that a producer surely writes. */
const readsWritten: (
  producer: Statement,
) => (reader: Statement, reads: readonly AccessRelation[]) => boolean = remember(
  (producer: Statement) =>
    rememberWhile((reader: Statement, reads: readonly AccessRelation[]) => {
      const apart = renameApart(producer, variableNames(reader));
      return reads
        .filter((r) => r.tensor === producer.write.tensor)
        .every((r) => isWritten(apart, r));
    }),
);

/** Why the reader cannot take the value over. */
function whyNotHere(program: Program, producer: Statement, reader: Statement): string | undefined {
  const passed = between(program, producer, reader);
  if (passed === null) return "a reader does not follow in the same iteration";
  const sources = new Set(producer.reads.map((a) => a.tensor));
  if (passed.some((id) => sources.has(statementOf(program, id).write.tensor))) {
    return "what the value is made of is overwritten before it is read";
  }
  const written = readsWritten(producer)(reader, readRelations(program, reader));
  return written ? undefined : "a reader reads elements that are not surely written";
}

/** True when all the constraints hold, as data. */
export function conditionOf(guard: readonly Constraint[]): Expression {
  const tests = guard.map((c): Expression => {
    const value: Expression = { kind: "coordinate", affine: c.affine, type: "int32" };
    return binary(c.kind === "zero" ? "==" : ">=", value, literal(0, "int32"), "bool");
  });
  return tests.reduceRight((all, one) => binary("and", one, all, "bool"));
}

/** What stands for one read of the temporary. */
interface Inlined {
  readonly quotients: readonly Quotient[];
  readonly reads: readonly Access[];
  /** One for each component; its reads are numbered behind those of the reader. */
  readonly value: readonly Expression[];
}

/** A read of the producer, moved to the reader: where `outer`'s guard fails it reads nothing. */
function movedRead(a: Access, outer: Access, by: Replacement, at: number): Access {
  const shifted = mapAccessExpressions(substituteAccess(a, by), (e) => shiftReads(e, at));
  const spans = uniteSpans(a.spans ?? [], outer.spans ?? []);
  return {
    ...shifted,
    guard: [...outer.guard, ...shifted.guard],
    ...(spans.length === 0 ? {} : { spans }),
  };
}

/** True when the producer only copies an element that is always there, so that any fill will do. */
function isCopied(producer: Statement, n: number): boolean {
  const a = producer.reads[n];
  const copies = producer.body.every((e) => e.kind === "read" && e.read === n);
  return copies && a?.guard.length === 0 && a.index.every((i) => i.kind === "affine");
}

/** The value where the guard of `outer` holds, its fill elsewhere. */
function underGuard(
  value: Expression,
  reads: readonly Access[],
  outer: Access,
  at: number,
): Expression {
  if (outer.guard.length === 0) return value;
  const direct = value.kind === "read" ? reads[value.read - at] : undefined;
  if (direct?.fill === outer.fill) return value;
  return select(conditionOf(outer.guard), value, literal(outer.fill, value.type));
}

/** The names of a producer's variables beside those of a reader, and its instance for a read of that. */
interface Located {
  readonly apart: Statement;
  readonly instance: ProducerInstance;
}

/** Where the producer makes the element that a read names; undefined if that cannot be solved for its dims. */
function locate(producer: Statement, reader: Statement, outer: Access): Located | undefined {
  // What the producer computes plays no part in this.
  const frame: Statement = { ...producer, reads: [], body: [] };
  const apart = renameApart(frame, variableNames(reader));
  const index = outer.index.map((i) => (i.kind === "affine" ? i.affine : null));
  const instance = producerInstance(apart, index);
  return instance && { apart, instance };
}

/** Whether all reads of what a producer writes can be {@link locate}d. */
const isSolvable: (producer: Statement) => (reader: Statement) => boolean = remember(
  (producer: Statement) =>
    remember((reader: Statement) =>
      readsOf(reader, producer.write.tensor).every(
        (outer) => locate(producer, reader, outer) !== undefined,
      ),
    ),
);

/** What stands for the variables of a producer in its reader. */
function replacementIn(producer: Statement, { apart, instance }: Located): Replacement {
  const names = variableNames(apart);
  const by = new Map<string, Affine>();
  for (const [n, old] of variableNames(producer).entries()) {
    const name = names[n] ?? old;
    const value = instance.dims.get(name) ?? variable(name);
    if (!affineEquals(value, variable(old))) by.set(old, value);
  }
  return replacementOf(by);
}

/** The producer's value at the element that a read of `reader` names. */
function inlinedRead(
  producer: Statement,
  components: readonly ScalarType[],
  reader: Statement,
  outer: Access,
): Inlined | undefined {
  const located = locate(producer, reader, outer);
  if (located === undefined) return undefined;
  const by = replacementIn(producer, located);
  const at = reader.reads.length;
  const reads = producer.reads.map((a, n) => {
    const moved = movedRead(a, outer, by, at);
    return isCopied(producer, n) ? { ...moved, fill: outer.fill } : moved;
  });
  const value = producer.body.map((e, c) => {
    const type = components[c] ?? e.type;
    const moved = shiftReads(substituteExpression(e, by), at);
    const stored: Expression = type === e.type ? moved : { kind: "cast", operand: moved, type };
    return underGuard(stored, reads, outer, at);
  });
  const { apart, instance } = located;
  const { quotients } = substituteDomain(apart.domain, replacementOf(instance.dims));
  return { quotients, reads, value };
}

/** The reader with the producer's value in place of all its reads of the temporary. */
function inlineInto(
  producer: Statement,
  components: readonly ScalarType[],
  reader: Statement,
): Statement | undefined {
  let current = reader;
  for (const [n, outer] of reader.reads.entries()) {
    if (outer.tensor !== producer.write.tensor) continue;
    const inlined = inlinedRead(producer, components, current, current.reads[n] ?? outer);
    if (inlined === undefined) return undefined;
    const quotients = [...current.domain.quotients, ...inlined.quotients];
    current = mapStatementExpressions(
      {
        ...current,
        ...takenWith(current, producer),
        domain: { ...current.domain, quotients },
        reads: [...current.reads, ...inlined.reads],
      },
      (e) => replaceReads(e, (m, c) => (m === n ? inlined.value[c] : undefined)),
    );
  }
  return dropUnused(current);
}

/** The only statement that writes the tensor, if inlining can use it, or why not. */
function producerOf(program: Program, tensor: string): Statement | string {
  if (findTensor(program, tensor)?.role !== "temporary") return "it is no temporary";
  const [producer, more] = usersOf(program, tensor).writers;
  if (producer === undefined || more !== undefined) return "not one statement defines it";
  if (producer.reduction !== null) return "it is the result of a reduction";
  if (readsOf(producer, tensor).length > 0) return "it is made of itself";
  return producer;
}

/** Whether a temporary can be inlined: its producer, or why not. */
function inlinable(program: Program, { tensor }: InlineTarget): Statement | string {
  const producer = producerOf(program, tensor);
  if (typeof producer === "string") return producer;
  const { readers } = usersOf(program, tensor);
  if (readers.length === 0) return "nothing reads it";
  for (const reader of readers) {
    const reason = whyNotHere(program, producer, reader);
    if (reason !== undefined) return reason;
    if (!isSolvable(producer)(reader)) return "an index cannot be solved for the dims";
  }
  return producer;
}

/**
 * Purpose: computes a temporary where it is read, so that it needs no memory.
 *
 * ```
 * T(i) = f(A(i));  C(j) = g(T(2*j))               -->  C(j) = g(f(A(2*j)))
 * T(i) = f(A(i));  C(j) = (j >= 1 ? T(j-1) : 0)   -->  C(j) = [j-1] >= 0 ? f(j >= 1 ? A(j-1) : 0) : 0
 * ```
 * Requires: one defining statement, no reduction, its written index solvable for its dims; readers
 * that follow it in the same iteration and read, at affine indices, only elements that it writes;
 * what it reads is not overwritten before.
 *
 * Ensures: neither the statement nor the temporary is left. The value is computed for each read,
 * for each reduced point if the reader reduces.
 */
export function inlineTemporary(program: Program, target: InlineTarget): Rewrite {
  const producer = inlinable(program, target);
  if (typeof producer === "string") return refused(producer);
  const components = findTensor(program, target.tensor)?.components ?? [];
  let result = program;
  for (const reader of usersOf(program, target.tensor).readers) {
    const replaced = inlineInto(producer, components, reader);
    if (replaced === undefined) return refused("an index cannot be solved for the dims");
    result = replaceStatement(result, reader.id, [replaced]);
  }
  const without = replaceStatement(result, producer.id, []);
  const tensors = without.tensors.filter((t) => t.name !== target.tensor);
  return rewritten({ ...without, tensors });
}

/** The temporaries that may be worth asking about, in program order: {@link mayInline} says which can be inlined. */
export function inlineTargets(program: Program): readonly InlineCandidate[] {
  return flatMap(orderedStatements(program), ({ id, write: { tensor } }) =>
    findTensor(program, tensor)?.role === "temporary" ? { tensor, path: `${id}/inline` } : [],
  );
}

/** Whether {@link inlineTemporary} can inline a temporary. */
export function mayInline(program: Program, target: InlineTarget): boolean {
  return typeof inlinable(program, target) !== "string";
}

/** The temporaries that {@link inlineTemporary} can inline. */
export function inlineCandidates(program: Program): readonly InlineCandidate[] {
  return inlineTargets(program).filter((target) => mayInline(program, target));
}
