import { type Affine, evaluate, holds } from "../../../src/ir/affine.ts";
import { evaluateQuotients } from "../../../src/ir/domain.ts";
import type { BarrierSite } from "../../../src/ir/legality/synchronise.ts";
import { isScatter, type Program, type Statement } from "../../../src/ir/program.ts";
import {
  isKernel,
  isLocal,
  type Leaf,
  localStrides,
  type Phase,
  type Schedule,
  type ScheduleNode,
  teamSize,
} from "../../../src/ir/schedule.ts";

/** One execution of one instance by one invocation. */
export interface Event {
  readonly statement: string;
  readonly phase: Phase;
  readonly dims: ReadonlyMap<string, number>;
  /** The kernel and what orders its dispatches. */
  readonly dispatch: readonly number[];
  readonly workgroup: string;
  readonly thread: number;
  /** Orders the events of one invocation. */
  readonly time: readonly number[];
  /** How many barriers of the dispatch came before. */
  readonly epoch: number;
}

interface State {
  readonly program: Program;
  readonly barriers: readonly BarrierSite[];
  readonly events: Event[];
  /** By invocation, the number of barriers it passed. */
  epoch: Map<string, number>;
}

interface Position {
  readonly loops: ReadonlyMap<string, number>;
  readonly dispatch: readonly number[];
  readonly time: readonly number[];
  readonly grid: readonly number[];
  readonly strides: ReadonlyMap<string, number> | null;
  readonly thread: number;
  readonly team: number;
}

function bind(a: Affine, loops: ReadonlyMap<string, number>): number {
  return evaluate(a, (name) => loops.get(name) ?? Number.NaN);
}

/** Whether the domain has the point; `init` and `finish` look at the parallel dims only. */
function contains(s: Statement, phase: Phase, point: Map<string, number>): boolean {
  evaluateQuotients(s.domain, point);
  const parallel = phase === "init" || phase === "finish";
  const gone = new Set(parallel ? (s.reduction?.dims ?? []) : []);
  for (const q of s.domain.quotients) {
    if (q.numerator.terms.some((t) => gone.has(t.variable))) gone.add(q.name);
  }
  const value = (name: string): number => point.get(name) ?? Number.NaN;
  const within = s.domain.dims
    .filter((d) => !gone.has(d.name))
    .every((d) => {
      const v = value(d.name);
      return v >= evaluate(d.lower, value) && v < evaluate(d.upper, value);
    });
  const guards = s.domain.guards.filter((g) => !g.affine.terms.some((t) => gone.has(t.variable)));
  return within && guards.every((g) => holds(g, value));
}

function runLeaf(state: State, leaf: Leaf, at: Position): void {
  const s = state.program.statements.find((x) => x.id === leaf.statement);
  if (s === undefined) return;
  const dims = new Map([...leaf.binding].map(([d, a]) => [d, bind(a, at.loops)]));
  if (!contains(s, leaf.phase, new Map(dims))) return;
  const copies = leaf.phase === "init" || leaf.phase === "update" ? at.team : 1;
  for (let rank = 0; rank < copies; rank++) {
    const thread = at.thread + rank;
    const workgroup = at.grid.join(",");
    const epoch = state.epoch.get(`${workgroup}/${thread}`) ?? 0;
    const { dispatch, time } = at;
    const { statement, phase } = leaf;
    state.events.push({ statement, phase, dims, dispatch, workgroup, thread, time, epoch });
  }
}

/** All invocations of the position's team pass a barrier. */
function pass(state: State, at: Position): void {
  for (let rank = 0; rank < at.team; rank++) {
    const key = `${at.grid.join(",")}/${at.thread + rank}`;
    state.epoch.set(key, (state.epoch.get(key) ?? 0) + 1);
  }
}

/** The barrier at the end of an iteration, for all who share the band's loops up to this one. */
function passEnd(
  state: State,
  node: ScheduleNode & { kind: "band" },
  depth: number,
  at: Position,
): void {
  const id = node.loops[depth]?.id;
  if (!state.barriers.some((b) => b.kind === "loop-end" && b.loop === id)) return;
  const inner = node.loops.slice(depth + 1).filter((l) => isLocal(l.on));
  pass(state, { ...at, team: inner.reduce((n, l) => n * l.extent, at.team) });
}

function runBand(state: State, node: ScheduleNode & { kind: "band" }, at: Position): void {
  const local = node.loops.filter((l) => isLocal(l.on));
  const share = local.reduce((n, l) => n * l.extent, 1);
  const inside: Position = share > 1 ? { ...at, team: teamSize(node.child) } : at;
  const iterate = (depth: number, here: Position): void => {
    const loop = node.loops[depth];
    if (loop === undefined) {
      run(state, node.child, here);
      return;
    }
    for (let v = 0; v < loop.extent; v++) {
      const loops = new Map(here.loops).set(loop.id, v);
      if (isLocal(loop.on)) {
        const thread = here.thread + v * (here.strides?.get(loop.id) ?? 0);
        iterate(depth + 1, { ...here, loops, thread });
      } else if (loop.on === "grid") {
        iterate(depth + 1, { ...here, loops, grid: [...here.grid, v] });
      } else {
        iterate(depth + 1, { ...here, loops, time: [...here.time, v] });
        passEnd(state, node, depth, here);
      }
    }
  };
  iterate(0, inside);
}

function run(state: State, node: ScheduleNode, at: Position): void {
  if (node.kind === "leaf") runLeaf(state, node, at);
  else if (node.kind === "sequence") {
    for (const [i, child] of node.children.entries()) {
      const site = state.barriers.find(
        (b) => b.kind === "before-child" && b.sequence === node && b.child === i,
      );
      if (site !== undefined) pass(state, at);
      run(state, child, { ...at, time: [...at.time, i] });
    }
  } else if (at.strides === null && isKernel(node)) {
    state.epoch = new Map();
    const kernel = { dispatch: at.time, strides: localStrides(node), team: teamSize(node) };
    runBand(state, node, { ...at, ...kernel });
  } else runBand(state, node, at);
}

/**
 * All events of a schedule, one invocation after the other. A local loop inside a serial one, or
 * beside others, is walked iteration by iteration, so that the epochs are right only when barriers
 * stand where all invocations of a node's team come.
 */
export function executeSchedule(
  program: Program,
  schedule: Schedule,
  barriers: readonly BarrierSite[],
): readonly Event[] {
  const state: State = { program, barriers, events: [], epoch: new Map() };
  run(state, schedule.root, {
    loops: new Map(),
    dispatch: [],
    time: [],
    grid: [],
    strides: null,
    thread: 0,
    team: 1,
  });
  return state.events;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [n, x] of a.entries()) {
    const d = x - (b[n] ?? Number.NEGATIVE_INFINITY);
    if (d !== 0) return d;
  }
  return a.length - b.length;
}

/** Whether `a` is sure to be over before `b` begins. */
export function happensBefore(a: Event, b: Event): boolean {
  const dispatches = compare(a.dispatch, b.dispatch);
  if (dispatches !== 0) return dispatches < 0;
  if (a.workgroup !== b.workgroup) return false;
  if (a.epoch !== b.epoch) return a.epoch < b.epoch;
  return a.thread === b.thread && compare(a.time, b.time) < 0;
}

/** The phase in which an access of a statement happens. */
export function phaseOf(s: Statement, use: "body" | "init" | "store"): Phase {
  if (s.reduction === null || isScatter(s)) return "whole";
  return use === "body" ? "update" : use === "init" ? "init" : "finish";
}
