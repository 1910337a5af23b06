import { coordinatesOf } from "../ir/interpret/corners.ts";
import {
  type ExpectedElements,
  expectOutputs,
  pickElements,
} from "../ir/interpret/expect-outputs.ts";
import {
  type Decision,
  judge,
  type Mismatch,
  type OutputVerdict,
  type Tolerance,
} from "../ir/interpret/judge.ts";
import { type Program, tensorOf } from "../ir/program.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import { defined } from "../support/assert.ts";
import { checkOptions, checkSourceText, type OptionNames } from "../support/check-call-shape.ts";
import { own } from "../support/own.ts";
import { elementCount } from "../support/scalar-type.ts";
import {
  type HostInputs,
  type HostTensor,
  type HostTensors,
  readHostResults,
} from "./host-tensors.ts";
import { type InterpretRequest, interpretNames, openReference, roundedTo } from "./interpret.ts";

export interface VerifyRequest extends InterpretRequest {
  /** About how many points the reference may compute; 20 million by default, some seconds. */
  readonly maxPoints?: number;
  /** What an element may be off by, in the place of what rounding explains: `atol + rtol·|element|`. */
  readonly rtol?: number;
  readonly atol?: number;
  /** Whether to give the outputs of the reference, too. */
  readonly reference?: boolean;
}

const requestNames: OptionNames<VerifyRequest> = {
  ...interpretNames,
  rtol: true,
  atol: true,
  reference: true,
};

/** An element that is farther from the reference than it may be. */
export interface WrongElement {
  readonly tensor: string;
  readonly index: readonly number[];
  readonly found: number;
  readonly expected: number;
  readonly allowed: number;
}

/** How far outputs are from the float64 reference. */
export interface Verification {
  /** `wrong` if an output is, else `undecided` if one is, else `right`. */
  readonly decision: Decision;
  /** Elements there are, of all outputs. */
  readonly total: number;
  /** Elements compared: fewer than there are where the budget did not suffice. */
  readonly compared: number;
  /** Elements that rounding may decide either way, as an arg reduction of near ties; not compared. */
  readonly ambiguous: number;
  /** The largest part of the error allowed that was used; above 1 is wrong. */
  readonly worst: number;
  /** The first wrong elements. */
  readonly wrong: readonly WrongElement[];
  /** What became of each output. */
  readonly outputs: readonly OutputVerification[];
  /** What outputs should be, rounded to their types, if that was asked for: those of which all elements were compared. */
  readonly reference?: HostTensors;
}

/**
 * What became of the elements of one output. Undecided is an output with more than one in a hundred
 * elements that rounding may decide either way, or of which nothing was compared.
 */
export interface OutputVerification extends OutputVerdict {
  /** Elements there are. */
  readonly total: number;
}

const defaultMaxPoints = 20_000_000;

/**
 * Compares outputs with the float64 reference: each element may differ by as much as float32
 * rounding can explain for this very element, or by a tolerance if one is given. Where all of them
 * cost more than `maxPoints`, two corners of each output are compared, as large as the budget allows,
 * which may be nothing.
 *
 * @throws TcError for mistakes in the source, RuntimeFault `argument` for tensors and tolerances that
 * do not fit.
 */
export function verify(
  source: string,
  inputs: HostInputs,
  outputs: HostInputs,
  request: VerifyRequest = {},
): Verification {
  checkSourceText("verify", source);
  checkOptions("verify", request, requestNames);
  const tolerance = toleranceOf(request);
  const { program, inputs: data } = openReference(source, inputs, request);
  const found = readHostResults(program, outputs);
  const { maxPoints = defaultMaxPoints } = request;
  const expected = expectOutputs(program, data, { maxPoints, bounds: tolerance === null });
  const picked = expected.map(
    ({ name, elements }) =>
      [name, pickElements(defined(own(found, name), "output", name), elements)] as const,
  );
  const verdict = judge(expected, Object.fromEntries(picked), tolerance);
  const counts = verdict.outputs.map((output): OutputVerification => {
    const total = elementCount(tensorOf(program, output.name).shape);
    const nothing = output.compared === 0 && total > 0;
    return { ...output, decision: nothing ? "undecided" : output.decision, total };
  });
  const unknown = counts.some(({ decision }) => decision === "undecided");
  return {
    decision: verdict.decision === "right" && unknown ? "undecided" : verdict.decision,
    total: counts.reduce((sum, { total }) => sum + total, 0),
    compared: verdict.compared,
    ambiguous: verdict.ambiguous,
    worst: verdict.worst,
    wrong: verdict.wrong.map((mismatch) => wrongElement(program, expected, mismatch)),
    outputs: counts,
    ...(request.reference === true ? { reference: wholeOutputs(program, expected) } : {}),
  };
}

function wholeOutputs(program: Program, expected: readonly ExpectedElements[]): HostTensors {
  const whole = expected.flatMap(({ name, type, values }): readonly [string, HostTensor][] => {
    const { shape } = tensorOf(program, name);
    const isWhole = values.length === elementCount(shape);
    return isWhole ? [[name, { data: roundedTo(type, Float64Array.from(values)), shape }]] : [];
  });
  return Object.fromEntries(whole);
}

function toleranceOf({ rtol, atol }: VerifyRequest): Tolerance | null {
  for (const [name, value] of Object.entries({ rtol, atol })) {
    if (value === undefined || (typeof value === "number" && value >= 0 && value < Infinity)) {
      continue;
    }
    throw new RuntimeFault(
      "argument",
      `verify: ${name} is ${String(value)}: give a number that is not negative, such as 1e-5`,
    );
  }
  if (rtol === undefined && atol === undefined) return null;
  return { absolute: atol ?? 0, relative: rtol ?? 0 };
}

function wrongElement(
  program: Program,
  expected: readonly ExpectedElements[],
  { tensor, element, found, expected: value, allowed }: Mismatch,
): WrongElement {
  const output = defined(
    expected.find(({ name }) => name === tensor),
    "output",
    tensor,
  );
  const place = defined(output.elements[element], "element", element);
  const index = coordinatesOf(tensorOf(program, tensor).shape, place);
  return { tensor, index, found, expected: value, allowed };
}
