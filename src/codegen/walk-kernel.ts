/** Ways through the statements and expressions of kernel IR. */
import type {
  FragmentMemory,
  FragmentStatement,
  KernelExpression,
  KernelStatement,
  KernelType,
} from "./kernel.ts";

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
  addNodes(e, nodes);
  return nodes;
}

function addNodes(e: KernelExpression, nodes: KernelExpression[]): void {
  for (const part of kernelOperands(e)) addNodes(part, nodes);
  nodes.push(e);
}

/** Whether a test holds for a node of an expression. */
export function someKernelExpression(
  e: KernelExpression,
  test: (node: KernelExpression) => boolean,
): boolean {
  return test(e) || kernelOperands(e).some((part) => someKernelExpression(part, test));
}

/** Text that equal expressions have, and no others; numbers that JSON lacks stay apart. */
export function expressionKey(e: KernelExpression): string {
  if (!someKernelExpression(e, hasOddNumber)) return JSON.stringify(e);
  return JSON.stringify(e, (_, part: unknown) => {
    const isOdd = typeof part === "number" && isOddNumber(part);
    return isOdd ? (Object.is(part, -0) ? "-0" : String(part)) : part;
  });
}

function isOddNumber(value: number): boolean {
  return !Number.isFinite(value) || Object.is(value, -0);
}

function hasOddNumber(e: KernelExpression): boolean {
  return e.kind === "literal" && isOddNumber(e.value);
}

/** The expressions that stand in a statement itself, not in statements inside it. */
export function statementExpressions(s: KernelStatement): readonly KernelExpression[] {
  switch (s.kind) {
    case "declare":
    case "assign":
    case "exchange":
      return [s.value];
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
    addStatements(innerStatements(s), statements);
  }
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
