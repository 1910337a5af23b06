/** What one instance of a leaf does, its guard aside. */
import { type Affine, add, coefficientOf, scale, subtract } from "../../ir/affine.ts";
import type { Expression } from "../../ir/expression.ts";
import { isScatter, parallelDims, reductionOf, tensorOf } from "../../ir/program.ts";
import type { Digit, Phase } from "../../ir/schedule.ts";
import { assertNever, defined, invariant } from "../../support/assert.ts";
import { listOf } from "../../support/list-of.ts";
import { elementCount, type NarrowType, rowMajorStrides } from "../../support/scalar-type.ts";
import { allOf, castTo, compare, componentOf, indexLiteral, kernelType, widen } from "../build.ts";
import { type KernelExpression, type KernelStatement, roomOf, type Width } from "../kernel.ts";
import type { Origin } from "../origin.ts";
import { type Block, bind } from "./block.ts";
import { type Element, elementOf } from "./element.ts";
import { atComponent, componentwise, isAligned, lowerExpression } from "./expression.ts";
import type { OrderedUpdates } from "./ordered-updates.ts";
import { stateOrigin, writeOrigin } from "./origins.ts";
import { boxArray, ofDims, ofLoops, type Scope, useArray } from "./scope.ts";
import { conditionOf, coordinateOf, indexOf, isImplied, tighten } from "./variables.ts";
import { withinTeam } from "./within-team.ts";

/** Emits a phase into the scope's block. */
export function lowerPhase(scope: Scope, phase: Phase): void {
  const { body } = scope.statement;
  switch (phase) {
    case "whole":
      if (isScatter(scope.statement)) lowerScatter(scope);
      else storeAll(scope, target(scope), lowerAll(scope, body));
      return;
    case "init":
      lowerInit(scope);
      return;
    case "update":
      lowerUpdate(scope);
      return;
    case "finish":
      lowerFinish(scope);
      return;
    default:
      assertNever(phase);
  }
}

/** What a reduction starts from, in the first invocation of a team; the identity in the others. */
function forFirst(
  scope: Scope,
  values: readonly KernelExpression[],
  identity: readonly Expression[],
): readonly KernelExpression[] {
  const { teams, workgroupSize } = scope.context;
  const { team } = defined(teams.get(scope.statement.id), "team of", scope.statement.id);
  const member = withinTeam(team, workgroupSize);
  const condition = compare("==", member, indexLiteral(0));
  return values.map((whenTrue, c): KernelExpression => {
    const unit = lowerExpression(scope, defined(identity[c], "component", c));
    const whenFalse = widen(unit, whenTrue.type.width);
    return selectWide(condition, whenTrue, whenFalse);
  });
}

/** A choice by one condition for all components. */
function selectWide(
  condition: KernelExpression,
  whenTrue: KernelExpression,
  whenFalse: KernelExpression,
): KernelExpression {
  const { width, scalar } = whenTrue.type;
  const components = listOf(width, (n): KernelExpression => {
    const [left, right] = [componentOf(whenTrue, n), componentOf(whenFalse, n)];
    const type = kernelType(scalar);
    return { kind: "select", condition, whenTrue: left, whenFalse: right, type };
  });
  const [only] = components;
  if (only !== undefined && width === 1) return only;
  return { kind: "vector", components, type: whenTrue.type };
}

/** The state that the accumulator of an instance's element holds, and how to change it. */
export function accumulatedState(scope: Scope): {
  readonly state: readonly KernelExpression[];
  set(values: readonly KernelExpression[]): void;
} {
  const sums = accumulator(scope);
  const state = listOf(sums.components, (c) => bind(scope.block, "part", loadOne(scope, sums, c)));
  return { state, set: (values) => storeAll(scope, sums, values) };
}

function lowerAll(scope: Scope, parts: readonly Expression[]): readonly KernelExpression[] {
  const values = parts.map((e) => lowerExpression(scope, e));
  // Several components are all computed before the first is stored.
  return values.length === 1 ? values : values.map((v) => bind(scope.block, "part", v));
}

/** Something with an element per component: the statement's target, or its accumulator. */
interface Destination {
  readonly components: number;
  /** Of words: what their components are stored as. */
  readonly packed: NarrowType | null;
  element(scope: Scope, component: number): Element;
  readonly scalar: (component: number) => KernelExpression["type"]["scalar"];
  readonly origin: Origin;
}

function target(scope: Scope): Destination {
  const { write } = scope.statement;
  const tensor = tensorOf(scope.context.program, write.tensor);
  const { components, stored } = tensor;
  return {
    components: components.length,
    packed: stored ?? null,
    origin: writeOrigin(scope.statement),
    scalar: (c) => defined(components[c], "component", c),
    element: (inner, component) =>
      elementOf(inner, {
        tensor: write.tensor,
        component,
        index: write.index,
        outside: isScatter(scope.statement) ? "drop" : "never",
        writes: true,
        opaque: (e) => lowerExpression(inner, e),
      }),
  };
}

function accumulator(scope: Scope, id = `acc.${scope.statement.id}`): Destination {
  const { statement } = scope;
  const { monoid } = reductionOf(statement);
  const known: Element[] = [];
  return {
    components: monoid.state.length,
    packed: null,
    origin: stateOrigin(statement),
    scalar: (c) => defined(monoid.state[c], "component", c),
    element: (inner, component) => {
      if (inner !== scope) return accumulatorElement(inner, component, id);
      // Loaded and stored again.
      const element = known[component] ?? accumulatorElement(scope, component, id);
      known[component] = element;
      return element;
    },
  };
}

/** What the accumulator held before a block, in as many registers. */
function heldBefore(scope: Scope): Destination {
  return accumulator(scope, `acc.${scope.statement.id}.before`);
}

/** The number that some digits of `n` are, the one of the smallest stride first; `n` has no others. */
function ofDigits(n: number, digits: readonly Digit[]): number {
  let [rest, place] = [Math.abs(n), 0];
  for (const { stride, extent } of digits.toReversed()) {
    const digit = Math.floor(rest / stride);
    place = place * extent + digit;
    rest -= digit * stride;
  }
  invariant(rest === 0, "an accumulator between its digits");
  return Math.sign(n) * place;
}

/** {@link ofDigits} of an affine function whose terms add up digit by digit. */
function affineOfDigits(a: Affine, digits: readonly Digit[]): Affine {
  if (digits.length === 1 && digits[0]?.stride === 1) return a;
  const terms = a.terms.map((t) => ({ ...t, coefficient: ofDigits(t.coefficient, digits) }));
  return { terms, constant: ofDigits(a.constant, digits) };
}

function accumulatorElement(scope: Scope, component: number, name: string): Element {
  const { context, statement } = scope;
  const layout = defined(context.accumulators.get(statement.id), "accumulator of", statement.id);
  const { monoid } = reductionOf(statement);
  const strides = rowMajorStrides(layout.extents);
  const affine = add(
    ...parallelDims(statement).map((dim, d) => {
      const at = defined(scope.dims.get(dim), "dim", dim);
      const base = ofLoops(scope, defined(layout.base[d], "base of", dim));
      return scale(affineOfDigits(subtract(at, base), layout.digits[d] ?? []), strides[d] ?? 1);
    }),
  );
  const suffix = monoid.state.length === 1 ? "" : `_${component}`;
  const id = `${name}${suffix}`;
  const scalar = defined(monoid.state[component], "component", component);
  const size = elementCount(layout.extents);
  const array = useArray(context, id, () => boxArray(id, scalar, "private", size, 1));
  const index = (): KernelExpression => indexOf(affine, context.variables);
  const parts = { affine, factors: [] };
  return { array, index, affine, parts, key: id, conditions: [], part: null, lane: null };
}

/** Whether a vector loop moves the element, and if so whether as one aligned vector. */
function laneUse(
  scope: Scope,
  element: Element,
  scalar: string,
): "fixed" | "aligned" | "scattered" {
  const { lane } = scope;
  if (lane === null) return "fixed";
  if (element.affine !== null && coefficientOf(element.affine, lane.variable) === 0) return "fixed";
  const array = defined(scope.context.arrays.get(element.array), element.array);
  const fits = roomOf(array) % lane.width === 0 && !array.atomic && scalar !== "bool";
  return fits && isAligned(element.affine, lane) ? "aligned" : "scattered";
}

function storeAll(scope: Scope, to: Destination, values: readonly KernelExpression[]): void {
  if (to.packed === null) {
    for (const [c, value] of values.entries()) storeOne(scope, to, c, value);
  } else storeOne(scope, { ...to, scalar: () => "uint32" }, 0, packed(to.packed, values));
}

/** The word of the values of an element's components; under a vector loop, a word for each lane. */
function packed(element: NarrowType, values: readonly KernelExpression[]): KernelExpression {
  const width = Math.max(...values.map((v) => v.type.width)) as Width;
  const words = listOf(width, (n): KernelExpression => {
    const parts = values.map((v) => componentOf(v, n));
    return { kind: "pack", element, parts, type: kernelType("uint32") };
  });
  const [only] = words;
  if (only !== undefined && width === 1) return only;
  return { kind: "vector", components: words, type: kernelType("uint32", width) };
}

function storeOne(scope: Scope, to: Destination, component: number, value: KernelExpression): void {
  const element = to.element(scope, component);
  const { lane, block } = scope;
  const use = laneUse(scope, element, to.scalar(component));
  if (use === "scattered" && lane !== null) {
    const all = bind(block, "wide", value);
    for (let n = 0; n < lane.width; n++) {
      const inner = atComponent(scope, lane.variable, n);
      storeOne(inner, to, component, componentOf(all, n));
    }
    return;
  }
  const width: Width = use === "aligned" && lane !== null ? lane.width : 1;
  const { versions } = scope.context;
  versions.set(element.array, (versions.get(element.array) ?? 0) + 1);
  emitWhere(block, element, store(element, widen(value, width), to.origin));
}

/** Emits an access that happens only where the element is in its tensor. */
function emitWhere(block: Block, element: Element, access: KernelStatement): void {
  const condition = allOf(element.conditions);
  if (condition === undefined) block.emit(access);
  else block.emit({ kind: "if", condition, then: [access], else: [] });
}

function store(element: Element, value: KernelExpression, origin: Origin): KernelStatement {
  invariant(element.lane === null, `${element.array} is stored into for another lane`);
  return { kind: "store", array: element.array, index: element.index(), value, origin };
}

function loadOne(scope: Scope, from: Destination, component: number): KernelExpression {
  const element = from.element(scope, component);
  const { lane } = scope;
  const scalar = from.scalar(component);
  const use = laneUse(scope, element, scalar);
  if (use === "scattered" && lane !== null) {
    const components = listOf(lane.width, (n) =>
      loadOne(atComponent(scope, lane.variable, n), from, component),
    );
    return { kind: "vector", components, type: kernelType(scalar, lane.width) };
  }
  const width: Width = use === "aligned" && lane !== null ? lane.width : 1;
  return {
    kind: "load",
    array: element.array,
    index: element.index(),
    type: kernelType(scalar, width),
    origin: from.origin,
  };
}

function loadAll(scope: Scope, from: Destination): readonly KernelExpression[] {
  const values = listOf(from.components, (c) => loadOne(scope, from, c));
  return values.length === 1 ? values : values.map((v) => bind(scope.block, "state", v));
}

function lowerInit(scope: Scope): void {
  const { monoid, init, projected } = reductionOf(scope.statement);
  const updates = scope.context.ordered.get(scope.statement.id);
  const values = lowerAll(scope, init ?? monoid.identity);
  const start = values.map((v, c) => {
    if (updates?.ordered.by !== c) return v;
    const none = projected ? lowerExpression(scope, updates.ordered.none) : v;
    return firstPosition(scope, updates, none);
  });
  const isPart = scope.context.teams.has(scope.statement.id) && init !== null;
  const own = isPart ? forFirst(scope, start, monoid.identity) : start;
  storeAll(scope, accumulator(scope), own);
}

/** The position of the first state, or `none` where there is none. */
function firstPosition(
  scope: Scope,
  updates: OrderedUpdates,
  none: KernelExpression,
): KernelExpression {
  const { lane, context } = scope;
  const { variables } = context;
  const starts = [...updates.first].map(([d, a]) => [d, ofLoops(scope, a)] as const);
  const inner: Scope = { ...scope, dims: new Map([...scope.dims, ...starts]) };
  const position = ofDims(inner, updates.position);
  const open = updates.constraints
    .map((c) => ({ kind: c.kind, affine: ofDims(inner, c.affine) }))
    .filter((c) => !isImplied(c, variables));
  const all = [position, ...open.map((c) => c.affine)];
  if (lane !== null && all.some((a) => coefficientOf(a, lane.variable) !== 0)) {
    return componentwise(scope, lane, (one) => firstPosition(one, updates, none));
  }
  const value = castTo(coordinateOf(position, variables), none.type.scalar);
  const condition = allOf(open.map((c) => conditionOf(tighten(c, variables), variables)));
  if (condition === undefined) return value;
  return { kind: "select", condition, whenTrue: value, whenFalse: none, type: value.type };
}

function lowerUpdate(scope: Scope): void {
  const { monoid } = reductionOf(scope.statement);
  const updates = scope.context.ordered.get(scope.statement.id);
  const { combine } = updates?.ordered ?? monoid;
  const sums = accumulator(scope);
  const right = lowerAll(scope, scope.statement.body);
  const left = loadAll(scope, sums);
  const inner = { ...scope, state: { left, right } };
  if (updates === undefined || updates.block === null) {
    storeAll(scope, sums, lowerAll(inner, combine));
    return;
  }
  const values = combine.map((e, c) =>
    c === updates.ordered.by ? null : bind(scope.block, "part", lowerExpression(inner, e)),
  );
  for (const [c, value] of values.entries()) if (value !== null) storeOne(scope, sums, c, value);
}

/**
 * Before the updates of a block: keeps what of the state they change. Behind them: sets the component
 * that they leave, as if one state had been added.
 */
export function lowerBlockEdge(scope: Scope, edge: "before" | "behind"): void {
  const updates = defined(scope.context.ordered.get(scope.statement.id), "ordered updates");
  const { by, combine } = updates.ordered;
  const [sums, kept] = [accumulator(scope), heldBefore(scope)];
  const changed = [...combine.keys()].filter((c) => c !== by);
  if (edge === "before") {
    for (const c of changed) storeOne(scope, kept, c, loadOne(scope, sums, c));
    return;
  }
  const type = sums.scalar(by);
  const position = coordinateOf(ofDims(scope, updates.position), scope.context.variables);
  const load = (from: Destination, c: number): KernelExpression =>
    bind(scope.block, "state", loadOne(scope, from, c));
  const left = combine.map((_, c) => load(c === by ? sums : kept, c));
  const right = combine.map((_, c) => (c === by ? castTo(position, type) : load(sums, c)));
  const best = defined(combine[by], "the combined position");
  storeOne(scope, sums, by, lowerExpression({ ...scope, state: { left, right } }, best));
}

function lowerFinish(scope: Scope): void {
  storeFinished(scope, loadAll(scope, accumulator(scope)));
}

/** Stores what the state of a reduction becomes in the end. */
export function storeFinished(scope: Scope, left: readonly KernelExpression[]): void {
  const { monoid, projected } = reductionOf(scope.statement);
  const { project } = scope.context.ordered.get(scope.statement.id)?.ordered ?? monoid;
  const state = { left, right: [] };
  const values = projected ? [lowerExpression({ ...scope, state }, project)] : left;
  storeAll(scope, target(scope), values);
}

/** Combines into the element that the instance names, indivisibly where others may do so too. */
function lowerScatter(scope: Scope): void {
  const { statement, context } = scope;
  const { monoid } = reductionOf(statement);
  const right = lowerAll(scope, statement.body).map((v) => bind(scope.block, "added", v));
  const to = target(scope);
  const { origin } = to;
  const element = to.element(scope, 0);
  const condition = allOf(element.conditions);
  const inner = condition === undefined ? scope.block : scope.block.inner("condition");
  const operator = monoid.atomic;
  if (context.atomic.has(statement.write.tensor) && operator !== null) {
    const value = defined(right[0], "added value");
    const { array } = element;
    inner.emit({ kind: "atomic", operator, array, index: element.index(), value, origin });
  } else {
    const type = kernelType(defined(monoid.state[0], "state type"));
    const old: KernelExpression = {
      kind: "load",
      array: element.array,
      index: element.index(),
      type,
      origin,
    };
    const state = { left: [bind(inner, "old", old)], right };
    const combined = defined(monoid.combine[0], "combination");
    const value = lowerExpression({ ...scope, block: inner, state }, combined);
    inner.emit(store(element, value, origin));
  }
  if (condition !== undefined) {
    scope.block.emit({ kind: "if", condition, then: inner.statements, else: [] });
  }
}
