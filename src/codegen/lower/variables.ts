/**
 * Index arithmetic: affine functions of loop variables as `uint32` expressions.
 *
 * Every variable is an integer that is never negative and below 2³², so a difference is written as
 * (sum of the positive terms) - (sum of the negative ones), and a comparison with the negative terms
 * moved to the other side; both are right modulo 2³² wherever the true value is in range.
 */
import {
  type Affine,
  type Constraint,
  type Interval,
  intervalOf,
  isConstant,
} from "../../ir/affine.ts";
import { defined } from "../../support/assert.ts";
import { floorDiv } from "../../support/integer.ts";
import { addIndex, castTo, compare, indexLiteral, scaleIndex, subtractIndex } from "../build.ts";
import type { KernelExpression } from "../kernel.ts";

/** A variable of index arithmetic: its range, and how to compute it. */
export interface IndexVariable {
  /** Closed; `lo >= 0`. */
  readonly range: Interval;
  readonly expression: KernelExpression;
}

export type Variables = ReadonlyMap<string, IndexVariable>;

/** The range of an affine function of the variables. */
export function rangeOf(a: Affine, variables: Variables): Interval {
  return intervalOf(a, (name) => defined(variables.get(name), "index variable", name).range);
}

function sides(a: Affine, variables: Variables): readonly [KernelExpression, KernelExpression] {
  const part = (sign: 1 | -1): KernelExpression => {
    let sum = indexLiteral(0);
    for (const { variable, coefficient } of a.terms) {
      if (coefficient * sign < 0) continue;
      const { expression } = defined(variables.get(variable), "index variable", variable);
      sum = addIndex(sum, scaleIndex(expression, coefficient * sign));
    }
    return addIndex(sum, indexLiteral(Math.max(0, a.constant * sign)));
  };
  return [part(1), part(-1)];
}

/** The value as `uint32`, wrapped when it is negative. */
export function indexOf(a: Affine, variables: Variables): KernelExpression {
  if (isConstant(a)) return indexLiteral(a.constant >>> 0);
  const [positive, negative] = sides(a, variables);
  return subtractIndex(positive, negative);
}

/** The value as `int32` data. */
export function coordinateOf(a: Affine, variables: Variables): KernelExpression {
  if (isConstant(a)) {
    return { kind: "literal", value: a.constant, type: { scalar: "int32", width: 1 } };
  }
  return castTo(indexOf(a, variables), "int32");
}

/** True when the ranges of the variables alone imply the constraint. */
export function isImplied(c: Constraint, variables: Variables): boolean {
  const { lo, hi } = rangeOf(c.affine, variables);
  return c.kind === "zero" ? lo === 0 && hi === 0 : lo >= 0;
}

/**
 * An equal constraint without terms that cannot decide it: `55 - 16g - 4l - v >= 0` with `v` in 0..3
 * is `13 - 4g - l >= 0`, because `m*x + r >= 0` is `x >= 0` wherever `0 <= r < m`.
 */
export function tighten(c: Constraint, variables: Variables): Constraint {
  if (c.kind === "zero") return c;
  const { terms, constant } = c.affine;
  const divisors = new Set(terms.map((t) => Math.abs(t.coefficient)).filter((m) => m > 1));
  for (const m of [...divisors].sort((a, b) => b - a)) {
    const whole = terms.filter((t) => t.coefficient % m === 0);
    const rest = terms.filter((t) => t.coefficient % m !== 0);
    const quotient = floorDiv(constant, m);
    const { lo, hi } = rangeOf({ terms: rest, constant: constant - m * quotient }, variables);
    if (lo < 0 || hi >= m) continue;
    const divided = whole.map((t) => ({ ...t, coefficient: t.coefficient / m }));
    return { kind: c.kind, affine: { terms: divided, constant: quotient } };
  }
  return c;
}

/** The constraint as a condition. */
export function conditionOf(c: Constraint, variables: Variables): KernelExpression {
  const [positive, negative] = sides(c.affine, variables);
  if (c.kind === "zero") return compare("==", positive, negative);
  // a >= b + 1 reads better as a > b, and a + c >= b as b <= a + c.
  return compare(">=", positive, negative);
}
