/** Names, types and accesses in the statements of a kernel. */
import { assertNever } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import type {
  Exchange,
  FragmentType,
  Kernel,
  KernelArray,
  KernelExpression,
  KernelStatement,
  KernelType,
} from "../kernel.ts";
import { printKernelExpression } from "../print-kernel.ts";
import { binarySemantics } from "../scalar-semantics.ts";
import { factsOf, type IndexFacts, indexRange } from "../simplify/index-range.ts";
import { printKernelType, someKernelExpression } from "../walk-kernel.ts";
import { expressionFaults, isIndex, widthFaults } from "./expression-faults.ts";
import { fragmentFaults } from "./fragment-faults.ts";

interface Variable {
  readonly type: KernelType;
  readonly mutable: boolean;
}

interface Scope {
  readonly arrays: ReadonlyMap<string, KernelArray>;
  readonly steps: number;
  readonly subgroupSize: number | undefined;
  readonly facts: IndexFacts;
  /** Those of enclosing lists too; a list adds to its own copy. */
  readonly variables: Map<string, Variable>;
  readonly fragments: Map<string, FragmentType>;
}

function typeFault(what: string, actual: KernelType, expected: KernelType): readonly string[] {
  if (actual.scalar === expected.scalar && actual.width === expected.width) return [];
  return [`${what} takes ${printKernelType(expected)}, not ${printKernelType(actual)}`];
}

/** Adds a name; a name of this list or one around it cannot be taken again. */
function addVariable(name: string, variable: Variable, scope: Scope): readonly string[] {
  const taken = scope.variables.has(name) || scope.fragments.has(name);
  scope.variables.set(name, variable);
  return taken ? [`${name} is declared already`] : [];
}

function indexFaults(index: KernelExpression, scope: Scope): readonly string[] {
  const type = isIndex(index.type) ? [] : ["index is no uint32"];
  return [...type, ...expressionFaults(index, scope)];
}

function storeFaults(
  s: KernelStatement & { kind: "store" | "atomic" },
  scope: Scope,
): readonly string[] {
  const parts = [...indexFaults(s.index, scope), ...expressionFaults(s.value, scope)];
  const array = scope.arrays.get(s.array);
  if (array === undefined) return [...parts, `${s.kind} to unknown array ${s.array}`];
  const { scalar } = array;
  const writable = array.access === "read_write" ? [] : [`${s.kind} to ${s.array}, which is read`];
  const type = typeFault(`${s.kind} to ${s.array}`, s.value.type, { ...s.value.type, scalar });
  const own =
    s.kind === "store" ? widthFaults(array, s.value.type.width, true) : atomicFaults(s, array);
  return [...parts, ...writable, ...type, ...own];
}

function atomicFaults(
  s: KernelStatement & { kind: "atomic" },
  array: KernelArray,
): readonly string[] {
  const faults: string[] = [];
  if (!array.atomic) faults.push(`atomic update of ${s.array}, which is not atomic`);
  if (s.value.type.width !== 1) faults.push("atomic update with a vector");
  if (binarySemantics(s.operator, array.scalar) === undefined) {
    faults.push(`atomic ${s.operator} of ${array.scalar}`);
  }
  return faults;
}

function assignFaults(s: KernelStatement & { kind: "assign" }, scope: Scope): readonly string[] {
  const parts = expressionFaults(s.value, scope);
  const variable = scope.variables.get(s.name);
  if (variable === undefined) return [...parts, `assignment to ${s.name}, not declared here`];
  const fixed = variable.mutable ? [] : [`assignment to ${s.name}, which is immutable`];
  return [...parts, ...fixed, ...typeFault(s.name, s.value.type, variable.type)];
}

function declareFaults(s: KernelStatement & { kind: "declare" }, scope: Scope): readonly string[] {
  const parts = expressionFaults(s.value, scope);
  const type = typeFault(s.name, s.value.type, s.type);
  return [...parts, ...type, ...addVariable(s.name, { type: s.type, mutable: s.mutable }, scope)];
}

/** What is wrong with the lane that gives, or with the mask that says which do, of so many lanes. */
function laneFaults(how: Exchange, lanes: number, scope: Scope): readonly string[] {
  switch (how.kind) {
    case "broadcast": {
      const { lane } = how;
      const range = indexRange(lane, scope.facts);
      const inside = range !== undefined && range.hi < lanes;
      return [
        ...(isIndex(lane.type) ? [] : ["lane is no uint32"]),
        ...expressionFaults(lane, scope),
        ...(inside ? [] : [`lane ${printKernelExpression(lane)} in a subgroup of ${lanes}`]),
      ];
    }
    case "shuffle": {
      const inside = Number.isInteger(how.mask) && how.mask >= 1 && how.mask < lanes;
      return inside ? [] : [`mask ${how.mask} in a subgroup of ${lanes}`];
    }
    case "reduce":
      return [];
  }
}

function exchangeFaults(
  s: KernelStatement & { kind: "exchange" },
  scope: Scope,
): readonly string[] {
  const { how, type } = s;
  const parts = expressionFaults(s.value, scope);
  const combines =
    how.kind !== "reduce" || binarySemantics(how.operator, type.scalar) !== undefined;
  return [
    ...parts,
    ...(scope.subgroupSize === undefined
      ? ["exchange in a kernel without subgroups"]
      : laneFaults(how, scope.subgroupSize, scope)),
    ...(combines || how.kind !== "reduce" ? [] : [`reduce ${how.operator} of ${type.scalar}`]),
    ...typeFault(s.name, s.value.type, type),
    ...addVariable(s.name, { type, mutable: false }, scope),
  ];
}

/** What must hold of the end of a loop, for its value is the same in all iterations. */
function endFaults(end: KernelExpression, scope: Scope): readonly string[] {
  const type = isIndex(end.type) ? [] : ["the end of a loop is no uint32"];
  const changes = someKernelExpression(end, (node) => {
    if (node.kind === "variable") return scope.variables.get(node.name)?.mutable === true;
    return node.kind === "load";
  });
  const fixed = changes ? ["the end of a loop reads what may change"] : [];
  return [...expressionFaults(end, scope), ...type, ...fixed];
}

function innerScope(scope: Scope): Scope {
  return { ...scope, variables: new Map(scope.variables), fragments: new Map(scope.fragments) };
}

function loopFaults(
  s: KernelStatement & { kind: "loop" },
  path: string,
  scope: Scope,
): readonly string[] {
  const inner = innerScope(scope);
  const type: KernelType = { scalar: "uint32", width: 1 };
  const extent =
    Number.isInteger(s.extent) && s.extent >= 0 && s.extent < 2 ** 32
      ? []
      : [`${path}: extent ${s.extent} of loop ${s.variable}`];
  const end = s.end === undefined ? [] : endFaults(s.end, scope);
  const name = addVariable(s.variable, { type, mutable: false }, inner);
  return [
    ...extent,
    ...end.map((fault) => `${path}: ${fault}`),
    ...name.map((fault) => `${path}: ${fault}`),
    ...listFaults(s.body, `${path}.${s.variable}`, inner),
  ];
}

function ifFaults(
  s: KernelStatement & { kind: "if" },
  path: string,
  scope: Scope,
): readonly string[] {
  const { condition } = s;
  const expected: KernelType = { scalar: "bool", width: 1 };
  const own = [...expressionFaults(condition, scope), ...typeFault("if", condition.type, expected)];
  const branch = (body: readonly KernelStatement[], name: string): readonly string[] =>
    listFaults(body, `${path}.${name}`, innerScope(scope));
  return [
    ...own.map((fault) => `${path}: ${fault}`),
    ...branch(s.then, "then"),
    ...branch(s.else, "else"),
  ];
}

function simpleFaults(
  s: Exclude<KernelStatement, { kind: "loop" | "if" }>,
  scope: Scope,
): readonly string[] {
  switch (s.kind) {
    case "declare":
      return declareFaults(s, scope);
    case "assign":
      return assignFaults(s, scope);
    case "store":
    case "atomic":
      return storeFaults(s, scope);
    case "barrier":
      return [];
    case "exchange":
      return exchangeFaults(s, scope);
    case "fragment":
    case "multiply":
    case "store-fragment":
      return fragmentFaults(s, scope);
    default:
      return assertNever(s);
  }
}

function listFaults(
  body: readonly KernelStatement[],
  path: string,
  scope: Scope,
): readonly string[] {
  return flatMap(body, (s, n) => {
    const at = `${path}[${n}]`;
    if (s.kind === "loop") return loopFaults(s, at, scope);
    if (s.kind === "if") return ifFaults(s, at, scope);
    return simpleFaults(s, scope).map((fault) => `${at}: ${fault}`);
  });
}

/** What is wrong with the names, types and accesses of a kernel's statements, each with its path. */
export function statementFaults(kernel: Kernel): readonly string[] {
  const arrays = new Map(kernel.arrays.map((array) => [array.id, array]));
  const { subgroupSize } = kernel;
  const variables = new Map<string, Variable>();
  const fragments = new Map<string, FragmentType>();
  const facts = factsOf(kernel);
  const scope = { arrays, steps: kernel.steps.length, subgroupSize, facts, variables, fragments };
  return listFaults(kernel.body, "body", scope);
}
