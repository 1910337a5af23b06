/** Index expressions as linear functions of what is no sum, where they do not wrap. */
import type { Interval } from "../../ir/affine.ts";
import { remember } from "../../support/remember.ts";
import { addIndex, indexLiteral, scaleIndex } from "../build.ts";
import type { KernelExpression } from "../kernel.ts";
import { expressionKey } from "../walk-kernel.ts";
import { type IndexFacts, indexRange } from "./index-range.ts";

/** `factor * expression`. */
export interface LinearTerm {
  readonly expression: KernelExpression;
  readonly factor: number;
}

/** The sum of the terms, by the keys of their expressions, and of the constant; integers. */
export interface LinearIndex {
  readonly terms: ReadonlyMap<string, LinearTerm>;
  readonly constant: number;
}

/** `a + factor * b`. */
export function addLinear(a: LinearIndex, b: LinearIndex, factor: number): LinearIndex {
  const terms = new Map(a.terms);
  for (const [key, term] of b.terms) {
    const sum = (terms.get(key)?.factor ?? 0) + factor * term.factor;
    if (sum === 0) terms.delete(key);
    else terms.set(key, { expression: term.expression, factor: sum });
  }
  return { terms, constant: a.constant + factor * b.constant };
}

/** `a - b`, where that is a constant; undefined where their terms differ. */
export function distance(a: LinearIndex, b: LinearIndex): number | undefined {
  if (a.terms.size !== b.terms.size) return undefined;
  for (const [key, { factor }] of a.terms) {
    if (b.terms.get(key)?.factor !== factor) return undefined;
  }
  return a.constant - b.constant;
}

const zero: LinearIndex = { terms: new Map(), constant: 0 };

const parts: (e: KernelExpression) => LinearIndex = remember((e: KernelExpression) => {
  if (e.kind === "literal") return { terms: new Map(), constant: e.value };
  if (e.kind === "binary" && (e.operator === "+" || e.operator === "-")) {
    return addLinear(parts(e.left), parts(e.right), e.operator === "+" ? 1 : -1);
  }
  if (e.kind === "binary" && e.operator === "*") {
    const [factor, other] = e.left.kind === "literal" ? [e.left, e.right] : [e.right, e.left];
    if (factor.kind === "literal") return addLinear(zero, parts(other), factor.value);
  }
  return {
    terms: new Map([[expressionKey(e), { expression: e, factor: 1 }]]),
    constant: 0,
  };
});

/** The expression as a linear function; undefined where it may wrap, or nothing is known of it. */
export function linearIndex(e: KernelExpression, facts: IndexFacts): LinearIndex | undefined {
  return indexRange(e, facts) === undefined ? undefined : parts(e);
}

/** The closed range of a linear function; infinite where nothing is known of a term. */
export function rangeOfLinear({ terms, constant }: LinearIndex, facts: IndexFacts): Interval {
  let [lo, hi] = [constant, constant];
  for (const { expression, factor } of terms.values()) {
    const range = indexRange(expression, facts) ?? { lo: -Infinity, hi: Infinity };
    lo += factor * (factor > 0 ? range.lo : range.hi);
    hi += factor * (factor > 0 ? range.hi : range.lo);
  }
  return { lo, hi };
}

/** What is added and what is subtracted. */
export function sidesOf({ terms, constant }: LinearIndex): {
  readonly plus: KernelExpression;
  readonly minus: KernelExpression;
} {
  const side = (sign: 1 | -1): KernelExpression => {
    const sum = [...terms.values()]
      .filter((t) => t.factor * sign > 0)
      .reduce<KernelExpression>(
        (left, t) => addIndex(left, scaleIndex(t.expression, t.factor * sign)),
        indexLiteral(0),
      );
    return addIndex(sum, indexLiteral(Math.max(0, constant * sign)));
  };
  return { plus: side(1), minus: side(-1) };
}
