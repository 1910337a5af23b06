import { defined } from "../../support/assert.ts";
import {
  type ElementType,
  isFloat,
  type TensorData,
  toElement,
} from "../../support/scalar-type.ts";
import { elementTypeOf, type Program } from "../program.ts";
import type { Interpretation, InterpretedTensor } from "./interpret.ts";

/** An element that is farther from the reference than its bound. */
export interface Mismatch {
  readonly tensor: string;
  /** Row-major number of the element. */
  readonly element: number;
  readonly expected: number;
  readonly actual: number;
  /** 0 where equality is demanded. */
  readonly bound: number;
}

export interface Comparison {
  /** True when every element that can be judged is within its bound, and all tensors are there. */
  readonly ok: boolean;
  /** The largest fraction of a bound that was used; infinite when an exact element differs. */
  readonly worstFraction: number;
  /** The number of elements that cannot be judged: their bound is infinite. */
  readonly ambiguous: number;
  /** The number of elements judged. */
  readonly compared: number;
  /** The first few, in the order of tensors and elements. */
  readonly mismatches: readonly Mismatch[];
  /** Outputs that are missing or have the wrong length. */
  readonly faults: readonly string[];
}

const reported = 10;

/**
 * The fraction of the bound that an element uses: 0 when equal (equal infinities, two NaNs and zeros
 * of either sign are), infinite when an exact one differs or a NaN appears.
 */
function fractionOf(expected: number, actual: number, bound: number): number {
  if (expected === actual || (Number.isNaN(expected) && Number.isNaN(actual))) return 0;
  const fraction = Math.abs(actual - expected) / bound;
  return Number.isNaN(fraction) ? Infinity : fraction;
}

/** Without bounds a float is compared with the value of its type nearest to the reference. */
function expectation(reference: InterpretedTensor, type: ElementType, element: number): number {
  const value = defined(reference.data[element], "element", element);
  return reference.bound === undefined && isFloat(type) ? toElement(type)(value) : value;
}

interface Tally {
  worstFraction: number;
  ambiguous: number;
  compared: number;
  readonly mismatches: Mismatch[];
}

function compareTensor(
  tensor: string,
  type: ElementType,
  reference: InterpretedTensor,
  actual: TensorData,
  tally: Tally,
): void {
  for (let element = 0; element < actual.length; element++) {
    const bound = reference.bound?.[element] ?? 0;
    if (bound === Infinity) {
      tally.ambiguous++;
      continue;
    }
    tally.compared++;
    const expected = expectation(reference, type, element);
    const value = defined(actual[element], "element", element);
    const fraction = fractionOf(expected, value, bound);
    tally.worstFraction = Math.max(tally.worstFraction, fraction);
    if (fraction <= 1 || tally.mismatches.length >= reported) continue;
    tally.mismatches.push({ tensor, element, expected, actual: value, bound });
  }
}

/**
 * Compares what an execution computed with the reference. With bounds each element must be within
 * its bound; without, bitwise equal (for inputs whose results float32 holds exactly).
 */
export function compareOutputs(
  program: Program,
  reference: Interpretation,
  actual: Readonly<Record<string, TensorData>>,
): Comparison {
  const tally: Tally = { worstFraction: 0, ambiguous: 0, compared: 0, mismatches: [] };
  const faults: string[] = [];
  for (const tensor of program.tensors) {
    const { name, role } = tensor;
    if (role !== "output" && role !== "inout") continue;
    const wanted = reference.tensors.get(name);
    const found = Object.hasOwn(actual, name) ? actual[name] : undefined;
    if (wanted === undefined) faults.push(`the reference lacks ${name}`);
    else if (found === undefined) faults.push(`the result lacks ${name}`);
    else if (found.length !== wanted.data.length) {
      faults.push(`${name} has ${found.length} elements instead of ${wanted.data.length}`);
    } else compareTensor(name, elementTypeOf(tensor), wanted, found, tally);
  }
  return { ...tally, ok: faults.length === 0 && tally.worstFraction <= 1, faults };
}
