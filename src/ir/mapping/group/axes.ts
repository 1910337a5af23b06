/**
 * Purpose: finds the axes of a group of statements: parallel dims that mean the same coordinate in
 * every statement, so that one loop around the group can run them all.
 *
 * Two dims belong together when some tensor is accessed at one by one statement and, in the same
 * dimension and at the same offset, at the other by another, or when they number the elements of parts of a tensor that are
 * as long; of statements that no tensor connects, when they have the same range. Ensures: an axis has exactly one dim of each statement. Whether a
 * dependence crosses it is asked of verifySchedule afterwards.
 */

import { defined } from "../../../support/assert.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { boundingBox } from "../../domain.ts";
import { type Access, isScatter, parallelDims, type Statement, touches } from "../../program.ts";

/** A coordinate that all statements of a group share. */
export interface Axis {
  /** The smallest range that holds every statement's dim, half-open. */
  readonly lower: number;
  readonly upper: number;
  /** By statement id, the dim. */
  readonly dims: ReadonlyMap<string, string>;
}

/** How many points an axis has. */
export function extentOf({ lower, upper }: Axis): number {
  return Math.max(0, upper - lower);
}

/** The dims of a statement that its instances can be spread over. */
export function spreadableDims(statement: Statement): readonly string[] {
  const loops = new Set(statement.loops);
  const indivisible = isScatter(statement) && statement.reduction?.monoid.atomic !== null;
  const dims = indivisible ? statement.domain.dims.map((d) => d.name) : parallelDims(statement);
  return dims.filter((d) => !loops.has(d));
}

/** A union-find over strings. */
function partition(): {
  find(name: string): string;
  union(a: string, b: string): void;
} {
  const parent = new Map<string, string>();
  const find = (name: string): string => {
    const up = parent.get(name);
    return up === undefined || up === name ? name : find(up);
  };
  return {
    find,
    union: (a, b) => {
      parent.set(find(a), find(b));
    },
  };
}

/** A coordinate that is a dim plus an offset; undefined otherwise. */
function simpleCoordinate(
  index: Access["index"][number] | undefined,
): { readonly dim: string; readonly offset: number } | undefined {
  if (index?.kind !== "affine") return undefined;
  const [term, more] = index.affine.terms;
  if (term === undefined || more !== undefined || term.coefficient !== 1) return undefined;
  return { dim: term.variable, offset: index.affine.constant };
}

type Map2 = Pick<Access, "tensor" | "index">;

type Coordinate = NonNullable<ReturnType<typeof simpleCoordinate>>;

function alignAccesses(
  a: { readonly id: string; readonly access: Map2 },
  b: { readonly id: string; readonly access: Map2 },
  union: (x: string, y: string) => void,
  isSame: (x: Coordinate, y: Coordinate) => boolean = (x, y) => x.offset === y.offset,
): void {
  if (a.access.tensor !== b.access.tensor) return;
  for (const [d, index] of a.access.index.entries()) {
    const [x, y] = [simpleCoordinate(index), simpleCoordinate(b.access.index[d])];
    if (x !== undefined && y !== undefined && isSame(x, y)) {
      union(`${a.id}/${x.dim}`, `${b.id}/${y.dim}`);
    }
  }
}

/** Whether two dims number the same elements, or those of two parts of a tensor that are as long. */
function arePlaces(a: Statement, b: Statement): (x: Coordinate, y: Coordinate) => boolean {
  return (x, y) => {
    const apart = Math.abs(x.offset - y.offset);
    if (apart === 0) return true;
    const [p, q] = [boundingBox(a.domain).get(x.dim), boundingBox(b.domain).get(y.dim)];
    return p !== undefined && p.lo === q?.lo && p.hi === q.hi && apart > p.hi - p.lo;
  };
}

/** What is known so far of which dims belong together. */
interface Alignment {
  readonly classes: ReturnType<typeof partition>;
  /** Statements that some tensor connects. */
  readonly parts: ReturnType<typeof partition>;
}

/** Dims that belong together because one statement reads or overwrites what another writes, or writes a part like it. */
function alignByWrites(statements: readonly Statement[]): Alignment {
  const [classes, parts] = [partition(), partition()];
  for (const a of statements) {
    for (const b of statements) {
      if (a.id === b.id) continue;
      const written = { id: a.id, access: a.write };
      alignAccesses(written, { id: b.id, access: b.write }, classes.union, arePlaces(a, b));
      for (const access of b.reads) {
        alignAccesses(written, { id: b.id, access }, classes.union);
      }
      if (touches(b, a.write.tensor)) parts.union(a.id, b.id);
    }
  }
  return { classes, parts };
}

/** The ranges of the dims that a statement can be spread over, by dim. */
function rangesOf(statement: Statement): ReadonlyMap<string, string> {
  const box = boundingBox(statement.domain);
  return new Map(
    spreadableDims(statement).map((d) => {
      const { lo, hi } = defined(box.get(d), "range of", d);
      return [d, `${lo}..${hi}`];
    }),
  );
}

/**
 * Joins the dims of two statements that no tensor connects: those at which they read one tensor,
 * else those with the same ranges, in the order of both.
 */
function alignIndependent(a: Statement, b: Statement, { classes, parts }: Alignment): void {
  parts.union(a.id, b.id);
  const [left, right] = [rangesOf(a), rangesOf(b)];
  const pairs: [string, string][] = [];
  const pair = (x: string, y: string): void => {
    const [dimA, dimB] = [x.slice(a.id.length + 1), y.slice(b.id.length + 1)];
    const free = pairs.every(([p, q]) => p !== dimA && q !== dimB);
    const same = left.has(dimA) && left.get(dimA) === right.get(dimB);
    if (free && same) pairs.push([dimA, dimB]);
  };
  for (const x of a.reads) {
    for (const y of b.reads) {
      alignAccesses({ id: a.id, access: x }, { id: b.id, access: y }, pair);
    }
  }
  if (pairs.length === 0) {
    const open = [...right.keys()];
    for (const dim of left.keys()) {
      const at = open.findIndex((d) => right.get(d) === left.get(dim));
      const found = open[at];
      if (found === undefined) continue;
      pairs.push([dim, found]);
      // What comes before the pair stays unpaired: pairs do not cross.
      open.splice(0, at + 1);
    }
  }
  for (const [x, y] of pairs) classes.union(`${a.id}/${x}`, `${b.id}/${y}`);
}

/** The axes of a group, in the order of the dims of its first statement. */
export function axesOf(statements: readonly Statement[]): readonly Axis[] {
  const [first] = statements;
  if (first === undefined) return [];
  const alignment = alignByWrites(statements);
  for (const [at, s] of statements.entries()) {
    // Parts that nothing connects are joined by one statement of each.
    const apart = statements
      .slice(0, at)
      .find((t) => alignment.parts.find(t.id) !== alignment.parts.find(s.id));
    if (apart !== undefined) alignIndependent(apart, s, alignment);
  }
  const { classes } = alignment;
  return flatMap(spreadableDims(first), (dim) => {
    const root = classes.find(`${first.id}/${dim}`);
    const dims = new Map<string, string>();
    for (const s of statements) {
      const mine = spreadableDims(s).filter((d) => classes.find(`${s.id}/${d}`) === root);
      const [only, more] = mine;
      if (only === undefined || more !== undefined) return [];
      dims.set(s.id, only);
    }
    return [axisOver(statements, dims)];
  });
}

function axisOver(statements: readonly Statement[], dims: ReadonlyMap<string, string>): Axis {
  let [lower, upper] = [Infinity, -Infinity];
  for (const s of statements) {
    const dim = defined(dims.get(s.id), "axis dim of", s.id);
    const { lo, hi } = defined(boundingBox(s.domain).get(dim), "range of", dim);
    lower = Math.min(lower, lo);
    upper = Math.max(upper, hi + 1);
  }
  return { lower, upper: Math.max(upper, lower), dims };
}
