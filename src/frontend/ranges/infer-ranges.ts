import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import { constant, type Interval, isConstant } from "../../ir/affine.ts";
import { assertNever, invariant } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { bindSizes } from "../calls/bind-sizes.ts";
import { fromCall, toCaller } from "../calls/call-report.ts";
import type { Symbols } from "../names/symbols.ts";
import {
  eachStatement,
  eachTyped,
  type Typed,
  type TypedInlined,
  type TypedLoop,
  type TypedNode,
  type TypedStatement,
} from "../names/typed.ts";
import { eachAccess, eachExisting } from "./accesses.ts";
import { affineOf } from "./affine-of.ts";
import { conditionOf } from "./condition.ts";
import { branchGuards, type Enclosure, guardCondition, nothingAround } from "./enclosure.ts";
import { extendShape } from "./extend-shape.ts";
import { rangeText } from "./extent-text.ts";
import { freezeExtents } from "./freeze-extents.ts";
import { inferStatement } from "./infer-statement.ts";
import { contextOf, type InferenceState, type InferredRanges } from "./inference-state.ts";
import { loopConstraints, loopRange, valueRange } from "./statement-domain.ts";

/** After so many rounds over a loop's body the ranges do not settle. */
const roundLimit = 40;

/**
 * Purpose: infer every statement's ranges and every tensor's shape.
 * Requires: a resolved definition and a value for every size.
 * Ensures: forward, statement by statement, with the shapes written so far; the body of an outermost
 * loop is repeated until nothing changes. Shapes reach the largest index that any statement writes.
 * Reports what has no range, disagrees, is written outside of its tensor or read before any write.
 */
export function inferRanges(
  nodes: readonly TypedNode[],
  symbols: Symbols,
  report: Report,
): InferredRanges {
  const state: InferenceState = {
    symbols,
    statements: new Map(),
    shapes: new Map(),
    written: new Map(),
    reaches: new Map(),
    sizes: new Map(),
    declared: new Map(),
    frozen: new Map(),
    readable: new Set(),
    tainted: new Set(),
    patient: false,
    report,
  };
  for (const { name, shape, role } of symbols.tensors.values()) {
    if (shape !== undefined) {
      state.shapes.set(name, shape);
      state.declared.set(name, shape);
    }
    if (role === "input" || role === "inout") state.readable.add(name);
  }
  visit(nodes, nothingAround, state);
  return state;
}

function visit(nodes: readonly TypedNode[], around: Enclosure, state: InferenceState): void {
  for (const node of nodes) {
    switch (node.kind) {
      case "statement":
        visitStatement(node, around, state);
        break;
      case "loop": {
        const loop = freezeExtents(node, state.shapes);
        state.frozen.set(node, loop);
        visitLoop(loop, around, state);
        break;
      }
      case "if":
        visitChoice(node, around, state);
        break;
      case "inlined":
        visitInlined(node, around, state);
        break;
      case "mistake":
        for (const tensor of node.tensors) state.tainted.add(tensor);
        break;
      case "call":
        invariant(false, "a call that is not inlined");
        break;
      default:
        assertNever(node);
    }
  }
}

function visitChoice(
  node: Extract<TypedNode, { kind: "if" }>,
  around: Enclosure,
  state: InferenceState,
): void {
  const choice = freezeExtents(node, state.shapes);
  state.frozen.set(node, choice);
  for (const { condition } of choice.branches) checkCondition(condition, state);
  for (const { body, guards } of branchGuards(choice)) {
    visit(body, { ...around, guards: [...around.guards, ...guards] }, state);
  }
}

/** The body of a call: what is wrong in it is told with the call. */
function visitInlined(node: TypedInlined, around: Enclosure, state: InferenceState): void {
  if (neverRuns(around, state)) {
    for (const statement of eachStatement([node])) leaveOut(statement, state);
    return;
  }
  // A call knows nothing of what the one before it, in a loop, has written.
  for (const tensor of node.own.keys()) state.readable.delete(tensor);
  const outside = { ...state, report: toCaller(node, state.report) };
  for (const copy of node.before) visitStatement(copy, around, outside);
  const { shapes, readable, tainted, report } = state;
  const constantOf = (e: Typed): number | undefined => {
    const affine = affineOf(e, contextOf(state, new Set(around.intervals.keys())));
    return affine !== undefined && isConstant(affine) ? affine.constant : undefined;
  };
  const bound = bindSizes(node, { shapes, readable, tainted, constantOf, report: outside.report });
  if (bound === undefined) {
    for (const { target } of eachStatement([node])) state.tainted.add(target);
    return;
  }
  for (const [name, value] of bound.sizes) state.sizes.set(name, value);
  for (const [tensor, shape] of bound.shapes) {
    state.shapes.set(tensor, shape);
    state.declared.set(tensor, shape);
  }
  visit(node.body, around, { ...state, report: fromCall(node, report) });
  for (const { copy } of node.results) visitStatement(copy, around, outside);
}

/** The condition of an `if` must be the same for all instances of a statement: affine, no data. */
function checkCondition(condition: Typed, state: InferenceState): void {
  const nodes = eachTyped(condition);
  if (nodes.some((node) => node.kind === "error")) return;
  const context = contextOf(state, new Set());
  if (nodes.some((node) => node.kind === "access")) {
    state.report(diagnose("TC4003", {}, condition.span));
  } else if (!conditionOf(condition, true, context).exact) {
    state.report(diagnose("TC4004", {}, condition.span));
  }
}

function visitLoop(loop: TypedLoop, around: Enclosure, state: InferenceState): void {
  const context = contextOf(state, new Set([...around.intervals.keys(), loop.name]));
  const range = loopRange(loop, around.intervals, context);
  if (range === undefined) {
    const poisoned = loop.lower.type === "error" || loop.upper.type === "error";
    if (!poisoned) state.report(diagnose("TC4009", { index: loop.source }, loop.node.index.span));
    for (const { target } of eachStatement(loop.body)) state.tainted.add(target);
    return;
  }
  const intervals = new Map(around.intervals).set(loop.name, range.interval);
  const inside = { ...around, loops: [...around.loops, loop], intervals };
  for (const { target } of eachStatement(loop.body)) state.readable.add(target);
  if (around.loops.length === 0) settle(loop, inside, state);
  visit(loop.body, inside, state);
}

/** Repeats an outermost loop's body, silently, until its shapes and ranges do not change. */
function settle(loop: TypedLoop, inside: Enclosure, state: InferenceState): void {
  const tainted = new Set(state.tainted);
  for (const patient of [true, false]) {
    const silent = { ...state, patient, report: (): void => undefined };
    let before = "";
    for (let round = 0; round < roundLimit; round++) {
      visit(loop.body, inside, silent);
      state.tainted.clear();
      for (const name of tainted) state.tainted.add(name);
      const after = signature(loop, state);
      if (after === before) break;
      if (round === roundLimit - 1) giveUp(loop, before, state);
      before = after;
    }
  }
}

/** All that another round could change. */
function signature(loop: TypedLoop, state: InferenceState): string {
  const lines = eachStatement(loop.body).map((statement) => {
    const ranges = state.statements.get(statement)?.ranges ?? new Map();
    const intervals = [...ranges.values()].map((r) => `${r.interval.lo}:${r.interval.hi}`);
    const shape = state.shapes.get(statement.target)?.join(",") ?? "";
    return `${statement.target}(${shape}) ${intervals.join(" ")}`;
  });
  return lines.join("\n");
}

function giveUp(loop: TypedLoop, before: string, state: InferenceState): void {
  const after = signature(loop, state).split("\n");
  const changed = before.split("\n").findIndex((line, i) => line !== after[i]);
  const statement = eachStatement(loop.body)[changed];
  if (statement === undefined) return;
  const { name, span } = statement.node.target.name;
  state.report(diagnose("TC4005", { tensor: name }, span));
}

function visitStatement(statement: TypedStatement, around: Enclosure, state: InferenceState): void {
  if (isTainted(statement, around, state)) {
    state.tainted.add(statement.target);
    return;
  }
  if (neverRuns(around, state)) {
    leaveOut(statement, state);
    return;
  }
  const { report } = state;
  const found = inferStatement(statement, {
    shapes: state.shapes,
    sizes: state.sizes,
    leftShape: shapeByOthers(statement, state),
    loops: around.intervals,
    patient: state.patient,
    report,
  });
  if (found.kind === "open") {
    if (!state.patient) {
      const open = statement.indices.filter((i) => found.indices.includes(i.name));
      const span = open[0]?.span ?? statement.span;
      const indices = open.map((i) => i.source);
      const ranges = open.map((i) => `${i.source} in ${rangeText(statement, i, state.symbols)}`);
      report(diagnose("TC3001", { indices, ranges }, span));
      state.tainted.add(statement.target);
    }
    return;
  }
  state.statements.set(statement, found.ranges);
  for (const index of statement.indices) {
    const range = found.ranges.ranges.get(index.name);
    if (range === undefined || !isConstant(range.lower) || !isConstant(range.upper)) continue;
    const [lo, hi] = [range.lower.constant, range.upper.constant];
    if (lo < hi) continue;
    report(diagnose("TC3011", { index: index.source, range: `${lo}:${hi}` }, index.span));
  }
  extendShape(statement, found.ranges, around, state);
  state.readable.add(statement.target);
}

/** True when the loops and `if`s around let no iteration through, for the sizes at hand. */
function neverRuns(around: Enclosure, state: InferenceState): boolean {
  if (around.loops.length === 0 && around.guards.length === 0) return false;
  const context = contextOf(state, new Set(around.intervals.keys()));
  const loops = loopConstraints(around.loops, context);
  const { cases } = guardCondition(around.guards, context);
  return cases.every((guard) => valueRange([...loops, ...guard], constant(0), context) === "empty");
}

/**
 * A statement that never runs has no ranges: those of what other such statements write would be
 * empty, and would not agree with the rest. It writes nothing, but its tensor may be read.
 */
function leaveOut(statement: TypedStatement, state: InferenceState): void {
  const { target, left } = statement;
  const fixed = state.declared.get(target);
  state.statements.delete(statement);
  const nothing = left.map((): Interval => ({ lo: Infinity, hi: -Infinity }));
  state.shapes.set(target, state.shapes.get(target) ?? fixed ?? left.map(() => 0));
  state.written.set(target, state.written.get(target) ?? nothing);
  state.readable.add(target);
}

/** True when the statement cannot be judged because of a mistake; reports reads before writes. */
function isTainted(statement: TypedStatement, around: Enclosure, state: InferenceState): boolean {
  const parts = [
    statement.value,
    ...statement.left,
    ...statement.exists,
    ...flatMap(statement.clauses, (c) => [c.lower, c.upper]),
  ];
  const poisoned = [...parts, ...around.guards.map((g) => g.condition)].some((part) =>
    eachTyped(part).some((node) => node.kind === "error"),
  );
  if (poisoned || state.tainted.has(statement.target)) return true;
  for (const { access } of [...eachAccess(statement), ...eachExisting(statement)]) {
    if (state.tainted.has(access.tensor)) return true;
    if (state.readable.has(access.tensor)) continue;
    const { tensor, span } = access;
    state.report(diagnose("TC3008", { tensor, own: tensor === statement.target }, span));
    return true;
  }
  return false;
}

/**
 * The shape of the target without what the statement itself wrote when the loop's body was visited
 * before: its own coordinates say nothing about the ranges of its indices.
 */
function shapeByOthers(
  statement: TypedStatement,
  state: InferenceState,
): readonly number[] | undefined {
  const { target } = statement;
  const shape = state.shapes.get(target);
  const own = state.reaches.get(statement);
  if (own === undefined || shape === undefined) return shape;
  if (state.declared.has(target)) return shape;
  const others = [...state.reaches].filter(([s]) => s !== statement && s.target === target);
  if (others.length === 0) return undefined;
  return shape.map((size, d) => {
    const reaches = others.map(([, reach]) => reach[d] ?? { lo: 0, hi: size - 1 });
    return Math.max(0, ...reaches.map(({ hi }) => hi + 1));
  });
}
