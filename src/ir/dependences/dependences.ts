/**
 * Dependences: which pairs of accesses an execution must keep in the program's order.
 *
 * ```
 * dependence := kind, from access, to access, tensor, constraints, level, distance, exact
 * kind       := flow (write, then read) | anti (read, then write) | output (write, then write)
 * ```
 */

import { flatMap } from "../../support/flat-map.ts";
import { listOf } from "../../support/list-of.ts";
import { remember } from "../../support/remember.ts";
import { type Constraint, equal, type Interval, lessThan, subtract, variable } from "../affine.ts";
import { bounds } from "../integer-set/bounds.ts";
import { isEmpty } from "../integer-set/is-empty.ts";
import { isScatter, type Program, type Statement } from "../program.ts";
import {
  type AccessRef,
  type AccessRelation,
  apart,
  prefixRelation,
  readRelations,
  sameCell,
  writeRelation,
} from "./access-relation.ts";
import { type Endpoint, type Killer, survivors } from "./kills.ts";
import {
  commonLoops,
  comparePositions,
  programOrder,
  type StatementOrder,
} from "./program-order.ts";
import { writesWhole } from "./total-write.ts";

export type DependenceKind = "flow" | "anti" | "output";

export interface Dependence {
  readonly kind: DependenceKind;
  readonly from: AccessRef;
  /** A flow to a write is to a scatter, which reads what it combines into. */
  readonly to: AccessRef;
  readonly tensor: string;
  /** Over the dims and quotients of the source behind "a." and of the sink behind "b.". */
  readonly constraints: readonly Constraint[];
  /** The program loop that carries it, outermost 0: the first whose index differs. */
  readonly level: number | "independent";
  /** For each common program loop, outermost first: the sink's index minus the source's. */
  readonly distance: readonly Interval[];
  /** Between instances of one scatter: any order will do, as long as each is indivisible. */
  readonly commutes: boolean;
  /** False when no such pair may exist, or no pair at an end of a distance. */
  readonly exact: boolean;
}

/** What to compute; by default everything, refined by kills. */
export interface DependenceOptions {
  /** Only those on this tensor. */
  readonly tensor?: string;
  /** False to keep the pairs between which the whole tensor is overwritten. */
  readonly kills?: boolean;
}

/** An access in both roles. */
interface Party {
  readonly relation: AccessRelation;
  readonly source: AccessRelation;
  readonly sink: AccessRelation;
  readonly end: Endpoint;
  readonly scatter: boolean;
}

interface TensorAccesses {
  readonly parties: Party[];
  readonly killers: Killer[];
}

function party(relation: AccessRelation, order: StatementOrder, scatter: boolean): Party {
  const { statement, access } = relation;
  return {
    relation,
    source: prefixRelation(relation, "a."),
    sink: prefixRelation(relation, "b."),
    end: { statement, order, reads: access !== "write" },
    scatter: scatter && access === "write",
  };
}

/** The written tensors, each with its accesses and the statements that overwrite it. */
function accessesByTensor(
  program: Program,
  options: DependenceOptions,
): ReadonlyMap<string, TensorAccesses> {
  const order = programOrder(program);
  const written = new Set(program.statements.map((s) => s.write.tensor));
  const found = new Map<string, TensorAccesses>();
  const wanted = (tensor: string): boolean =>
    written.has(tensor) && (options.tensor === undefined || options.tensor === tensor);
  const entry = (tensor: string): TensorAccesses => {
    const known = found.get(tensor) ?? { parties: [], killers: [] };
    found.set(tensor, known);
    return known;
  };
  const visit = (s: Statement, at: StatementOrder): void => {
    const scatter = isScatter(s);
    if (s.reads.some((r) => wanted(r.tensor))) {
      for (const r of readRelations(program, s)) {
        if (wanted(r.tensor)) entry(r.tensor).parties.push(party(r, at, scatter));
      }
    }
    if (!wanted(s.write.tensor)) return;
    const { parties, killers } = entry(s.write.tensor);
    parties.push(party(writeRelation(program, s), at, scatter));
    if (options.kills !== false && writesWhole(program, s, at)) {
      killers.push({ statement: s.id, order: at });
    }
  };
  for (const s of program.statements) {
    const at = order.get(s.id);
    if (at !== undefined) visit(s, at);
  }
  return found;
}

/** The kinds of dependence from one access to a later one; none between two reads. */
function kindsOf(a: Party, b: Party): readonly DependenceKind[] {
  if (a.end.reads) return b.end.reads ? [] : ["anti"];
  if (b.end.reads) return ["flow"];
  return b.scatter && a.end.statement !== b.end.statement ? ["flow", "output"] : ["output"];
}

/** Whether sinks can follow sources within one iteration of all their common loops. */
function ordered(a: Party, b: Party): boolean {
  if (a.end.statement === b.end.statement) return !b.end.reads && (a.end.reads || a.scatter);
  return comparePositions(a.end.order, b.end.order) < 0;
}

/** Whether pairs within one statement can be of two different instances. */
function differ(b: Party, constraints: readonly Constraint[]): "no" | "yes" | "unknown" {
  const together = [...constraints];
  let answer: "no" | "unknown" = "no";
  for (const name of b.relation.dims.slice(b.end.order.loops.length)) {
    const [left, right] = [variable(`a.${name}`), variable(`b.${name}`)];
    for (const apart of [lessThan(left, right), lessThan(right, left)]) {
      const found = isEmpty([...together, apart]);
      if (found === "nonempty") return "yes";
      if (found === "unknown") answer = "unknown";
    }
    together.push(equal(left, right));
  }
  return answer;
}

interface Distances {
  readonly distance: readonly Interval[];
  readonly exact: boolean;
}

/** The distances over the pairs, or null when there is no pair. */
function distancesOf(
  loops: readonly string[],
  level: number | "independent",
  constraints: readonly Constraint[],
): Distances | null {
  let exact = true;
  const known = level === "independent" ? loops.length : level;
  const distance: Interval[] = loops.slice(0, known).map(() => ({ lo: 0, hi: 0 }));
  for (const name of loops.slice(known)) {
    const difference = subtract(variable(`b.${name}`), variable(`a.${name}`));
    const range = bounds(constraints, difference);
    if (range === "empty") return null;
    exact &&= range.exact;
    distance.push({ lo: range.lo, hi: range.hi });
  }
  if (known < loops.length) return { distance, exact };
  const found = isEmpty(constraints);
  return found === "empty" ? null : { distance, exact: found === "nonempty" };
}

/** The dependence from `a` to `b` at a level; null when there is none. */
function dependence(
  a: Party,
  b: Party,
  killers: readonly Killer[],
  level: number | "independent",
): Omit<Dependence, "kind"> | null {
  const left = survivors(killers, a.end, b.end, level);
  if (left.kind === "none") return null;
  const common = commonLoops(a.end.order, b.end.order);
  const loops = a.end.order.loops.slice(0, common).map((l) => l.name);
  const constraints = [...a.source.constraints, ...b.sink.constraints];
  constraints.push(...sameCell(a.source, b.sink), ...left.constraints);
  for (const name of level === "independent" ? loops : loops.slice(0, level)) {
    constraints.push(equal(variable(`a.${name}`), variable(`b.${name}`)));
  }
  const carrier = level === "independent" ? undefined : loops[level];
  if (carrier !== undefined) {
    constraints.push(lessThan(variable(`a.${carrier}`), variable(`b.${carrier}`)));
  }
  const found = distancesOf(loops, level, constraints);
  if (found === null) return null;
  const self = a.end.statement === b.end.statement;
  const distinct = self && level === "independent" ? differ(b, constraints) : "yes";
  if (distinct === "no") return null;
  const exact = [a.relation.exact, b.relation.exact, left.exact, found.exact, distinct === "yes"];
  return {
    from: refOf(a),
    to: refOf(b),
    tensor: a.relation.tensor,
    constraints,
    level,
    distance: found.distance,
    commutes: self && a.scatter && b.scatter,
    exact: exact.every(Boolean),
  };
}

function refOf({ relation }: Party): AccessRef {
  return { statement: relation.statement, access: relation.access, use: relation.use };
}

/** The dependences from `a` to `b`, outermost level first. */
function between(a: Party, b: Party, killers: readonly Killer[]): readonly Dependence[] {
  const kinds = kindsOf(a, b);
  if (kinds.length === 0 || apart(a.relation, b.relation)) return [];
  const levels: (number | "independent")[] = [
    ...listOf(commonLoops(a.end.order, b.end.order), (n) => n),
  ];
  if (ordered(a, b)) levels.push("independent");
  return flatMap(levels, (level) => {
    const found = dependence(a, b, killers, level);
    return found === null ? [] : kinds.map((kind): Dependence => ({ kind, ...found }));
  });
}

/**
 * All pairs (a, b) of accesses to one cell of a tensor, at least one of them a write, with a before
 * b in program order and no statement that overwrites the whole tensor ({@link writesWhole})
 * strictly between them; those pairs follow from the ones that are left. Statement instances are
 * ordered as in program-order.ts. In detail:
 *
 * - Pairs are grouped by access, use and level; `constraints` is the exact set of a group, or a
 *   larger one when an index is computed at run time (which may be any cell).
 * - Within one execution of a statement (`level` "independent", `from` and `to` the same statement)
 *   there are only reads before the writes of other instances; `constraints` holds the pair of a
 *   read and the write of its own instance too, but a group of only such pairs is left out. Two
 *   instances that assign to one cell have no order.
 * - A scatter's write also reads: what comes to it from other statements is flow and output, what
 *   leaves it is flow or output. Its own instances depend on each other as `commutes`, at level
 *   "independent" in both directions.
 *
 * When `exact`, a group has a pair and its distances are the tight bounds; otherwise it may have
 * none and the bounds may be wide. Groups that are proved empty are left out.
 */
export function dependences(program: Program, options?: DependenceOptions): readonly Dependence[] {
  return options === undefined ? allDependences(program) : find(program, options);
}

const allDependences: (program: Program) => readonly Dependence[] = remember((program) =>
  find(program, {}),
);

function find(program: Program, options: DependenceOptions): readonly Dependence[] {
  const found: Dependence[] = [];
  for (const { parties, killers } of accessesByTensor(program, options).values()) {
    for (const a of parties) {
      for (const b of parties) found.push(...between(a, b, killers));
    }
  }
  return found;
}
