import type { Span } from "../../diagnostics/span.ts";
import { flatMap } from "../../support/flat-map.ts";
import { computedAs, type ElementType } from "../../support/scalar-type.ts";
import type { ResolvedDefinition } from "../names/resolve-definition.ts";
import type { Symbols, TensorSymbol } from "../names/symbols.ts";
import {
  type BoundParameter,
  eachTyped,
  type Typed,
  type TypedCall,
  type TypedInlined,
  type TypedNode,
  type TypedResult,
  type TypedStatement,
  type TypedView,
} from "../names/typed.ts";
import { convert } from "../names/types.ts";
import type { Assign, Expression } from "../syntax/ast.ts";
import { printExpression } from "../syntax/print-ast.ts";
import { mayOverlap } from "./resolve-call-statement.ts";
import type { Signature } from "./signature.ts";
import { type PassedTensor, type Substitution, substituteNodes } from "./substitute-typed.ts";

/** A definition with its names. */
export interface Inlinable {
  readonly signature: Signature;
  readonly symbols: Symbols;
  readonly resolved: ResolvedDefinition;
}

interface State {
  readonly callees: ReadonlyMap<string, Inlinable>;
  /** Grow with the tensors that inlined definitions bring. */
  readonly tensors: Map<string, TensorSymbol>;
  readonly types: Map<string, ElementType>;
  /** All names of sizes and loops. */
  readonly sizes: Set<string>;
  readonly loops: Set<string>;
}

/**
 * Purpose: replace calls of definitions by their bodies.
 * Requires: a resolved definition; its callees resolved and without calls themselves.
 * Ensures: no calls are left. Tensors, sizes and loops of a callee have fresh names, made of the
 * callee's and their own; its indices do not hide the loops around the call. Arguments are passed by
 * value: tensors are views of the caller's, copied before only if the call updates them in place under
 * another name, scalars are substituted, or computed before if they read data. Each result is made in
 * a temporary and copied to its target after the body; those that the callee updates are views of
 * their targets.
 */
export function inlineCalls(
  definition: Pick<Inlinable, "symbols" | "resolved">,
  callees: ReadonlyMap<string, Inlinable>,
): Pick<Inlinable, "symbols" | "resolved"> {
  const { symbols, resolved } = definition;
  const state: State = {
    callees,
    tensors: new Map(symbols.tensors),
    types: new Map(resolved.types),
    sizes: new Set(symbols.sizes.keys()),
    loops: new Set(loopNames(resolved.nodes)),
  };
  const nodes = inlineNodes(resolved.nodes, [], state);
  return {
    symbols: { ...symbols, tensors: state.tensors },
    resolved: { nodes, types: state.types },
  };
}

function loopNames(nodes: readonly TypedNode[]): readonly string[] {
  return flatMap(nodes, (node): readonly string[] => {
    if (node.kind === "loop") return [node.name, ...loopNames(node.body)];
    if (node.kind !== "if") return [];
    return flatMap([...node.branches.map((b) => b.body), node.otherwise], loopNames);
  });
}

function inlineNodes(
  nodes: readonly TypedNode[],
  around: readonly string[],
  state: State,
): readonly TypedNode[] {
  return nodes.map((node): TypedNode => {
    if (node.kind === "call") return inlineCall(node, around, state);
    if (node.kind === "loop") {
      return { ...node, body: inlineNodes(node.body, [...around, node.name], state) };
    }
    if (node.kind !== "if") return node;
    const branches = node.branches.map((b) => ({ ...b, body: inlineNodes(b.body, around, state) }));
    return { ...node, branches, otherwise: inlineNodes(node.otherwise, around, state) };
  });
}

/** A name that is not taken, and takes it. */
function freshName(base: string, taken: { has(name: string): boolean }): string {
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
  return name;
}

/** One call while it is inlined. */
interface Site {
  readonly call: TypedCall;
  readonly callee: Inlinable;
  readonly around: readonly string[];
  readonly state: State;
  readonly before: TypedStatement[];
  /** By the callee's names. */
  readonly views: Map<string, PassedTensor>;
  readonly values: Map<string, Typed>;
  /** The call's own tensors, and what the callee calls them. */
  readonly own: Map<string, string>;
}

function inlineCall(call: TypedCall, around: readonly string[], state: State): TypedNode {
  const { name } = call.signature;
  const callee = state.callees.get(name);
  if (callee === undefined) {
    return { kind: "mistake", tensors: call.targets.map((target) => target.tensor) };
  }
  const [views, values, own] = [new Map(), new Map(), new Map()];
  const site: Site = { call, callee, around, state, before: [], views, values, own };
  const bound = [...passArguments(site), ...passUpdated(site)];
  const results = makeResults(site);
  for (const tensor of callee.symbols.tensors.keys())
    if (!isPassed(tensor, site)) addOwn(tensor, site);
  const sizes = freshNames(name, state.sizes);
  const loops = freshNames(name, state.loops);
  for (const loop of loopNames(callee.resolved.nodes)) loops(loop);
  const by: Substitution = {
    viewOf: (tensor) => site.views.get(tensor) ?? { tensor, leading: [], own: true },
    valueOf: (value) => site.values.get(value),
    sizeOf: sizes,
    loopOf: loops,
    around,
  };
  const told = [...callee.symbols.sizes.keys()].filter((size) => !site.values.has(size));
  const body = substituteNodes(callee.resolved.nodes, by);
  const shapes = declaredShapes(site);
  return {
    kind: "inlined",
    node: call.node,
    before: site.before,
    binding: {
      callee: name,
      sizes: new Map(told.map((size) => [size, sizes(size)])),
      values: new Map([...site.values].filter(([value]) => callee.symbols.sizes.has(value))),
      parameters: bound,
      shapes,
    },
    body,
    results,
    own,
  };
}

function isPassed(tensor: string, site: Site): boolean {
  return site.views.has(tensor) || site.values.has(tensor);
}

/** Gives each name that it is asked for a fresh one, always the same. */
function freshNames(prefix: string, taken: Set<string>): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const fresh = freshName(`${prefix}_${name}`, taken);
    taken.add(fresh);
    known.set(name, fresh);
    return fresh;
  };
}

/** A fresh temporary of the caller. */
function addTemporary(
  base: string,
  symbol: Omit<TensorSymbol, "name" | "role">,
  type: ElementType,
  state: State,
): string {
  const name = freshName(base, { has: (n) => state.tensors.has(n) || state.sizes.has(n) });
  state.tensors.set(name, { ...symbol, name, role: "temporary" });
  state.types.set(name, type);
  return name;
}

/** A tensor that every call has for itself. */
function addOwn(tensor: string, site: Site): string {
  const { callee, state } = site;
  const symbol = callee.symbols.tensors.get(tensor);
  const type = callee.resolved.types.get(tensor) ?? "float32";
  const { rank, span } = symbol ?? { rank: 0, span: site.call.node.span };
  const base = `${callee.signature.name}_${tensor}`;
  const name = addTemporary(base, { rank, type, shape: undefined, span }, type, state);
  site.views.set(tensor, { tensor: name, leading: [], own: true });
  site.own.set(name, tensor);
  return name;
}

/** The declared shapes of the call's own tensors. */
function declaredShapes(site: Site): TypedInlined["binding"]["shapes"] {
  return flatMap(site.call.signature.results, (result) => {
    const passed = site.views.get(result.name);
    if (passed?.own !== true || result.dimensions === undefined) return [];
    return [{ tensor: passed.tensor, dimensions: result.dimensions }];
  });
}

/** The views that the call writes: of parameters that it updates, and of results that it adds to. */
function writtenViews({ call, callee }: Site): readonly TypedView[] {
  return flatMap(callee.signature.results, (result, n) => {
    const target = call.targets[n];
    return result.kind === "new" || target === undefined ? [] : [target];
  });
}

function passArguments(site: Site): readonly BoundParameter[] {
  const updated = writtenViews(site);
  return flatMap(site.call.signature.parameters, (parameter, n): readonly BoundParameter[] => {
    const argument = site.call.arguments[n];
    if (argument === undefined) return [];
    const { name, dimensions, type } = parameter;
    if (argument.kind === "value" && !readsData(argument.value)) {
      site.values.set(name, argument.value);
      return [];
    }
    const view =
      argument.kind === "value"
        ? copyBefore(name, { rank: 0, type, read: () => argument.value }, argument.span, site)
        : settled(argument, site);
    const hidden = !parameter.inPlace && updated.some((other) => mayOverlap(view, other));
    const passed = hidden ? copyView(name, view, dimensions.length, type, site) : view;
    site.views.set(name, { tensor: passed.tensor, leading: passed.leading, own: false });
    const written = site.call.node.arguments[n];
    const text = written === undefined ? name : printExpression(written);
    return [{ name, dimensions, view: passed, written: text }];
  });
}

/** Results that the callee updates and that are no parameters: the caller's tensor has them. */
function passUpdated(site: Site): readonly BoundParameter[] {
  return flatMap(site.call.signature.results, (result, n): readonly BoundParameter[] => {
    const target = site.call.targets[n];
    if (result.kind !== "updated" || target === undefined) return [];
    const view = settled(target, site);
    site.views.set(result.name, { tensor: view.tensor, leading: view.leading, own: false });
    const { name, dimensions } = result;
    return [{ name, dimensions, view, written: target.tensor }];
  });
}

function readsData(e: Typed): boolean {
  return eachTyped(e).some((part) => part.kind === "access");
}

/** A view whose leading indices stay what they are: those that read data are computed before. */
function settled(view: TypedView, site: Site): TypedView {
  const leading = view.leading.map((index): Typed => {
    if (!readsData(index)) return index;
    const made = copyBefore("at", { rank: 0, type: "int32", read: () => index }, index.span, site);
    const { tensor } = made;
    return { kind: "access", tensor, indices: [], fill: null, type: "int32", span: index.span };
  });
  return { ...view, leading };
}

function copyView(
  name: string,
  view: TypedView,
  rank: number,
  type: ElementType,
  site: Site,
): TypedView {
  const { tensor, span } = view;
  const read = (indices: readonly Typed[]): Typed => {
    return {
      kind: "access",
      tensor,
      indices: [...view.leading, ...indices],
      fill: null,
      type: computedAs(type),
      span,
    };
  };
  return copyBefore(name, { rank, type, read }, span, site);
}

/** What a copy reads. */
interface Source {
  readonly rank: number;
  readonly type: ElementType;
  readonly read: (indices: readonly Typed[]) => Typed;
}

/** A temporary that is made before the body runs. */
function copyBefore(name: string, source: Source, span: Span, site: Site): TypedView {
  const { callee, state, before, own } = site;
  const { rank, type } = source;
  const symbol = { rank, type, shape: undefined, span };
  const tensor = addTemporary(`${callee.signature.name}_${name}`, symbol, type, state);
  own.set(tensor, name);
  const view: TypedView = { kind: "view", tensor, leading: [], span };
  before.push(copyStatement(view, [], source, type, site));
  return view;
}

/** The results that the callee makes, each in a temporary, and the copies to their targets. */
function makeResults(site: Site): readonly TypedResult[] {
  const { call, callee, state } = site;
  return flatMap(callee.signature.results, (result, n): readonly TypedResult[] => {
    const written = call.targets[n];
    if (result.kind !== "new" || written === undefined) return [];
    const target = settled(written, site);
    const temporary = addOwn(result.name, site);
    const { span } = target;
    const rank = result.rank ?? 0;
    const read = (indices: readonly Typed[]): Typed => {
      return {
        kind: "access",
        tensor: temporary,
        indices,
        fill: null,
        type: computedAs(result.type),
        span,
      };
    };
    const leading = call.node.targets[n]?.indices ?? [];
    const type = state.types.get(target.tensor) ?? result.type;
    const copy = copyStatement(target, leading, { rank, type: result.type, read }, type, site);
    return [{ temporary, target, copy }];
  });
}

/** `target(leading, i0, i1, ...) = source(i0, i1, ...)`; `written` are the leading indices as text. */
function copyStatement(
  target: TypedView,
  written: readonly Expression[],
  { rank, read }: Source,
  type: ElementType,
  { around }: Site,
): TypedStatement {
  const { span } = target;
  const names = Array.from({ length: rank }, (_, d) => {
    let name = `i${d}`;
    while (around.includes(name)) name += "_";
    return name;
  });
  const indices = names.map((name): Typed => ({ kind: "index", name, type: "int32", span }));
  const plain = names.map((name): Expression => ({ kind: "name", name, span }));
  const node: Assign = {
    kind: "assign",
    target: { name: { name: target.tensor, span }, indices: [...written, ...plain], span },
    operator: "=",
    operatorSpan: span,
    value: { kind: "missing", span },
    clauses: [],
    span,
  };
  return {
    kind: "statement",
    node,
    target: target.tensor,
    left: [...target.leading, ...indices],
    operator: "=",
    reset: false,
    indices: names.map((name) => ({ name, source: name, span, left: true })),
    clauses: [],
    exists: [],
    value: convert(read(indices), type, () => undefined),
    span,
  };
}
