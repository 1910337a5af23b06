import { eachStatementId, type Program, type ProgramNode, statementOf } from "../program.ts";
import { type Rewrite, refused, rewritten } from "./rewrite.ts";
import { mayConflict } from "./same-cell.ts";

/** A node of the tree, and over how many of its neighbours it moves, toward the beginning. */
export interface MoveTarget {
  /** The first statement of the node, which may be a loop around it. */
  readonly statement: string;
  readonly places: number;
}

/** A node that can move. */
export interface MoveCandidate {
  readonly statement: string;
  /** The list that holds the node, and its position there. */
  readonly nodes: readonly ProgramNode[];
  readonly index: number;
  /** The most places that it can move; at least 1. */
  readonly most: number;
  /** For example `y/up`, named after the node's first statement. */
  readonly path: string;
}

/** The most places that are offered. */
const mostPlaces = 8;

function conflict(program: Program, a: ProgramNode, b: ProgramNode): boolean {
  const [left, right] = [a, b].map((n) =>
    eachStatementId([n]).map((id) => statementOf(program, id)),
  );
  return (left ?? []).some((s) => (right ?? []).some((t) => mayConflict(program, s, t)));
}

/** Over how many of the nodes before it a node can move. */
function freePlaces(program: Program, nodes: readonly ProgramNode[], index: number): number {
  const node = nodes[index];
  let places = 0;
  while (node !== undefined && places < mostPlaces) {
    const before = nodes[index - places - 1];
    if (before === undefined || conflict(program, before, node)) break;
    places++;
  }
  return places;
}

/** The lists of nodes of a tree, outer ones first. */
function* eachList(nodes: readonly ProgramNode[]): Generator<readonly ProgramNode[]> {
  yield nodes;
  for (const n of nodes) if (n.kind === "loop") yield* eachList(n.body);
}

/** The nodes that {@link moveUp} can move, in program order. */
export function moveCandidates(program: Program): readonly MoveCandidate[] {
  const found: MoveCandidate[] = [];
  for (const nodes of eachList(program.tree)) {
    for (const [index, node] of nodes.entries()) {
      const [statement] = eachStatementId([node]);
      const most = freePlaces(program, nodes, index);
      if (statement === undefined || most === 0) continue;
      const path = `${statement}/up`;
      found.push({ statement, nodes, index, most, path });
    }
  }
  const order = eachStatementId(program.tree);
  return found.sort((a, b) => order.indexOf(a.statement) - order.indexOf(b.statement));
}

/**
 * Purpose: moves a node of the tree over independent neighbours, so that it comes next to one that
 * it can share a kernel with.
 *
 * ```
 * T = f(A);  U = g(B);  V = h(T)    -->    T = f(A);  V = h(T);  U = g(B)
 * ```
 * Requires: within one iteration of the loops around, no node that is passed writes what the moved
 * one reads or writes, or reads what it writes. Ensures: the same results; a statement still sees
 * every write that it saw.
 */
export function moveUp(program: Program, { statement, places }: MoveTarget): Rewrite {
  const candidate = moveCandidates(program).find((c) => c.statement === statement);
  if (candidate === undefined || places > candidate.most) {
    return refused("what it would pass touches the same elements");
  }
  if (places < 1 || !Number.isInteger(places)) return refused("it does not move");
  const { nodes: list, index } = candidate;
  const move = (nodes: readonly ProgramNode[]): readonly ProgramNode[] => {
    if (nodes !== list) {
      return nodes.map((n) => (n.kind === "loop" ? { ...n, body: move(n.body) } : n));
    }
    const to = index - places;
    return [
      ...nodes.slice(0, to),
      ...nodes.slice(index, index + 1),
      ...nodes.slice(to, index),
      ...nodes.slice(index + 1),
    ];
  };
  return rewritten({ ...program, tree: move(program.tree) });
}
