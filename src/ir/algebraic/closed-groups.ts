import { flatMap } from "../../support/flat-map.ts";
import type { Program, Statement } from "../program.ts";

/** Statements and tensors that only they go through. */
export interface ClosedGroup {
  /** In the order in which they were given. */
  readonly statements: readonly Statement[];
  readonly tensors: readonly string[];
}

/** The statements of a list that are left without those that share a tensor with one outside of it. */
function closed(
  program: Program,
  statements: readonly Statement[],
  tensorsOf: (s: Statement) => readonly string[],
): readonly Statement[] {
  const own = new Set(statements.map((s) => s.id));
  const isShared = (tensor: string): boolean =>
    program.statements.some((s) => {
      const touches = [s.write, ...s.reads].filter((a) => a.tensor === tensor).length;
      if (touches === 0) return false;
      return !own.has(s.id) || tensorsOf(s).filter((t) => t === tensor).length < touches;
    });
  const left = statements.filter((s) => !tensorsOf(s).some(isShared));
  return left.length === statements.length ? left : closed(program, left, tensorsOf);
}

/**
 * The groups of some statements that tensors connect, without those of which another statement
 * touches a tensor. `tensorsOf` names the tensors that a statement goes through, once for each access;
 * any further access to one of them, by a statement of the group, leaves it out, too.
 */
export function closedGroups(
  program: Program,
  statements: readonly Statement[],
  tensorsOf: (s: Statement) => readonly string[],
): readonly ClosedGroup[] {
  const groups: { statements: Statement[]; tensors: Set<string> }[] = [];
  for (const s of closed(program, statements, tensorsOf)) {
    const tensors = new Set(tensorsOf(s));
    const joined = groups.filter((g) => [...tensors].some((t) => g.tensors.has(t)));
    for (const g of joined) {
      groups.splice(groups.indexOf(g), 1);
      for (const t of g.tensors) tensors.add(t);
    }
    groups.push({ statements: [...flatMap(joined, (g) => g.statements), s], tensors });
  }
  const place = (s: Statement): number => statements.indexOf(s);
  return groups.map((g) => ({
    statements: g.statements.sort((a, b) => place(a) - place(b)),
    tensors: [...g.tensors],
  }));
}
