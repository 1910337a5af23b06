/**
 * The typed tree: names resolved, conversions explicit, sizes replaced by their values; index
 * expressions are not analysed yet.
 *
 * ```
 * node      := statement | loop(name, lower, upper, node*) | if((condition, node*)+, node*)
 * statement := target, left*, operator, reset, indices, clauses, value
 * typed     := literal | index name | extent(tensor, dimension) | access(tensor, typed*, pad?)
 *            | unary | binary | select | call | cast | error
 * ```
 * `error` poisons what contains it, so that one mistake gives one message.
 */
import type { Span } from "../diagnostics/span.ts";
import type { BinaryOperator } from "../ir/expression.ts";
import type { ScalarType } from "../support/scalar-type.ts";
import type { Assign, For, If } from "./ast.ts";

export type Typed =
  | TypedLiteral
  | TypedIndex
  | TypedExtent
  | TypedAccess
  | {
      readonly kind: "unary";
      readonly operator: "negate" | "not";
      readonly operand: Typed;
      readonly type: ScalarType;
      readonly span: Span;
    }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Typed;
      readonly right: Typed;
      readonly type: ScalarType;
      readonly span: Span;
    }
  | {
      readonly kind: "select";
      readonly condition: Typed;
      readonly whenTrue: Typed;
      readonly whenFalse: Typed;
      /** True for what `pad` became: its condition guards nothing. */
      readonly pads?: boolean;
      readonly type: ScalarType;
      readonly span: Span;
    }
  | {
      readonly kind: "call";
      readonly function: string;
      readonly arguments: readonly Typed[];
      readonly type: ScalarType;
      readonly span: Span;
    }
  | {
      readonly kind: "cast";
      readonly operand: Typed;
      readonly type: ScalarType;
      readonly span: Span;
    }
  | { readonly kind: "error"; readonly type: "error"; readonly span: Span };

/** A constant; one that `adapts` was written as such and takes the type of its operand. */
export interface TypedLiteral {
  readonly kind: "literal";
  readonly value: number;
  readonly type: ScalarType;
  readonly adapts: boolean;
  readonly span: Span;
}

/** The value of a loop or statement index, by its unique name. */
interface TypedIndex {
  readonly kind: "index";
  readonly name: string;
  readonly type: "int32";
  readonly span: Span;
}

/** The size of a dimension, known once the shapes are. */
interface TypedExtent {
  readonly kind: "extent";
  readonly tensor: string;
  readonly dimension: number;
  readonly type: "int32";
  readonly span: Span;
}

/** A read. `fill` is null unless it is padded: then the value outside of the tensor. */
export interface TypedAccess {
  readonly kind: "access";
  readonly tensor: string;
  readonly indices: readonly Typed[];
  readonly fill: number | null;
  readonly type: ScalarType;
  readonly span: Span;
}

export type TypedNode = TypedStatement | TypedLoop | TypedIf;

/** `target(left) operator value` over all values of its indices. */
export interface TypedStatement {
  readonly kind: "statement";
  readonly node: Assign;
  readonly target: string;
  readonly left: readonly Typed[];
  readonly operator: StatementOperator;
  /** True for `op=!`. */
  readonly reset: boolean;
  /** In order of first appearance, those on the left first. */
  readonly indices: readonly StatementIndex[];
  readonly clauses: readonly TypedClause[];
  /** The accesses of `exists` clauses: they range indices and are not read. */
  readonly exists: readonly Typed[];
  /** Of the target's type, except for arg reductions: then of the compared values' type. */
  readonly value: Typed;
  readonly span: Span;
}

/** `=`, or the reduction operator. */
export type StatementOperator =
  | "="
  | "+"
  | "*"
  | "min"
  | "max"
  | "and"
  | "or"
  | "argmin"
  | "argmax";

/** An index of one statement. */
export interface StatementIndex {
  /** Unique among the statement's indices and the enclosing loops. */
  readonly name: string;
  /** As it is written. */
  readonly source: string;
  /** Where it first occurs. */
  readonly span: Span;
  /** True when it occurs on the left side. */
  readonly left: boolean;
}

/** `index in lower:upper`. */
export interface TypedClause {
  readonly index: string;
  readonly lower: Typed;
  readonly upper: Typed;
  readonly span: Span;
}

export interface TypedLoop {
  readonly kind: "loop";
  readonly node: For;
  /** Unique in the definition. */
  readonly name: string;
  readonly source: string;
  readonly lower: Typed;
  readonly upper: Typed;
  readonly reversed: boolean;
  readonly body: readonly TypedNode[];
}

interface TypedIf {
  readonly kind: "if";
  readonly node: If;
  readonly branches: readonly { readonly condition: Typed; readonly body: readonly TypedNode[] }[];
  readonly otherwise: readonly TypedNode[];
}

/** The direct operands of a node, index expressions included. */
export function typedOperands(e: Typed): readonly Typed[] {
  switch (e.kind) {
    case "literal":
    case "index":
    case "extent":
    case "error":
      return [];
    case "access":
      return e.indices;
    case "unary":
    case "cast":
      return [e.operand];
    case "binary":
      return [e.left, e.right];
    case "select":
      return [e.condition, e.whenTrue, e.whenFalse];
    case "call":
      return e.arguments;
  }
}

/** All nodes, each before its operands. */
export function* eachTyped(e: Typed): Generator<Typed> {
  yield e;
  for (const part of typedOperands(e)) yield* eachTyped(part);
}

/** The statements of nodes, in the order of the text. */
export function* eachStatement(nodes: readonly TypedNode[]): Generator<TypedStatement> {
  for (const node of nodes) {
    if (node.kind === "statement") yield node;
    else if (node.kind === "loop") yield* eachStatement(node.body);
    else {
      for (const branch of node.branches) yield* eachStatement(branch.body);
      yield* eachStatement(node.otherwise);
    }
  }
}
