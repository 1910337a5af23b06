/**
 * Kernel expressions to closures: one closure for each component of a value, so that vectors need
 * no memory of their own.
 *
 * Indices of wide loads and values that a vector repeats are computed once per statement, by the
 * closures in `first`, into registers; expressions are pure and both sides of a select are
 * evaluated, so it makes no difference when.
 */
import { assertNever, defined } from "../../support/assert.ts";
import { packWord, unpackPart } from "../../support/words.ts";
import type { KernelExpression } from "../kernel.ts";
import { binarySemantics, callSemantics, castSemantics, negation } from "../scalar-semantics.ts";
import { compileBinary } from "./compile-binary.ts";
import { compileElement, compileWideCheck } from "./compile-load.ts";
import { observeLoad } from "./observer.ts";
import type { Evaluate, Scope } from "./scope.ts";

/** A scalar expression; see {@link compileComponents}. */
export function compileScalar(e: KernelExpression, scope: Scope): Evaluate {
  return defined(compileComponents(e, scope)[0], "component");
}

/** Computes a scalar before the statement; gives its register. */
function computeFirst(e: KernelExpression, scope: Scope): number {
  const known = scope.registers.get(e);
  if (known !== undefined) return known;
  const value = compileScalar(e, scope);
  const slot = scope.allocate(1);
  const { registers } = scope.m;
  scope.first.push((base) => {
    registers[base + slot] = value(base);
  });
  scope.registers.set(e, slot);
  return slot;
}

function readRegister(scope: Scope, slot: number): Evaluate {
  const { registers } = scope.m;
  return (base) => registers[base + slot] as number;
}

/** The place of the invocation in its subgroup, a block of consecutive invocations. */
function laneOf({ m }: Scope): Evaluate {
  const lanes = defined(m.kernel.subgroupSize, "size of subgroups");
  const { registers } = m;
  return (base) => (registers[base] as number) % lanes;
}

/** The number of the subgroup of the invocation. */
function subgroupOf({ m }: Scope): Evaluate {
  const lanes = defined(m.kernel.subgroupSize, "size of subgroups");
  const { registers } = m;
  return (base) => Math.floor((registers[base] as number) / lanes);
}

function compileLeaf(
  e: KernelExpression & { kind: "literal" | "variable" | "builtin" | "step" },
  scope: Scope,
): readonly Evaluate[] {
  const { group, steps } = scope.m;
  switch (e.kind) {
    case "literal": {
      const value = castSemantics(e.type.scalar, e.type.scalar)(e.value);
      return Array.from({ length: e.type.width }, () => () => value);
    }
    case "variable": {
      const slot = defined(scope.m.variables.get(e.name), "variable", e.name);
      return Array.from({ length: e.type.width }, (_, n) => readRegister(scope, slot + n));
    }
    case "builtin": {
      if (e.builtin === "local-index") return [readRegister(scope, 0)];
      if (e.builtin === "lane") return [laneOf(scope)];
      if (e.builtin === "subgroup") return [subgroupOf(scope)];
      const dimension = ["workgroup-x", "workgroup-y", "workgroup-z"].indexOf(e.builtin);
      return [() => group[dimension] as number];
    }
    case "step":
      return [() => steps[e.slot] as number];
    default:
      return assertNever(e);
  }
}

function compileLoad(e: KernelExpression & { kind: "load" }, scope: Scope): readonly Evaluate[] {
  const view = defined(scope.m.arrays.get(e.array), "array", e.array);
  const { width } = e.type;
  observeLoad(e, scope, () => compileScalar(e.index, scope));
  if (width === 1) return [compileElement(scope, view, compileScalar(e.index, scope), 0)];
  const known = scope.registers.has(e.index);
  const index = readRegister(scope, computeFirst(e.index, scope));
  if (!known) scope.first.push(compileWideCheck(scope, view, index, width));
  return Array.from({ length: width }, (_, n) => compileElement(scope, view, index, n));
}

function compileVector(
  e: KernelExpression & { kind: "vector" },
  scope: Scope,
): readonly Evaluate[] {
  const [only] = e.components;
  if (e.components.length !== 1 || only === undefined) {
    return e.components.map((part) => compileScalar(part, scope));
  }
  const value = readRegister(scope, computeFirst(only, scope));
  return Array.from({ length: e.type.width }, () => value);
}

/** Lifts a function of up to three scalars over the components; a scalar operand is repeated. */
function componentwise(
  width: number,
  operands: readonly KernelExpression[],
  scope: Scope,
  combine: (a: Evaluate, b: Evaluate, c: Evaluate) => Evaluate,
): readonly Evaluate[] {
  const none: Evaluate = () => 0;
  const parts = operands.map((operand) => compileComponents(operand, scope));
  const at = (position: number, n: number): Evaluate => {
    const part = parts[position];
    return part?.[n] ?? part?.[0] ?? none;
  };
  return Array.from({ length: width }, (_, n) => combine(at(0, n), at(1, n), at(2, n)));
}

function compileOperation(
  e: KernelExpression & { kind: "unary" | "binary" | "select" | "call" | "cast" },
  scope: Scope,
): readonly Evaluate[] {
  const { width, scalar } = e.type;
  switch (e.kind) {
    case "unary": {
      const apply = e.operator === "not" ? (x: number) => 1 - x : negation(scalar);
      return componentwise(width, [e.operand], scope, (a) => (base) => apply(a(base)));
    }
    case "cast": {
      const apply = castSemantics(e.operand.type.scalar, scalar, e.narrow);
      return componentwise(width, [e.operand], scope, (a) => (base) => apply(a(base)));
    }
    case "binary": {
      const type = e.left.type.scalar;
      const apply = defined(binarySemantics(e.operator, type), `${e.operator} on ${type}`);
      return componentwise(width, [e.left, e.right], scope, (a, b) =>
        compileBinary(e.operator, type, apply, a, b),
      );
    }
    case "select":
      return componentwise(
        width,
        [e.condition, e.whenTrue, e.whenFalse],
        scope,
        (condition, whenTrue, whenFalse) => (base) => {
          const yes = whenTrue(base);
          const no = whenFalse(base);
          return condition(base) !== 0 ? yes : no;
        },
      );
    case "call": {
      const apply = callSemantics(e.function, e.arguments[0]?.type.scalar ?? scalar);
      return componentwise(
        width,
        e.arguments,
        scope,
        (a, b, c) => (base) => apply(a(base), b(base), c(base)),
      );
    }
    default:
      return assertNever(e);
  }
}

function compilePack(e: KernelExpression & { kind: "pack" }, scope: Scope): Evaluate {
  const parts = e.parts.map((part) => compileScalar(part, scope));
  return (base) =>
    packWord(
      e.element,
      parts.map((part) => part(base)),
    );
}

function compileUnpack(e: KernelExpression & { kind: "unpack" }, scope: Scope): Evaluate {
  const word = compileScalar(e.word, scope);
  const position = compileScalar(e.position, scope);
  return (base) => unpackPart(e.element, word(base), position(base));
}

/** One closure for each component of the value; `scope.first` must run before them. */
export function compileComponents(e: KernelExpression, scope: Scope): readonly Evaluate[] {
  switch (e.kind) {
    case "literal":
    case "variable":
    case "builtin":
    case "step":
      return compileLeaf(e, scope);
    case "load":
      return compileLoad(e, scope);
    case "vector":
      return compileVector(e, scope);
    case "component":
      return [defined(compileComponents(e.vector, scope)[e.index], "component", e.index)];
    case "pack":
      return [compilePack(e, scope)];
    case "unpack":
      return [compileUnpack(e, scope)];
    case "unary":
    case "binary":
    case "select":
    case "call":
    case "cast":
      return compileOperation(e, scope);
    default:
      return assertNever(e);
  }
}
