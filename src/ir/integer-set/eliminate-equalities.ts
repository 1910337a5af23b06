import { floorDiv } from "../../support/integer.ts";
import { impliedWithout } from "./propagate.ts";
import { addEquality, addInequality, combine, type Row, type System, type Work } from "./system.ts";

function support(row: Row): number {
  let n = 0;
  for (let v = 1; v < row.length; v++) if (row[v] !== 0) n++;
  return n;
}

function hasUnit(row: Row): boolean {
  for (let v = 1; v < row.length; v++) if (row[v] === 1 || row[v] === -1) return true;
  return false;
}

/** Position of the equality to use next: one with a unit coefficient, then the shortest. */
function chooseEquality(equalities: readonly Row[]): number {
  let best = 0;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let i = 0; i < equalities.length; i++) {
    const row = equalities[i] as Row;
    const cost = support(row) + (hasUnit(row) ? 0 : row.length);
    if (cost >= bestCost) continue;
    best = i;
    bestCost = cost;
    if (cost === 2) break;
  }
  return best;
}

/** In how many rows `v` occurs. */
function occurrences(s: System, v: number): number {
  let n = 0;
  for (const row of s.equalities) if (row[v] !== 0) n++;
  for (const row of s.inequalities) if (row[v] !== 0) n++;
  return n;
}

/** The variable with the least coefficient, among equals the one in the fewest rows. */
function chooseVariable(s: System, row: Row): number {
  let best = 0;
  let bestSize = Number.POSITIVE_INFINITY;
  let bestCount = 0;
  for (let v = 1; v < row.length; v++) {
    const size = Math.abs(row[v] as number);
    if (size === 0 || size > bestSize) continue;
    const count = occurrences(s, v);
    if (size === bestSize && count >= bestCount) continue;
    best = v;
    bestSize = size;
    bestCount = count;
  }
  return best;
}

/** The residue of `a` modulo `m` in [-m/2, m/2) (Pugh's "mod hat"). */
function centredResidue(a: number, m: number): number {
  return a - m * floorDiv(2 * a + m, 2 * m);
}

/**
 * An equality with coefficient -1 or 1 at `v` that follows from `row == 0`, for a fresh variable.
 * With `m = |a_v| + 1`: the sum of `residue(a_i) * x_i` is a multiple of `m`, say `m * fresh`
 * (Pugh, The Omega Test, 1991, section 2.1). Since `v` itself goes, the fresh variable takes its
 * place: what is given is the row without the fresh variable, and its factor `m`.
 */
function residues(row: Row, v: number): { readonly row: Row; readonly factor: number } {
  const m = Math.abs(row[v] as number) + 1;
  return { row: row.map((a) => centredResidue(a, m) + 0), factor: m };
}

/**
 * `target` with `v` replaced by the solution of `by == factor * fresh` for `v`, `by` having a unit
 * coefficient there, and the fresh variable in its place.
 */
function replace(
  work: Work,
  target: Row,
  v: number,
  by: Row,
  factor: number,
): number[] | undefined {
  const a = target[v] as number;
  const unit = by[v] as number;
  const result = combine(work, target, 1, by, -a * unit);
  if (result === undefined) return undefined;
  const fresh = a * unit * factor;
  if (factor !== 0) result[v] = fresh + 0;
  if (Number.isSafeInteger(fresh)) return result;
  work.left = Number.NEGATIVE_INFINITY;
  return undefined;
}

/**
 * The bounds of `v` as rows; if `by == 0` determines `v`, without those that hold for every
 * solution in the box.
 */
function boundRows(s: System, v: number, by: Row, determined: boolean): Row[] {
  const rows: Row[] = [];
  const [lo, hi] = [s.lo[v] as number, s.hi[v] as number];
  const unit = by[v] as number;
  const c = unit * (by[0] as number);
  const bound = (a: number, shift: number): void => {
    const row = new Array<number>(s.lo.length).fill(0);
    row[0] = shift;
    row[v] = a;
    rows.push(row);
  };
  // The solution is v = -c - unit * (the other variables of by).
  const above = determined && impliedWithout(s, by, v, -unit, -c - lo);
  const below = determined && impliedWithout(s, by, v, unit, c + hi);
  if (!above && lo !== Number.NEGATIVE_INFINITY) bound(1, -lo);
  if (!below && hi !== Number.POSITIVE_INFINITY) bound(-1, hi);
  return rows;
}

/** Replaces `v` in the whole system, see {@link replace}; its box becomes rows. */
function replaceEverywhere(s: System, work: Work, v: number, by: Row, factor: number): boolean {
  const { equalities, inequalities } = s;
  const bounds = boundRows(s, v, by, factor === 0);
  s.lo[v] = Number.NEGATIVE_INFINITY;
  s.hi[v] = Number.POSITIVE_INFINITY;
  const replaceIn = (rows: readonly Row[], to: Row[], add: typeof addEquality): boolean => {
    for (const row of rows) {
      if (row[v] === 0) {
        to.push(row);
        continue;
      }
      const replaced = replace(work, row, v, by, factor);
      if (replaced !== undefined && !add(s, replaced)) return false;
    }
    return true;
  };
  s.equalities = [];
  s.inequalities = [];
  return (
    replaceIn(equalities, s.equalities, addEquality) &&
    replaceIn(inequalities, s.inequalities, addInequality) &&
    replaceIn(bounds, s.inequalities, addInequality)
  );
}

/**
 * Removes all equalities. One with a unit coefficient is solved for that variable, which leaves the
 * system; another is first made smaller by a change of variable, see {@link residues}. Both are
 * exact: the integer points before and after correspond one to one. The values of the remaining
 * variables change meaning only for variables that occur in an equality. False when there is no
 * integer point.
 */
export function eliminateEqualities(s: System, work: Work): boolean {
  while (s.equalities.length > 0 && work.left >= 0) {
    const at = chooseEquality(s.equalities);
    const row = s.equalities[at] as Row;
    const v = chooseVariable(s, row);
    work.left -= 1;
    let possible: boolean;
    if (Math.abs(row[v] as number) === 1) {
      s.equalities.splice(at, 1);
      possible = replaceEverywhere(s, work, v, row, 0);
    } else {
      const by = residues(row, v);
      possible = replaceEverywhere(s, work, v, by.row, by.factor);
    }
    if (!possible) return false;
  }
  return true;
}
