/** Ways through the statements and expressions of kernel IR. */
import { remember } from "../support/remember.ts";
import type {
  FragmentMemory,
  FragmentStatement,
  Kernel,
  KernelExpression,
  KernelStatement,
  KernelType,
} from "./kernel.ts";

/** A load of an array. */
export type KernelLoad = Extract<KernelExpression, { kind: "load" }>;

/** The direct operands of a node, in the order in which the text has them. */
export function kernelOperands(e: KernelExpression): readonly KernelExpression[] {
  switch (e.kind) {
    case "literal":
    case "variable":
    case "builtin":
    case "step":
      return [];
    case "load":
      return [e.index];
    case "unary":
    case "cast":
      return [e.operand];
    case "binary":
      return [e.left, e.right];
    case "select":
      return [e.condition, e.whenTrue, e.whenFalse];
    case "call":
      return e.arguments;
    case "vector":
      return e.components;
    case "component":
      return [e.vector];
    case "pack":
      return e.parts;
    case "unpack":
      return [e.word, e.position];
  }
}

/** All nodes, operands before the nodes that use them. */
export function eachKernelExpression(e: KernelExpression): readonly KernelExpression[] {
  const nodes: KernelExpression[] = [];
  visitKernelExpression(e, (node) => nodes.push(node));
  return nodes;
}

/** Calls `visit` for all nodes, operands before the nodes that use them. */
export function visitKernelExpression(
  e: KernelExpression,
  visit: (node: KernelExpression) => void,
): void {
  switch (e.kind) {
    case "literal":
    case "variable":
    case "builtin":
    case "step":
      break;
    case "load":
      visitKernelExpression(e.index, visit);
      break;
    case "binary":
      visitKernelExpression(e.left, visit);
      visitKernelExpression(e.right, visit);
      break;
    default:
      for (const part of kernelOperands(e)) visitKernelExpression(part, visit);
  }
  visit(e);
}

/** Whether a test holds for a node of an expression. */
export function someKernelExpression(
  e: KernelExpression,
  test: (node: KernelExpression) => boolean,
): boolean {
  if (test(e)) return true;
  switch (e.kind) {
    case "literal":
    case "variable":
    case "builtin":
    case "step":
      return false;
    case "load":
      return someKernelExpression(e.index, test);
    case "binary":
      return someKernelExpression(e.left, test) || someKernelExpression(e.right, test);
    default:
      return kernelOperands(e).some((part) => someKernelExpression(part, test));
  }
}

/** Text that equal expressions have, and no others; numbers that JSON lacks stay apart. */
export function expressionKey(e: KernelExpression): string {
  const { scalar, width } = e.type;
  switch (e.kind) {
    case "literal":
      return `${Object.is(e.value, -0) ? "-0" : e.value}:${scalar}${width}`;
    case "variable":
      // With its length: what follows is no part of the name.
      return `${e.name.length}'${e.name}:${scalar}${width}`;
    case "builtin":
      return e.builtin;
    case "load":
      return `${e.array.length}'${e.array}[${expressionKey(e.index)}]:${scalar}${width}`;
    case "binary": {
      const sides = `${expressionKey(e.left)} ${e.operator} ${expressionKey(e.right)}`;
      return `(${sides}):${scalar}${width}`;
    }
    default: {
      const parts = kernelOperands(e).map(expressionKey).join(",");
      return `${e.kind} ${detailOf(e)}(${parts}):${scalar}${width}`;
    }
  }
}

/** What tells nodes of one kind apart beside their operands and types. */
function detailOf(e: KernelExpression): string | number {
  switch (e.kind) {
    case "step":
      return e.slot;
    case "unary":
      return e.operator;
    case "call":
      return e.function;
    case "cast":
      return e.narrow ?? "";
    case "component":
      return e.index;
    case "pack":
    case "unpack":
      return e.element;
    default:
      return "";
  }
}

/** Calls `visit` for all nodes of the expressions that stand in a statement itself. */
export function visitOwnExpressions(
  s: KernelStatement,
  visit: (node: KernelExpression) => void,
): void {
  switch (s.kind) {
    case "declare":
    case "assign":
      visitKernelExpression(s.value, visit);
      return;
    case "store":
    case "atomic":
      visitKernelExpression(s.index, visit);
      visitKernelExpression(s.value, visit);
      return;
    default:
      for (const e of statementExpressions(s)) visitKernelExpression(e, visit);
  }
}

/** The expressions that stand in a statement itself, not in statements inside it. */
export function statementExpressions(s: KernelStatement): readonly KernelExpression[] {
  switch (s.kind) {
    case "declare":
    case "assign":
      return [s.value];
    case "exchange":
      return s.how.kind === "broadcast" ? [s.value, s.how.lane] : [s.value];
    case "store":
    case "atomic":
      return [s.index, s.value];
    case "if":
      return [s.condition];
    case "fragment":
      return s.from.kind === "load" ? [s.from.index] : [];
    case "store-fragment":
      return [s.index];
    case "loop":
      return s.end === undefined ? [] : [s.end];
    case "barrier":
    case "multiply":
      return [];
  }
}

/** The statements inside a statement. */
export function innerStatements(s: KernelStatement): readonly KernelStatement[] {
  switch (s.kind) {
    case "loop":
      return s.body;
    case "if":
      return [...s.then, ...s.else];
    case "declare":
    case "assign":
    case "store":
    case "atomic":
    case "barrier":
    case "exchange":
    case "fragment":
    case "multiply":
    case "store-fragment":
      return [];
  }
}

/** True for what the lanes of a subgroup do to matrices. */
export function isFragmentStatement(s: KernelStatement): s is FragmentStatement {
  return s.kind === "fragment" || s.kind === "multiply" || s.kind === "store-fragment";
}

/** The memory that a statement about fragments touches; null for none. */
export function fragmentMemory(s: FragmentStatement): FragmentMemory | null {
  if (s.kind === "store-fragment") return s;
  return s.kind === "fragment" && s.from.kind === "load" ? s.from : null;
}

/** All statements, each before those inside it. */
export function eachKernelStatement(body: readonly KernelStatement[]): readonly KernelStatement[] {
  const statements: KernelStatement[] = [];
  addStatements(body, statements);
  return statements;
}

function addStatements(body: readonly KernelStatement[], statements: KernelStatement[]): void {
  for (const s of body) {
    statements.push(s);
    if (s.kind === "loop") addStatements(s.body, statements);
    else if (s.kind === "if") {
      addStatements(s.then, statements);
      addStatements(s.else, statements);
    }
  }
}

/** All statements of a kernel, each before those inside it: passes ask for them one after the other. */
export const statementsOf: (kernel: Kernel) => readonly KernelStatement[] = remember(({ body }) =>
  eachKernelStatement(body),
);

/** The loads in the expressions of a statement, without those of statements inside it. */
export function ownLoads(s: KernelStatement): readonly KernelLoad[] {
  const loads: KernelLoad[] = [];
  visitOwnExpressions(s, (e) => {
    if (e.kind === "load") loads.push(e);
  });
  return loads;
}

/** True for what the invocations of a workgroup do together. */
function isCollective(s: KernelStatement): boolean {
  return s.kind === "barrier" || s.kind === "exchange" || isFragmentStatement(s);
}

/** True if a barrier, an exchange or a fragment stands in the statement. */
export function containsCollective(s: KernelStatement): boolean {
  return isCollective(s) || innerStatements(s).some(containsCollective);
}

/** For example `float32` or `float32x4`. */
export function printKernelType(type: KernelType): string {
  return type.width === 1 ? type.scalar : `${type.scalar}x${type.width}`;
}
