/** How many operations of each kind a statement makes for an invocation, counted in its text. */
import { isFloat } from "../../support/scalar-type.ts";
import { literalValue } from "../fold-literals.ts";
import type { KernelExpression, KernelStatement } from "../kernel.ts";
import { statementExpressions } from "../walk-kernel.ts";

/** Operations, those of a vector as many as it has components. */
export interface Operations {
  /** Multiplications of floats that are added to something at once. */
  readonly fma: number;
  /** Other operations on floats, comparisons and selections too. */
  readonly float: number;
  readonly divisions: number;
  readonly casts: number;
  /** Of builtin functions. */
  readonly calls: number;
  /** Of indices and other integers, where invocations differ: what they share is computed once. */
  readonly integer: number;
}

/** Operations by kind, to be added to. */
export type OperationTally = { -readonly [kind in keyof Operations]: number };

/** The kinds, in the order of tables. */
export const operationKinds = ["fma", "float", "divisions", "casts", "calls", "integer"] as const;

/** None of any kind. */
export function noOperations(): OperationTally {
  return { fma: 0, float: 0, divisions: 0, casts: 0, calls: 0, integer: 0 };
}

function isProduct(e: KernelExpression): boolean {
  return e.kind === "binary" && e.operator === "*" && isFloat(e.type.scalar);
}

/** Functions that are one operation of an arithmetic unit. */
const plainCalls: ReadonlySet<string> = new Set(["min", "max", "abs", "fma", "floor", "ceil"]);

/**
 * Adds what an expression costs. `shared` tells variables that are the same for all invocations of a
 * workgroup; returns whether the expression is.
 */
function tally(
  e: KernelExpression,
  shared: (name: string) => boolean,
  into: OperationTally,
  product: "own" | "part of an FMA" = "own",
): boolean {
  const { width, scalar } = e.type;
  const all = (parts: readonly KernelExpression[]): boolean =>
    parts.map((part) => tally(part, shared, into)).every((same) => same);
  switch (e.kind) {
    case "literal":
    case "step":
      return true;
    case "variable":
      return shared(e.name);
    case "builtin":
      return e.builtin.startsWith("workgroup-");
    case "load":
      tally(e.index, shared, into);
      return false;
    case "binary":
      return tallyBinary(e, shared, into, product);
    case "vector":
      return all(e.components);
    case "component":
      return all([e.vector]);
    case "call": {
      // What holds nothing but literals is one in the text.
      if (literalValue(e) !== undefined) return true;
      const same = all(e.arguments);
      if (plainCalls.has(e.function)) into.float += width;
      else into.calls += width;
      return same;
    }
    case "cast": {
      const same = all([e.operand]);
      if (scalar !== e.operand.type.scalar || e.narrow !== undefined) into.casts += width;
      return same;
    }
    case "pack":
      into.casts += e.parts.length;
      return all(e.parts);
    case "unpack":
      into.casts += 1;
      return all([e.word, e.position]);
    case "unary":
      return tallyPlain(e, [e.operand], shared, into);
    case "select":
      return tallyPlain(e, [e.condition, e.whenTrue, e.whenFalse], shared, into);
  }
}

/** One operation of its type on the parts. */
function tallyPlain(
  e: KernelExpression,
  parts: readonly KernelExpression[],
  shared: (name: string) => boolean,
  into: OperationTally,
): boolean {
  const same = parts.map((part) => tally(part, shared, into)).every((one) => one);
  const ofFloats = parts.some((part) => isFloat(part.type.scalar));
  if (ofFloats) into.float += e.type.width;
  else if (!same) into.integer += e.type.width;
  return same;
}

function tallyBinary(
  e: KernelExpression & { kind: "binary" },
  shared: (name: string) => boolean,
  into: OperationTally,
  product: "own" | "part of an FMA",
): boolean {
  const { left, right, operator, type } = e;
  const sum = isFloat(type.scalar) && (operator === "+" || operator === "-");
  const fused = sum ? [right, left].find(isProduct) : undefined;
  if (fused !== undefined) {
    const same = [left, right].map((side) =>
      tally(side, shared, into, side === fused ? "part of an FMA" : "own"),
    );
    into.fma += type.width;
    return same.every((one) => one);
  }
  if (product === "part of an FMA") {
    return [left, right].map((side) => tally(side, shared, into)).every((one) => one);
  }
  if (isFloat(type.scalar) && operator === "/") {
    const same = [left, right].map((side) => tally(side, shared, into)).every((one) => one);
    into.divisions += type.width;
    return same;
  }
  return tallyPlain(e, [left, right], shared, into);
}

/** The operations of a statement itself, not of those inside it. */
export function operationsOf(
  s: KernelStatement,
  shared: (name: string) => boolean,
): { readonly operations: Operations; readonly isShared: boolean } {
  const operations = noOperations();
  const same = statementExpressions(s).map((e) => tally(e, shared, operations));
  return { operations, isShared: same.every((one) => one) };
}
