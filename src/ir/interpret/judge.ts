/**
 * Judges results: plain data in, a verdict out. Two judges share the elements among them.
 *
 * The first is the a-priori bound of error-model.ts, which no right result exceeds: it is taken where
 * it is at most a thousandth of max(|element|, root mean square of the output). The second is asked
 * where that bound is wider: executions with random rounding (random-rounding.ts). An element may be
 * off by 10 times their spread, which is their root mean square distance from the reference, and 4
 * units in the last place. Where that is more than a thousandth of the output's root mean square, the
 * element is not decided.
 */

import { defined } from "../../support/assert.ts";
import { own } from "../../support/own.ts";
import {
  type ElementType,
  isFloat,
  type TensorData,
  toElement,
} from "../../support/scalar-type.ts";
import { ulp } from "./error-model.ts";
import { leastNormal } from "./storage.ts";

/** What an output should be: some of its elements, or all. */
export interface Expected {
  readonly name: string;
  readonly type: ElementType;
  /** What the reference has, in float64. */
  readonly values: Float64Array;
  /** The root mean square of the output, see {@link scaleOf}. */
  readonly scale: number;
  /**
   * A-priori bounds, one for each value: 0 where exact, infinite where nothing is known. Without
   * them floats have to be the nearest value of their type.
   */
  readonly bound?: Float64Array;
  /** The same elements from executions with random rounding. */
  readonly samples?: readonly Float64Array[];
}

/** A tolerance in the place of the judges: `absolute + relative · |expected|`. */
export interface Tolerance {
  readonly absolute: number;
  readonly relative: number;
}

export type Decision = "right" | "wrong" | "undecided";

/** An element that is farther from the reference than it may be. */
export interface Mismatch {
  readonly tensor: string;
  /** The number of the element among the expected ones. */
  readonly element: number;
  readonly expected: number;
  readonly found: number;
  /** 0 where equality is demanded. */
  readonly allowed: number;
}

/** What became of the elements of one output. */
export interface OutputVerdict {
  readonly name: string;
  readonly decision: Decision;
  /** Elements that were decided: right or wrong. */
  readonly compared: number;
  /** Elements that rounding may decide either way. */
  readonly ambiguous: number;
  /** Those of the compared ones that the second judge decided. */
  readonly sampled: number;
  /** Elements that are NaN or infinite in the reference or in the result; and those alike in both. */
  readonly notFinite: number;
  readonly notFiniteAlike: number;
  /** The largest error that a compared, finite element may have, and the largest that one has. */
  readonly allowed: number;
  readonly measured: number;
  /** The root mean square of the output. */
  readonly scale: number;
  /** The largest part of an allowed error that was used; infinite where an exact element differs. */
  readonly worst: number;
}

/** Whether results are what they should be. */
export interface Verdict {
  /** Wrong if an output is, else undecided if one is. */
  readonly decision: Decision;
  readonly compared: number;
  readonly ambiguous: number;
  readonly worst: number;
  readonly outputs: readonly OutputVerdict[];
  /** The first few, in the order of outputs and elements. */
  readonly wrong: readonly Mismatch[];
  /** Outputs that are missing or have the wrong length. */
  readonly faults: readonly string[];
}

/**
 * The part of max(|element|, scale) from which on an allowed error is too large to say anything: a
 * thousandth, and 32 units in the last place for float16, which has no more than three digits.
 */
function significant(type: ElementType): number {
  return type === "float16" ? 2 ** -5 : 1e-3;
}
/** What an element may be off by: so many times the spread, and so many units in the last place. */
const spreads = 10;
const places = 4;
/** An output with more undecided elements than this part of them is not decided. */
const doubtful = 0.01;
const reported = 10;

/** The root mean square of the elements that are finite; 0 if there are none. */
export function scaleOf(values: Float64Array): number {
  let [sum, count] = [0, 0];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    sum += value * value;
    count++;
  }
  return count === 0 ? 0 : Math.sqrt(sum / count);
}

/** True where the first judge has nothing to say, so that samples are wanted. */
export function isTooWide(type: ElementType, value: number, bound: number, scale: number): boolean {
  if (bound === 0) return false;
  return bound === Infinity || bound > significant(type) * Math.max(Math.abs(value), scale);
}

/** What is to be said of an element. `allowed` is null where it cannot be decided. */
interface Allowance {
  readonly expected: number;
  readonly allowed: number | null;
  readonly sampled: boolean;
}

/** Four units in the last place of a value, and what a device may take for 0. */
function unitsOf(value: number, type: ElementType): number {
  if (!isFloat(type)) return 0;
  const [unit, least] = type === "float16" ? [2 ** -10, 2 ** -14] : [ulp, leastNormal];
  return places * unit * Math.abs(value) + least;
}

/** NaNs are alike, and infinities of one sign. */
function alike(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function bySamples(one: Expected, element: number): Allowance {
  const value = defined(one.values[element], "element", element);
  const stored = toElement(one.type)(value);
  const unknown = { expected: value, allowed: null, sampled: true };
  const samples = one.samples ?? [];
  if (samples.length === 0) return unknown;
  if (!Number.isFinite(stored)) {
    const same = samples.every((sample) => alike(defined(sample[element], "sample"), stored));
    return same ? { expected: stored, allowed: 0, sampled: true } : unknown;
  }
  let sum = 0;
  for (const sample of samples) sum += (defined(sample[element], "sample") - value) ** 2;
  const spread = Math.sqrt(sum / samples.length);
  const units = unitsOf(value, one.type);
  const allowed = spreads * spread + units;
  const decided = spreads * spread <= leastNormal || allowed <= significant(one.type) * one.scale;
  return decided ? { expected: value, allowed, sampled: true } : unknown;
}

function allowanceOf(one: Expected, element: number, tolerance: Tolerance | null): Allowance {
  const value = defined(one.values[element], "element", element);
  if (tolerance !== null) {
    const allowed = tolerance.absolute + tolerance.relative * Math.abs(value);
    if (Number.isFinite(value)) return { expected: value, allowed, sampled: false };
    return { expected: value, allowed: 0, sampled: false };
  }
  if (one.bound === undefined) {
    const expected = isFloat(one.type) ? toElement(one.type)(value) : value;
    return { expected, allowed: 0, sampled: false };
  }
  const bound = defined(one.bound[element], "bound", element);
  if (isTooWide(one.type, value, bound, one.scale)) return bySamples(one, element);
  return { expected: value, allowed: bound, sampled: false };
}

/** The part of the allowed error that is used: infinite where an exact element differs. */
function fractionOf(expected: number, found: number, allowed: number): number {
  if (alike(expected, found)) return 0;
  const fraction = Math.abs(found - expected) / allowed;
  return Number.isNaN(fraction) ? Infinity : fraction;
}

/**
 * Devices may take it that there are no NaNs, and that nothing overflows: an element that is so by
 * what was computed, not by exact rules, proves nothing where a device has something else.
 */
function isFreeToDiffer(one: Expected, element: number, { expected }: Allowance): boolean {
  return one.bound?.[element] === Infinity && !Number.isFinite(expected);
}

type Counts = { -readonly [K in keyof OutputVerdict]: OutputVerdict[K] };

function countElement(
  counts: Counts,
  one: Expected,
  element: number,
  found: number,
  tolerance: Tolerance | null,
): Mismatch | null {
  const allowance = allowanceOf(one, element, tolerance);
  const { expected, allowed, sampled } = allowance;
  const same = alike(expected, found);
  if (!Number.isFinite(expected) || !Number.isFinite(found)) {
    counts.notFinite++;
    if (same) counts.notFiniteAlike++;
  }
  const free = !same && tolerance === null && isFreeToDiffer(one, element, allowance);
  if (allowed === null || free) {
    counts.ambiguous++;
    return null;
  }
  counts.compared++;
  if (sampled) counts.sampled++;
  const fraction = fractionOf(expected, found, allowed);
  counts.worst = Math.max(counts.worst, fraction);
  if (Number.isFinite(expected) && Number.isFinite(found)) {
    counts.allowed = Math.max(counts.allowed, allowed);
    counts.measured = Math.max(counts.measured, Math.abs(found - expected));
  }
  return fraction <= 1 ? null : { tensor: one.name, element, expected, found, allowed };
}

function decisionOf({ worst, compared, ambiguous }: Counts): Decision {
  if (worst > 1) return "wrong";
  if (ambiguous === 0) return "right";
  return ambiguous > doubtful * (ambiguous + compared) ? "undecided" : "right";
}

function judgeOutput(
  one: Expected,
  found: TensorData,
  tolerance: Tolerance | null,
  wrong: Mismatch[],
): OutputVerdict {
  const counts: Counts = {
    name: one.name,
    decision: "right",
    compared: 0,
    ambiguous: 0,
    sampled: 0,
    notFinite: 0,
    notFiniteAlike: 0,
    allowed: 0,
    measured: 0,
    scale: one.scale,
    worst: 0,
  };
  for (let element = 0; element < found.length; element++) {
    const value = defined(found[element], "element", element);
    const mismatch = countElement(counts, one, element, value, tolerance);
    if (mismatch !== null && wrong.length < reported) wrong.push(mismatch);
  }
  return { ...counts, decision: decisionOf(counts) };
}

/** Judges found outputs by what they should be, or by a tolerance if one is given. */
export function judge(
  expected: readonly Expected[],
  found: Readonly<Record<string, TensorData>>,
  tolerance: Tolerance | null = null,
): Verdict {
  const wrong: Mismatch[] = [];
  const faults: string[] = [];
  const outputs: OutputVerdict[] = [];
  for (const one of expected) {
    const { name, values } = one;
    const result = own(found, name);
    if (result === undefined) faults.push(`the result lacks ${name}`);
    else if (result.length !== values.length) {
      faults.push(`${name} has ${result.length} elements instead of ${values.length}`);
    } else outputs.push(judgeOutput(one, result, tolerance, wrong));
  }
  const decisions = outputs.map(({ decision }) => decision);
  const failed = faults.length > 0 || decisions.includes("wrong");
  const doubt = decisions.includes("undecided") ? "undecided" : "right";
  return {
    decision: failed ? "wrong" : doubt,
    compared: outputs.reduce((sum, { compared }) => sum + compared, 0),
    ambiguous: outputs.reduce((sum, { ambiguous }) => sum + ambiguous, 0),
    worst: Math.max(0, ...outputs.map(({ worst }) => worst)),
    outputs,
    wrong,
    faults,
  };
}
