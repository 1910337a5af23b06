/** Whether instances of two statements can touch one element of a tensor. */

import { remember } from "../../support/remember.ts";
import { type Constraint, equal, lessThan, variable } from "../affine.ts";
import {
  type AccessRelation,
  apart,
  prefixRelation,
  readRelations,
  sameCell,
  writeRelation,
} from "../dependences/access-relation.ts";
import { feasible } from "../integer-set/is-empty.ts";
import { type Access, isScatter, type Program, parallelDims, type Statement } from "../program.ts";

/** The constraints under which two accesses meet in one iteration of the loops that both share. */
function meeting(
  a: AccessRelation,
  b: AccessRelation,
  loops: readonly string[],
): readonly Constraint[] {
  const [left, right] = [prefixRelation(a, "a."), prefixRelation(b, "b.")];
  return [
    ...left.constraints,
    ...right.constraints,
    ...sameCell(left, right),
    ...loops.map((name) => equal(variable(`a.${name}`), variable(`b.${name}`))),
  ];
}

/** The program loops that enclose both statements. */
function sharedLoops(a: Statement, b: Statement): readonly string[] {
  const end = a.loops.findIndex((name, n) => b.loops[n] !== name);
  return end < 0 ? a.loops : a.loops.slice(0, end);
}

/** What is known of a relation and others; relations belong to statements, which say what loops both share. */
const known: (a: AccessRelation) => WeakMap<AccessRelation, boolean> = remember(
  () => new WeakMap<AccessRelation, boolean>(),
);

function mayMeet(a: AccessRelation, b: AccessRelation, loops: readonly string[]): boolean {
  if (a.tensor !== b.tensor || apart(a, b)) return false;
  const before = known(a).get(b);
  if (before !== undefined) return before;
  const meets = feasible(meeting(a, b, loops));
  known(a).set(b, meets);
  return meets;
}

/** The reads of a tensor. */
export function readsOf(statement: Statement, tensor: string): readonly Access[] {
  return statement.reads.filter((a) => a.tensor === tensor);
}

/**
 * False only when nothing that `a` writes is read by `b` in the same iteration of the loops around
 * both. What a scatter reads of the element that it combines into does not count.
 */
export function mayFlow(program: Program, a: Statement, b: Statement): boolean {
  if (readsOf(b, a.write.tensor).length === 0) return false;
  const [write, loops] = [writeRelation(program, a), sharedLoops(a, b)];
  return readRelations(program, b).some((r) => mayMeet(write, r, loops));
}

/** False only when no element is written by both in the same iteration of the loops around both. */
export function mayWriteSame(program: Program, a: Statement, b: Statement): boolean {
  if (a.write.tensor !== b.write.tensor) return false;
  return mayMeet(writeRelation(program, a), writeRelation(program, b), sharedLoops(a, b));
}

/** False only when exchanging two neighbouring statements changes nothing. */
export function mayConflict(program: Program, a: Statement, b: Statement): boolean {
  return mayFlow(program, a, b) || mayFlow(program, b, a) || mayWriteSame(program, a, b);
}

/** False only when the two never meet for different values of the dims that are no loops. */
function mayMeetApart(statement: Statement, a: AccessRelation, b: AccessRelation): boolean {
  if (apart(a, b)) return false;
  const together = meeting(a, b, statement.loops);
  const all = isScatter(statement) ? statement.domain.dims.map((d) => d.name) : null;
  return (all ?? parallelDims(statement)).some((dim) => {
    if (statement.loops.includes(dim)) return false;
    const [u, v] = [variable(`a.${dim}`), variable(`b.${dim}`)];
    return [lessThan(u, v), lessThan(v, u)].some((order) => feasible([...together, order]));
  });
}

/** False only when no two points of one iteration write one element. */
export function mayWriteTwice(program: Program, statement: Statement): boolean {
  const write = writeRelation(program, statement);
  return mayMeetApart(statement, write, write);
}

/**
 * False only when each element that the statement writes is read, within one iteration of the
 * loops, by nothing but the point that writes it.
 */
export function mayReadOthers(program: Program, statement: Statement): boolean {
  const { tensor } = statement.write;
  if (readsOf(statement, tensor).length === 0) return false;
  const write = writeRelation(program, statement);
  return readRelations(program, statement)
    .filter((r) => r.tensor === tensor)
    .some((r) => mayMeetApart(statement, r, write));
}
