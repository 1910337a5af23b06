import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv } from "../../support/integer.ts";
import { toElement } from "../../support/scalar-type.ts";
import { constant, isConstant, lessOrEqual, variable, variablesOf } from "../affine.ts";
import { boundingBox, type Dim, type Domain } from "../domain.ts";
import {
  type Access,
  affineIndex,
  elementTypeOf,
  findStatement,
  indexVariables,
  isScatter,
  type Program,
  type Reduction,
  reducedDims,
  type Statement,
  tensorOf,
} from "../program.ts";
import { knownValue, type ReadValue } from "./known-value.ts";
import {
  dimRole,
  orderedStatements,
  type Rewrite,
  refused,
  replaceStatement,
  rewritten,
} from "./rewrite.ts";

/** Which reduced dim to round up, and to a multiple of what. */
export interface PadTarget {
  readonly statement: string;
  /** A reduced dim. */
  readonly dim: string;
  /** At least 1. */
  readonly multiple: number;
}

/** A reduced dim that {@link padReduction} can round up. */
export interface PadCandidate {
  /** For example `C/pad/r0`. */
  readonly path: string;
  readonly statement: string;
  readonly dim: string;
  /** Powers of two, ascending: each rounds the extent up to another value. */
  readonly multiples: readonly number[];
}

/** True if a read of a statement is another, or under other guards, for another value of the dim. */
function varies(s: Statement, { index, guard }: Access, dim: string): boolean {
  const parts = [...index, ...guard.map((c) => affineIndex(c.affine))];
  return parts.some((i) => indexVariables(s, i).has(dim));
}

/** The fill that an access has already; undefined where any will do. */
function ownFill({ index, guard, fill }: Access): number | undefined {
  const isUsed = guard.length > 0 || index.some((i) => i.kind === "opaque");
  return isUsed ? fill : undefined;
}

const nothingKnown: ReadValue = () => undefined;

/** Whether a fill is a value of all that is read with it: what is stored would be another. */
function canBeRead(program: Program, s: Statement, dim: string, fill: number): boolean {
  const filled = s.reads.filter((r) => varies(s, r, dim) && ownFill(r) === undefined);
  return filled.every(({ tensor }) => {
    const type = elementTypeOf(tensorOf(program, tensor));
    return Object.is(toElement(type)(fill), fill);
  });
}

/** Whether a statement adds nothing where the reads that vary with the dim have their fill. */
function addsNothing(s: Statement, { monoid }: Reduction, dim: string, fill: number): boolean {
  const value: ReadValue = (n) => {
    const access = s.reads[n];
    if (access === undefined || !varies(s, access, dim)) return undefined;
    return ownFill(access) ?? fill;
  };
  return s.body.every((e, c) => {
    const identity = monoid.identity[c];
    return identity !== undefined && knownValue(e, value) === knownValue(identity, nothingKnown);
  });
}

/** What the reads have to be beyond the range; undefined if nothing makes them add nothing. */
function neutralFill(
  program: Program,
  s: Statement,
  reduction: Reduction,
  dim: string,
): number | undefined {
  const identities = flatMap(reduction.monoid.identity, (e) => knownValue(e, nothingKnown) ?? []);
  return [0, ...identities].find(
    (fill) => canBeRead(program, s, dim, fill) && addsNothing(s, reduction, dim, fill),
  );
}

/** Whether only the dim's own range knows how far it goes. */
function isFree({ dims, quotients }: Domain, dim: Dim): boolean {
  const bounds = flatMap(dims, (d) => [d.lower, d.upper]);
  const others = [...bounds, ...quotients.map((q) => q.numerator)];
  return (
    isConstant(dim.lower) &&
    isConstant(dim.upper) &&
    others.every((a) => !variablesOf(a).includes(dim.name))
  );
}

/** A statement that can be padded along a dim. */
interface Paddable {
  readonly statement: Statement;
  readonly dim: Dim;
  readonly extent: number;
  readonly fill: number;
}

function paddable(program: Program, id: string, name: string): Paddable | string {
  const s = findStatement(program, id);
  const dim = s?.domain.dims.find((d) => d.name === name);
  if (s === undefined || dim === undefined) return "no such statement or dim";
  const { reduction } = s;
  if (reduction === null || !reduction.dims.includes(name)) return "the dim is not reduced";
  if (isScatter(s)) return "a scatter writes wherever it runs";
  if (!isFree(s.domain, dim)) return "the range is not constant, or others depend on it";
  const { lo, hi } = boundingBox(s.domain).get(name) ?? { lo: 0, hi: -1 };
  if (hi < lo) return "the domain is empty";
  const fill = neutralFill(program, s, reduction, name);
  if (fill === undefined) return "no fill makes more steps add nothing";
  return { statement: s, dim, extent: hi - lo + 1, fill };
}

/**
 * Purpose: rounds the range of a reduced dim up, so that tiles divide it. The steps that this adds
 * combine the monoid's identity: their reads are filled.
 *
 * ```
 * S: { i in 0..8, k in 0..9 } C(i) = sum[k] A(i, k) * x(k)                      to a multiple of 4
 *   -->
 * S: { i in 0..8, k in 0..12 } C(i) = sum[k] (k < 9 ? A(i, k) : 0) * (k < 9 ? x(k) : 0)
 * ```
 * Copies of what is read ({@link copyRead}) take the guards along: the kernel has none then.
 *
 * Requires: a reduction that is no scatter, over a constant range that nothing else in the domain
 * depends on; a fill with which the body is the identity, whatever all else it reads: 0 for sums of
 * products whose factors all vary with the dim, infinity for the least of sums. It is a value of what
 * is read. Reads that have a fill keep it.
 *
 * Ensures: the same values in the same order, but for the sign of zeros.
 */
export function padReduction(program: Program, target: PadTarget): Rewrite {
  const { multiple } = target;
  if (!Number.isInteger(multiple) || multiple < 1) {
    return refused("the multiple is not a positive integer");
  }
  const found = paddable(program, target.statement, target.dim);
  if (typeof found === "string") return refused(found);
  const { statement: s, dim, extent, fill } = found;
  const first = dim.lower.constant;
  const upper = constant(first + ceilDiv(extent, multiple) * multiple);
  const inside = lessOrEqual(variable(dim.name), constant(first + extent - 1));
  const reads = s.reads.map((access): Access => {
    if (!varies(s, access, dim.name)) return access;
    return { ...access, guard: [...access.guard, inside], fill: ownFill(access) ?? fill };
  });
  const dims = s.domain.dims.map((d) => (d.name === dim.name ? { ...d, upper } : d));
  const padded = { ...s, domain: { ...s.domain, dims }, reads };
  return rewritten(replaceStatement(program, s.id, [padded]));
}

const widest = 32;
/** Multiples that are worth more steps in vain than others. */
const common = 8;

/**
 * Powers of two that round the extent up to different values: at most to twice as much, larger ones by
 * an eighth of it.
 */
function usefulMultiples(extent: number): readonly number[] {
  const found: number[] = [];
  let last = extent;
  for (let n = 2; n <= Math.min(widest, 2 * extent); n *= 2) {
    const rounded = ceilDiv(extent, n) * n;
    if (n > common && 8 * (rounded - extent) > extent) break;
    if (rounded > last) found.push(n);
    last = rounded;
  }
  return found;
}

/** The reduced dims that {@link padReduction} can round up, to some multiple that they are not. */
export function padCandidates(program: Program): readonly PadCandidate[] {
  return flatMap(orderedStatements(program), (s) =>
    flatMap(reducedDims(s), (dim): readonly PadCandidate[] => {
      const found = paddable(program, s.id, dim);
      if (typeof found === "string") return [];
      const multiples = usefulMultiples(found.extent);
      const path = `${s.id}/pad/${dimRole(s, dim)}`;
      return multiples.length === 0 ? [] : [{ path, statement: s.id, dim, multiples }];
    }),
  );
}
