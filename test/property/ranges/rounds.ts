/**
 * The ranges of language.md by enumeration: an index gets the values for which no access that
 * mentions it alone leaves its tensor, whatever the known indices are. Knows nothing of the compiler.
 */
import {
  type Access,
  type Argument,
  argumentValue,
  type Clause,
  type Linear,
  linearValue,
  type Model,
  type Point,
} from "./statement.ts";

/** Values that are tried for an index: from -limit to limit. */
const limit = 60;

/** What the rules say of a statement. */
export type Ruling =
  /** Some indices have no range. */
  | { readonly kind: "open" }
  /** An index has no value, or clauses leave none: nothing is said about such statements. */
  | { readonly kind: "empty" }
  /** Two bare accesses disagree. */
  | { readonly kind: "disagreement" }
  | {
      readonly kind: "ranged";
      /** All values of i, j, k and t for which the statement runs. */
      readonly points: readonly Point[];
    };

interface Interval {
  readonly lo: number;
  readonly hi: number;
}

/** An argument that has to be inside of `0..size`. */
interface Demand {
  readonly argument: Argument;
  readonly size: number;
}

type Known = (Interval | undefined)[];

export function rule(model: Model): Ruling {
  const known: Known = [
    undefined,
    undefined,
    undefined,
    model.loop === null ? undefined : { lo: model.loop[0], hi: model.loop[1] - 1 },
  ];
  const demands = {
    reads: model.accesses.flatMap(readDemands),
    left: leftDemands(model),
    padded: model.accesses.flatMap(paddedDemands),
  };
  const open = (): boolean => known.slice(0, model.count).some((k) => k === undefined);
  while (open()) {
    const found =
      rangeByClauses(model, known) ||
      rangeByDemands(model, demands.reads, known) ||
      rangeByDemands(model, demands.left, known) ||
      rangeByDemands(model, demands.padded, known);
    if (found === "disagreement") return { kind: "disagreement" };
    if (!found) return { kind: "open" };
    if (known.some((k) => k !== undefined && k.lo > k.hi)) return { kind: "empty" };
  }
  const points = [...eachPoint(model, known)];
  return points.length === 0 ? { kind: "empty" } : { kind: "ranged", points };
}

function mentions(l: Linear, index: number): boolean {
  return l.coefficients[index] !== 0;
}

/** The indices of the statement that an argument mentions. */
function mentioned({ linear, divided }: Argument): readonly number[] {
  return [0, 1, 2].filter(
    (n) => mentions(linear, n) || (divided !== null && mentions(divided.of, n)),
  );
}

function readDemands({ arguments: all, shape, guard, padded }: Access): readonly Demand[] {
  if (padded) return [];
  const shielding = [0, 1, 2].filter((n) => guard.some((g) => mentions(g, n)));
  return all.flatMap((argument, d) =>
    mentioned(argument).some((n) => shielding.includes(n))
      ? []
      : [{ argument, size: shape[d] ?? 0 }],
  );
}

function paddedDemands(access: Access): readonly Demand[] {
  if (!access.padded) return [];
  return readDemands({ ...access, padded: false }).filter(
    (d) => bareIndex(d.argument) !== undefined,
  );
}

function leftDemands({ target }: Model): readonly Demand[] {
  return (target ?? []).map((size, d) => {
    const coefficients = [0, 1, 2, 3].map((n) => (n === d ? 1 : 0));
    return { argument: { linear: { coefficients, constant: 0 }, divided: null }, size };
  });
}

/** The index that an argument is, if it is one alone. */
function bareIndex({ linear, divided }: Argument): number | undefined {
  const used = linear.coefficients.flatMap((c, n) => (c === 0 ? [] : [n]));
  const [index] = used;
  const bare = divided === null && used.length === 1 && index !== undefined && index < 3;
  return bare && linear.constant === 0 && linear.coefficients[index] === 1 ? index : undefined;
}

/** All values of some indices, each in its interval. */
function* box(indices: readonly number[], known: Known): Generator<Point> {
  const [first, ...rest] = indices;
  if (first === undefined) {
    yield [0, 0, 0, 0];
    return;
  }
  const { lo, hi } = known[first] ?? { lo: 0, hi: -1 };
  for (const point of box(rest, known)) {
    for (let v = lo; v <= hi; v++) yield point.map((old, n) => (n === first ? v : old));
  }
}

/** Ranges the first index whose clauses use known ones only. */
function rangeByClauses({ clauses }: Model, known: Known): boolean {
  for (const { index } of clauses) {
    if (known[index] !== undefined) continue;
    const own = clauses.filter((c) => c.index === index);
    const used = [0, 1, 2, 3].filter((n) =>
      own.some((c) => mentions(c.lower, n) || mentions(c.upper, n)),
    );
    if (used.some((n) => known[n] === undefined)) continue;
    known[index] = clauseHull(own, used, known);
    return true;
  }
  return false;
}

/** The least interval around all values that the clauses let an index have. */
function clauseHull(clauses: readonly Clause[], used: readonly number[], known: Known): Interval {
  let hull = { lo: Infinity, hi: -Infinity };
  for (const point of box(used, known)) {
    const lo = Math.max(...clauses.map((c) => linearValue(c.lower, point)));
    const hi = Math.min(...clauses.map((c) => linearValue(c.upper, point))) - 1;
    if (lo <= hi) hull = { lo: Math.min(hull.lo, lo), hi: Math.max(hull.hi, hi) };
  }
  return hull;
}

/** One round over demands: all indices that one of them mentions alone. */
function rangeByDemands(
  { clauses }: Model,
  demands: readonly Demand[],
  known: Known,
): boolean | "disagreement" {
  const found = new Map<number, Interval>();
  for (const index of [0, 1, 2]) {
    if (known[index] !== undefined || clauses.some((c) => c.index === index)) continue;
    const alone = demands.filter(({ argument }) => {
      const open = mentioned(argument).filter((n) => known[n] === undefined);
      // What a remainder mentions it does not range.
      const { divided } = argument;
      const remainder = divided?.sign === "%" && mentions(divided.of, index);
      return open.length === 1 && open[0] === index && !remainder;
    });
    if (alone.length === 0) continue;
    const sizes = new Set(alone.filter((d) => bareIndex(d.argument) === index).map((d) => d.size));
    if (sizes.size > 1) return "disagreement";
    found.set(index, largest(index, alone, known));
  }
  for (const [index, interval] of found) known[index] = interval;
  return found.size > 0;
}

/** The values of an index for which every demand holds whatever the known indices are. */
function largest(index: number, demands: readonly Demand[], known: Known): Interval {
  const values: number[] = [];
  for (let v = -limit; v <= limit; v++) {
    const fits = demands.every(({ argument, size }) => {
      const used = [0, 1, 2, 3].filter((n) => n !== index && known[n] !== undefined);
      const others = used.filter((n) => n === 3 || mentioned(argument).includes(n));
      for (const point of box(others, known)) {
        const value = argumentValue(
          argument,
          point.map((old, n) => (n === index ? v : old)),
        );
        if (value < 0 || value >= size) return false;
      }
      return true;
    });
    if (fits) values.push(v);
  }
  const [lo = 0, hi = -1] = [values[0], values.at(-1)];
  if (hi - lo + 1 !== values.length && values.length > 0) throw new Error("not an interval");
  return { lo, hi };
}

/** The points for which a statement runs, by the intervals and the clauses. */
function* eachPoint(model: Model, known: Known): Generator<Point> {
  const indices = [0, 1, 2, 3].filter((n) => known[n] !== undefined);
  for (const point of box(indices, known)) {
    const inside = model.clauses.every(({ index, lower, upper }) => {
      const value = point[index] ?? 0;
      return linearValue(lower, point) <= value && value < linearValue(upper, point);
    });
    if (inside) yield point;
  }
}
