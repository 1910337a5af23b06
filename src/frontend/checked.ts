/**
 * A definition that is right: names, types, ranges, bounds. What lowering takes.
 *
 * ```
 * definition := name, sizes, tensor*, node*
 * node       := loop(name, lower, upper, reversed, node*) | statement
 * statement  := target(index*), operator, dims, guards, quotients, value
 * access     := tensor(index*), guard*, fill
 * index      := affine | opaque expression
 * ```
 * There are no `if`s: their conditions are among the statements' guards. A statement under a
 * condition that is not a conjunction occurs once for each of its disjoint cases, side by side.
 */
import type { Span } from "../diagnostics/span.ts";
import type { Affine, Constraint } from "../ir/affine.ts";
import type { Dim, Quotient } from "../ir/domain.ts";
import type { BinaryOperator } from "../ir/expression.ts";
import type { ElementType, NarrowInteger, ScalarType } from "../support/scalar-type.ts";
import type { StatementOperator } from "./names/typed.ts";

export interface CheckedDefinition {
  readonly name: string;
  /** Every size and compile-time parameter. */
  readonly sizes: readonly { readonly name: string; readonly value: number }[];
  /** Parameters in order (scalars have the shape `[]`), then results, then temporaries. */
  readonly tensors: readonly CheckedTensor[];
  readonly body: readonly CheckedNode[];
  readonly span: Span;
}

export interface CheckedTensor {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly role: "input" | "output" | "inout" | "temporary";
  readonly span: Span;
}

export type CheckedNode = CheckedLoop | CheckedStatement;

/** A loop over `[lower, upper)`, downwards when reversed. */
export interface CheckedLoop {
  readonly kind: "loop";
  /** Unique in the definition, and different from the dims of the statements inside. */
  readonly name: string;
  /** As it is written. */
  readonly source: string;
  /** Over outer loops. */
  readonly lower: Affine;
  readonly upper: Affine;
  readonly reversed: boolean;
  readonly body: readonly CheckedNode[];
  readonly span: Span;
}

/** One assignment, or one case of it. */
export interface CheckedStatement {
  readonly kind: "statement";
  readonly target: string;
  readonly left: readonly CheckedIndex[];
  readonly operator: StatementOperator;
  /** True for `op=!`: the elements start from the identity and not from what they hold. */
  readonly reset: boolean;
  /**
   * The statement's own dims, without the loops; a bound uses loops and dims before it. Dims that
   * are not reduced name each element of the target once.
   */
  readonly dims: readonly CheckedDim[];
  /** Over loops, dims and quotients. */
  readonly guards: readonly Constraint[];
  /** Over loops, dims and quotients before it; used by guards, indices and coordinates. */
  readonly quotients: readonly Quotient[];
  /** Of the target's type; for `argmin` and `argmax` the compared value. */
  readonly value: CheckedExpression;
  /** The left side. */
  readonly written: Span;
  readonly span: Span;
}

export interface CheckedDim extends Dim {
  /** As it is written. */
  readonly source: string;
  /** A dim of the reduction; with a left side that depends on it the statement is a scatter. */
  readonly reduced: boolean;
  /** A dim that has a part in which elements are written: of the left side, or of such a range. */
  readonly choosing: boolean;
  readonly span: Span;
}

/** An index: analysed, or an int32 expression. */
export type CheckedIndex =
  | { readonly kind: "affine"; readonly affine: Affine }
  | { readonly kind: "opaque"; readonly expression: CheckedExpression };

/** A read. */
export interface CheckedAccess {
  readonly tensor: string;
  readonly index: readonly CheckedIndex[];
  /**
   * The bounds of the tensor as far as the statement's domain does not imply them: where one fails,
   * the access yields `fill`. Empty for reads that are always inside.
   */
  readonly guard: readonly Constraint[];
  /** What `?:`, `&&` and `||` around it imply, if that is a conjunction of constraints. */
  readonly context: readonly Constraint[];
  readonly fill: number;
  readonly span: Span;
}

/** As ir/expression.ts, with the accesses in place. */
export type CheckedExpression =
  | { readonly kind: "literal"; readonly value: number; readonly type: ScalarType }
  | { readonly kind: "access"; readonly access: CheckedAccess; readonly type: ScalarType }
  /** The value of an affine function of loops, dims and quotients; it fits into int32. */
  | { readonly kind: "coordinate"; readonly affine: Affine; readonly type: "int32" }
  | {
      readonly kind: "unary";
      readonly operator: "negate" | "not";
      readonly operand: CheckedExpression;
      readonly type: ScalarType;
    }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: CheckedExpression;
      readonly right: CheckedExpression;
      readonly type: ScalarType;
    }
  | {
      readonly kind: "select";
      readonly condition: CheckedExpression;
      readonly whenTrue: CheckedExpression;
      readonly whenFalse: CheckedExpression;
      readonly type: ScalarType;
    }
  | {
      readonly kind: "call";
      readonly function: string;
      readonly arguments: readonly CheckedExpression[];
      readonly type: ScalarType;
    }
  | {
      readonly kind: "cast";
      readonly operand: CheckedExpression;
      /** The value wraps to this type after that. */
      readonly narrow?: NarrowInteger;
      readonly type: ScalarType;
    };
