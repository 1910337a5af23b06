/**
 * Inputs, and what the outputs for them should be.
 *
 * The interpreter says it of all elements, or, where they cost too much, of the corners of each output. A naive kernel
 * says the others, after its corners agreed with the interpreter: where those are exact, bit by bit, else within a
 * bound that is scaled like theirs, which follows the sum of |terms|.
 */
import { eachExpression } from "../../ir/expression.ts";
import {
  type ExpectedElements,
  expectOutputs,
  pickElements,
} from "../../ir/interpret/expect-outputs.ts";
import {
  type Expected,
  isTooWide,
  judge,
  type Mismatch,
  scaleOf,
  type Verdict,
} from "../../ir/interpret/judge.ts";
import { type Program, statementExpressions } from "../../ir/program.ts";
import type { TensorData } from "../../support/scalar-type.ts";
import { drawGateInputs, type GateInputs, type Population } from "./gate-inputs.ts";

/** Results by tensor. */
export type Results = Readonly<Record<string, TensorData>>;

/** Inputs, and what is known of the results. */
export interface GateCase {
  readonly inputs: GateInputs;
  /** What the interpreter says. */
  readonly corners: readonly ExpectedElements[];
  /** What a naive kernel says of whole outputs; empty where the interpreter says all. */
  readonly whole: readonly Expected[];
}

/** Points that the interpreter may compute for a case: some 50 ms. */
const mostPoints = 200_000;

/** What both sides may be off by together, and what bounds may differ from one element to another. */
const slack = 4;

/** Whether results may be undefined, or hard to bound, for numbers of any sign. */
function isDelicate(program: Program): boolean {
  return program.statements.some((s) =>
    eachExpression(...statementExpressions(s)).some(
      (e) => e.kind === "call" || (e.kind === "binary" && e.operator === "/"),
    ),
  );
}

function drawCase(program: Program, population: Population, seed: number): GateCase {
  const inputs = drawGateInputs(program, population, seed);
  return { inputs, corners: expectOutputs(program, inputs, { maxPoints: mostPoints }), whole: [] };
}

/** Elements that have a finite value and a bound. */
function decided({ corners }: GateCase): number {
  return corners.reduce((sum, { values, bound }) => {
    const isKnown = (v: number, n: number): boolean =>
      Number.isFinite(v) && (bound?.[n] ?? 0) < Number.POSITIVE_INFINITY;
    return sum + values.filter(isKnown).length;
  }, 0);
}

/** Integers, of which sums and products are exact: compared bit by bit. */
export function integerCase(program: Program, seed: number): GateCase {
  return drawCase(program, "integers", seed);
}

/** Reals: of the populations the one of which more can be said. */
export function realCase(program: Program, seed: number): GateCase {
  const signed = drawCase(program, "signed", seed);
  if (!isDelicate(program)) return signed;
  const positive = drawCase(program, "positive", seed);
  return decided(positive) > decided(signed) ? positive : signed;
}

/** The bound of an output relative to the greater of an element and the scale; 0 if exact, null if unknown. */
function relativeBound({ type, values, bound, scale }: ExpectedElements): number | null {
  if (values.length === 0) return null;
  let most = 0;
  for (const [n, value] of values.entries()) {
    const own = bound?.[n] ?? 0;
    if (own === 0) continue;
    if (isTooWide(type, value, own, scale)) return null;
    most = Math.max(most, own / Math.max(Math.abs(value), scale));
  }
  return most;
}

function wholeOutput(one: ExpectedElements, found: TensorData | undefined): readonly Expected[] {
  if (found === undefined || found.length === one.elements.length) return [];
  const relative = relativeBound(one);
  if (relative === null) return [];
  const values = Float64Array.from(found);
  const scale = scaleOf(values);
  const own = { name: one.name, type: one.type, values, scale };
  if (relative === 0) return [own];
  const allowed = (v: number): number =>
    Number.isFinite(v) ? slack * relative * Math.max(Math.abs(v), scale) : Number.POSITIVE_INFINITY;
  return [{ ...own, bound: values.map(allowed) }];
}

/** The case with what a naive kernel found, whose corners were judged before. */
export function withWhole(gateCase: GateCase, found: Results): GateCase {
  const { corners } = gateCase;
  return { ...gateCase, whole: corners.flatMap((one) => wholeOutput(one, found[one.name])) };
}

/** Whether the interpreter knows all elements of all outputs. */
export function isWhole({ corners }: GateCase, lengths: Readonly<Record<string, number>>): boolean {
  return corners.every(({ name, elements }) => elements.length === lengths[name]);
}

function mismatchText({ tensor, element, expected, found, allowed }: Mismatch): string {
  const by = allowed === 0 ? "" : `, which may be off by ${allowed.toPrecision(3)}`;
  return `element ${element} of ${tensor} is ${found} instead of ${expected}${by}`;
}

/** What results of approximate algorithms may be off by: so much of the element, and of the root mean square. */
const approximately = 1e-3;

function judgeOne(one: Expected, found: Results, approximate: boolean): Verdict {
  const tolerance = { absolute: approximately * one.scale, relative: approximately };
  return judge([one], found, approximate ? tolerance : null);
}

/** What is wrong with results: the first element that is, in words; null where nothing is. */
export function faultIn(
  { corners, whole }: GateCase,
  found: Results,
  approximate = false,
): string | null {
  const ofCorners = corners.map((one) => {
    const own = found[one.name];
    const picked = own === undefined ? {} : { [one.name]: pickElements(own, one.elements) };
    return judgeOne(one, picked, approximate);
  });
  const verdicts = [...ofCorners, ...whole.map((one) => judgeOne(one, found, approximate))];
  for (const { decision, wrong, faults } of verdicts) {
    if (decision !== "wrong") continue;
    const [first] = wrong;
    return first === undefined ? (faults[0] ?? "wrong") : mismatchText(first);
  }
  return null;
}
