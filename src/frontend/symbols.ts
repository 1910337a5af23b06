import { diagnose, type Report } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/span.ts";
import type { ScalarType } from "../support/scalar-type.ts";
import type { Assign, Definition, Expression, Identifier, TypeNode } from "./ast.ts";
import { printExpression } from "./print-ast.ts";
import { evaluateSize, isSizeExpression, sizeSymbols } from "./sizes.ts";
import { scalarTypeOf } from "./types.ts";
import {
  eachAssign,
  eachAstStatement,
  eachExpressionNode,
  statementExpressions,
} from "./walk-ast.ts";

/** A tensor as its declaration and its targets show it; scalars have rank 0. */
interface TensorSymbol {
  readonly name: string;
  readonly role: "input" | "output" | "inout" | "temporary";
  readonly rank: number;
  /** The declared type; undefined when it follows from what is written. */
  readonly type: ScalarType | undefined;
  /** The declared shape; undefined when it follows from the writes. */
  readonly shape: readonly number[] | undefined;
  readonly span: Span;
}

/** The names of a definition. */
export interface Symbols {
  /** Sizes and compile-time parameters; those without a value have the value 1. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Parameters in order, then results, then temporaries in the order of their first write. */
  readonly tensors: ReadonlyMap<string, TensorSymbol>;
}

/**
 * Collects the names of a definition. Reports duplicates, writes to read-only parameters, results
 * without a write, temporaries that start with an update, and unused parameters.
 */
export function collectSymbols(
  definition: Definition,
  solved: ReadonlyMap<string, number>,
  report: Report,
): Symbols {
  const sizes = new Map(sizeSymbols(definition).map((s) => [s.name, solved.get(s.name) ?? 1]));
  const tensors = new Map<string, TensorSymbol>();
  const writes = firstWrites(definition);
  const called = new Set(
    [...eachAstStatement(definition.body)].flatMap((s) =>
      s.kind === "call" ? s.targets.map((target) => target.name.name) : [],
    ),
  );
  addParameters(definition, sizes, tensors, report);
  addResults(definition, writes, sizes, tensors, report);
  for (const { name } of definition.results) {
    if (writes.has(name.name) || called.has(name.name)) continue;
    report(diagnose("TC2018", { name: name.name }, name.span));
  }
  addTemporaries(writes, sizes, tensors, report);
  checkReadOnly(definition, tensors, report);
  checkUnused(definition, report);
  return { sizes, tensors };
}

function firstWrites(definition: Definition): ReadonlyMap<string, Assign> {
  const writes = new Map<string, Assign>();
  for (const assign of eachAssign(definition.body)) {
    const { name } = assign.target.name;
    if (!writes.has(name)) writes.set(name, assign);
  }
  return writes;
}

/** True for statements that combine with what the tensor holds. */
function updates(assign: Assign): boolean {
  return assign.operator !== "=" && !assign.operator.endsWith("!");
}

function addParameters(
  definition: Definition,
  sizes: ReadonlyMap<string, number>,
  tensors: Map<string, TensorSymbol>,
  report: Report,
): void {
  const seen = new Set<string>();
  for (const { name, type } of definition.parameters) {
    const isTensor = type.dimensions !== undefined || !sizes.has(name.name);
    if (seen.has(name.name)) {
      report(diagnose("TC2003", { name: name.name, what: "a parameter" }, name.span));
    } else if (isTensor && sizes.has(name.name)) {
      report(diagnose("TC2003", { name: name.name, what: "a size" }, name.span));
    }
    seen.add(name.name);
    const declared = declaredType(type, sizes, report);
    if (!isTensor) continue;
    const shape = declared.shape ?? [];
    tensors.set(name.name, {
      name: name.name,
      role: "input",
      type: declared.type,
      shape,
      rank: shape.length,
      span: name.span,
    });
  }
}

/** The type and shape that are written; a result without dimensions leaves its shape open. */
function declaredType(
  node: TypeNode | undefined,
  sizes: ReadonlyMap<string, number>,
  report: Report,
): Pick<TensorSymbol, "type" | "shape"> {
  if (node === undefined) return { type: undefined, shape: undefined };
  const type = scalarTypeOf(node.scalar, node.span, report);
  const shape = node.dimensions?.map((dimension) => {
    if (!isSizeExpression(dimension)) {
      report(diagnose("TC2021", { text: printExpression(dimension) }, dimension.span));
      return 1;
    }
    const value = evaluateSize(dimension, sizes) ?? 1;
    if (value > 0) return value;
    report(diagnose("TC2013", { name: printExpression(dimension), value }, dimension.span));
    return 1;
  });
  return { type, shape };
}

function addResults(
  definition: Definition,
  writes: ReadonlyMap<string, Assign>,
  sizes: ReadonlyMap<string, number>,
  tensors: Map<string, TensorSymbol>,
  report: Report,
): void {
  for (const { name: identifier, type } of definition.results) {
    const { name, span } = identifier;
    const before = tensors.get(name);
    const write = writes.get(name);
    if (before?.role === "input") {
      tensors.set(name, { ...before, role: "inout" });
      continue;
    }
    const what = before === undefined ? "a size" : "a result";
    if (before !== undefined || sizes.has(name)) report(diagnose("TC2003", { name, what }, span));
    const role = write !== undefined && updates(write) ? "inout" : "output";
    const declared = declaredType(type, sizes, report);
    const rank = declared.shape?.length ?? write?.target.indices.length ?? 0;
    tensors.set(name, { name, role, ...declared, rank, span });
  }
}

function addTemporaries(
  writes: ReadonlyMap<string, Assign>,
  sizes: ReadonlyMap<string, number>,
  tensors: Map<string, TensorSymbol>,
  report: Report,
): void {
  for (const [name, assign] of writes) {
    const { span } = assign.target.name;
    if (sizes.has(name)) report(diagnose("TC2003", { name, what: "a size" }, span));
    if (tensors.has(name)) continue;
    if (updates(assign)) {
      report(diagnose("TC4006", { tensor: name, operator: assign.operator }, assign.operatorSpan));
    }
    const rank = assign.target.indices.length;
    tensors.set(name, { name, role: "temporary", rank, type: undefined, shape: undefined, span });
  }
}

function checkReadOnly(
  definition: Definition,
  tensors: ReadonlyMap<string, TensorSymbol>,
  report: Report,
): void {
  for (const { target } of eachAssign(definition.body)) {
    const symbol = tensors.get(target.name.name);
    if (symbol?.role === "input") {
      const labels = [{ span: symbol.span, text: "declared here" }];
      report(diagnose("TC2017", { name: symbol.name }, target.name.span, { labels }));
    }
  }
}

function checkUnused(definition: Definition, report: Report): void {
  const statements = [...eachAstStatement(definition.body)];
  const types = [...definition.parameters, ...definition.results].map((p) => p.type);
  const expressions = [
    ...statements.flatMap(statementExpressions),
    ...types.flatMap((type) => type?.dimensions ?? []),
  ];
  const used = new Set([
    ...definition.results.map((r) => r.name.name),
    ...statements.flatMap((s) => (s.kind === "assign" ? [s.target.name.name] : [])),
    ...expressions.flatMap((e) => [...eachExpressionNode(e)].map((n) => referenced(n)?.name)),
  ]);
  for (const { name } of definition.parameters) {
    if (!used.has(name.name)) report(diagnose("TC2019", { name: name.name }, name.span));
  }
}

function referenced(node: Expression): Identifier | undefined {
  if (node.kind === "name") return { name: node.name, span: node.span };
  if (node.kind === "apply") return node.name;
  return node.kind === "extent" ? node.tensor : undefined;
}
