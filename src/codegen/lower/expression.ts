/**
 * Scalar expressions of the program as kernel expressions.
 *
 * Under a vector loop, what does not depend on it stays scalar, arithmetic that WGSL has on vectors
 * is wide, reads of adjacent and aligned elements are wide loads, and all else is put together from
 * its components.
 */
import { type Affine, coefficientOf, constant, substitute } from "../../ir/affine.ts";
import { type Expression, eachExpression } from "../../ir/expression.ts";
import { type Access, tensorOf } from "../../ir/program.ts";
import { defined, invariant } from "../../support/assert.ts";
import { listOf } from "../../support/list-of.ts";
import { remember } from "../../support/remember.ts";
import { isFloat } from "../../support/scalar-type.ts";
import {
  allOf,
  castTo,
  componentOf,
  indexType,
  kernelType,
  literalOf,
  variableOf,
  widen,
} from "../build.ts";
import { type KernelExpression, type KernelType, roomOf, type Width } from "../kernel.ts";
import { eachKernelExpression, expressionKey } from "../walk-kernel.ts";
import { bind } from "./block.ts";
import { type Element, elementOf } from "./element.ts";
import { readOrigin } from "./origins.ts";
import { isInRegisters, ofDims, type Scope } from "./scope.ts";
import { readName } from "./separated-reads.ts";
import { conditionOf, coordinateOf, indexOf, isImplied, tighten } from "./variables.ts";

/** The expression in a scope: scalar, or as wide as the scope's vector loop. */
export function lowerExpression(scope: Scope, e: Expression): KernelExpression {
  if (scope.lane !== null && dependsOnLane(scope, e) && !isVectorNative(e)) {
    return componentwise(scope, scope.lane, (inner) => lowerExpression(inner, e));
  }
  switch (e.kind) {
    case "literal":
      return literalOf(e.value, kernelType(e.type));
    case "coordinate":
      return castTo(coordinateOf(ofDims(scope, e.affine), scope.context.variables), e.type);
    case "read":
      return lowerRead(scope, e.read, e.component);
    case "state":
      return defined(scope.state?.[e.side][e.component], "state of the monoid");
    case "unary": {
      const operand = lowerExpression(scope, e.operand);
      return { kind: "unary", operator: e.operator, operand, type: typeLike(e, operand) };
    }
    case "binary":
      return lowerBinary(scope, e);
    case "select":
      return lowerSelect(scope, e);
    case "call": {
      const parts = e.arguments.map((a) => lowerExpression(scope, a));
      const width = Math.max(1, ...parts.map((p) => p.type.width)) as Width;
      const wide = parts.map((p) => widen(p, width));
      return {
        kind: "call",
        function: e.function,
        arguments: wide,
        type: kernelType(e.type, width),
      };
    }
    case "cast":
      return lowerCast(scope, e);
  }
}

function lowerBinary(scope: Scope, e: Extract<Expression, { kind: "binary" }>): KernelExpression {
  const { operator } = e;
  const sides = sameWidth(lowerExpression(scope, e.left), lowerExpression(scope, e.right));
  const type = typeLike(e, sides[0]);
  const isExtreme = (operator === "min" || operator === "max") && isFloat(e.type);
  if (!isExtreme || !scope.context.selectsExtremes) {
    return { kind: "binary", operator, left: sides[0], right: sides[1], type };
  }
  // Of what may be no number, too, one of both: more is not promised of min and max either. With "<" the
  // left side, what is best so far, takes the result of the comparison: a lane's registers have two.
  const [left, right] = sides.map((side) => bind(scope.block, "side", side));
  invariant(left !== undefined && right !== undefined, "two sides");
  const condition: KernelExpression = {
    kind: "binary",
    operator: "<",
    left,
    right,
    type: kernelType("bool", type.width),
  };
  const [whenTrue, whenFalse] = operator === "min" ? [left, right] : [right, left];
  return { kind: "select", condition, whenTrue, whenFalse, type };
}

function lowerSelect(scope: Scope, e: Extract<Expression, { kind: "select" }>): KernelExpression {
  const condition = lowerExpression(scope, e.condition);
  const sides = [lowerExpression(scope, e.whenTrue), lowerExpression(scope, e.whenFalse)];
  const width = Math.max(condition.type.width, ...sides.map((s) => s.type.width)) as Width;
  const [whenTrue, whenFalse] = sides.map((s) => widen(s, width));
  invariant(whenTrue !== undefined && whenFalse !== undefined, "two sides");
  const type = kernelType(e.type, width);
  return { kind: "select", condition: namedChoice(scope, condition), whenTrue, whenFalse, type };
}

/** What chooses between two states chooses so in each of their components. */
function namedChoice({ state, block }: Scope, condition: KernelExpression): KernelExpression {
  if (state === null || state.right.length < 2) return condition;
  // An accumulator that was not named has another value by the next update.
  if (eachKernelExpression(condition).some((e) => e.kind === "load")) return condition;
  return block.share(`choice:${expressionKey(condition)}`, "wins", () => condition);
}

function lowerCast(scope: Scope, e: Extract<Expression, { kind: "cast" }>): KernelExpression {
  const operand = lowerExpression(scope, e.operand);
  if (e.narrow === undefined) return castTo(operand, e.type);
  return { kind: "cast", operand, narrow: e.narrow, type: typeLike(e, operand) };
}

function typeLike(e: Expression, operand: KernelExpression): KernelExpression["type"] {
  return kernelType(e.type, operand.type.width);
}

function sameWidth(
  a: KernelExpression,
  b: KernelExpression,
): readonly [KernelExpression, KernelExpression] {
  const width = Math.max(a.type.width, b.type.width) as Width;
  return [widen(a, width), widen(b, width)];
}

/** The scope of one component of a vector loop. */
export function atComponent(scope: Scope, lane: string, n: number): Scope {
  const fix = (map: ReadonlyMap<string, Affine>): ReadonlyMap<string, Affine> =>
    new Map(
      [...map].map(([k, a]) => [k, substitute(a, (v) => (v === lane ? constant(n) : undefined))]),
    );
  const state =
    scope.state === null
      ? null
      : {
          left: scope.state.left.map((e) => componentOf(e, n)),
          right: scope.state.right.map((e) => componentOf(e, n)),
        };
  return { ...scope, loops: fix(scope.loops), dims: fix(scope.dims), lane: null, state };
}

/** A value under a vector loop, put together from its components. */
export function componentwise(
  scope: Scope,
  lane: NonNullable<Scope["lane"]>,
  lower: (inner: Scope) => KernelExpression,
): KernelExpression {
  const components = listOf(lane.width, (n) => lower(atComponent(scope, lane.variable, n)));
  const first = defined(components[0], "component");
  return { kind: "vector", components, type: kernelType(first.type.scalar, lane.width) };
}

/** Whether a function of the statement's dims moves with the vector loop. */
function usesLane({ dims, lane }: Scope, a: Affine): boolean {
  if (lane === null) return false;
  let moves = 0;
  for (const { variable, coefficient } of a.terms) {
    const by = dims.get(variable);
    const each =
      by === undefined ? Number(variable === lane.variable) : coefficientOf(by, lane.variable);
    moves += coefficient * each;
  }
  return moves !== 0;
}

function readDependsOnLane(scope: Scope, n: number): boolean {
  const access = defined(scope.statement.reads[n], "read", n);
  return (
    access.guard.some((c) => usesLane(scope, c.affine)) ||
    access.index.some((i) =>
      i.kind === "affine" ? usesLane(scope, i.affine) : dependsOnLane(scope, i.expression),
    )
  );
}

/** Each instance of a leaf asks for the nodes of the same expressions. */
const nodesOf: typeof eachExpression = remember(eachExpression);

function dependsOnLane(scope: Scope, e: Expression): boolean {
  for (const node of nodesOf(e)) {
    if (node.kind === "coordinate" && usesLane(scope, node.affine)) return true;
    if (node.kind === "read" && readDependsOnLane(scope, node.read)) return true;
    if (node.kind === "state") return true;
  }
  return false;
}

/** Operators of numbers, and of bools, that WGSL has on vectors; others are functions of ours. */
const vectorOperators: ReadonlySet<string> = new Set([
  "+",
  "-",
  "*",
  "/",
  "min",
  "max",
  "<",
  "<=",
  ">",
  ">=",
  "==",
  "!=",
  "and",
  "or",
]);

function isNativeNode(node: Expression): boolean {
  switch (node.kind) {
    case "coordinate":
      return false;
    case "call":
      return node.type === "float32";
    case "cast":
      return isFloat(node.type);
    case "binary":
      return vectorOperators.has(node.operator) && (node.operator !== "/" || isFloat(node.type));
    default:
      return true;
  }
}

/** Whether all of an expression exists on vectors. */
const isVectorNative: (e: Expression) => boolean = remember((e) =>
  eachExpression(e).every(isNativeNode),
);

function lowerRead(scope: Scope, n: number, component: number): KernelExpression {
  const access = defined(scope.statement.reads[n], "read", n);
  const { context, lane } = scope;
  const guard = access.guard
    .map((c) => ({ kind: c.kind, affine: ofDims(scope, c.affine) }))
    .filter((c) => !isImplied(c, context.variables))
    .map((c) => tighten(c, context.variables));
  if (lane !== null && readDependsOnLane(scope, n)) {
    const wide = guard.length === 0 ? wideLoad(scope, access, component, lane) : null;
    return wide ?? componentwise(scope, lane, (inner) => lowerRead(inner, n, component));
  }
  const element = elementFor(scope, access, component);
  const tests = guard.map((c) => conditionOf(c, context.variables));
  return loadWhere(scope, access, { element, component, width: 1 }, tests);
}

/** What a read loads: an element, or as many of them as the vector loop is wide. */
interface Loaded {
  readonly element: Element;
  readonly component: number;
  readonly width: Width;
}

/** A load where the tests hold and the element is there, and the fill elsewhere. */
function loadWhere(
  scope: Scope,
  access: Access,
  { element, component, width }: Loaded,
  tests: readonly KernelExpression[],
): KernelExpression {
  const { context } = scope;
  const condition = allOf([...tests, ...element.conditions]);
  const always = condition === undefined;
  const value = load(scope, access, { element, component, width }, always);
  if (condition === undefined) return value;
  const fill = literalOf(access.fill, value.type);
  if (isShared(scope, access.tensor)) return loadIf(scope, condition, value, fill);
  const masked: KernelExpression = {
    kind: "select",
    condition,
    whenTrue: value,
    whenFalse: fill,
    type: value.type,
  };
  if (context.written.has(access.tensor)) return masked;
  const key = `masked:${expressionKey(masked)}`;
  return scope.block.share(key, `${access.tensor}_inside`, () => masked);
}

/** Whether other invocations may write the tensor while this kernel runs. */
function isShared({ context }: Scope, tensor: string): boolean {
  return context.written.has(tensor) && !isInRegisters(context.layouts.get(tensor));
}

/** Whether a barrier stands between the statement's reads of the tensor and all writes of it. */
function isSeparated({ context, statement }: Scope, tensor: string): boolean {
  return context.separated.has(readName(statement.id, "any", tensor));
}

/** A load that happens only where the condition holds: elsewhere it would meet others' writes. */
function loadIf(
  { block }: Scope,
  condition: KernelExpression,
  value: KernelExpression,
  fill: KernelExpression,
): KernelExpression {
  const name = block.names.fresh("guarded");
  block.emit({ kind: "declare", name, type: value.type, value: fill, mutable: true });
  block.emit({ kind: "if", condition, then: [{ kind: "assign", name, value }], else: [] });
  return variableOf(name, value.type);
}

function elementFor(scope: Scope, access: Access, component: number): Element {
  return elementOf(scope, {
    tensor: access.tensor,
    component,
    index: access.index,
    outside: scope.exact && access.guard.length === 0 ? "never" : "clamp",
    writes: false,
    opaque: (e) => lowerExpression(scope, e),
  });
}

/** Whether the elements of the vector loop are adjacent and start at a multiple of its width. */
export function isAligned(
  affine: Affine | null,
  lane: NonNullable<Scope["lane"]>,
): affine is Affine {
  if (affine === null || coefficientOf(affine, lane.variable) !== 1) return false;
  const others = affine.terms.filter((t) => t.variable !== lane.variable);
  return [affine.constant, ...others.map((t) => t.coefficient)].every((c) => c % lane.width === 0);
}

function wideLoad(
  scope: Scope,
  access: Access,
  component: number,
  lane: NonNullable<Scope["lane"]>,
): KernelExpression | null {
  // What is found at run time is the same for all lanes, and only one coordinate counts them.
  if (access.index.some((i) => i.kind === "opaque" && dependsOnLane(scope, i.expression)))
    return null;
  if (access.index.filter((i) => i.kind === "affine" && usesLane(scope, i.affine)).length > 1) {
    return null;
  }
  const layout = scope.context.layouts.get(access.tensor);
  // The components come from lanes of their own.
  if (layout?.kind === "box" && layout.deal !== null) return null;
  const element = elementFor(scope, access, component);
  const array = defined(scope.context.arrays.get(element.array), element.array);
  const plain = !array.atomic && array.scalar !== "bool" && element.part === null;
  const fits = roomOf(array) % lane.width === 0 && plain;
  const { affine, factors } = element.parts;
  const steps = factors.every((f) => f % lane.width === 0);
  if (!fits || !steps || !isAligned(affine, lane)) return null;
  return loadWhere(scope, access, { element, component, width: lane.width }, []);
}

/**
 * A load; of memory that no one writes meanwhile, one that the block may share. Not `always`: what is
 * written in this kernel is loaded where the value is used, under its condition.
 */
function load(
  scope: Scope,
  access: Access,
  { element, component, width }: Loaded,
  always: boolean,
): KernelExpression {
  const { tensor } = access;
  const { components } = tensorOf(scope.context.program, tensor);
  const scalar = components[component];
  invariant(scalar !== undefined, `component ${component} of ${tensor}`);
  const { array, part, lane } = element;
  const type = kernelType(scalar, width);
  const origin = readOrigin(scope.statement, access);
  const loaded = (as: KernelType, from = origin): KernelExpression => ({
    kind: "load",
    array,
    index: element.index(),
    type: as,
    origin: from,
  });
  if (lane !== null) {
    const how = { kind: "broadcast", lane: indexOf(lane, scope.context.variables) } as const;
    const key = `${element.key} version ${scope.context.versions.get(array) ?? 0}`;
    return scope.block.exchange(key, `${tensor}_of`, () => ({ type, value: loaded(type), how }));
  }
  const { written, versions } = scope.context;
  const settled = !written.has(tensor) || (always && isSeparated(scope, tensor));
  const version = versions.get(array);
  const key = `${width}:${element.key}${version === undefined ? "" : ` version ${version}`}`;
  const share = (hint: string, as: KernelType): KernelExpression => {
    if (!settled) return loaded(as);
    const all = [...origin];
    return scope.block.share(key, `${tensor}_${hint}`, () => loaded(as, all), all);
  };
  if (part === null) return share("value", type);
  const word = share("word", indexType);
  return { kind: "unpack", element: part.type, word, position: part.position, type };
}
