import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/span.ts";
import { constant } from "../../ir/affine.ts";
import { implies } from "../../ir/integer-set/implies.ts";
import { flatMap } from "../../support/flat-map.ts";
import { fromCall, toCaller } from "../calls/call-report.ts";
import { settleResults } from "../calls/settle-results.ts";
import type { CheckedDefinition, CheckedNode, CheckedTensor } from "../checked.ts";
import { checkAccess } from "../checks/check-access.ts";
import type { ResolvedDefinition } from "../names/resolve-definition.ts";
import type { Symbols } from "../names/symbols.ts";
import {
  eachTyped,
  type TypedInlined,
  type TypedLoop,
  type TypedNode,
  type TypedStatement,
} from "../names/typed.ts";
import type { Definition } from "../syntax/ast.ts";
import type { AffineContext } from "./affine-of.ts";
import { disjointCases } from "./condition.ts";
import {
  elaborateStatement,
  readScope,
  type StatementPlace,
  type StatementScope,
} from "./elaborate-statement.ts";
import { branchGuards, type Enclosure, guardCondition, nothingAround } from "./enclosure.ts";
import { contextOf, type InferredRanges } from "./inference-state.ts";
import {
  loopConstraints,
  loopRange,
  statementConstraints,
  valueRange,
} from "./statement-domain.ts";

/** All that is known about a definition. */
export interface Analysed {
  readonly definition: Definition;
  readonly symbols: Symbols;
  readonly resolved: ResolvedDefinition;
  readonly inferred: InferredRanges;
  readonly report: Report;
  /** The text of the source between two offsets. */
  readonly textOf: (span: Span) => string;
}

/**
 * Purpose: put a definition together for lowering, and make the checks that need all shapes.
 * Requires: resolved names, inferred ranges.
 * Ensures: every affine read is proved inside of its tensor or carries the missing bounds as its
 * guard; `if`s are guards; reads outside, colliding writes and unwritten elements are reported.
 */
export function elaborate(analysed: Analysed): CheckedDefinition {
  const { definition, symbols } = analysed;
  const forwarded = new Set<string>();
  const inner = { ...analysed, forwarded };
  const body = elaborateNodes(analysed.resolved.nodes, nothingAround, inner, new Map());
  const kept = [...symbols.tensors.values()].filter(({ name }) => !forwarded.has(name));
  const tensors = kept.map(
    (symbol): CheckedTensor => ({
      name: symbol.name,
      type: analysed.resolved.types.get(symbol.name) ?? "float32",
      shape: analysed.inferred.shapes.get(symbol.name) ?? symbol.shape ?? [],
      role: symbol.role,
      span: symbol.span,
    }),
  );
  checkCovered(tensors, analysed);
  const sizes = flatMap([...symbols.sizes], ([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  return { name: definition.name.name, sizes, tensors, body, span: definition.span };
}

interface State extends Analysed, Pick<StatementScope, "whole"> {
  /** Results of calls that are made in their targets. */
  readonly forwarded: Set<string>;
}

/** The tensors that earlier statements write, each with the number of those before it. */
type Written = Map<string, number>;

function elaborateNodes(
  nodes: readonly TypedNode[],
  around: Enclosure,
  analysed: State,
  written: Written,
): readonly CheckedNode[] {
  return flatMap(nodes, (original) => {
    const node = analysed.inferred.frozen.get(original) ?? original;
    if (node.kind === "loop") return elaborateLoop(node, around, analysed, written);
    if (node.kind === "statement") return elaborateCases(node, around, analysed, written);
    if (node.kind === "inlined") return elaborateCall(node, around, analysed, written);
    // A mistake has been reported, and calls are inlined.
    if (node.kind !== "if") return [];
    return flatMap(branchGuards(node), ({ body, guards }) => {
      const inside = { ...around, guards: [...around.guards, ...guards] };
      return elaborateNodes(body, inside, analysed, written);
    });
  });
}

function elaborateLoop(
  loop: TypedLoop,
  around: Enclosure,
  analysed: State,
  written: Written,
): readonly CheckedNode[] {
  const taken = new Set([...around.intervals.keys(), loop.name]);
  const range = loopRange(loop, around.intervals, contextOf(analysed.inferred, taken));
  if (range === undefined) return [];
  const intervals = new Map(around.intervals).set(loop.name, range.interval);
  const inside = { ...around, loops: [...around.loops, loop], intervals };
  const body = elaborateNodes(loop.body, inside, analysed, written);
  const { name, source, reversed, node } = loop;
  const { lower, upper } = range;
  const { span } = node;
  return [{ kind: "loop", name, source, lower, upper, reversed, body, span }];
}

/** A call: its arguments are checked where it stands, its body with the call as a label. */
function elaborateCall(
  node: TypedInlined,
  around: Enclosure,
  analysed: State,
  written: Written,
): readonly CheckedNode[] {
  const { inferred, symbols, resolved, report } = analysed;
  const context = contextOf(analysed.inferred, new Set(around.intervals.keys()));
  checkArguments(node, around, context, analysed);
  const { cases } = guardCondition(around.guards, context);
  const before = written.size;
  const isUsed = (tensor: string): boolean =>
    (written.get(tensor) ?? before) < before || /^in/.test(symbols.tensors.get(tensor)?.role ?? "");
  // What the body leaves out is 0, so that copies may read it.
  const whole = new Set(node.results.map((result) => result.temporary));
  const outside: State = { ...analysed, whole, report: toCaller(node, report) };
  const cased = (s: TypedStatement): readonly CheckedNode[] =>
    elaborateCases(s, around, outside, written);
  const prepared = flatMap(node.before, cased);
  const inside = { ...analysed, report: fromCall(node, report) };
  const body = elaborateNodes(node.body, around, inside, written);
  const { nodes, forwarded } = settleResults({
    node,
    before: prepared,
    body,
    copies: node.results.map(({ copy }) => cased(copy)),
    loops: new Set(around.loops.map((loop) => loop.name)),
    cases: disjointCases(cases),
    quotients: context.quotients,
    isUsed,
    shapeOf: (tensor) => inferred.shapes.get(tensor) ?? [],
    typeOf: (tensor) => resolved.types.get(tensor) ?? "float32",
  });
  for (const tensor of forwarded) analysed.forwarded.add(tensor);
  return nodes;
}

/** The indices that a call gives must be inside of the tensors, also where its body reads nothing. */
function checkArguments(
  node: TypedInlined,
  around: Enclosure,
  context: AffineContext,
  analysed: State,
): void {
  const domain = loopConstraints(around.loops, context);
  const scope = readScope({ domain, intervals: around.intervals, context }, analysed);
  for (const { view } of node.binding.parameters) {
    const { tensor, leading, span } = view;
    // Without a shape a mistake has been reported.
    if (!analysed.inferred.shapes.has(tensor)) continue;
    const access = {
      kind: "access",
      tensor,
      indices: leading,
      fill: null,
      type: "int32",
      span,
    } as const;
    checkAccess({ access, guards: around.guards }, scope);
  }
}

/** A statement once for each disjoint case of the `if`s around it that can occur. */
function elaborateCases(
  statement: TypedStatement,
  around: Enclosure,
  analysed: State,
  written: Written,
): readonly CheckedNode[] {
  const ranges = analysed.inferred.statements.get(statement);
  if (ranges === undefined || !hasShapes(statement, analysed)) return [];
  const fresh = !written.has(statement.target);
  const first = fresh && around.loops.length === 0;
  const { parameters } = analysed.definition;
  const introduces = fresh && !parameters.some((p) => p.name.name === statement.target);
  if (!written.has(statement.target)) written.set(statement.target, written.size);
  const cases = disjointCases(guardCondition(around.guards, ranges.context).cases);
  const loops = loopConstraints(around.loops, ranges.context);
  return flatMap(cases, (all) => {
    const guard = all.filter((c) => !implies(loops, c));
    const place: StatementPlace = { around, ranges, guard, first, introduces };
    // A reduction resets its elements also where nothing is reduced.
    const reduces = statement.indices.some((i) => !i.left);
    const domain = reduces ? [...loops, ...all] : statementConstraints(around.loops, ranges, all);
    const possible =
      guard.length === 0 || valueRange(domain, constant(0), ranges.context) !== "empty";
    return possible ? [elaborateStatement(statement, place, analysed)] : [];
  });
}

/** False when a mistake elsewhere leaves a tensor that the statement uses without a shape. */
function hasShapes(statement: TypedStatement, analysed: State): boolean {
  return [statement.value, ...statement.left].every((part) =>
    eachTyped(part).every(
      (node) =>
        (node.kind !== "access" && node.kind !== "extent") ||
        analysed.inferred.shapes.has(node.tensor),
    ),
  );
}

/** Warns of results of which no statement writes some elements, as far as hulls show it. */
function checkCovered(tensors: readonly CheckedTensor[], analysed: Analysed): void {
  for (const tensor of tensors) {
    if (tensor.role !== "output") continue;
    const hulls = analysed.inferred.written.get(tensor.name) ?? [];
    for (const [dimension, hull] of hulls.entries()) {
      const size = tensor.shape[dimension] ?? 0;
      if (hull === null || (hull.lo <= 0 && hull.hi >= size - 1)) continue;
      const range = `${Math.max(hull.lo, 0)}:${Math.min(hull.hi + 1, size)}`;
      const detail =
        hull.lo > hull.hi
          ? "none of them run for these sizes"
          : `dimension ${dimension} has size ${size}, written are ${range}`;
      const { name, span } = tensor;
      analysed.report(diagnose("TC3010", { tensor: name, detail }, span));
      break;
    }
  }
}
