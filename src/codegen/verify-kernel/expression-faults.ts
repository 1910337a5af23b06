/**
 * Types of kernel expressions, rebuilt from their parts and compared with what the nodes say.
 *
 * Widths of memory accesses: an array of width `w` is declared as vectors of `w`, so a load has width
 * `w` or 1 and a store width `w`; private and workgroup arrays of width 1 may also be accessed wide,
 * which is taken apart, and private arrays of any width take scalar stores.
 */
import { assertNever } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { scalarFunction } from "../../support/scalar-functions.ts";
import { computedAs, type NarrowType } from "../../support/scalar-type.ts";
import { elementsPerWord } from "../../support/words.ts";
import type { KernelArray, KernelExpression, KernelType, Width } from "../kernel.ts";
import { binarySemantics, isComparison, toScalar } from "../scalar-semantics.ts";
import { kernelOperands, printKernelType } from "../walk-kernel.ts";

/** What is known where an expression stands. */
export interface ExpressionScope {
  readonly arrays: ReadonlyMap<string, KernelArray>;
  readonly variables: ReadonlyMap<string, { readonly type: KernelType }>;
  readonly steps: number;
  readonly subgroupSize: number | undefined;
}

function same(a: KernelType, b: KernelType): boolean {
  return a.scalar === b.scalar && a.width === b.width;
}

/** True for the type of indices. */
export function isIndex(type: KernelType): boolean {
  return type.scalar === "uint32" && type.width === 1;
}

function mismatch(what: string, actual: KernelType, expected: KernelType): readonly string[] {
  if (same(actual, expected)) return [];
  return [`${what} is ${printKernelType(actual)}, not ${printKernelType(expected)}`];
}

/** What is wrong with an access of that width, `store` or load. */
export function widthFaults(array: KernelArray, width: Width, store: boolean): readonly string[] {
  const split = array.width === 1 && array.space !== "storage" && !array.atomic;
  const scalar = width === 1 && (!store || array.space === "private");
  if (width === array.width || split || scalar) return [];
  const access = store ? "store" : "load";
  return [`${access} of width ${width} on ${array.id}, which is declared with ${array.width}`];
}

function literalFaults(e: KernelExpression & { kind: "literal" }): readonly string[] {
  const { scalar } = e.type;
  if (scalar === "float32" || Object.is(toScalar(scalar)(e.value) + 0, e.value + 0)) return [];
  return [`literal ${e.value} is no ${scalar}`];
}

function loadFaults(
  e: KernelExpression & { kind: "load" },
  scope: ExpressionScope,
): readonly string[] {
  const array = scope.arrays.get(e.array);
  if (array === undefined) return [`load of unknown array ${e.array}`];
  const index = isIndex(e.index.type) ? [] : ["index is no uint32"];
  const scalar = { ...e.type, scalar: array.scalar };
  return [
    ...index,
    ...mismatch(`load of ${e.array}`, e.type, scalar),
    ...widthFaults(array, e.type.width, false),
  ];
}

function unaryFaults(e: KernelExpression & { kind: "unary" }): readonly string[] {
  const logical = e.operand.type.scalar === "bool";
  const wrong = logical === (e.operator === "not") ? [] : [`${e.operator} of ${e.type.scalar}`];
  return [...wrong, ...mismatch(e.operator, e.type, e.operand.type)];
}

function isPositiveLiteral(e: KernelExpression): boolean {
  return e.kind === "literal" && e.value > 0;
}

function binaryFaults(e: KernelExpression & { kind: "binary" }): readonly string[] {
  const { operator } = e;
  const { scalar, width } = e.left.type;
  if (!same(e.left.type, e.right.type)) {
    return [`${operator} of ${printKernelType(e.left.type)} and ${printKernelType(e.right.type)}`];
  }
  if (binarySemantics(operator, scalar) === undefined) return [`${operator} of ${scalar}`];
  const division = operator === "%" || (operator === "/" && scalar === "uint32");
  const divisor =
    division && !isPositiveLiteral(e.right) ? [`${operator} by what is no positive literal`] : [];
  const result: KernelType = isComparison(operator) ? { scalar: "bool", width } : e.left.type;
  return [...divisor, ...mismatch(operator, e.type, result)];
}

function selectFaults(e: KernelExpression & { kind: "select" }): readonly string[] {
  const { scalar, width } = e.condition.type;
  const fits = scalar === "bool" && (width === 1 || width === e.type.width);
  return [
    ...(fits ? [] : [`condition is ${printKernelType(e.condition.type)}`]),
    ...mismatch("select's first side", e.whenTrue.type, e.type),
    ...mismatch("select's second side", e.whenFalse.type, e.type),
  ];
}

function callFaults(e: KernelExpression & { kind: "call" }): readonly string[] {
  const known = scalarFunction(e.function);
  const [first] = e.arguments;
  if (known === undefined) return [`unknown function ${e.function}`];
  if (e.arguments.length !== known.arity || first === undefined) {
    return [`${e.function} takes ${known.arity} arguments, not ${e.arguments.length}`];
  }
  const { scalar, width } = first.type;
  const domains = {
    float: scalar === "float32",
    number: scalar !== "bool" && scalar !== "float16",
    any: true,
  };
  const condition: KernelType = { scalar: "bool", width };
  return [
    ...(domains[known.domain] ? [] : [`${e.function} of ${scalar}`]),
    ...flatMap(e.arguments, (argument, n) =>
      mismatch(
        `argument ${n} of ${e.function}`,
        argument.type,
        e.function === "select" && n === 2 ? condition : first.type,
      ),
    ),
    ...mismatch(e.function, e.type, known.result === "bool" ? condition : first.type),
  ];
}

function vectorFaults(e: KernelExpression & { kind: "vector" }): readonly string[] {
  const { width, scalar } = e.type;
  const count = e.components.length;
  const fits = width > 1 && (count === 1 || count === width);
  return [
    ...(fits ? [] : [`${count} components in a vector of width ${width}`]),
    ...flatMap(e.components, (part) => mismatch("component", part.type, { scalar, width: 1 })),
  ];
}

function componentFaults(e: KernelExpression & { kind: "component" }): readonly string[] {
  const { scalar, width } = e.vector.type;
  const inside = Number.isInteger(e.index) && e.index >= 0 && e.index < width && width > 1;
  return [
    ...(inside ? [] : [`component ${e.index} of a value of width ${width}`]),
    ...mismatch("component", e.type, { scalar, width: 1 }),
  ];
}

function variableFaults(
  e: KernelExpression & { kind: "variable" },
  scope: ExpressionScope,
): readonly string[] {
  const declared = scope.variables.get(e.name);
  if (declared === undefined) return [`${e.name} is not declared here`];
  return mismatch(e.name, e.type, declared.type);
}

/** The type that a narrow type has outside of memory; float16 where the device has none. */
function wideType(element: NarrowType): KernelType {
  return { scalar: element === "float16" ? "float32" : computedAs(element), width: 1 };
}

function castFaults(e: KernelExpression & { kind: "cast" }): readonly string[] {
  const { type, narrow, operand } = e;
  const scalar = narrow === undefined ? type.scalar : wideType(narrow).scalar;
  return mismatch("cast", type, { scalar, width: operand.type.width });
}

function packFaults(e: KernelExpression & { kind: "pack" }): readonly string[] {
  const count = elementsPerWord(e.element);
  const all = e.parts.length === count ? [] : [`${e.parts.length} parts in a word of ${count}`];
  return [
    ...all,
    ...flatMap(e.parts, (part) => mismatch("part", part.type, wideType(e.element))),
    ...mismatch("pack", e.type, { scalar: "uint32", width: 1 }),
  ];
}

function unpackFaults(e: KernelExpression & { kind: "unpack" }): readonly string[] {
  const index: KernelType = { scalar: "uint32", width: 1 };
  return [
    ...mismatch("word", e.word.type, index),
    ...mismatch("position", e.position.type, index),
    ...mismatch("unpack", e.type, wideType(e.element)),
  ];
}

function ownFaults(e: KernelExpression, scope: ExpressionScope): readonly string[] {
  const index: KernelType = { scalar: "uint32", width: 1 };
  switch (e.kind) {
    case "literal":
      return literalFaults(e);
    case "variable":
      return variableFaults(e, scope);
    case "builtin": {
      const ofSubgroups = e.builtin === "lane" || e.builtin === "subgroup";
      const known = !ofSubgroups || scope.subgroupSize !== undefined;
      const lane = known ? [] : [`${e.builtin} in a kernel without subgroups`];
      return [...lane, ...mismatch(e.builtin, e.type, index)];
    }
    case "step": {
      const known = Number.isInteger(e.slot) && e.slot >= 0 && e.slot < scope.steps;
      return [...(known ? [] : [`no step slot ${e.slot}`]), ...mismatch("step", e.type, index)];
    }
    case "load":
      return loadFaults(e, scope);
    case "unary":
      return unaryFaults(e);
    case "binary":
      return binaryFaults(e);
    case "select":
      return selectFaults(e);
    case "call":
      return callFaults(e);
    case "cast":
      return castFaults(e);
    case "vector":
      return vectorFaults(e);
    case "component":
      return componentFaults(e);
    case "pack":
      return packFaults(e);
    case "unpack":
      return unpackFaults(e);
    default:
      return assertNever(e);
  }
}

/** What is wrong with an expression, innermost first. */
export function expressionFaults(e: KernelExpression, scope: ExpressionScope): readonly string[] {
  return [
    ...flatMap(kernelOperands(e), (part) => expressionFaults(part, scope)),
    ...ownFaults(e, scope),
  ];
}
