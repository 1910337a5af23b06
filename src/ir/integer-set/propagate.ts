import { floorDiv } from "../../support/integer.ts";
import { addEquality, addInequality, type Row, restrict, type System } from "./system.ts";

/** After so many rounds over the rows the bounds are taken as they are. */
const rounds = 4;

/** True when `row >= 0` at every point of the box. */
export function impliedByBox(s: System, row: Row): boolean {
  return impliedWithout(s, row, 0, 1, row[0] as number);
}

/** True when `sign * (row without its constant and v) + shift >= 0` at every point of the box. */
export function impliedWithout(
  s: System,
  row: Row,
  v: number,
  sign: number,
  shift: number,
): boolean {
  let least = shift;
  let mass = Math.abs(shift);
  for (let u = 1; u < row.length; u++) {
    const a = sign * (row[u] as number);
    if (a === 0 || u === v) continue;
    const part = a * ((a > 0 ? s.lo[u] : s.hi[u]) as number);
    least += part;
    mass += Math.abs(part);
  }
  return least >= 0 && mass <= Number.MAX_SAFE_INTEGER;
}

type Effect = "empty" | "tightened" | "none";

/** Bounds the one variable without a bound: `a * v + rest >= 0`, where `rest` is the greatest. */
function boundOne(s: System, v: number, a: number, rest: number): Effect {
  const [lo, hi] = [s.lo[v] as number, s.hi[v] as number];
  const possible =
    a > 0
      ? restrict(s, v, -floorDiv(rest, a), Number.POSITIVE_INFINITY)
      : restrict(s, v, Number.NEGATIVE_INFINITY, floorDiv(rest, -a));
  if (!possible) return "empty";
  return s.lo[v] !== lo || s.hi[v] !== hi ? "tightened" : "none";
}

/** Bounds every variable of `sign * row >= 0`, whose greatest value over the box is `greatest`. */
function boundAll(s: System, row: Row, sign: number, greatest: number): Effect {
  let effect: Effect = "none";
  for (let v = 1; v < row.length; v++) {
    const a = sign * (row[v] as number);
    if (a === 0) continue;
    const [lo, hi] = [s.lo[v] as number, s.hi[v] as number];
    if (Math.abs(a) * (hi - lo) <= greatest) continue;
    const room = floorDiv(greatest, Math.abs(a));
    if (a > 0) restrict(s, v, hi - room, hi);
    else restrict(s, v, lo, lo + room);
    effect = "tightened";
  }
  return effect;
}

/** Tightens the box by `sign * row >= 0`. */
function tighten(s: System, row: Row, sign: number): Effect {
  let greatest = 0;
  let mass = 0;
  let unbounded = 0;
  for (let v = 0; v < row.length; v++) {
    const a = sign * (row[v] as number);
    if (a === 0) continue;
    const part = a * ((a > 0 ? s.hi[v] : s.lo[v]) as number);
    if (part !== Number.POSITIVE_INFINITY) {
      greatest += part;
      mass += Math.abs(part);
    } else if (unbounded === 0) unbounded = v;
    else return "none";
  }
  if (mass > Number.MAX_SAFE_INTEGER) return "none";
  if (unbounded > 0) {
    return boundOne(s, unbounded, sign * (row[unbounded] as number), greatest);
  }
  return greatest < 0 ? "empty" : boundAll(s, row, sign, greatest);
}

/** What two steps did together. */
function both(first: Effect, second: Effect): Effect {
  return second === "none" || first === "empty" ? first : second;
}

/** One round over all rows; inequalities that the box implies go. */
function round(s: System): Effect {
  let effect: Effect = "none";
  for (const row of s.equalities) {
    effect = both(effect, both(tighten(s, row, 1), tighten(s, row, -1)));
    if (effect === "empty") return effect;
  }
  let kept = 0;
  for (const row of s.inequalities) {
    effect = both(effect, tighten(s, row, 1));
    if (effect === "empty") return effect;
    if (!impliedByBox(s, row)) s.inequalities[kept++] = row;
  }
  s.inequalities.length = kept;
  return effect;
}

/**
 * Narrows the box by the rows, a few rounds of interval arithmetic rounded to integers, and drops
 * the inequalities that the box then implies. The points stay the same. False when it finds that
 * there are none.
 */
export function propagate(s: System): boolean {
  for (let i = 0; i < rounds; i++) {
    const effect = round(s);
    if (effect === "empty") return false;
    if (effect === "none") return true;
  }
  return true;
}

/** The row with the variables in `fixed` replaced by their values; the same row if it has none. */
function foldRow(s: System, row: Row, fixed: readonly number[]): Row {
  if (!fixed.some((v) => row[v] !== 0)) return row;
  const folded = row.slice();
  let mass = 0;
  for (const v of fixed) {
    const part = (row[v] as number) * (s.lo[v] as number);
    folded[0] = (folded[0] as number) + part;
    mass += Math.abs(part);
    folded[v] = 0;
  }
  return mass + Math.abs(row[0] as number) <= Number.MAX_SAFE_INTEGER ? folded : row;
}

/**
 * Replaces every variable whose box holds one value by that value in all rows. The points stay the
 * same. False when it finds that there are none.
 */
export function foldFixed(s: System): boolean {
  const fixed: number[] = [];
  for (let v = 1; v < s.lo.length; v++) if (s.lo[v] === s.hi[v]) fixed.push(v);
  if (fixed.length === 0) return true;
  const { equalities, inequalities } = s;
  s.equalities = [];
  s.inequalities = [];
  for (const row of equalities) {
    const folded = foldRow(s, row, fixed);
    if (folded === row) s.equalities.push(row);
    else if (!addEquality(s, folded.slice())) return false;
  }
  for (const row of inequalities) {
    const folded = foldRow(s, row, fixed);
    if (folded === row) s.inequalities.push(row);
    else if (!addInequality(s, folded.slice())) return false;
  }
  return true;
}
