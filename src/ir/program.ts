/**
 * Programs: what is computed, with no word about how.
 *
 * ```
 * program   := name, sizes, tensors, statements, tree
 * tree      := node*                      in program order
 * node      := statement id | loop name in lower..upper { node* }
 * statement := domain, write, reads, reduction?, body
 * access    := tensor, index*, guard*, fill
 * index     := affine | opaque expression
 * reduction := monoid, dims, init, projected
 * ```
 * Statements take effect in tree order. A statement reads every tensor as it was before the
 * statement began (its instances with the same enclosing loop indices all read, then all write).
 * Without a reduction each instance stores `body` at `write`. With one, each instance of the dims
 * that are not reduced stores `init` combined with `body` over the reduced dims, projected. A
 * reduction whose write index depends on a reduced dim is a *scatter*: every instance combines
 * `body` into the element it names, and what was there before takes part; a scattered write outside
 * the tensor is dropped.
 *
 * Values, the versions that writes give to a tensor, are derived: see values.ts.
 */

import type { Span } from "../diagnostics/span.ts";
import { defined, invariant } from "../support/assert.ts";
import { flatMap } from "../support/flat-map.ts";
import { remember } from "../support/remember.ts";
import type { ElementType, NarrowType, ScalarType } from "../support/scalar-type.ts";
import type { TensorLayout } from "../support/strided-view.ts";
import { type Affine, affineEquals, type Constraint } from "./affine.ts";
import type { Domain } from "./domain.ts";
import { type Expression, eachExpression } from "./expression.ts";
import type { Monoid } from "./monoid.ts";

/** What the user named, or a temporary that a rewrite made. */
export interface Tensor {
  /** Unique in the program. */
  readonly name: string;
  /** The types of an element's parts: one, or a monoid's state for partial results. */
  readonly components: readonly ScalarType[];
  /**
   * What memory holds of an element where that is less than its component; never in temporaries.
   * `float16` next to a float32 component: the device has no float16 of its own.
   */
  readonly stored?: NarrowType;
  readonly shape: readonly number[];
  /**
   * Of a tensor of words: the shape that the caller sees. Each element is a word, its components
   * consecutive elements of that shape in row-major order; those after the last one mean nothing.
   */
  readonly unpacked?: readonly number[];
  /**
   * The shape that the caller sees, where rewrites made the tensor one row: its elements in row-major
   * order, and those after the last one, if there are more, mean nothing.
   */
  readonly original?: readonly number[];
  /**
   * Of the caller's: its memory goes on to a multiple of 16 bytes, and holds nothing else
   * there. That of temporaries always does.
   */
  readonly padded?: true;
  /**
   * How the caller's elements lie in memory, where that is not row by row from the start of a
   * buffer: strides of the shape that the caller sees. Never of temporaries.
   */
  readonly layout?: TensorLayout;
  /**
   * `inout` is supplied by the caller and updated. Only `temporary`, and tensors of words, may have
   * several components.
   */
  readonly role: "input" | "output" | "inout" | "temporary";
  readonly span: Span;
}

/** One coordinate of an access: analysed, or computed at run time. */
export type Index =
  | { readonly kind: "affine"; readonly affine: Affine }
  | { readonly kind: "opaque"; readonly expression: Expression };

/** A read: the element, or `fill` where a guard fails or an opaque index leaves the tensor. */
export interface Access {
  readonly tensor: string;
  readonly index: readonly Index[];
  readonly guard: readonly Constraint[];
  readonly fill: number;
  /** Where the source has it: reads that are alike are one. Left out: wherever its statement is. */
  readonly spans?: readonly Span[];
}

export interface Reduction {
  readonly monoid: Monoid;
  /** The dims that are reduced. */
  readonly dims: readonly string[];
  /** The state to start from, over the other dims; null for the identity. Null for scatters. */
  readonly init: readonly Expression[] | null;
  /** False when the state itself is stored, one component each. */
  readonly projected: boolean;
}

/** True for a tensor whose memory may be read and written up to a multiple of 16 bytes. */
export function hasPadding({ role, padded, layout }: Tensor): boolean {
  return layout === undefined && (role === "temporary" || padded === true);
}

export interface Statement {
  /** Unique in the program. */
  readonly id: string;
  readonly domain: Domain;
  /** The enclosing program loops, outermost first: the first dims of the domain. */
  readonly loops: readonly string[];
  readonly write: {
    readonly tensor: string;
    readonly index: readonly Index[];
    /** Where the source has it. Left out: wherever its statement is. */
    readonly span?: Span;
  };
  readonly reads: readonly Access[];
  readonly reduction: Reduction | null;
  /** The element, or the lifted state of the reduction; one expression per component. */
  readonly body: readonly Expression[];
  readonly span: Span;
  /** Of the statements that rewrites took into this one. */
  readonly taken?: readonly Span[];
}

export type ProgramNode =
  | { readonly kind: "statement"; readonly statement: string }
  | {
      readonly kind: "loop";
      /** Unique in the program; a dim of every statement inside. */
      readonly name: string;
      /** Half-open, ascending by 1; may use outer loops. */
      readonly lower: Affine;
      readonly upper: Affine;
      readonly body: readonly ProgramNode[];
    };

export interface Program {
  readonly name: string;
  readonly sizes: readonly { readonly name: string; readonly value: number }[];
  /** Inputs first, in the order of the definition's parameters. */
  readonly tensors: readonly Tensor[];
  /**
   * Sets of tensors, each with a layout that has an offset, that the caller has in one buffer, one
   * of them written. They have no element in common.
   */
  readonly shared?: readonly (readonly string[])[];
  readonly statements: readonly Statement[];
  readonly tree: readonly ProgramNode[];
}

/** Where the source has a statement, and those that were taken into it. */
export function spansOf({ span, taken = [] }: Statement): readonly Span[] {
  return uniteSpans([span], taken);
}

/** Spans and further ones, each once. */
export function uniteSpans(spans: readonly Span[], more: readonly Span[]): readonly Span[] {
  const fresh = more.filter((m) => !spans.some((s) => s.start === m.start && s.end === m.end));
  return fresh.length === 0 ? spans : [...spans, ...fresh];
}

/** What the caller's elements are. */
export function elementTypeOf(tensor: Tensor): ElementType {
  const [first] = tensor.components;
  invariant(first !== undefined, `${tensor.name} has no component`);
  return tensor.stored ?? first;
}

/** The shape that the caller sees. */
export function callerShape(tensor: Tensor): readonly number[] {
  return tensor.unpacked ?? tensor.original ?? tensor.shape;
}

/** An affine coordinate. */
export function affineIndex(affine: Affine): Index {
  return { kind: "affine", affine };
}

/** A read without guards. */
export function access(tensor: string, ...index: readonly Affine[]): Access {
  return { tensor, index: index.map(affineIndex), guard: [], fill: 0 };
}

/** Items of a list by their names, which are unique; a long list is looked through once. */
function byName<T extends object>(
  nameOf: (item: T) => string,
): (list: readonly T[], name: string) => T | undefined {
  const tables: (list: readonly T[]) => ReadonlyMap<string, T> = remember(
    (list) => new Map(list.toReversed().map((item) => [nameOf(item), item])),
  );
  return (list, name) => {
    if (list.length > longList) return tables(list).get(name);
    for (const item of list) if (nameOf(item) === name) return item;
    return undefined;
  };
}

/** Items of which a list has so many are looked up. */
const longList = 12;

const tensorIn = byName<Tensor>((t) => t.name);

const statementIn = byName<Statement>((s) => s.id);

/** The tensor of that name; undefined if there is none. */
export function findTensor(program: Pick<Program, "tensors">, name: string): Tensor | undefined {
  return tensorIn(program.tensors, name);
}

/** The statement with that id; undefined if there is none. */
export function findStatement(program: Program, id: string): Statement | undefined {
  return statementIn(program.statements, id);
}

/** The tensor of that name, which must exist. */
export function tensorOf(program: Program, name: string): Tensor {
  return defined(findTensor(program, name), "tensor", name);
}

/** The statement with that id, which must exist. */
export function statementOf(program: Program, id: string): Statement {
  return defined(findStatement(program, id), "statement", id);
}

/** The tensor that a statement writes, then those of its reads. */
export function tensorsOf({ write, reads }: Statement): readonly string[] {
  return [write.tensor, ...reads.map((r) => r.tensor)];
}

/** Whether a statement writes or reads a tensor. */
export function touches(s: Statement, tensor: string): boolean {
  return tensorsOf(s).includes(tensor);
}

/** Which statements write and read a tensor, in the order of the program's list. */
interface TensorUsers {
  readonly writers: readonly Statement[];
  readonly readers: readonly Statement[];
}

const usersIn: (
  statements: readonly Statement[],
) => Readonly<Record<keyof TensorUsers, ReadonlyMap<string, readonly Statement[]>>> = remember(
  (statements: readonly Statement[]) => {
    const [writers, readers] = [new Map<string, Statement[]>(), new Map<string, Statement[]>()];
    const add = (to: Map<string, Statement[]>, tensor: string, s: Statement): void => {
      const users = to.get(tensor);
      if (users === undefined) to.set(tensor, [s]);
      else if (users.at(-1) !== s) users.push(s);
    };
    for (const s of statements) {
      add(writers, s.write.tensor, s);
      for (const { tensor } of s.reads) add(readers, tensor, s);
    }
    return { writers, readers };
  },
);

/** The statements that write and read a tensor. */
export function usersOf({ statements }: Pick<Program, "statements">, tensor: string): TensorUsers {
  const { writers, readers } = usersIn(statements);
  return { writers: writers.get(tensor) ?? [], readers: readers.get(tensor) ?? [] };
}

/** The statements of nodes, in program order. */
export function eachStatementId(nodes: readonly ProgramNode[]): readonly string[] {
  return flatMap(nodes, (node) =>
    node.kind === "statement" ? [node.statement] : eachStatementId(node.body),
  );
}

/** The dims that are reduced, the first before those that follow it; none without a reduction. */
export function reducedDims({ reduction }: Statement): readonly string[] {
  return reduction?.dims ?? [];
}

/** The dims that the written element depends on, loops included: those that are not reduced. */
export const parallelDims: (statement: Statement) => readonly string[] = remember((statement) => {
  const reduced = new Set(reducedDims(statement));
  return statement.domain.dims.map((d) => d.name).filter((name) => !reduced.has(name));
});

/** The expressions of a statement: body, init and opaque coordinates. */
export function statementExpressions(statement: Statement): readonly Expression[] {
  const indices = flatMap([statement.write, ...statement.reads], (part) => part.index);
  const opaque = flatMap(indices, (i) => (i.kind === "opaque" ? [i.expression] : []));
  return [...statement.body, ...(statement.reduction?.init ?? []), ...opaque];
}

/** Whether indices are the same functions of dims; those that are no such functions are not. */
export function sameIndex(a: readonly Index[], b: readonly Index[]): boolean {
  return a.every((i, d) => {
    const j = b[d];
    return i.kind === "affine" && j?.kind === "affine" && affineEquals(i.affine, j.affine);
  });
}

/** The variables of an index, those of the reads inside an opaque one included. */
function directVariables(statement: Statement, index: Index): readonly string[] {
  if (index.kind === "affine") return index.affine.terms.map((t) => t.variable);
  return flatMap(eachExpression(index.expression), (node): readonly string[] => {
    if (node.kind === "coordinate") return node.affine.terms.map((t) => t.variable);
    const inner = node.kind === "read" ? (statement.reads[node.read]?.index ?? []) : [];
    return flatMap(inner, (i) => directVariables(statement, i));
  });
}

/** The dims and quotients that an index depends on, through opaque reads and quotients too. */
export function indexVariables(statement: Statement, index: Index): ReadonlySet<string> {
  const found = new Set(directVariables(statement, index));
  for (const q of [...statement.domain.quotients].reverse()) {
    if (found.has(q.name)) for (const t of q.numerator.terms) found.add(t.variable);
  }
  return found;
}

/** The reduction of a statement that must have one. */
export function reductionOf(statement: Statement): Reduction {
  invariant(statement.reduction !== null, `${statement.id} is not a reduction`);
  return statement.reduction;
}

/** True for a reduction that combines into elements which its reduced dims choose. */
export const isScatter: (statement: Statement) => boolean = remember((statement) => {
  const reduced = new Set(reducedDims(statement));
  return (
    reduced.size > 0 &&
    statement.write.index.some((index) =>
      [...indexVariables(statement, index)].some((name) => reduced.has(name)),
    )
  );
});
