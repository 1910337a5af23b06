import { flatMap } from "../../support/flat-map.ts";
import {
  type Affine,
  type Constraint,
  coefficientOf,
  constant,
  nonnegative,
  scale,
  subtract,
  zero,
} from "../affine.ts";

/** `known == bound`, where only `bound` mentions the loops that may be chosen. */
export interface ImageRow {
  readonly known: Affine;
  readonly bound: Affine;
}

/** What the loops can reach. */
export interface Image {
  /** Hold exactly when the loops can be chosen so that every row holds. */
  readonly constraints: readonly Constraint[];
  /** There is never more than one choice of the loops that occur. */
  readonly injective: boolean;
}

/** A multiple of `s` that, taken from `r`, removes all loops of `s`; undefined if there is none. */
function multiple(r: Affine, s: Affine): number | undefined {
  let factor: number | undefined;
  for (const t of s.terms) {
    const k = coefficientOf(r, t.variable) / t.coefficient;
    if (!Number.isInteger(k) || k === 0 || (factor !== undefined && factor !== k)) return undefined;
    factor = k;
  }
  return factor;
}

/** One step of {@link separate}: true when a row was changed. */
function removeOne(rows: ImageRow[]): boolean {
  for (const [i, r] of rows.entries()) {
    for (const [j, s] of rows.entries()) {
      if (i === j || s.bound.terms.length === 0) continue;
      const k = multiple(r.bound, s.bound);
      if (k === undefined || (j > i && s.bound.terms.length >= r.bound.terms.length)) continue;
      rows[i] = {
        known: subtract(r.known, scale(s.known, k)),
        bound: subtract(r.bound, scale(s.bound, k)),
      };
      return true;
    }
  }
  return false;
}

/** Combines rows until no two share a loop; null when that fails. */
function separate(rows: readonly ImageRow[]): readonly ImageRow[] | null {
  const result = [...rows];
  while (removeOne(result));
  const seen = new Set<string>();
  for (const t of flatMap(result, (r) => r.bound.terms)) {
    if (seen.has(t.variable)) return null;
    seen.add(t.variable);
  }
  return result;
}

/** The values of one row, if they have no gaps: digits of a mixed radix number, maybe overlapping. */
function rowImage(row: ImageRow, extents: ReadonlyMap<string, number>): Image | null {
  let [lo, reach] = [0, 0];
  let injective = true;
  const digits = row.bound.terms
    .map((t) => ({ weight: t.coefficient, extent: extents.get(t.variable) ?? 1 }))
    .sort((x, y) => Math.abs(x.weight) - Math.abs(y.weight));
  for (const { weight, extent } of digits) {
    const step = Math.abs(weight);
    if (step > reach + 1) return null;
    if (step <= reach) injective = false;
    reach += step * (extent - 1);
    if (weight < 0) lo += weight * (extent - 1);
  }
  const rest = subtract(row.known, constant(row.bound.constant + lo));
  if (digits.length === 0) return { constraints: [zero(rest)], injective };
  return {
    constraints: [nonnegative(rest), nonnegative(subtract(constant(reach), rest))],
    injective,
  };
}

/**
 * For which values of the other variables the rows `known == bound` can be solved for the loops,
 * each from 0 to before its extent: the instances that a leaf executes. Null when the bindings are
 * not mixed radix numbers, up to integer combinations of rows (tiles and skews are).
 */
export function imageOf(
  rows: readonly ImageRow[],
  extents: ReadonlyMap<string, number>,
): Image | null {
  if ([...extents.values()].some((e) => e <= 0)) {
    return { constraints: [nonnegative(constant(-1))], injective: true };
  }
  const single = rows.map((r) => ({
    known: r.known,
    bound: {
      terms: r.bound.terms.filter((t) => extents.get(t.variable) !== 1),
      constant: r.bound.constant,
    },
  }));
  const separated = separate(single);
  if (separated === null) return null;
  const parts: Image[] = [];
  for (const row of separated) {
    const part = rowImage(row, extents);
    if (part === null) return null;
    parts.push(part);
  }
  return {
    constraints: flatMap(parts, (p) => p.constraints),
    injective: parts.every((p) => p.injective),
  };
}
