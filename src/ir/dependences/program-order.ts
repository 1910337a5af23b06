/**
 * The order in which a program executes its statements: loops and positions of each statement.
 *
 * The time of an instance is `position, loop index, position, loop index, ..., position`, compared
 * lexicographically; at equal times a statement first reads and then writes.
 */
import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import {
  type Affine,
  addConstant,
  type Constraint,
  isConstant,
  lessOrEqual,
  lessThan,
  nonnegative,
  subtract,
  variable,
} from "../affine.ts";
import { implies } from "../integer-set/implies.ts";
import type { Program, ProgramNode } from "../program.ts";

/** A loop of the program. */
export interface ProgramLoop {
  readonly name: string;
  readonly lower: Affine;
  readonly upper: Affine;
}

/** Where a statement stands. */
export interface StatementOrder {
  /** Outermost first. */
  readonly loops: readonly ProgramLoop[];
  /** The child number in the program, in the first loop's body, and so on: one more than loops. */
  readonly positions: readonly number[];
  /** The loops from this number on run at least once, whatever the outer ones. */
  readonly nonempty: number;
}

function inside(loops: readonly ProgramLoop[]): readonly Constraint[] {
  return flatMap(loops, (l) => [
    lessOrEqual(l.lower, variable(l.name)),
    lessThan(variable(l.name), l.upper),
  ]);
}

/** True when the loop is proved to run at least once for all values of the outer loops. */
function runs(loop: ProgramLoop, outer: readonly ProgramLoop[]): boolean {
  const last = addConstant(subtract(loop.upper, loop.lower), -1);
  return isConstant(last) ? last.constant >= 0 : implies(inside(outer), nonnegative(last));
}

/** The place in the program of every statement, by id. */
export function programOrder({ tree }: Program): ReadonlyMap<string, StatementOrder> {
  return orderIn(tree);
}

const orderIn: (tree: Program["tree"]) => ReadonlyMap<string, StatementOrder> = remember((tree) => {
  const order = new Map<string, StatementOrder>();
  const visit = (
    nodes: readonly ProgramNode[],
    loops: readonly ProgramLoop[],
    positions: readonly number[],
    nonempty: number,
  ): void => {
    for (const [i, node] of nodes.entries()) {
      const here = [...positions, i];
      if (node.kind === "statement") {
        order.set(node.statement, { loops, positions: here, nonempty });
        continue;
      }
      const { name, lower, upper } = node;
      const loop = { name, lower, upper };
      const from = runs(loop, loops) ? nonempty : loops.length + 1;
      visit(node.body, [...loops, loop], here, from);
    }
  };
  visit(tree, [], [], 0);
  return order;
});

/** How many loops, from the outermost, are around both. */
export function commonLoops(a: StatementOrder, b: StatementOrder): number {
  let n = 0;
  while (n < a.loops.length && a.loops[n]?.name === b.loops[n]?.name) n++;
  return n;
}

/**
 * Negative when `a` comes first, at equal values of their common loops, positive when `b` does, and
 * 0 for a statement and itself.
 */
export function comparePositions(a: StatementOrder, b: StatementOrder): number {
  const depth = commonLoops(a, b);
  return (a.positions[depth] ?? 0) - (b.positions[depth] ?? 0);
}
