import { addEquality, type Row, type System } from "./system.ts";

/** The tightest rows of one coefficient vector, up to sign. */
interface Strip {
  readonly row: Row;
  readonly opposite: Row | undefined;
}

/** 1 when the coefficients are equal, -1 when opposite, 0 otherwise. */
function direction(p: Row, q: Row): number {
  let sign = 0;
  for (let v = 1; v < p.length; v++) {
    const [a, b] = [p[v] as number, q[v] as number];
    if (a === b && a === 0) continue;
    if (sign === 0) sign = a === b ? 1 : -1;
    if (a !== sign * b) return 0;
  }
  return sign;
}

/** The same for a row and its negative; a linear hash, so the sign is taken out at the end. */
function hashOf(row: Row): number {
  let hash = 0;
  let weight = 1;
  for (let v = 1; v < row.length; v++) {
    weight = Math.imul(weight, 0x9e3779b1);
    hash = (hash + Math.imul(row[v] as number, weight)) | 0;
  }
  return Math.abs(hash);
}

function tighter(row: Row, other: Row | undefined): Row {
  return other === undefined || (row[0] as number) < (other[0] as number) ? row : other;
}

function insert(strips: Map<number, Strip>, row: Row): void {
  for (let key = hashOf(row); ; key++) {
    const strip = strips.get(key);
    if (strip === undefined) {
      strips.set(key, { row, opposite: undefined });
      return;
    }
    const sign = direction(strip.row, row);
    if (sign === 0) continue;
    const merged =
      sign > 0
        ? { row: tighter(row, strip.row), opposite: strip.opposite }
        : { row: strip.row, opposite: tighter(row, strip.opposite) };
    strips.set(key, merged);
    return;
  }
}

/**
 * Keeps of the inequalities with the same coefficients only the tightest, and makes an equality of
 * two that enclose a single value. The points stay the same. False when two exclude each other.
 */
export function mergeParallel(s: System): boolean {
  if (s.inequalities.length < 2) return true;
  const strips = new Map<number, Strip>();
  for (const row of s.inequalities) insert(strips, row);
  s.inequalities = [];
  for (const { row, opposite } of strips.values()) {
    if (opposite === undefined) {
      s.inequalities.push(row);
      continue;
    }
    const width = (row[0] as number) + (opposite[0] as number);
    if (width < 0) return false;
    if (width > 0) s.inequalities.push(row, opposite);
    else if (!addEquality(s, row.slice())) return false;
  }
  return true;
}
