/**
 * What the outputs of a program should be, for `judge`: values and bounds of the reference, and
 * samples of those outputs that have bounds too wide to say anything.
 */
import { defined } from "../../support/assert.ts";
import { elementCount, type TensorData } from "../../support/scalar-type.ts";
import { callerShape, elementTypeOf, type Program, type Tensor } from "../program.ts";
import { corners, elementsOf } from "./corners.ts";
import { type Interpretation, interpret, type NumericArray } from "./interpret.ts";
import { type Expected, isTooWide, scaleOf } from "./judge.ts";
import { type Box, countPoints, restrictOutputs, wholeBox } from "./restrict-outputs.ts";

/** Executions with random rounding. */
const sampleCount = 8;
/** Boxes around triangles count too many points: up to so many times the budget may be worth a try. */
const hope = 4;

export interface ExpectOptions {
  /** About how many points all executions may compute together; no limit by default. */
  readonly maxPoints?: number;
  /** False for inputs whose results floats hold exactly: they have to be equal. */
  readonly bounds?: boolean;
}

/** Some elements of an output, and which ones they are. */
export interface ExpectedElements extends Expected {
  /** Row-major numbers in the tensor, ascending. */
  readonly elements: Int32Array;
}

/** The elements with these numbers, ascending. */
export function pickElements(values: TensorData, elements: Int32Array): TensorData {
  if (elements.length === values.length) return values;
  const wanted = new Uint8Array(values.length);
  for (const n of elements) wanted[n] = 1;
  return values.filter((_: number, n: number) => wanted[n] === 1);
}

type Inputs = Readonly<Record<string, NumericArray>>;
type Boxes = ReadonlyMap<string, Box>;

/** A box of every tensor that is executed together, and what came out. */
interface Area {
  readonly boxes: Boxes;
  readonly reference: Interpretation;
}

/** An output while it is put together: arrays for all of its elements. */
interface Draft {
  readonly tensor: Tensor;
  readonly values: Float64Array;
  readonly bound: Float64Array;
  readonly known: Uint8Array;
  readonly sampled: Uint8Array;
  /** Empty until there are some. */
  readonly samples: Float64Array[];
}

/**
 * Purpose: what outputs should be, as far as the budget goes.
 *
 * Requires: a program without faults, inputs that fit. Ensures: every element is the reference's, and
 * has samples where its bound is too wide. Where all elements cost more than `maxPoints`, those of two
 * corners of each output, as large as half of the budget allows; likewise for samples, with what is
 * left of it. Elements that nothing can be said of for lack of points are left out, maybe all.
 */
export function expectOutputs(
  program: Program,
  inputs: Inputs,
  { maxPoints = Number.MAX_SAFE_INTEGER, bounds = true }: ExpectOptions = {},
): readonly ExpectedElements[] {
  const results = program.tensors.filter((t) => t.role === "output" || t.role === "inout");
  const whole = new Map(results.map(({ name }) => [name, wholeBox(program, name)]));
  const run = (boxes: Boxes, points: number): Area | null => {
    const reference = execute(program, inputs, boxes, points, { bounds });
    return reference === null ? null : { boxes, reference };
  };
  const all = run(whole, maxPoints);
  const areas =
    all === null
      ? cornersOf(program, whole, maxPoints / 2).flatMap((boxes) => run(boxes, maxPoints) ?? [])
      : [all];
  const drafts = results.map((tensor) => draftOf(tensor, areas));
  if (bounds) {
    const spent = areas.reduce((sum, { reference }) => sum + reference.points, 0);
    sampleDrafts(program, inputs, drafts, areas, Math.max(0, maxPoints - spent) / sampleCount);
  }
  return drafts.map((draft) => expectedOf(draft, bounds));
}

/** Runs what boxes need; null if that takes too many points. */
function execute(
  program: Program,
  inputs: Inputs,
  boxes: Boxes,
  maxPoints: number,
  options: { readonly bounds?: boolean; readonly roundingSeed?: number },
): Interpretation | null {
  const restricted = restrictOutputs(program, boxes);
  if (countPoints(restricted) > hope * maxPoints) return null;
  const found = interpret(restricted, inputs, { ...options, maxPoints });
  return found.complete ? found : null;
}

/** Two corners of each box, each by itself, that cost about `maxPoints` together. */
function cornersOf(program: Program, boxes: Boxes, maxPoints: number): readonly Boxes[] {
  return [...boxes].flatMap(([name, box]) =>
    corners(program, name, box, maxPoints / (2 * boxes.size)).map(
      (corner) => new Map([[name, corner]]),
    ),
  );
}

function draftOf(tensor: Tensor, areas: readonly Area[]): Draft {
  const count = elementCount(callerShape(tensor));
  const draft: Draft = {
    tensor,
    values: new Float64Array(count),
    bound: new Float64Array(count),
    known: new Uint8Array(count),
    sampled: new Uint8Array(count),
    samples: [],
  };
  for (const { boxes, reference } of areas) {
    const box = boxes.get(tensor.name);
    if (box === undefined) continue;
    const { data, bound } = defined(reference.tensors.get(tensor.name), "output", tensor.name);
    for (const n of elementsOf(tensor.shape, box)) {
      if (n >= count) continue;
      draft.values[n] = data[n] as number;
      draft.bound[n] = bound?.[n] ?? 0;
      draft.known[n] = 1;
    }
  }
  return draft;
}

/** The root mean square of the elements that are known. */
function scaleOfDraft({ values, known }: Draft): number {
  return scaleOf(values.filter((_, n) => known[n] === 1));
}

/** The numbers of the elements that are known, of those alone that have samples or need none. */
function elementsWithJudge(draft: Draft, scale: number): Int32Array {
  const { tensor, values, bound, known, sampled } = draft;
  const type = elementTypeOf(tensor);
  const numbers = Int32Array.from(values, (_, n) => n);
  return numbers.filter((n) => {
    if (known[n] === 0) return false;
    return sampled[n] === 1 || !isTooWide(type, values[n] as number, bound[n] as number, scale);
  });
}

/** True where the first judge has nothing to say of an element. */
function isWide(draft: Draft): boolean {
  const scale = scaleOfDraft(draft);
  return elementsWithJudge(draft, scale).length < draft.known.filter((k) => k === 1).length;
}

/** Adds samples where bounds are too wide, each of at most `maxPoints`. */
function sampleDrafts(
  program: Program,
  inputs: Inputs,
  drafts: readonly Draft[],
  areas: readonly Area[],
  maxPoints: number,
): void {
  const wide = new Map(drafts.filter(isWide).map((draft) => [draft.tensor.name, draft]));
  for (const { boxes } of areas) {
    const wanted = new Map([...boxes].filter(([name]) => wide.has(name)));
    if (wanted.size === 0) continue;
    const share = maxPoints / areas.length;
    if (sampleBoxes(program, inputs, wanted, share, wide)) continue;
    for (const part of cornersOf(program, wanted, share)) {
      sampleBoxes(program, inputs, part, share, wide);
    }
  }
}

/** True if the samples were taken, false if they cost too much. */
function sampleBoxes(
  program: Program,
  inputs: Inputs,
  boxes: Boxes,
  maxPoints: number,
  drafts: ReadonlyMap<string, Draft>,
): boolean {
  for (let seed = 0; seed < sampleCount; seed++) {
    const sample = execute(program, inputs, boxes, maxPoints, { roundingSeed: seed + 1 });
    if (sample === null) return false;
    for (const [name, box] of boxes) {
      enterSample(defined(drafts.get(name), "output", name), box, seed, sample);
    }
  }
  return true;
}

/** Takes the elements of a box from a sample; those of the last one have all samples then. */
function enterSample(draft: Draft, box: Box, seed: number, sample: Interpretation): void {
  const { tensor, sampled, samples } = draft;
  const { data } = defined(sample.tensors.get(tensor.name), "sample of", tensor.name);
  const into = samples[seed] ?? new Float64Array(sampled.length);
  samples[seed] = into;
  for (const n of elementsOf(tensor.shape, box)) {
    if (n >= sampled.length) continue;
    into[n] = data[n] as number;
    if (seed === sampleCount - 1) sampled[n] = 1;
  }
}

/** The elements that there is something to say of. */
function expectedOf(draft: Draft, bounds: boolean): ExpectedElements {
  const { tensor, values, bound, samples } = draft;
  const scale = scaleOfDraft(draft);
  const elements = elementsWithJudge(draft, scale);
  const pick = (from: Float64Array): Float64Array =>
    Float64Array.from(elements, (n) => from[n] as number);
  const { name } = tensor;
  const own = { name, type: elementTypeOf(tensor), elements, values: pick(values), scale };
  if (!bounds) return own;
  return {
    ...own,
    bound: pick(bound),
    ...(samples.length === 0 ? {} : { samples: samples.map(pick) }),
  };
}
