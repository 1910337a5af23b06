/**
 * Purpose: decides which loops of one kernel run as one, so that they share what they load, and
 * what one hands to the other needs no memory.
 *
 * Requires: a legal kernel. Ensures: it stays legal; only what keeps it so is asked.
 */

import { flatMap } from "../../support/flat-map.ts";
import type { Decider } from "../decisions.ts";
import { type Program, type Statement, statementOf } from "../program.ts";
import { eachLeaf, type ScheduleNode } from "../schedule.ts";
import { fuseLoops, type LoopPair, loopPairs } from "../scheduling/fuse-loops.ts";

/** The most questions for one kernel: each pair of loops is a check of the whole kernel. */
const mostQuestions = 12;

/** The statements under a loop. */
function statementsUnder(program: Program, node: ScheduleNode, loop: string): readonly Statement[] {
  const under = eachLeaf(node).filter((c) => c.loops.some((l) => l.id === loop));
  return [...new Set(under.map((c) => c.leaf.statement))].map((id) => statementOf(program, id));
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
    return fuseLoops(current, pair, ahead);
  }, node);
}

/** What joining the loops of one kernel depends on. */
export interface JoinsQuestion {
  readonly program: Program;
  /** The kernel's nest before anything is tiled or bound. */
  readonly nest: ScheduleNode;
  /** Whether the kernel is legal with these pairs joined. */
  isLegal(joins: readonly LoopPair[]): boolean;
  /** Whether it is better with the bodies of two loops in one. */
  prefers(first: readonly Statement[], second: readonly Statement[]): boolean;
  readonly decider: Decider;
  readonly prefix: string;
}

/** Asks which loops of a kernel to join. */
export function mapJoins(q: JoinsQuestion): readonly LoopPair[] {
  const joins: LoopPair[] = [];
  const seen = new Set<string>();
  let questions = 0;
  for (;;) {
    const node = joinLoops(q.program, q.nest, joins);
    const next = loopPairs(node).find((p) => !seen.has(`${p.first} ${p.second}`));
    if (next === undefined || questions >= mostQuestions) return joins;
    seen.add(`${next.first} ${next.second}`);
    if (!q.isLegal([...joins, next])) continue;
    const [first, second] = [next.first, next.second].map((loop) =>
      statementsUnder(q.program, node, loop),
    );
    const wanted = q.prefers(first ?? [], second ?? []);
    const path = `${q.prefix}.join${questions++}`;
    if (q.decider.decide(path, [false, true], wanted, true)) joins.push(next);
  }
}
