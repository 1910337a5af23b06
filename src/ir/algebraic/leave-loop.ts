import { flatMap } from "../../support/flat-map.ts";
import { rememberTexts } from "../../support/remember.ts";
import { substitute, variable } from "../affine.ts";
import { type Dependence, dependences } from "../dependences/dependences.ts";
import {
  eachStatementId,
  findStatement,
  findTensor,
  type Program,
  type ProgramNode,
  type Statement,
  tensorsOf,
} from "../program.ts";
import { renameDims } from "./align-domains.ts";
import { expandTemporary } from "./expand.ts";
import { keepHistory } from "./keep-history.ts";
import {
  ancestorsOf,
  findLoop,
  freshLoopName,
  isInCycle,
  type LoopEdge,
  type LoopGraph,
  loopGraph,
  programLoops,
} from "./loop-graph.ts";
import { narrowedDomain } from "./narrow-domain.ts";
import { type Rewrite, refused, rewritten } from "./rewrite.ts";

/** A statement directly inside of a loop that it is to leave. */
export interface LeaveTarget {
  readonly statement: string;
  readonly loop: string;
}

/** A statement directly inside of a loop, whether it can leave it or not. */
export interface LeaveCandidate extends LeaveTarget {
  /** For example `z/leave/t0`, named after the statement and the loop. */
  readonly path: string;
}

/** What the edge of a cycle says, for people. */
export function describe({
  dependence,
  carried,
}: Pick<LoopEdge, "dependence" | "carried">): string {
  const { from, to, tensor, kind } = dependence;
  const when = carried ? "in an earlier iteration" : "before";
  const verbs = { flow: ["reads", "writes"], anti: ["writes", "reads"] } as const;
  const [does, did] = kind === "output" ? (["writes", "writes"] as const) : verbs[kind];
  return `${to.statement} ${does} ${tensor}, which ${from.statement} ${did} ${when}`;
}

/** Why a node cannot leave: the carried dependence of a cycle that it is in. */
function whyInCycle(graph: LoopGraph, node: number): string {
  const around = new Set(
    [...ancestorsOf(graph, node)].filter((n) => ancestorsOf(graph, n).has(node)),
  );
  const inside = graph.edges.filter((e) => e.carried && around.has(e.from) && around.has(e.to));
  const edge = inside.find((e) => e.dependence.kind === "flow") ?? inside[0];
  return edge === undefined ? "an iteration of it waits for earlier ones" : describe(edge);
}

/** The statements of nodes with the loop under another name. */
export function renamedLoop(
  program: Program,
  nodes: readonly ProgramNode[],
  from: string,
  to: string,
): Program {
  const inside = new Set(eachStatementId(nodes));
  const names = new Map([[from, to]]);
  const statements = program.statements.map((s) => (inside.has(s.id) ? renameDims(s, names) : s));
  return { ...program, statements };
}

/** Nodes of the tree with one replaced. */
export function replaceLoop(
  nodes: readonly ProgramNode[],
  name: string,
  by: readonly ProgramNode[],
): readonly ProgramNode[] {
  return flatMap(nodes, (node): readonly ProgramNode[] => {
    if (node.kind === "statement") return [node];
    if (node.name === name) return by;
    return [{ ...node, body: replaceLoop(node.body, name, by) }];
  });
}

/** The bounds of the loops inside of a node over another name of a loop around them. */
export function renameBounds(node: ProgramNode, from: string, to: string): ProgramNode {
  if (node.kind === "statement") return node;
  const by = (name: string) => (name === from ? variable(to) : undefined);
  return {
    ...node,
    lower: substitute(node.lower, by),
    upper: substitute(node.upper, by),
    body: node.body.map((n) => renameBounds(n, from, to)),
  };
}

/** A statement with a loop around it as a dim like others. */
function withoutLoop(s: Statement, loop: string): Statement {
  return { ...s, loops: s.loops.filter((l) => l !== loop), domain: narrowedDomain(s.domain, loop) };
}

/** The program without a node of a loop, which stands beside it: the loop is divided where it must be. */
function takeOut(program: Program, graph: LoopGraph, node: number): Program {
  const { loop } = graph;
  const taken = loop.body[node];
  if (taken?.kind !== "statement") return program;
  const before = ancestorsOf(graph, node);
  const waits = (n: number): boolean => n !== node && ancestorsOf(graph, n).has(node);
  const rest = loop.body.map((_, n) => n).filter((n) => n !== node);
  const late = before.size === 0 ? rest : rest.filter(waits);
  const early = rest.filter((n) => !late.includes(n));
  const bodyOf = (numbers: readonly number[]): readonly ProgramNode[] =>
    loop.body.filter((_, n) => numbers.includes(n));
  const statements = program.statements.map((s) =>
    s.id === taken.statement ? withoutLoop(s, loop.name) : s,
  );
  const [first, last] = [bodyOf(early), bodyOf(late)];
  const around = (name: string, body: readonly ProgramNode[]): readonly ProgramNode[] =>
    body.length === 0 ? [] : [{ ...loop, name, body }];
  const divided = first.length > 0 && last.length > 0;
  const name = divided ? freshLoopName(program, `${loop.name}.rest`) : loop.name;
  const inside = divided ? last.map((n) => renameBounds(n, loop.name, name)) : last;
  const nodes = [...around(loop.name, first), taken, ...around(name, inside)];
  const result = { ...program, statements, tree: replaceLoop(program.tree, loop.name, nodes) };
  return divided ? renamedLoop(result, last, loop.name, name) : result;
}

/** A program and its dependences. */
export interface Analysed {
  readonly program: Program;
  readonly dependences: readonly Dependence[];
}

/** The program with one of the temporaries that a statement touches kept for each iteration; null if none can be. */
export function withHistory(
  { program, dependences: known }: Analysed,
  { statement, loop }: LeaveTarget,
  done: Set<string>,
): Analysed | null {
  const s = findStatement(program, statement);
  for (const tensor of s === undefined ? [] : tensorsOf(s)) {
    if (done.has(tensor) || findTensor(program, tensor)?.role !== "temporary") continue;
    done.add(tensor);
    for (const keep of [expandTemporary, keepHistory]) {
      const result = keep(program, { tensor, loop });
      if (result.kind === "refused") continue;
      // Those of other tensors stay: no statement has moved.
      const others = known.filter((d) => d.tensor !== tensor);
      const own = dependences(result.program, { tensor });
      return { program: result.program, dependences: [...others, ...own] };
    }
  }
  return null;
}

/** The number of a statement in a loop's body; -1 where it is not directly in it. */
export function numberOf({ loop }: LoopGraph, id: string): number {
  return loop.body.findIndex((n) => n.kind === "statement" && n.statement === id);
}

export function graphOf(program: Program, loop: string, known?: Analysed): LoopGraph | undefined {
  const place = findLoop(program, loop);
  return place && loopGraph(program, place, known?.dependences);
}

/** The graph of flow alone: what waits for itself there does so however many copies temporaries have. */
export function flowGraph(graph: LoopGraph): LoopGraph {
  return { ...graph, edges: graph.edges.filter((e) => e.dependence.kind === "flow") };
}

/** A statement that a node waits for and that waits for nothing itself; undefined if there is none. */
function freeAncestor(graph: LoopGraph, node: number): string | undefined {
  for (const n of ancestorsOf(graph, node)) {
    const part = graph.loop.body[n];
    if (part?.kind === "statement" && ancestorsOf(graph, n).size === 0) return part.statement;
  }
  return undefined;
}

/**
 * Purpose: takes a statement that takes part in no recurrence out of a program loop, whose index becomes one of
 * its parallel dims, so that all iterations of it run at once.
 *
 * ```
 * for t in 0..T { z(b) = sum[i] w(i) * x(t, b, i);  h(b) = f(z(b), h(b)) }
 *   -->  z(t, b) = sum[i] w(i) * x(t, b, i);  for t in 0..T { h(b) = f(z(t, b), h(b)) }
 * ```
 * What it waits for leaves before it, where that waits for no recurrence either. It stands before the loop,
 * behind it, or between two parts of it: one with what it waits for, and one with what waits for it. Temporaries
 * that it touches are kept for each iteration where one copy for all of them would make it wait.
 *
 * Requires: a statement directly in the body of the innermost loop around it; no dependence leads from one of
 * its iterations to a later one, through whatever statements, once temporaries are kept.
 *
 * Ensures: the same instances in an order that keeps every dependence.
 */
export function leaveLoop(program: Program, target: LeaveTarget): Rewrite {
  // Offers, policies and those who apply it ask for the same one.
  return left(program, `${target.statement} ${target.loop}`, () => leaveOnce(program, target));
}

const left = rememberTexts<Program, Rewrite>();

function leaveOnce(program: Program, target: LeaveTarget): Rewrite {
  let current: Analysed = { program, dependences: dependences(program) };
  const kept = new Set<string>();
  for (;;) {
    const graph = graphOf(current.program, target.loop, current);
    const node = graph === undefined ? -1 : numberOf(graph, target.statement);
    if (graph === undefined || node < 0) return refused("it is not directly in the loop");
    if (!isInCycle(graph, node)) return rewritten(leave(current.program, target, graph));
    const next = isInCycle(flowGraph(graph), node) ? null : withHistory(current, target, kept);
    if (next === null) return refused(whyInCycle(graph, node));
    current = next;
  }
}

/** A statement that may leave, and before it what it waits for and may leave as well. */
function leave(program: Program, target: LeaveTarget, graph: LoopGraph): Program {
  const first = freeAncestor(graph, numberOf(graph, target.statement));
  if (first === undefined) return takeOut(program, graph, numberOf(graph, target.statement));
  const without = takeOut(program, graph, numberOf(graph, first));
  const rest = graphOf(without, target.loop);
  return rest === undefined ? without : leave(without, target, rest);
}

/** The statements directly inside of loops, of inner ones before those around them. */
export function leaveQuestions(program: Program): readonly LeaveCandidate[] {
  return flatMap(programLoops(program), ({ loop, outer }) =>
    flatMap(loop.body, (node): readonly LeaveCandidate[] => {
      if (node.kind !== "statement") return [];
      const { statement } = node;
      return [{ statement, loop: loop.name, path: `${statement}/leave/t${outer.length}` }];
    }),
  );
}

/** Whether a statement can leave the innermost loop around it. */
export function mayLeave(program: Program, target: LeaveTarget): boolean {
  return leaveLoop(program, target).kind === "rewritten";
}

/** The statements that can leave the innermost loop around them. */
export function leaveCandidates(program: Program): readonly LeaveCandidate[] {
  return leaveQuestions(program).filter((target) => mayLeave(program, target));
}

/** Whether all that is in a loop can leave it: the loop carries nothing. */
export function mayAllLeave(program: Program, name: string): boolean {
  const graph = graphOf(program, name);
  if (graph === undefined) return false;
  const flow = flowGraph(graph);
  const { body } = graph.loop;
  // One that waits for itself tells it without a rewrite.
  if (body.some((_, n) => isInCycle(flow, n))) return false;
  return body.every(
    (node) =>
      node.kind === "statement" && mayLeave(program, { statement: node.statement, loop: name }),
  );
}
