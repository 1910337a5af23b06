/**
 * Reductions with error bounds: `n` terms `t` with errors `e` give `Σ e + 4·2⁻²⁴ · n · Σ|t|` for a
 * sum, and the same through its expressions for any other monoid (see magnitude.ts), so that the
 * bound holds for every order and tree of the combinations.
 */
import { isFloat } from "../../support/scalar-type.ts";
import type { Expression } from "../expression.ts";
import type { Monoid } from "../monoid.ts";
import { type BoundedContext, boundedExpression } from "./bounded-expression.ts";
import { operationUnit, unlessUnknown } from "./error-model.ts";
import type { Evaluate } from "./frame.ts";
import {
  compileMagnitude,
  depthOf,
  keepsIntegers,
  type MagnitudeContext,
  magnitudeOf,
} from "./magnitude.ts";
import { leastNormal } from "./storage.ts";

/** Writes the values of `parts` to one set of registers and their errors to another. */
export function boundedAll(
  parts: readonly Expression[],
  context: BoundedContext,
  values: Float64Array,
  errors: Float64Array,
): () => void {
  const { error } = context;
  const all = parts.map((e) => boundedExpression(e, context));
  return () => {
    for (let c = 0; c < all.length; c++) {
      values[c] = (all[c] as Evaluate)();
      errors[c] = error[0] as number;
    }
  };
}

/** What rounding has to know of the terms so far. */
export interface Terms {
  count: number;
  /** All of them integers without error. */
  integers: boolean;
  readonly magnitude: Float64Array;
}

/** The state of a reduction: context.left and leftError hold values and propagated errors. */
export interface Accumulator {
  readonly terms: Terms;
  /** Takes what is in the left registers as the first of the terms. */
  readonly begin: (counts: boolean) => void;
  /** Combines the right registers into the left ones. */
  readonly combine: () => void;
  /** Adds the rounding of all combinations to the errors in the left registers. */
  readonly round: () => void;
}

const exactIntegers = 2 ** 24;

function allExact(values: Float64Array, errors: Float64Array): boolean {
  for (let c = 0; c < values.length; c++) {
    if (errors[c] !== 0 || !Number.isInteger(values[c])) return false;
  }
  return true;
}

function compileCombination(monoid: Monoid, context: BoundedContext, terms: Terms): () => void {
  const { left, right, leftError } = context;
  const width = left.length;
  const [next, nextError] = [new Float64Array(width), new Float64Array(width)];
  const nextMagnitude = new Float64Array(width);
  const rightMagnitude = new Float64Array(width);
  const combine = boundedAll(monoid.combine, { ...context, rounds: false }, next, nextError);
  const magnitudes: MagnitudeContext = {
    ...context,
    leftMagnitude: terms.magnitude,
    rightMagnitude,
  };
  const grow = monoid.combine.map((e) => compileMagnitude(e, magnitudes));
  return () => {
    for (let c = 0; c < width; c++) rightMagnitude[c] = magnitudeOf(right[c] as number);
    combine();
    for (let c = 0; c < width; c++) nextMagnitude[c] = (grow[c] as Evaluate)();
    for (let c = 0; c < width; c++) {
      terms.magnitude[c] = nextMagnitude[c] as number;
      left[c] = next[c] as number;
      leftError[c] = nextError[c] as number;
    }
  };
}

/** Compiles the combination of a monoid; `terms` may be replaced between elements. */
export function boundedAccumulator(monoid: Monoid, context: BoundedContext): Accumulator {
  const { left, right, leftError, rightError } = context;
  const terms: Terms = { count: 0, integers: true, magnitude: new Float64Array(left.length) };
  const combine = compileCombination(monoid, context, terms);
  const integral = keepsIntegers(monoid);
  const rounding = monoid.combine.map((e, c) =>
    isFloat(monoid.state[c] ?? "float32") && !monoid.exact ? Math.max(1, depthOf(e)) : 0,
  );
  const isExact = (c: number): boolean =>
    integral && terms.integers && (terms.magnitude[c] as number) <= exactIntegers;
  return {
    terms,
    begin: (counts) => {
      terms.count = counts ? 1 : 0;
      terms.integers = allExact(left, leftError);
      for (let c = 0; c < left.length; c++) terms.magnitude[c] = magnitudeOf(left[c] as number);
    },
    combine: () => {
      terms.count++;
      terms.integers &&= allExact(right, rightError);
      combine();
    },
    round: () => {
      for (const [c, depth] of rounding.entries()) {
        const value = left[c] as number;
        const before = unlessUnknown(leftError[c] as number, value);
        leftError[c] = before;
        if (depth === 0 || terms.count === 0 || isExact(c)) continue;
        const size = terms.magnitude[c] as number;
        const own = terms.count * (operationUnit * depth * size + leastNormal);
        leftError[c] = unlessUnknown(before + own, Math.abs(value) === Infinity ? value : size);
      }
    },
  };
}
