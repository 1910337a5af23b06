import { gcd } from "../../support/integer.ts";
import { impliedByBox } from "./propagate.ts";
import {
  addInequality,
  combine,
  content,
  copySystem,
  type Row,
  type System,
  type Work,
} from "./system.ts";

/** The rows that bound a variable, its box included, and those without it. */
interface Bounds {
  /** `a * v + ... >= 0` with `a > 0`. */
  readonly lower: readonly Row[];
  /** `-b * v + ... >= 0` with `b > 0`. */
  readonly upper: readonly Row[];
  readonly free: readonly Row[];
}

/** Splits the inequalities by the sign of the coefficient of `v`. */
export function boundsOf(s: System, v: number): Bounds {
  const [lower, upper, free]: [Row[], Row[], Row[]] = [[], [], []];
  const box = (a: number, c: number): Row => {
    const row = new Array<number>(s.lo.length).fill(0);
    row[0] = c;
    row[v] = a;
    return row;
  };
  const [lo, hi] = [s.lo[v] as number, s.hi[v] as number];
  if (lo !== Number.NEGATIVE_INFINITY) lower.push(box(1, -lo));
  if (hi !== Number.POSITIVE_INFINITY) upper.push(box(-1, hi));
  for (const row of s.inequalities) {
    const a = row[v] as number;
    if (a === 0) free.push(row);
    else if (a > 0) lower.push(row);
    else upper.push(row);
  }
  return { lower, upper, free };
}

/** What remains of a system without equalities when a variable is eliminated. */
export interface Shadow {
  /** Contains the projection of the integer points: the projection of the rational ones, rounded. */
  readonly real: System;
  /**
   * The further rows of the dark shadow, all of whose points are projections of integer points.
   * None: `real` is exactly the projection.
   */
  readonly dark: readonly Row[];
}

/**
 * By how much `upper - lower` must exceed 0 so that a multiple of `lcm(a, b)` surely lies between:
 * with `a' = a / g`, `b' = b / g`, `L = lcm(a, b)`, a gap without one has width at most
 * `L - a' - b'`, because its ends are multiples of `a'` and of `b'` away from the multiples of `L`
 * around it. For coprime a, b this is Pugh's `(a - 1) * (b - 1)`.
 */
function darkGap(a: number, b: number): number {
  const g = gcd(a, b);
  return (a / g) * b - a / g - b / g + 1;
}

/** The dark row if it says more than the real one. */
function darker(s: System, row: Row, gap: number): Row | undefined {
  if (gap === 0) return undefined;
  const dark = row.slice();
  dark[0] = (row[0] as number) - gap;
  if (impliedByBox(s, dark)) return undefined;
  const g = content(row);
  if (g > 1 && Math.floor(dark[0] / g) === Math.floor((row[0] as number) / g)) return undefined;
  return dark;
}

/**
 * Eliminates `v` by Fourier-Motzkin: every lower bound `a * v >= l` with every upper bound
 * `b * v <= u` gives `a * u - b * l >= 0`. Requires no equalities. "empty" when two bounds exclude
 * each other. The box of `v` means nothing afterwards.
 */
export function shadowOf(s: System, v: number, work: Work): Shadow | "empty" {
  const { lower, upper, free } = boundsOf(s, v);
  const real = copySystem(s);
  real.inequalities = free.slice();
  const dark: Row[] = [];
  work.left -= lower.length * upper.length;
  for (const l of lower) {
    const a = l[v] as number;
    for (const u of upper) {
      if (work.left < 0) return { real, dark };
      const b = -(u[v] as number);
      const g = gcd(a, b);
      const row = combine(work, l, b / g, u, a / g);
      if (row === undefined) continue;
      const extra = darker(s, row, darkGap(a, b));
      if (extra !== undefined) dark.push(extra);
      if (!addInequality(real, row)) return "empty";
    }
  }
  return { real, dark };
}

/** The dark shadow as a system, "empty" when it has no point. */
export function darkSystem({ real, dark }: Shadow): System | "empty" {
  const s = copySystem(real);
  for (const row of dark) if (!addInequality(s, row.slice())) return "empty";
  return s;
}

/** A variable to eliminate. */
interface Candidate {
  readonly variable: number;
  /** Rows that elimination adds, less those that it removes. */
  readonly cost: number;
  /** All lower or all upper coefficients are 1, so that the shadow is exact. */
  readonly unit: boolean;
}

/** Numbers of bounds of one variable. */
interface Tally {
  lower: number;
  upper: number;
  bigLower: number;
  bigUpper: number;
}

function tally(s: System, v: number): Tally {
  const t: Tally = { lower: 0, upper: 0, bigLower: 0, bigUpper: 0 };
  for (const row of s.inequalities) {
    const a = row[v] as number;
    if (a > 0) {
      t.lower++;
      if (a > 1) t.bigLower++;
    } else if (a < 0) {
      t.upper++;
      if (a < -1) t.bigUpper++;
    }
  }
  return t;
}

/**
 * The variables after the first `keep` that occur in rows, in the order in which to try them: those
 * with an exact shadow first, then by cost.
 */
export function candidatesOf(s: System, keep: number): readonly Candidate[] {
  const found: Candidate[] = [];
  for (let v = keep + 1; v < s.lo.length; v++) {
    const t = tally(s, v);
    const rows = t.lower + t.upper;
    if (rows === 0) continue;
    const lower = t.lower + (s.lo[v] === Number.NEGATIVE_INFINITY ? 0 : 1);
    const upper = t.upper + (s.hi[v] === Number.POSITIVE_INFINITY ? 0 : 1);
    const unit = lower === 0 || upper === 0 || t.bigLower === 0 || t.bigUpper === 0;
    found.push({ variable: v, cost: lower * upper - rows, unit });
  }
  return found.sort((p, q) => Number(q.unit) - Number(p.unit) || p.cost - q.cost);
}
