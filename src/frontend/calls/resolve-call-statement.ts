import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/span.ts";
import { constant, isConstant, subtract } from "../../ir/affine.ts";
import { didYouMean } from "../../support/edit-distance.ts";
import { computedAs, type ElementType } from "../../support/scalar-type.ts";
import { resolveExpression, resolveIndex } from "../names/resolve-expression.ts";
import { loses } from "../names/resolve-statement.ts";
import type { Scope } from "../names/scope.ts";
import {
  eachTyped,
  type Typed,
  type TypedArgument,
  type TypedCall,
  type TypedMistake,
  type TypedView,
} from "../names/typed.ts";
import { adapts, convert } from "../names/types.ts";
import { type AffineContext, affineOf } from "../ranges/affine-of.ts";
import type { Call, Expression, Identifier, Target } from "../syntax/ast.ts";
import { printExpression } from "../syntax/print-ast.ts";
import { eachExpressionNode } from "../syntax/walk-ast.ts";
import type { Signature, SignatureParameter, SignatureResult } from "./signature.ts";

/**
 * Resolves a call of a definition in the scope of its caller: arguments are whole tensors, slices
 * that give the leading indices, or scalar expressions; targets are whole tensors or slices.
 */
export function resolveCallStatement(node: Call, outer: Scope): TypedCall | TypedMistake {
  const scope: Scope = { ...outer, statement: undefined };
  const mistake: TypedMistake = {
    kind: "mistake",
    tensors: node.targets.map((target) => target.name.name),
  };
  const signature = findSignature(node, scope);
  if (signature === undefined || !countsAgree(node, signature, scope)) return mistake;
  const passed = signature.parameters.map((parameter, n) => {
    const e = node.arguments[n];
    return e === undefined ? undefined : resolveArgument(e, parameter, signature, scope);
  });
  const targets = signature.results.map((result, n) => {
    const target = node.targets[n];
    return target === undefined ? undefined : resolveTarget(target, result, signature, scope);
  });
  const [known, views] = [passed.filter(isKnown), targets.filter(isKnown)];
  if (known.length < passed.length || views.length < targets.length) return mistake;
  const call: TypedCall = { kind: "call", node, signature, arguments: known, targets: views };
  return checkInPlace(call, scope) && checkTargets(call, scope) ? call : mistake;
}

function isKnown<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function findSignature(node: Call, scope: Scope): Signature | undefined {
  const { name, span } = node.callee;
  if (!scope.definitions.has(name)) {
    const known = [...scope.definitions.keys()];
    const suggestion = didYouMean(name, known);
    const data = { wanted: name, known, ...(suggestion === undefined ? {} : { suggestion }) };
    scope.report(diagnose("TC2015", data, span));
  }
  return scope.definitions.get(name);
}

function countsAgree(node: Call, { name, parameters, results }: Signature, scope: Scope): boolean {
  const given = node.arguments.length;
  if (given !== parameters.length) {
    const n = parameters.length;
    const expected = n === 1 ? "1 argument" : `${n} arguments`;
    scope.report(diagnose("TC2005", { name, expected, found: given }, node.callee.span));
  }
  const found = node.targets.length;
  if (found !== results.length) {
    const data = { name, results: results.map((r) => r.name), found };
    scope.report(diagnose("TC2025", data, node.callee.span));
  }
  return given === parameters.length && found === results.length;
}

interface NamedTensor {
  readonly name: Identifier;
  readonly indices: readonly Expression[];
}

/** A tensor that is named alone or with leading indices; undefined for other expressions. */
function tensorIn(e: Expression, scope: Scope): NamedTensor | undefined {
  const found =
    e.kind === "name"
      ? { name: { name: e.name, span: e.span }, indices: [] }
      : e.kind === "apply"
        ? { name: e.name, indices: e.arguments }
        : undefined;
  if (found === undefined || !scope.symbols.tensors.has(found.name.name)) return undefined;
  const hidden = scope.loops.some((l) => l.source === found.name.name);
  return hidden ? undefined : found;
}

/** The leading indices of a slice, over loops, sizes and constants; undefined after a mistake. */
function leadingIndices(
  indices: readonly Expression[],
  scope: Scope,
): readonly Typed[] | undefined {
  const leading = indices.map((index) => {
    const names = eachExpressionNode(index).filter((node) => node.kind === "name");
    const report: Report = (d) => {
      const unknown = names.find((node) => node.span.start === d.span.start);
      if (d.code !== "TC2001" || unknown === undefined) scope.report(d);
      else scope.report(diagnose("TC2030", { name: unknown.name }, d.span));
    };
    return resolveIndex(index, { ...scope, report }, false);
  });
  return leading.some((index) => index.type === "error") ? undefined : leading;
}

function resolveArgument(
  e: Expression,
  parameter: SignatureParameter,
  signature: Signature,
  scope: Scope,
): TypedArgument | undefined {
  const tensor = tensorIn(e, scope);
  if (tensor !== undefined) return resolveSlice(e, tensor, parameter, signature, scope);
  if (takesValue(parameter)) return resolveValue(e, parameter, signature, scope);
  // Its own mistakes come first.
  if (resolveExpression(e, scope, noPlace).type === "error") return undefined;
  const found = parameter.inPlace ? "an expression, which cannot be updated" : "an expression";
  reportMisfit(parameter, found, e.span, signature, scope);
  return undefined;
}

function takesValue(parameter: SignatureParameter): boolean {
  return parameter.dimensions.length === 0 && !parameter.inPlace;
}

function resolveSlice(
  e: Expression,
  tensor: NamedTensor,
  parameter: SignatureParameter,
  signature: Signature,
  scope: Scope,
): TypedArgument | undefined {
  const { name } = tensor.name;
  const rank = scope.symbols.tensors.get(name)?.rank;
  const leading = leadingIndices(tensor.indices, scope);
  const type = scope.types.get(name);
  if (rank === undefined || leading === undefined || type === undefined) return undefined;
  const open = rank - leading.length;
  const fits = open === parameter.dimensions.length && type === parameter.type;
  if (takesValue(parameter) && open === 0 && (!fits || parameter.compileTime)) {
    return resolveValue(e, parameter, signature, scope);
  }
  if (fits) return { kind: "view", tensor: name, leading, span: e.span };
  if (open >= 0) reportMisfit(parameter, shapeText(open, type), e.span, signature, scope);
  else scope.report(diagnose("TC2006", { name, rank, found: leading.length }, e.span));
  return undefined;
}

const noPlace = { inIndex: false, onLeft: false };

/** A scalar expression, converted to the parameter's type. */
function resolveValue(
  e: Expression,
  parameter: SignatureParameter,
  signature: Signature,
  scope: Scope,
): TypedArgument | undefined {
  const value = resolveExpression(e, scope, noPlace);
  if (value.type === "error") return undefined;
  if (parameter.compileTime && eachTyped(value).some((part) => part.kind === "access")) {
    const found = "data: an index, a range or a shape uses it";
    const expected = "known when compiling";
    const data = { callee: signature.name, parameter: parameter.name, expected, found };
    const labels = [{ span: parameter.span, text: "declared here" }];
    scope.report(diagnose("TC2026", data, e.span, { labels }));
    return undefined;
  }
  if (!adapts(value, parameter.type) && loses(value.type, parameter.type)) {
    const data = { from: value.type, to: parameter.type, name: parameter.name };
    scope.report(diagnose("TC2007", data, e.span));
    return undefined;
  }
  const converted = convert(value, parameter.type, scope.report);
  return { kind: "value", value: converted, span: e.span };
}

function shapeText(rank: number, type: ElementType): string {
  return rank === 0 ? `a scalar of ${type}` : `a tensor of ${type} of rank ${rank}`;
}

function reportMisfit(
  { name, type, dimensions, span }: SignatureParameter,
  found: string,
  at: Span,
  signature: Signature,
  scope: Scope,
): void {
  const expected = shapeText(dimensions.length, type);
  const labels = [{ span, text: "declared here" }];
  const data = { callee: signature.name, parameter: name, expected, found };
  scope.report(diagnose("TC2026", data, at, { labels }));
}

function resolveTarget(
  target: Target,
  result: SignatureResult,
  signature: Signature,
  scope: Scope,
): TypedView | undefined {
  const { name } = target.name;
  const symbol = scope.symbols.tensors.get(name);
  const leading = leadingIndices(target.indices, scope);
  const type = scope.types.get(name);
  if (leading === undefined || symbol?.rank === undefined || type === undefined) return undefined;
  const { rank } = result;
  if (rank === undefined) return undefined;
  const labels = [{ span: result.span, text: "the result" }];
  const open = symbol.rank - leading.length;
  const misfit = open !== rank || (result.kind !== "new" && type !== result.type);
  if (misfit) {
    const expected = shapeText(rank, result.type);
    const found = shapeText(Math.max(0, open), type);
    const data = { callee: signature.name, parameter: result.name, expected, found };
    scope.report(diagnose("TC2026", data, target.span, { labels }));
    return undefined;
  }
  if (loses(computedAs(result.type), type)) {
    const data = { from: result.type, to: type, name, target: true } as const;
    scope.report(diagnose("TC2007", data, target.span, { labels }));
    return undefined;
  }
  return { kind: "view", tensor: name, leading, span: target.span };
}

/** A tensor that is updated in place must be passed and be the target. */
function checkInPlace(call: TypedCall, scope: Scope): boolean {
  const { parameters, results, name } = call.signature;
  return results.every((result, n) => {
    if (result.kind !== "parameter") return true;
    const at = parameters.findIndex((p) => p.name === result.name);
    const [argument, target] = [call.arguments[at], call.targets[n]];
    if (argument?.kind !== "view" || target === undefined) return false;
    if (sameView(argument, target)) return true;
    const written = call.node.arguments[at];
    const text = written === undefined ? "" : printExpression(written);
    const data = { callee: name, parameter: result.name, argument: text };
    const labels = [{ span: argument.span, text: "the argument" }];
    scope.report(diagnose("TC2027", data, target.span, { labels }));
    return false;
  });
}

function sameView(a: TypedView, b: TypedView): boolean {
  const text = (view: TypedView): string =>
    JSON.stringify([view.tensor, view.leading], (key, value) => (key === "span" ? null : value));
  return text(a) === text(b);
}

function checkTargets({ targets }: TypedCall, scope: Scope): boolean {
  for (const [n, target] of targets.entries()) {
    const before = targets.slice(0, n).find((other) => mayOverlap(target, other));
    if (before === undefined) continue;
    const labels = [{ span: before.span, text: "here too" }];
    scope.report(diagnose("TC2029", { tensor: target.tensor }, target.span, { labels }));
    return false;
  }
  return true;
}

/** False when two views have no element in common, as far as constant distances show it. */
export function mayOverlap(a: TypedView, b: TypedView): boolean {
  if (a.tensor !== b.tensor) return false;
  const context: AffineContext = {
    quotients: [],
    shapeOf: () => undefined,
    sizeOf: () => undefined,
    taken: new Set(),
  };
  return !a.leading.some((left, d) => {
    const right = b.leading[d];
    const [x, y] = [
      affineOf(left, context),
      right === undefined ? right : affineOf(right, context),
    ];
    const distance = x === undefined || y === undefined ? constant(0) : subtract(x, y);
    return isConstant(distance) && distance.constant !== 0;
  });
}
