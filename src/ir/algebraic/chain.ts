/** Recurrences of the first order: statements of a loop that compute each value from the one before it. */
import { flatMap } from "../../support/flat-map.ts";
import {
  type Affine,
  addConstant,
  coefficientOf,
  intervalOf,
  isConstant,
  substitute,
  variable,
} from "../affine.ts";
import { boundingBox, type Dim } from "../domain.ts";
import { readNumbers } from "../expression.ts";
import {
  type Access,
  affineIndex,
  type Index,
  isScatter,
  type Program,
  parallelDims,
  type Statement,
  sameIndex,
} from "../program.ts";
import { narrowedDomain } from "./narrow-domain.ts";
import { isExactStep, type StepFunction, stepFunction } from "./step-function.ts";
import { valueRange } from "./value-range.ts";

/** A statement that computes each value from the one before it. */
export interface Chain {
  readonly s: Statement;
  readonly step: StepFunction;
  /** The value before. */
  readonly own: Access;
  readonly loop: string;
  /** Whether all steps write the same elements. */
  readonly inPlace: boolean;
}

function indexAtStep(index: readonly Index[], loop: string, by: Affine): readonly Index[] {
  return index.map((i) =>
    i.kind === "affine"
      ? affineIndex(substitute(i.affine, (v) => (v === loop ? by : undefined)))
      : i,
  );
}

/** Whether each index that is not reduced is alone in a coordinate, the loop included unless it is in none. */
function isOneToOne(s: Statement, loop: string): boolean {
  const alone = new Set<string>();
  for (const i of s.write.index) {
    const [term, more] = i.kind === "affine" ? i.affine.terms : [];
    if (term !== undefined && more === undefined) alone.add(term.variable);
  }
  const inner = parallelDims(s).filter((d) => !s.loops.includes(d) && !alone.has(d));
  const moves = s.write.index.some(
    (i) => i.kind === "opaque" || coefficientOf(i.affine, loop) !== 0,
  );
  return inner.length === 0 && (alone.has(loop) || !moves);
}

/** Whether a read's guards hold in every step but the first of some. */
function holdsLater(s: Statement, { guard }: Access, loop: string): boolean {
  const box = boundingBox(narrowedDomain(s.domain, loop));
  const rangeOf = (name: string) => {
    const range = box.get(name) ?? { lo: -Infinity, hi: Infinity };
    return name === loop ? { ...range, lo: range.lo + 1 } : range;
  };
  return guard.every((c) => c.kind === "nonnegative" && intervalOf(c.affine, rangeOf).lo >= 0);
}

/** The recurrence that a statement is in the innermost loop around it, or why it is none. */
export function chainOf(s: Statement): Chain | string {
  const loop = s.loops.at(-1);
  const [body, more] = s.body;
  if (loop === undefined || body === undefined || more !== undefined) return "it is in no loop";
  if (s.reduction !== null || isScatter(s)) return "a step sums several elements";
  const numbers = [...s.reads.keys()].filter((n) => s.reads[n]?.tensor === s.write.tensor);
  const own = s.reads[numbers[0] ?? -1];
  if (own === undefined) return "it does not read what it wrote";
  const inPlace = !s.write.index.some(
    (i) => i.kind === "opaque" || coefficientOf(i.affine, loop) !== 0,
  );
  const before = indexAtStep(s.write.index, loop, variable(loop, 1));
  const earlier = inPlace
    ? before
    : indexAtStep(s.write.index, loop, addConstant(variable(loop), -1));
  const isBefore = (n: number): boolean => sameIndex(s.reads[n]?.index ?? [], earlier);
  if (!numbers.every(isBefore)) return "a step reads more than the element before its own";
  const opaque = flatMap([s.write, ...s.reads], (part) =>
    flatMap(part.index, (i) => (i.kind === "opaque" ? [i.expression] : [])),
  );
  if (readNumbers(...opaque).some((n) => numbers.includes(n))) return "the value is an index";
  if (!isOneToOne(s, loop)) return "several steps or indices may write the same element";
  if (!numbers.every((n) => holdsLater(s, s.reads[n] ?? own, loop))) {
    return "the value before is not always read";
  }
  const step = stepFunction(body, (e) => e.kind === "read" && numbers.includes(e.read));
  if (step === undefined) return "its steps do not compose";
  return { s, step, own, loop, inPlace };
}

/** The steps of a recurrence: a constant range of its loop, where nothing else depends on that. */
export function stepsOf({ s, loop }: Chain): Dim | undefined {
  const domain = narrowedDomain(s.domain, loop);
  const range = domain.dims.find((d) => d.name === loop);
  const affines = [
    ...flatMap(domain.dims, (d) => [d.lower, d.upper]),
    ...domain.guards.map((g) => g.affine),
  ];
  if (affines.some((a) => coefficientOf(a, loop) !== 0)) return undefined;
  if (range === undefined || !isConstant(range.lower) || !isConstant(range.upper)) return undefined;
  return range;
}

/** Why composed steps may overflow where one after the other does not; undefined where they do not. */
export function mayOverflow(program: Program, { s, step }: Chain): string | undefined {
  if (isExactStep(step) || step.factor === null) return undefined;
  const { lo, hi } = valueRange(program, s, step.factor);
  if (lo >= -1 && hi <= 1) return undefined;
  return "its factor may be above 1, so that products of it may overflow: write clamp(factor, -1.0, 1.0)";
}

/** How many values a dim with constant bounds has. */
export function lengthOf({ lower, upper }: Dim): number {
  return upper.constant - lower.constant;
}
