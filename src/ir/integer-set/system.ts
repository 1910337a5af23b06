/**
 * The numeric form of a conjunction of constraints, on which the integer-set algorithms work.
 *
 * ```
 * system := box, row == 0 ..., row >= 0 ...
 * row    := [constant, coefficient of variable 1, coefficient of variable 2, ...]
 * ```
 * The points of a system are those of its box that satisfy its rows. Index 0 stands for the
 * constant: a pseudo-variable whose box is [1, 1], so that a row is a plain dot product. Constraints
 * on one variable live in the box and never as rows; rows are divided by the gcd of their
 * coefficients, an inequality's constant rounded down (which loses no integer point).
 *
 * Unlike the rest of the compiler's data a system is changed in place by the call that made it,
 * for speed; its rows are shared between systems and never change once added.
 */
import { ceilDiv, floorDiv, gcd } from "../../support/integer.ts";
import type { Affine, Constraint } from "../affine.ts";

/** Coefficients by variable index, the constant at index 0; all safe integers. */
export type Row = readonly number[];

/** See the header of this file. */
export interface System {
  /** Least value by variable, maybe -Infinity; `lo[0] = 1`. */
  lo: number[];
  /** Greatest value by variable, maybe Infinity; `hi[0] = 1`. */
  hi: number[];
  equalities: Row[];
  inequalities: Row[];
}

/**
 * The work that may still be done, counted in rows; below 0 nothing more is tried. A row that would
 * overflow safe integers is left out, which makes the system larger, and sets it to -Infinity: then
 * "empty" stays true and "nonempty" means nothing.
 */
export interface Work {
  left: number;
}

/** A copy that can be changed independently. */
export function copySystem(s: System): System {
  return {
    lo: s.lo.slice(),
    hi: s.hi.slice(),
    equalities: s.equalities.slice(),
    inequalities: s.inequalities.slice(),
  };
}

/** `p * row + q * other`, or undefined, with the work ended, when it leaves the safe integers. */
export function combine(
  work: Work,
  row: Row,
  p: number,
  other: Row,
  q: number,
): number[] | undefined {
  const sum = row.slice();
  let mass = 0;
  for (let v = 0; v < sum.length; v++) {
    const x = p * (sum[v] as number);
    const y = q * (other[v] as number);
    mass += Math.abs(x) + Math.abs(y);
    sum[v] = x + y + 0;
  }
  if (mass <= Number.MAX_SAFE_INTEGER) return sum;
  work.left = Number.NEGATIVE_INFINITY;
  return undefined;
}

/** The greatest common divisor of the coefficients, 0 for a constant row. */
export function content(row: Row): number {
  let g = 0;
  for (let v = 1; v < row.length && g !== 1; v++) {
    const a = row[v] as number;
    if (a !== 0) g = gcd(g, a);
  }
  return g;
}

/** The only variable with a coefficient, 0 when there is none, -1 when there are several. */
function onlyVariable(row: Row): number {
  let only = 0;
  for (let v = 1; v < row.length; v++) {
    if (row[v] === 0) continue;
    if (only !== 0) return -1;
    only = v;
  }
  return only;
}

/** Makes the box of `v` lie within [lo, hi]; bounds outside the safe integers are ignored. */
export function restrict(s: System, v: number, lo: number, hi: number): boolean {
  if (lo > (s.lo[v] as number) && Number.isSafeInteger(lo)) s.lo[v] = lo;
  if (hi < (s.hi[v] as number) && Number.isSafeInteger(hi)) s.hi[v] = hi;
  return (s.lo[v] as number) <= (s.hi[v] as number);
}

/**
 * Adds `row >= 0`; the row is taken over and normalised in place. False when no point can satisfy
 * it, as seen from the row and its variable's box alone.
 */
export function addInequality(s: System, row: number[]): boolean {
  const only = onlyVariable(row);
  const c = row[0] as number;
  if (only === 0) return c >= 0;
  if (only > 0) {
    const a = row[only] as number;
    if (a > 0) return restrict(s, only, ceilDiv(-c, a) + 0, Number.POSITIVE_INFINITY);
    return restrict(s, only, Number.NEGATIVE_INFINITY, floorDiv(c, -a) + 0);
  }
  const g = content(row);
  if (g > 1) {
    for (let v = 1; v < row.length; v++) row[v] = (row[v] as number) / g;
    row[0] = floorDiv(c, g);
  }
  s.inequalities.push(row);
  return true;
}

/** Adds `row == 0`, otherwise as {@link addInequality}. */
export function addEquality(s: System, row: number[]): boolean {
  const g = content(row);
  const c = row[0] as number;
  if (g === 0) return c === 0;
  if (c % g !== 0) return false;
  const only = onlyVariable(row);
  if (only > 0) {
    const value = -c / (row[only] as number) + 0;
    return restrict(s, only, value, value);
  }
  if (g > 1) for (let v = 0; v < row.length; v++) row[v] = (row[v] as number) / g + 0;
  s.equalities.push(row);
  return true;
}

/** A system, and a row for an affine expression over its variables. */
export interface Loaded {
  readonly system: System;
  readonly objective: number[];
}

function numberVariables(index: Map<string, number>, affine: Affine, reserved: number): void {
  for (const t of affine.terms) {
    if (!index.has(t.variable)) index.set(t.variable, index.size + reserved + 1);
  }
}

/** The row of an expression; undefined when a number is no safe integer. */
function rowOf(
  affine: Affine,
  index: ReadonlyMap<string, number>,
  width: number,
): number[] | undefined {
  if (!Number.isSafeInteger(affine.constant)) return undefined;
  const row = new Array<number>(width).fill(0);
  row[0] = affine.constant;
  for (const t of affine.terms) {
    if (!Number.isSafeInteger(t.coefficient)) return undefined;
    row[index.get(t.variable) ?? 0] = t.coefficient;
  }
  return row;
}

/**
 * The system of `constraints`, and the row of `objective`. Variables 1..reserved are left free for
 * the caller. "empty" when a constraint alone is contradictory; "unknown" when a number is no
 * safe integer.
 */
export function loadSystem(
  constraints: readonly Constraint[],
  objective: Affine,
  reserved: number,
): Loaded | "empty" | "unknown" {
  const index = new Map<string, number>();
  for (const c of constraints) numberVariables(index, c.affine, reserved);
  numberVariables(index, objective, reserved);
  const width = index.size + reserved + 1;
  const lo = new Array<number>(width).fill(Number.NEGATIVE_INFINITY);
  const hi = new Array<number>(width).fill(Number.POSITIVE_INFINITY);
  lo[0] = 1;
  hi[0] = 1;
  const system: System = { lo, hi, equalities: [], inequalities: [] };
  for (const c of constraints) {
    const row = rowOf(c.affine, index, width);
    if (row === undefined) return "unknown";
    const possible = c.kind === "zero" ? addEquality(system, row) : addInequality(system, row);
    if (!possible) return "empty";
  }
  const row = rowOf(objective, index, width);
  return row === undefined ? "unknown" : { system, objective: row };
}
