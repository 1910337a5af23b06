import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import { dependences } from "../dependences/dependences.ts";
import { eachStatementId, findStatement, type Program, type ProgramNode } from "../program.ts";
import { type Chain, chainOf, lengthOf, stepsOf } from "./chain.ts";
import {
  type Analysed,
  describe,
  flowGraph,
  graphOf,
  leaveLoop,
  numberOf,
  renameBounds,
  renamedLoop,
  replaceLoop,
  withHistory,
} from "./leave-loop.ts";
import { ancestorsOf, freshLoopName, type LoopGraph } from "./loop-graph.ts";
import { isExactStep } from "./step-function.ts";

/** A program with a statement alone in a loop. */
export interface OwnLoop {
  readonly program: Program;
  readonly loop: string;
}

/** The other nodes of a loop that are in a cycle with one. */
function together(graph: LoopGraph, node: number): readonly number[] {
  const others = [...ancestorsOf(graph, node)].filter((n) => n !== node);
  return others.filter((n) => ancestorsOf(graph, n).has(node));
}

/** Why a node cannot be alone: an order that leads from another one of its cycle into it. */
function whyTogether(graph: LoopGraph, node: number): string {
  const others = together(graph, node);
  const edge = graph.edges.find((e) => e.to === node && others.includes(e.from));
  return edge === undefined ? "it waits for other statements of the loop" : describe(edge);
}

/** The statement in no cycle with others, temporaries kept for each iteration where that takes it; or why not. */
function apart(program: Program, statement: string, loop: string): Analysed | string {
  let current: Analysed = { program, dependences: dependences(program) };
  const kept = new Set<string>();
  for (;;) {
    const graph = graphOf(current.program, loop, current);
    const node = graph === undefined ? -1 : numberOf(graph, statement);
    if (graph === undefined || node < 0) return "it is not directly in the loop";
    if (together(graph, node).length === 0) return current;
    const flow = flowGraph(graph);
    const waits = together(flow, node).length > 0;
    const next = waits ? null : withHistory(current, { statement, loop }, kept);
    if (next === null) return whyTogether(waits ? flow : graph, node);
    current = next;
  }
}

/** The loop divided into what does not wait for a node, the node, and what waits for it. */
function divided(program: Program, graph: LoopGraph, node: number): OwnLoop {
  const { loop } = graph;
  const rest = loop.body.map((_, n) => n).filter((n) => n !== node);
  const late = rest.filter((n) => ancestorsOf(graph, n).has(node));
  const early = rest.filter((n) => !late.includes(n));
  let current = program;
  const part = (numbers: readonly number[], suffix: string): readonly ProgramNode[] => {
    const body = loop.body.filter((_, n) => numbers.includes(n));
    if (body.length === 0) return [];
    const name = suffix === "" ? loop.name : freshLoopName(current, `${loop.name}.${suffix}`);
    if (name === loop.name) return [{ ...loop, body }];
    current = renamedLoop(current, body, loop.name, name);
    return [{ ...loop, name, body: body.map((n) => renameBounds(n, loop.name, name)) }];
  };
  const first = part(early, "");
  const own = part([node], first.length === 0 ? "" : "own");
  const nodes = [...first, ...own, ...part(late, "rest")];
  const name = flatMap(own, (n) => (n.kind === "loop" ? [n.name] : []))[0] ?? loop.name;
  return { program: { ...current, tree: replaceLoop(current.tree, loop.name, nodes) }, loop: name };
}

/**
 * Purpose: gives a statement of a loop a loop of its own. What needs no loop leaves it; other recurrences get loops
 * before and behind.
 *
 * Requires: a statement directly in the body of the innermost loop around it, in no recurrence with others once
 * temporaries are kept for each iteration.
 *
 * Ensures: the same instances in an order that keeps every dependence.
 */
export function ownLoop(program: Program, statement: string): OwnLoop | string {
  const loop = findStatement(program, statement)?.loops.at(-1);
  if (loop === undefined) return "it is in no loop";
  const alone = apart(program, statement, loop);
  if (typeof alone === "string") return alone;
  let current = alone.program;
  const around = (): string => findStatement(current, statement)?.loops.at(-1) ?? loop;
  const body = graphOf(current, loop)?.loop.body ?? [];
  for (const id of flatMap(body, (n) => eachStatementId([n]))) {
    if (id === statement) continue;
    const left = leaveLoop(current, { statement: id, loop: around() });
    if (left.kind === "rewritten") current = left.program;
  }
  const graph = graphOf(current, around());
  if (graph === undefined) return "it is in no loop";
  if (together(graph, numberOf(graph, statement)).length > 0) {
    return whyTogether(graph, numberOf(graph, statement));
  }
  return divided(current, graph, numberOf(graph, statement));
}

/** Whether nothing that writes another tensor is in a cycle of flow with a statement of a loop. */
function isApart(program: Program, { s, loop }: Chain): boolean {
  const graph = graphOf(program, loop);
  if (graph === undefined) return false;
  const flow = flowGraph(graph);
  const ids = flatMap(together(flow, numberOf(graph, s.id)), (n) =>
    eachStatementId(graph.loop.body.slice(n, n + 1)),
  );
  return ids.every((id) => findStatement(program, id)?.write.tensor === s.write.tensor);
}

/** A recurrence whose steps round, and how many there are. */
export interface RoundedSteps {
  readonly chain: Chain;
  readonly count: number;
}

/**
 * By statement, the recurrences of floats whose steps may be composed, in this program or when statements of
 * it were merged: what bounds their errors has to allow for all orders.
 */
export const roundedSteps: (program: Program) => ReadonlyMap<string, RoundedSteps> = remember(
  (program) => {
    const found = flatMap(program.statements, (s): readonly (readonly [string, RoundedSteps])[] => {
      const chain = s.loops.length === 0 ? "" : chainOf(s);
      if (typeof chain === "string" || isExactStep(chain.step)) return [];
      const steps = stepsOf(chain);
      if (steps === undefined || !isApart(program, chain)) return [];
      return [[s.id, { chain, count: Math.max(1, lengthOf(steps)) }]];
    });
    return new Map(found);
  },
);
