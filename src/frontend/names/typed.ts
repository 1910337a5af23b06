/**
 * The typed tree: names resolved, conversions explicit, sizes replaced by their values; index
 * expressions are not analysed yet.
 *
 * ```
 * node      := statement | loop(name, lower, upper, node*) | if((condition, node*)+, node*)
 *            | call(callee, argument*, view*) | inlined(statement*, binding, node*, result*) | mistake
 * view      := tensor, leading index*          argument := view | typed
 * statement := target, left*, operator, reset, indices, clauses, value
 * typed     := literal | index name | size name | extent(tensor, dimension)
 *            | access(tensor, typed*, pad?)
 *            | unary | binary | select | call | cast | error
 * ```
 * `error` poisons what contains it, so that one mistake gives one message.
 */

import type { Span } from "../../diagnostics/span.ts";
import type { BinaryOperator } from "../../ir/expression.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { NarrowInteger, ScalarType } from "../../support/scalar-type.ts";
import type { Signature } from "../calls/signature.ts";
import type { Assign, Call, Expression, For, If } from "../syntax/ast.ts";

export type Typed =
  | TypedLiteral
  | TypedIndex
  | TypedSize
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
      /** The value wraps to this type after that. */
      readonly narrow?: NarrowInteger;
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

/** A size of a definition that is called: the call's arguments tell its value. */
interface TypedSize {
  readonly kind: "size";
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

export type TypedNode =
  | TypedStatement
  | TypedLoop
  | TypedIf
  | TypedCall
  | TypedInlined
  | TypedMistake;

/** `target(left) operator value` over all values of its indices. */
export interface TypedStatement {
  readonly kind: "statement";
  readonly node: Assign;
  readonly target: string;
  readonly left: readonly Typed[];
  readonly operator: StatementOperator;
  /** True for `op=!`. */
  readonly reset: boolean;
  /**
   * For a statement of an inlined definition that writes a tensor passed to it: how many left indices
   * the call gives. Such a statement never makes the tensor larger.
   */
  readonly given?: number;
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

/** `(targets) = callee(arguments)`; inline-calls.ts replaces it. */
export interface TypedCall {
  readonly kind: "call";
  readonly node: Call;
  readonly signature: Signature;
  /** One for each parameter; those of compile-time parameters are values without accesses. */
  readonly arguments: readonly TypedArgument[];
  /** One for each result. */
  readonly targets: readonly TypedView[];
}

/** A tensor, or the part of it that its leading indices choose. */
export interface TypedView {
  readonly kind: "view";
  readonly tensor: string;
  /** Over loops only. */
  readonly leading: readonly Typed[];
  readonly span: Span;
}

/** What is passed to a call; values have the parameter's type. */
export type TypedArgument =
  | TypedView
  | { readonly kind: "value"; readonly value: Typed; readonly span: Span };

/** The body of a definition in the place of a call, its names replaced by the caller's. */
export interface TypedInlined {
  readonly kind: "inlined";
  readonly node: Call;
  /** Copies of what the call may not see changed. */
  readonly before: readonly TypedStatement[];
  readonly binding: SizeBinding;
  readonly body: readonly TypedNode[];
  readonly results: readonly TypedResult[];
  /** The tensors that are the call's own, by the names that its definition gives them. */
  readonly own: ReadonlyMap<string, string>;
}

/** A result: made in a temporary of its own, then copied. */
export interface TypedResult {
  readonly temporary: string;
  readonly target: TypedView;
  readonly copy: TypedStatement;
}

/** What the sizes of an inlined definition follow from. */
export interface SizeBinding {
  readonly callee: string;
  /** The names that the definition uses, and those that they have here. */
  readonly sizes: ReadonlyMap<string, string>;
  /** Compile-time parameters. */
  readonly values: ReadonlyMap<string, Typed>;
  readonly parameters: readonly BoundParameter[];
  /** Declared shapes of tensors that are the call's own. */
  readonly shapes: readonly {
    readonly tensor: string;
    readonly dimensions: readonly Expression[];
  }[];
}

/** A tensor that is passed, and the shape that it must have. */
export interface BoundParameter {
  readonly name: string;
  readonly dimensions: readonly Expression[] | undefined;
  readonly view: TypedView;
  /** What is passed, as it is written. */
  readonly written: string;
}

/** In the place of a call that is wrong: nothing is known about these tensors. */
export interface TypedMistake {
  readonly kind: "mistake";
  readonly tensors: readonly string[];
}

/** The direct operands of a node, index expressions included. */
export function typedOperands(e: Typed): readonly Typed[] {
  switch (e.kind) {
    case "literal":
    case "index":
    case "size":
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
export function eachTyped(e: Typed): readonly Typed[] {
  const nodes: Typed[] = [];
  addNodes(e, nodes);
  return nodes;
}

function addNodes(e: Typed, nodes: Typed[]): void {
  nodes.push(e);
  for (const part of typedOperands(e)) addNodes(part, nodes);
}

/** The statements of nodes, in the order of the text. */
export function eachStatement(nodes: readonly TypedNode[]): readonly TypedStatement[] {
  return flatMap(nodes, (node): readonly TypedStatement[] => {
    switch (node.kind) {
      case "statement":
        return [node];
      case "loop":
        return eachStatement(node.body);
      case "inlined": {
        const copies = node.results.map((result) => result.copy);
        return [...node.before, ...eachStatement(node.body), ...copies];
      }
      case "if": {
        const branches = flatMap(node.branches, (branch) => eachStatement(branch.body));
        return [...branches, ...eachStatement(node.otherwise)];
      }
      default:
        return [];
    }
  });
}
