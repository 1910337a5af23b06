/** Purpose: runs pairs of loops of a nest as one. Ensures: pairs that the nest lacks change nothing. */
import { flatMap } from "../../../support/flat-map.ts";
import { type Program, type Statement, statementOf } from "../../program.ts";
import { eachLeaf, type ScheduleNode } from "../../schedule.ts";
import { fuseLoops, type LoopPair } from "../../scheduling/fuse-loops.ts";

/** The statements under a loop. */
export function statementsUnder(
  program: Program,
  node: ScheduleNode,
  loop: string,
): readonly Statement[] {
  const under = eachLeaf(node).filter((c) => c.loops.some((l) => l.id === loop));
  return [...new Set(under.map((c) => c.leaf.statement))].map((id) => statementOf(program, id));
}

/** The statements that joining two loops may put in another order: those of both, and all between them. */
export function statementsToMove(
  node: ScheduleNode,
  { first, second }: LoopPair,
): ReadonlySet<string> {
  const leaves = eachLeaf(node);
  const isUnder = ({ loops }: (typeof leaves)[number]): boolean =>
    loops.some((l) => l.id === first || l.id === second);
  const moved = leaves.slice(leaves.findIndex(isUnder), leaves.findLastIndex(isUnder) + 1);
  return new Set(moved.map((c) => c.leaf.statement));
}

/** The statements that some others are made of, directly or not: they have to run before. */
function sourcesOf(
  statements: readonly Statement[],
  readers: readonly Statement[],
): ReadonlySet<string> {
  const found = new Set<string>();
  let open = readers;
  while (open.length > 0) {
    const read = new Set(flatMap(open, (s) => s.reads.map((r) => r.tensor)));
    open = statements.filter((s) => read.has(s.write.tensor) && !found.has(s.id));
    for (const s of open) found.add(s.id);
  }
  return found;
}

/** A nest with the loops of some pairs joined; pairs that it lacks change nothing. */
export function joinLoops(
  program: Program,
  node: ScheduleNode,
  pairs: readonly LoopPair[],
): ScheduleNode {
  return pairs.reduce((current, pair) => {
    const all = [...new Set(eachLeaf(current).map((c) => c.leaf.statement))];
    const statements = all.map((id) => statementOf(program, id));
    const ahead = sourcesOf(statements, statementsUnder(program, current, pair.second));
    // In a loop of the program around both, the second may be made of what the first was a step before.
    const own = new Set(statementsUnder(program, current, pair.first).map((s) => s.id));
    return fuseLoops(current, pair, new Set([...ahead].filter((id) => !own.has(id))));
  }, node);
}

/** The name of a pair in mappings. */
export function pairName({ first, second }: LoopPair): string {
  return `${first} ${second}`;
}

/** The pair of a name. */
export function pairOf(name: string): LoopPair {
  const [first = "", second = ""] = name.split(" ");
  return { first, second };
}
