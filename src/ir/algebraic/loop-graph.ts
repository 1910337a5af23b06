/**
 * What the statements in the body of a program loop wait for: a graph with an edge for each pair of them
 * that must keep its order, in the same iteration or from one to a later one.
 *
 * ```
 * part := a node of the loop's body: a statement, or a loop with all that is in it
 * edge := from part, to part, carried by the loop or not
 * ```
 * What loops around it carry is left out: they stay around all that becomes of the loop.
 */
import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import { type Dependence, dependences } from "../dependences/dependences.ts";
import { eachStatementId, type Program, type ProgramNode } from "../program.ts";
import { freshName } from "./rewrite.ts";

/** A program loop and the loops around it, outermost first. */
export interface LoopPlace {
  readonly loop: Extract<ProgramNode, { kind: "loop" }>;
  readonly outer: readonly string[];
}

/** An order that must be kept between two nodes of a loop's body, by their numbers. */
export interface LoopEdge {
  readonly from: number;
  readonly to: number;
  /** False: within one iteration. */
  readonly carried: boolean;
  readonly dependence: Dependence;
}

/** The body of a loop, and what its nodes wait for. */
export interface LoopGraph extends LoopPlace {
  readonly edges: readonly LoopEdge[];
}

/** All loops of a program, inner ones before those around them. */
export const programLoops: (program: Program) => readonly LoopPlace[] = remember(({ tree }) => {
  const visit = (nodes: readonly ProgramNode[], outer: readonly string[]): readonly LoopPlace[] =>
    flatMap(nodes, (node): readonly LoopPlace[] =>
      node.kind === "statement"
        ? []
        : [...visit(node.body, [...outer, node.name]), { loop: node, outer }],
    );
  return visit(tree, []);
});

/** The loop of that name; undefined if there is none. */
export function findLoop(program: Program, name: string): LoopPlace | undefined {
  return programLoops(program).find((p) => p.loop.name === name);
}

/** The graph of a loop, of the dependences of the whole program unless others are given. */
export function loopGraph(
  program: Program,
  place: LoopPlace,
  known: readonly Dependence[] = dependences(program),
): LoopGraph {
  const { loop, outer } = place;
  const numbers = new Map<string, number>();
  for (const [n, node] of loop.body.entries()) {
    for (const id of eachStatementId([node])) numbers.set(id, n);
  }
  const edges = flatMap(known, (dependence): readonly LoopEdge[] => {
    const from = numbers.get(dependence.from.statement);
    const to = numbers.get(dependence.to.statement);
    const { level } = dependence;
    if (from === undefined || to === undefined) return [];
    const carried = level === outer.length;
    const inside = level === "independent" || level > outer.length;
    if (!carried && (!inside || from === to)) return [];
    return [{ from, to, carried, dependence }];
  });
  return { ...place, edges };
}

/** The nodes from which one can be reached along edges; itself only where it is part of a cycle. */
export function ancestorsOf({ edges }: LoopGraph, node: number): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [node];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { from, to } of edges) {
      if (to !== at || found.has(from)) continue;
      found.add(from);
      open.push(from);
    }
  }
  return found;
}

/** Whether a node is part of a recurrence: what it computes in an iteration leads to it in a later one. */
export function isInCycle(graph: LoopGraph, node: number): boolean {
  return ancestorsOf(graph, node).has(node);
}

/** A name that no loop and no dim of a statement has. */
export function freshLoopName(program: Program, base: string): string {
  const dims = flatMap(program.statements, (s) => [
    ...s.domain.dims.map((d) => d.name),
    ...s.domain.quotients.map((q) => q.name),
  ]);
  return freshName([...programLoops(program).map((p) => p.loop.name), ...dims], base);
}
