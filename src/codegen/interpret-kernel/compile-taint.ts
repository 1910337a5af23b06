/**
 * Which values depend on poison: a shadow of compile-expression.ts.
 *
 * A select depends on its condition and the side that it takes; `and` and `or` depend on nothing
 * where one side, that has a value, decides; every other operator on all its operands. A load
 * depends on its element, and on its index.
 */
import { assertNever, defined } from "../../support/assert.ts";
import type { KernelExpression } from "../kernel.ts";
import { compileComponents, compileScalar } from "./compile-expression.ts";
import { wordOf } from "./compile-load.ts";
import type { Evaluate, Scope } from "./scope.ts";

/** True where the value depends on poison. */
export type Taint = (base: number) => boolean;

const never: Taint = () => false;

function anyOf(taints: readonly Taint[]): Taint {
  const possible = taints.filter((t) => t !== never);
  const [first] = possible;
  if (first === undefined) return never;
  return possible.length === 1 ? first : (base) => possible.some((t) => t(base));
}

function loadTaint(e: KernelExpression & { kind: "load" }, scope: Scope): readonly Taint[] {
  const { m } = scope;
  const view = defined(m.arrays.get(e.array), "array", e.array);
  const index = compileScalar(e.index, scope);
  const indexTaint = taintOf(e.index, scope);
  return Array.from({ length: e.type.width }, (_, n) => (base: number) => {
    const at = index(base) + n;
    return at >= view.length || view.written[wordOf(m, view, at)] === 0 || indexTaint(base);
  });
}

function binaryTaint(
  e: KernelExpression & { kind: "binary" },
  n: number,
  scope: Scope,
  parts: readonly Taint[],
): Taint {
  const { operator } = e;
  const [left = never, right = never] = parts;
  if ((operator !== "and" && operator !== "or") || (left === never && right === never)) {
    return anyOf(parts);
  }
  const deciding = operator === "or" ? 1 : 0;
  const [a, b] = [e.left, e.right].map((side) => pick(compileComponents(side, scope), n));
  const decides = (taint: Taint, value: Evaluate | undefined, base: number): boolean =>
    !taint(base) && value?.(base) === deciding;
  return (base) =>
    (left(base) || right(base)) && !decides(left, a, base) && !decides(right, b, base);
}

/** Component `n` of a value; a scalar has one for all. */
function pick<T>(components: readonly T[], n: number): T {
  return defined(components[n] ?? components[0], "component", n);
}

function selectTaint(
  e: KernelExpression & { kind: "select" },
  n: number,
  scope: Scope,
  parts: readonly Taint[],
): Taint {
  const [condition = never, whenTrue = never, whenFalse = never] = parts;
  const value = pick(compileComponents(e.condition, scope), n);
  return (base) => condition(base) || (value(base) !== 0 ? whenTrue(base) : whenFalse(base));
}

function operationTaint(
  e: KernelExpression & { kind: "unary" | "binary" | "select" | "call" | "cast" },
  operands: readonly KernelExpression[],
  scope: Scope,
): readonly Taint[] {
  const parts = operands.map((operand) => componentTaints(operand, scope));
  return Array.from({ length: e.type.width }, (_, n) => {
    const own = parts.map((part) => pick(part, n));
    if (e.kind === "binary") return binaryTaint(e, n, scope, own);
    if (e.kind === "select") return selectTaint(e, n, scope, own);
    return anyOf(own);
  });
}

function vectorTaint(e: KernelExpression & { kind: "vector" }, scope: Scope): readonly Taint[] {
  const parts = e.components.map((part) => taintOf(part, scope));
  return Array.from({ length: e.type.width }, (_, n) => pick(parts, n));
}

/** For each component of the value whether it depends on poison, before the statement's effect. */
function componentTaints(e: KernelExpression, scope: Scope): readonly Taint[] {
  switch (e.kind) {
    case "literal":
    case "builtin":
    case "step":
      return Array.from({ length: e.type.width }, () => never);
    case "variable": {
      const { tainted } = scope.m;
      const slot = defined(scope.m.variables.get(e.name), "variable", e.name);
      return Array.from({ length: e.type.width }, (_, n) => (base: number) => {
        return tainted[base + slot + n] !== 0;
      });
    }
    case "load":
      return loadTaint(e, scope);
    case "vector":
      return vectorTaint(e, scope);
    case "component":
      return [pick(componentTaints(e.vector, scope), e.index)];
    case "pack":
      return [anyOf(e.parts.map((part) => taintOf(part, scope)))];
    case "unpack":
      return [anyOf([taintOf(e.word, scope), taintOf(e.position, scope)])];
    case "unary":
    case "cast":
      return operationTaint(e, [e.operand], scope);
    case "binary":
      return operationTaint(e, [e.left, e.right], scope);
    case "select":
      return operationTaint(e, [e.condition, e.whenTrue, e.whenFalse], scope);
    case "call":
      return operationTaint(e, e.arguments, scope);
    default:
      return assertNever(e);
  }
}

/** Whether a scalar depends on poison. */
function taintOf(e: KernelExpression, scope: Scope): Taint {
  return pick(componentTaints(e, scope), 0);
}

/** The same, compiled when it is first asked: programs without faults never do. */
export function lazyTaints(
  e: KernelExpression,
  scope: Scope,
): (n: number, base: number) => boolean {
  let compiled: readonly Taint[] | undefined;
  return (n, base) => {
    compiled ??= componentTaints(e, scope);
    return pick(compiled, n)(base);
  };
}
