/**
 * Scalar expressions: bodies of statements and the parts of a monoid.
 *
 * ```
 * e := literal | read n.c | coordinate affine | state side.c
 *    | unary e | binary e e | select e e e | call f(e...) | cast e
 * ```
 * `read n.c` is component `c` of the statement's access `n`. `state` occurs in monoids only. Every
 * node carries its type. `select` evaluates only the side that is taken, as far as its reads'
 * guards are concerned: a read that a condition protects carries that condition as its guard.
 */
import { flatMap } from "../support/flat-map.ts";
import type { NarrowType, ScalarType } from "../support/scalar-type.ts";
import { type Affine, printAffine } from "./affine.ts";

/** The meaning of each is in language.md; `/` is for floats, `floorDiv` for integers. */
export type BinaryOperator =
  | "+"
  | "-"
  | "*"
  | "/"
  | "floorDiv"
  | "floorMod"
  | "min"
  | "max"
  | "<"
  | "<="
  | ">"
  | ">="
  | "=="
  | "!="
  | "and"
  | "or";

export type Expression =
  | { readonly kind: "literal"; readonly value: number; readonly type: ScalarType }
  | {
      readonly kind: "read";
      readonly read: number;
      readonly component: number;
      readonly type: ScalarType;
    }
  /** The value of an affine function of dims and quotients, as data: int32. */
  | { readonly kind: "coordinate"; readonly affine: Affine; readonly type: ScalarType }
  /** In a monoid: component of the accumulated (`left`) or the added (`right`) state. */
  | {
      readonly kind: "state";
      readonly side: "left" | "right";
      readonly component: number;
      readonly type: ScalarType;
    }
  | {
      readonly kind: "unary";
      readonly operator: "negate" | "not";
      readonly operand: Expression;
      readonly type: ScalarType;
    }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly type: ScalarType;
    }
  | {
      readonly kind: "select";
      readonly condition: Expression;
      readonly whenTrue: Expression;
      readonly whenFalse: Expression;
      readonly type: ScalarType;
    }
  | {
      readonly kind: "call";
      readonly function: string;
      readonly arguments: readonly Expression[];
      readonly type: ScalarType;
    }
  | {
      readonly kind: "cast";
      readonly operand: Expression;
      /** The value is made one of this type after that: integers wrap, floats are rounded. */
      readonly narrow?: NarrowType;
      readonly type: ScalarType;
    };

/** A constant of a type; bools are 0 and 1. */
export function literal(value: number, type: ScalarType): Expression {
  return { kind: "literal", value, type };
}

/** Component `component` of the statement's access `read`. */
export function read(index: number, type: ScalarType, component = 0): Expression {
  return { kind: "read", read: index, component, type };
}

/** A component of one of a monoid's two states. */
export function state(side: "left" | "right", component: number, type: ScalarType): Expression {
  return { kind: "state", side, component, type };
}

/** `left operator right`; `type` is the type of the result. */
export function binary(
  operator: BinaryOperator,
  left: Expression,
  right: Expression,
  type: ScalarType,
): Expression {
  return { kind: "binary", operator, left, right, type };
}

/** `condition ? whenTrue : whenFalse`. */
export function select(
  condition: Expression,
  whenTrue: Expression,
  whenFalse: Expression,
): Expression {
  return { kind: "select", condition, whenTrue, whenFalse, type: whenTrue.type };
}

/** The value as one of a type, and of `narrow` after that. */
export function cast(operand: Expression, type: ScalarType, narrow?: NarrowType): Expression {
  if (narrow !== undefined) return { kind: "cast", operand, narrow, type };
  return operand.type === type ? operand : { kind: "cast", operand, type };
}

/** The direct operands of a node. */
export function operands(e: Expression): readonly Expression[] {
  switch (e.kind) {
    case "literal":
    case "read":
    case "coordinate":
    case "state":
      return [];
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

/** The same node over other operands, as many as {@link operands} gives. */
function withOperands(e: Expression, parts: readonly Expression[]): Expression {
  const [a = e, b = e, c = e] = parts;
  switch (e.kind) {
    case "literal":
    case "read":
    case "coordinate":
    case "state":
      return e;
    case "unary":
    case "cast":
      return { ...e, operand: a };
    case "binary":
      return { ...e, left: a, right: b };
    case "select":
      return { ...e, condition: a, whenTrue: b, whenFalse: c };
    case "call":
      return { ...e, arguments: parts };
  }
}

/**
 * Rewrites bottom-up: `change` sees each node after its operands and returns undefined to keep it.
 * Returns the same object when nothing changed.
 */
export function mapExpression(
  e: Expression,
  change: (node: Expression) => Expression | undefined,
): Expression {
  const before = operands(e);
  const after = before.map((part) => mapExpression(part, change));
  const rebuilt = after.every((part, i) => part === before[i]) ? e : withOperands(e, after);
  return change(rebuilt) ?? rebuilt;
}

/** All nodes, operands before the nodes that use them. */
export function eachExpression(...roots: readonly Expression[]): readonly Expression[] {
  const nodes: Expression[] = [];
  for (const e of roots) addNodes(e, nodes);
  return nodes;
}

/** The numbers of the reads in expressions, as often as they are there. */
export function readNumbers(...roots: readonly Expression[]): readonly number[] {
  return flatMap(eachExpression(...roots), (e) => (e.kind === "read" ? [e.read] : []));
}

function addNodes(e: Expression, nodes: Expression[]): void {
  for (const part of operands(e)) addNodes(part, nodes);
  nodes.push(e);
}

/** For example `(read0 * read1) + 1`; `name` prints a read. */
export function printExpression(e: Expression, name: (read: number) => string): string {
  const print = (part: Expression): string => printExpression(part, name);
  switch (e.kind) {
    case "literal":
      return e.type === "bool" ? String(e.value !== 0) : String(e.value);
    case "read":
      return e.component === 0 ? name(e.read) : `${name(e.read)}.${e.component}`;
    case "coordinate":
      return `[${printAffine(e.affine)}]`;
    case "state":
      return `${e.side}.${e.component}`;
    case "unary":
      return e.operator === "not" ? `!${print(e.operand)}` : `-${print(e.operand)}`;
    case "binary":
      return `(${print(e.left)} ${e.operator} ${print(e.right)})`;
    case "select":
      return `(${print(e.condition)} ? ${print(e.whenTrue)} : ${print(e.whenFalse)})`;
    case "call":
      return `${e.function}(${e.arguments.map(print).join(", ")})`;
    case "cast":
      return `${e.narrow ?? e.type}(${print(e.operand)})`;
  }
}
