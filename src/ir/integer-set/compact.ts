import type { Row, System } from "./system.ts";

/** The first `keep` variables and those that occur in rows, with the constant's index 0. */
function usedColumns(s: System, keep: number): number[] {
  const used: number[] = [];
  for (let v = 0; v < s.lo.length; v++) {
    const occurs = (row: Row): boolean => row[v] !== 0;
    if (v <= keep || s.inequalities.some(occurs) || s.equalities.some(occurs)) used.push(v);
  }
  return used;
}

/**
 * Renumbers the variables so that none is left that occurs in no row, except the first `keep`,
 * which keep their numbers. Requires that no box is empty. Does nothing when few would go.
 */
export function compact(s: System, keep: number): void {
  const used = usedColumns(s, keep);
  if (used.length > 0.7 * s.lo.length) return;
  const narrow = (row: Row): number[] => {
    const result: number[] = [];
    for (const v of used) result.push(row[v] as number);
    return result;
  };
  s.lo = narrow(s.lo);
  s.hi = narrow(s.hi);
  s.equalities = s.equalities.map(narrow);
  s.inequalities = s.inequalities.map(narrow);
}
