import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv, gcd } from "../../support/integer.ts";
import {
  type Affine,
  add,
  addConstant,
  type Constraint,
  coefficientOf,
  constant,
  intervalOf,
  isConstant,
  lessThan,
  nonnegative,
  subtract,
  variable,
  variablesOf,
} from "../affine.ts";
import { valuesOf } from "../dependences/values.ts";
import { boundingBox, boxVolume, type Dim, indicesOf } from "../domain.ts";
import { literal, read } from "../expression.ts";
import {
  findStatement,
  type Index,
  indexVariables,
  isScatter,
  type Program,
  parallelDims,
  type Reduction,
  reducedDims,
  reductionOf,
  type Statement,
  statementOf,
  tensorOf,
} from "../program.ts";
import { knownValue } from "./known-value.ts";
import { parallelBoundsUseReduced } from "./parallel-part.ts";
import {
  freshName,
  orderedStatements,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
  variableNames,
} from "./rewrite.ts";
import { mayWriteTwice } from "./same-cell.ts";
import { replacementOf, substituteVariables } from "./substitute-statement.ts";

/** Where dims of phases stand: outside of all that are no loops, or each inside of its place. */
export const phaseOrders = ["outside", "inside"] as const;

/** A scatter whose terms to gather. */
export interface GatherTarget {
  readonly statement: string;
  readonly phases: (typeof phaseOrders)[number];
}

/** A scatter that {@link gatherTerms} takes. */
export interface GatherCandidate {
  readonly statement: string;
  /** For example `out/gather`. */
  readonly path: string;
  /** How many instances there are before and afterwards, guards ignored. */
  readonly before: number;
  readonly after: number;
}

/** A scatter, some of whose coordinates may be solved. */
interface Partly {
  readonly s: Statement;
  readonly phases: GatherTarget["phases"];
  /** The dims that are reduced still: neither a place nor a phase of an element. */
  readonly reduced: readonly string[];
  /** Those of them that are taps. */
  readonly taps: readonly string[];
}

/** A dim with constant bounds. */
interface Box {
  readonly dim: Dim;
  readonly lo: number;
  readonly extent: number;
}

/** Two reduced dims of a coordinate, of which one is solved for at each tap of the other. */
interface Pair {
  readonly solved: Box;
  readonly other: Box;
  /** Values of `other` from one tap to the next: what is between are its phases. */
  readonly stride: number;
  readonly taps: number;
  /** How much less `solved` is at the next tap. */
  readonly step: number;
}

/** The range of a dim if it is constant, not empty, and no other range depends on it. */
function boxOf({ domain, loops }: Statement, name: string): Box | undefined {
  const dim = domain.dims.find((d) => d.name === name);
  if (dim === undefined || loops.includes(name)) return undefined;
  if (!isConstant(dim.lower) || !isConstant(dim.upper)) return undefined;
  const bounds = flatMap(domain.dims, (d) => [d.lower, d.upper]);
  if (bounds.some((a) => coefficientOf(a, name) !== 0)) return undefined;
  const extent = dim.upper.constant - dim.lower.constant;
  return extent < 1 ? undefined : { dim, lo: dim.lower.constant, extent };
}

/** How many places the solved dim of a pair has. */
function placesOf({ solved, taps, step }: Pair): number {
  return solved.extent + Math.abs(step) * (taps - 1);
}

function phasesOf({ other, stride }: Pair): number {
  return Math.min(stride, other.extent);
}

function instancesOf(pair: Pair): number {
  return placesOf(pair) * phasesOf(pair) * pair.taps;
}

function pairOf(coordinate: Affine, solved: Box, other: Box): Pair {
  const by = coefficientOf(coordinate, solved.dim.name);
  const of = coefficientOf(coordinate, other.dim.name);
  const common = gcd(Math.abs(by), Math.abs(of));
  const stride = Math.abs(by) / common;
  const taps = ceilDiv(other.extent, stride);
  return { solved, other, stride, taps, step: (Math.sign(by) * of) / common };
}

/**
 * The pair of a coordinate's open dims that leaves the fewest instances; undefined if there is none. Only the last pair
 * has phases: two kinds of them may name one element.
 */
function bestPair(s: Statement, coordinate: Affine, open: readonly string[]): Pair | undefined {
  const boxes = flatMap(open, (name) => boxOf(s, name) ?? []);
  let best: Pair | undefined;
  for (const solved of boxes) {
    for (const other of boxes.filter((box) => box !== solved)) {
      const pair = pairOf(coordinate, solved, other);
      if (open.length > 2 && phasesOf(pair) > 1) continue;
      if (best === undefined || instancesOf(pair) < instancesOf(best)) best = pair;
    }
  }
  return best;
}

function dimOver(name: string, lo: number, extent: number, indices: readonly string[]): Dim {
  return { name, lower: constant(lo), upper: constant(lo + extent), indices };
}

/**
 * The statement over the places of a pair's solved dim, and the phases and taps of the other:
 *
 * ```
 * other = stride * tap + phase     solved = place - step * tap
 * ```
 * The coordinate does not depend on the tap then.
 */
function solvedFor({ s, reduced, phases: order, taps: before }: Partly, pair: Pair): Partly {
  const { solved, other, stride, taps, step } = pair;
  const names = variableNames(s);
  const indices = [...new Set([...indicesOf(solved.dim), ...indicesOf(other.dim)])];
  const place = freshName(names, `${solved.dim.name}_place`);
  const phase = freshName(names, `${other.dim.name}_phase`);
  const tap = stride === 1 ? other.dim.name : freshName(names, `${other.dim.name}_tap`);
  const tapDim = stride === 1 ? other.dim : dimOver(tap, 0, taps, indicesOf(other.dim));
  const from = tapDim.lower.constant;
  const ends = [from, from + taps - 1].map((t) => solved.lo + step * t);
  const placeDim = dimOver(place, Math.min(...ends), placesOf(pair), indices);
  const phases = stride > 1 ? [dimOver(phase, 0, phasesOf(pair), indicesOf(other.dim))] : [];
  const ofSolved = subtract(variable(place), variable(tap, step));
  const ofOther =
    stride === 1
      ? variable(tap)
      : addConstant(add(variable(tap, stride), variable(phase)), other.lo);
  const by = new Map([
    [solved.dim.name, ofSolved],
    [other.dim.name, ofOther],
  ]);
  const changed = s.domain.dims.map((d) => {
    if (d.name === solved.dim.name) return placeDim;
    return d.name === other.dim.name ? tapDim : d;
  });
  const at = order === "outside" ? s.loops.length : changed.indexOf(placeDim) + 1;
  const dims = changed.toSpliced(at, 0, ...phases);
  const guards = [...s.domain.guards];
  if (taps > 1) guards.push(...within(ofSolved, solved.lo, solved.extent));
  if (taps > 1 && stride * taps > other.extent) {
    guards.push(lessThan(ofOther, constant(other.lo + other.extent)));
  }
  const over = { ...s, domain: { ...s.domain, dims, guards } };
  return {
    s: substituteVariables(over, replacementOf(by)),
    reduced: reduced.map((name) => {
      if (name === solved.dim.name) return place;
      return name === other.dim.name ? tap : name;
    }),
    phases: order,
    taps: [...before, tap],
  };
}

function within(a: Affine, lo: number, extent: number): readonly Constraint[] {
  return [nonnegative(addConstant(a, -lo)), lessThan(a, constant(lo + extent))];
}

/** The reduced dims that a coordinate depends on; undefined if it does not do so by its terms alone. */
function openDims({ s, reduced }: Partly, index: Index): readonly string[] | undefined {
  if (index.kind === "opaque") return undefined;
  const uses = variablesOf(index.affine);
  const direct = reduced.filter((name) => uses.includes(name));
  const used = [...indexVariables(s, index)].filter((name) => reduced.includes(name));
  return used.length === direct.length ? direct : undefined;
}

/** The scatter with one coordinate more that does not depend on reduced dims. */
function withSolved(from: Partly, coordinate: number): Partly | string {
  let current = from;
  for (;;) {
    const index = current.s.write.index[coordinate];
    const open = index && openDims(current, index);
    if (index?.kind !== "affine" || open === undefined) return "an index is computed at run time";
    const [only, more] = open;
    if (more === undefined) {
      return { ...current, reduced: current.reduced.filter((name) => name !== only) };
    }
    const pair = bestPair(current.s, index.affine, open);
    if (pair === undefined) return "no two indices can be solved for each other";
    current = solvedFor(current, pair);
  }
}

/** The scatter with all coordinates solved, those of fewest reduced dims first. */
function allSolved(s: Statement, phases: Partly["phases"]): Partly | string {
  // Every instance of a scatter combines, those of dims that its elements are not reduced over, too.
  const spread = parallelDims(s).filter((name) => !s.loops.includes(name));
  let current: Partly = { s, phases, reduced: [...spread, ...reducedDims(s)], taps: [] };
  for (;;) {
    const open = current.s.write.index.map((index) => openDims(current, index)?.length);
    if (open.includes(undefined)) return "an index is computed at run time";
    const fewest = Math.min(...flatMap(open, (count) => (count ? [count] : [])));
    if (!Number.isFinite(fewest)) return current;
    const next = withSolved(current, open.indexOf(fewest));
    if (typeof next === "string") return next;
    current = next;
  }
}

/** The statement without the points that write outside of its tensor. */
function clipped(program: Program, s: Statement): Statement {
  const box = boundingBox(s.domain);
  const { shape } = tensorOf(program, s.write.tensor);
  const guards = flatMap(s.write.index, (index, d): readonly Constraint[] => {
    if (index.kind !== "affine") return [];
    const { lo, hi } = intervalOf(index.affine, (name) => box.get(name) ?? { lo: 0, hi: 0 });
    const [below, above] = within(index.affine, 0, shape[d] ?? 0);
    return flatMap([lo < 0 && below, hi >= (shape[d] ?? 0) && above], (guard) => guard || []);
  });
  return { ...s, domain: { ...s.domain, guards: [...s.domain.guards, ...guards] } };
}

/** What a reduction starts from instead of combining into what is there. */
function withStart(program: Program, s: Statement, { monoid }: Reduction): Statement {
  const { tensor, index } = s.write;
  const { components, role } = tensorOf(program, tensor);
  const { values, before } = valuesOf(program);
  const value = before.get(s.id)?.get(tensor);
  const isNew = role === "output" || role === "temporary";
  const reduction = reductionOf(s);
  if (!isNew || values.find((v) => v.id === value)?.origin.kind !== "start") {
    const own = { tensor, index, guard: [], fill: 0 };
    const init = components.map((type, c) => read(s.reads.length, type, c));
    return { ...s, reads: [...s.reads, own], reduction: { ...reduction, init } };
  }
  const fromZero = monoid.identity.every((e) => knownValue(e, () => undefined) === 0);
  const zeros = components.map((type) => literal(0, type));
  return { ...s, reduction: { ...reduction, init: fromZero ? null : zeros } };
}

/**
 * Purpose: computes each element of a scatter as the reduction of the terms that hit it, where indices say which these
 * are: a transposed convolution, the gradient of a convolution's input, the product of two polynomials.
 *
 * ```
 * S: { i in 0..I, k in 0..K, c in 0..C } y(s*i + d*k) = y(s*i + d*k) with sum[i, k, c] e(i, k, c)
 *   -->  for s and d without a common divisor
 * S: { p in 0..P, r in 0..s, c in 0..C, t in 0..ceil(K / s) | 0 <= p - d*t < I, s*t + r < K }
 *      y(s*p + d*r) = y(s*p + d*r) with sum[c, t] e(p - d*t, s*t + r, c)
 * ```
 * Elements are numbered by places `p` and phases `r`, and no invocation looks at taps of another phase: all conditions
 * are at the borders. Phases are dims outside of all others, so that what is inside is a convolution, or each inside of its
 * place, so that neighbours are stored together. Of several indices of a coordinate two become one, until one is left; which two, and which of them is
 * solved for, is what leaves fewest instances.
 *
 * Requires: written coordinates that are affine in the reduced dims, which have constant ranges where several share a
 * coordinate; then no two points of the other dims that write one element.
 *
 * Ensures: the same elements, what is not hit included; float sums reassociated.
 */
export function gatherTerms(program: Program, { statement, phases }: GatherTarget): Rewrite {
  const s = findStatement(program, statement);
  if (s === undefined) return refused("no such statement");
  if (!isScatter(s)) return refused("it is no scatter");
  const solved = allSolved(s, phases);
  if (typeof solved === "string") return refused(solved);
  // Taps behind what else is reduced, as in a convolution.
  const others = solved.reduced.filter((name) => !solved.taps.includes(name));
  const dims = [...others, ...solved.taps.filter((name) => solved.reduced.includes(name))];
  if (dims.length === 0) return refused("nothing is left to reduce");
  const reduction = { ...reductionOf(s), dims };
  const gathered = clipped(program, { ...solved.s, reduction });
  if (parallelBoundsUseReduced(gathered))
    return refused("which elements there are depends on terms");
  if (mayWriteTwice(program, gathered)) return refused("several points write one element");
  const whole = withStart(program, gathered, reduction);
  return rewritten(replaceStatement(program, s.id, [whole]));
}

/** The scatters that {@link gatherTerms} takes. */
export function gatherCandidates(program: Program): readonly GatherCandidate[] {
  return flatMap(orderedStatements(program), (s): readonly GatherCandidate[] => {
    if (!isScatter(s)) return [];
    const result = gatherTerms(program, { statement: s.id, phases: "outside" });
    if (result.kind === "refused") return [];
    const after = boxVolume(statementOf(result.program, s.id).domain);
    return [{ statement: s.id, path: `${s.id}/gather`, before: boxVolume(s.domain), after }];
  });
}
