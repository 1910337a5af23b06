import { compareOutputs } from "../ir/interpret/compare.ts";
import { type Interpretation, interpret } from "../ir/interpret/interpret.ts";
import {
  type Box,
  countPoints,
  restrictOutputs,
  wholeBox,
} from "../ir/interpret/restrict-outputs.ts";
import type { Program, Tensor } from "../ir/program.ts";
import { defined } from "../support/assert.ts";
import { checkOptions, checkSourceText, type OptionNames } from "../support/check-call-shape.ts";
import { elementCount, rowMajorStrides, type TensorData } from "../support/scalar-type.ts";
import { type HostInputs, readHostResults } from "./host-tensors.ts";
import { type InterpretRequest, openReference, type Reference } from "./interpret.ts";

export interface VerifyRequest extends InterpretRequest {
  /** About how many points the reference may compute; 20 million by default, some seconds. */
  readonly maxPoints?: number;
}

const requestNames: OptionNames<VerifyRequest> = {
  def: true,
  sizes: true,
  file: true,
  maxPoints: true,
};

/** An element that is farther from the reference than rounding explains. */
export interface WrongElement {
  readonly tensor: string;
  readonly index: readonly number[];
  readonly found: number;
  readonly expected: number;
  readonly allowed: number;
}

/** How far outputs are from the float64 reference. */
export interface Verification {
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
  /** The counts of each output. */
  readonly outputs: readonly OutputVerification[];
}

/** How much of one output was compared; see {@link Verification}. */
export interface OutputVerification {
  readonly name: string;
  readonly total: number;
  readonly compared: number;
  readonly ambiguous: number;
}

const defaultMaxPoints = 20_000_000;
/** Boxes around triangles count too many points: up to so many times the budget may be worth a try. */
const hope = 4;
const reported = 10;

/**
 * Compares outputs with the float64 reference: each element may differ by as much as float32
 * rounding can explain for this very element. Where all of them cost more than `maxPoints`, two
 * corners of each output are compared, as large as the budget allows, which may be nothing.
 *
 * @throws TcError for mistakes in the source, RuntimeFault `argument` for tensors that do not fit.
 */
export function verify(
  source: string,
  inputs: HostInputs,
  outputs: HostInputs,
  request: VerifyRequest = {},
): Verification {
  checkSourceText("verify", source);
  checkOptions("verify", request, requestNames);
  const reference = openReference(source, inputs, request);
  const { program } = reference;
  const found = readHostResults(program, outputs);
  const results = program.tensors.filter((t) => t.role === "output" || t.role === "inout");
  const maxPoints = request.maxPoints ?? defaultMaxPoints;
  const whole = new Map(results.map(({ name }) => [name, wholeBox(program, name)]));
  const parts =
    comparePart(reference, found, whole, maxPoints) ??
    results.flatMap((tensor) =>
      corners(program, tensor, maxPoints / (2 * results.length)).flatMap(
        (box) => comparePart(reference, found, new Map([[tensor.name, box]]), maxPoints) ?? [],
      ),
    );
  const counts = results.map(({ name, shape }): OutputVerification => {
    const own = parts.filter((part) => part.tensor === name);
    return {
      name,
      total: elementCount(shape),
      compared: sumOf(own, "compared"),
      ambiguous: sumOf(own, "ambiguous"),
    };
  });
  return {
    total: sumOf(counts, "total"),
    compared: sumOf(counts, "compared"),
    ambiguous: sumOf(counts, "ambiguous"),
    worst: Math.max(0, ...parts.map((part) => part.worst)),
    wrong: parts.flatMap((part) => part.wrong).slice(0, reported),
    outputs: counts,
  };
}

function sumOf<K extends string>(
  counts: readonly { readonly [field in K]: number }[],
  field: K,
): number {
  return counts.reduce((sum, count) => sum + count[field], 0);
}

type Part = Pick<Verification, "compared" | "ambiguous" | "worst" | "wrong"> & {
  readonly tensor: string;
};

/** Compares the elements of boxes; null if that takes too many points. */
function comparePart(
  { program, inputs }: Reference,
  found: Readonly<Record<string, TensorData>>,
  boxes: ReadonlyMap<string, Box>,
  maxPoints: number,
): readonly Part[] | null {
  const restricted = restrictOutputs(program, boxes);
  if (countPoints(restricted) > hope * maxPoints) return null;
  const reference = interpret(restricted, inputs, { bounds: true, maxPoints });
  if (!reference.complete) return null;
  return [...boxes].map(([name, box]) => {
    const tensor = defined(
      program.tensors.find((t) => t.name === name),
      "tensor",
      name,
    );
    const actual = defined(found[name], "output", name);
    return compareBox(tensor, box, reference, actual);
  });
}

function compareBox(tensor: Tensor, box: Box, reference: Interpretation, actual: TensorData): Part {
  const { name } = tensor;
  const places = placesOf(tensor, box);
  const expected = defined(reference.tensors.get(name), "reference of", name);
  const pick = (values: Float64Array): Float64Array =>
    Float64Array.from(places, (place) => values[place] ?? 0);
  const data = pick(expected.data);
  const bound = expected.bound === undefined ? {} : { bound: pick(expected.bound) };
  const part = { ...expected, data, components: [data], ...bound };
  const shape = box.map(({ lo, hi }) => hi - lo + 1);
  const comparison = compareOutputs(
    { name, sizes: [], tensors: [{ ...tensor, shape }], statements: [], tree: [] },
    { ...reference, tensors: new Map([[name, part]]) },
    { [name]: actual.filter(inPlaces(places, actual.length)) },
  );
  return {
    tensor: name,
    compared: comparison.compared,
    ambiguous: comparison.ambiguous,
    worst: comparison.worstFraction,
    wrong: comparison.mismatches.map((mismatch) => ({
      tensor: name,
      index: indexOf(box, mismatch.element),
      found: mismatch.actual,
      expected: mismatch.expected,
      allowed: mismatch.bound,
    })),
  };
}

/** The row-major numbers of a box's elements, ascending. */
function placesOf(tensor: Tensor, box: Box): readonly number[] {
  const strides = rowMajorStrides(tensor.shape);
  return box.reduce<readonly number[]>(
    (places, { lo, hi }, d) =>
      places.flatMap((place) =>
        Array.from({ length: hi - lo + 1 }, (_, i) => place + (lo + i) * (strides[d] ?? 1)),
      ),
    [0],
  );
}

function inPlaces(
  places: readonly number[],
  length: number,
): (value: number, i: number) => boolean {
  const member = new Uint8Array(length);
  for (const place of places) member[place] = 1;
  return (_, i) => member[i] === 1;
}

/** The coordinates in the tensor of the box's element with that row-major number. */
function indexOf(box: Box, element: number): readonly number[] {
  const strides = rowMajorStrides(box.map(({ lo, hi }) => hi - lo + 1));
  let rest = element;
  return box.map(({ lo }, d) => {
    const stride = strides[d] ?? 1;
    const i = Math.floor(rest / stride);
    rest -= i * stride;
    return lo + i;
  });
}

/**
 * The first and the last corner of a tensor, halved along its longest dimension until they cost at
 * most so many points each; the whole tensor if that does; nothing if not even one element does.
 */
function corners(program: Program, tensor: Tensor, maxPoints: number): readonly Box[] {
  const whole = wholeBox(program, tensor.name);
  const extents = [...tensor.shape];
  const low = (): Box => extents.map((extent) => ({ lo: 0, hi: extent - 1 }));
  const fits = (): boolean =>
    countPoints(restrictOutputs(program, new Map([[tensor.name, low()]]))) <= maxPoints;
  while (!fits()) {
    const longest = extents.indexOf(Math.max(...extents));
    const extent = extents[longest] ?? 1;
    if (extent <= 1) return [];
    extents[longest] = Math.floor(extent / 2);
  }
  if (extents.every((extent, d) => extent === tensor.shape[d])) return [whole];
  const high = whole.map(({ hi }, d) => ({ lo: hi - (extents[d] ?? 1) + 1, hi }));
  return [low(), high];
}
