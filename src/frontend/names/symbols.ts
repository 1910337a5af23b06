import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/span.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { ElementType } from "../../support/scalar-type.ts";
import type { Signatures } from "../calls/signature.ts";
import { evaluateSize, isSizeExpression } from "../size-expression.ts";
import { greatestSize, sizeSymbols } from "../sizes.ts";
import type {
  Assign,
  Definition,
  Expression,
  Identifier,
  Module,
  Target,
  TypeNode,
} from "../syntax/ast.ts";
import { printExpression } from "../syntax/print-ast.ts";
import { eachAstStatement, eachExpressionNode, statementExpressions } from "../syntax/walk-ast.ts";
import { suggestName } from "./suggest-name.ts";
import { scalarTypeOf } from "./types.ts";

/** A tensor as its declaration and its targets show it; scalars have rank 0. */
export interface TensorSymbol {
  readonly name: string;
  readonly role: "input" | "output" | "inout" | "temporary";
  /** Undefined when a mistake in a definition that is called hides it. */
  readonly rank: number | undefined;
  /** The declared type; undefined when it follows from what is written. */
  readonly type: ElementType | undefined;
  /** The declared shape; undefined when it follows from the writes. */
  readonly shape: readonly number[] | undefined;
  /** The dimensions as they are declared; absent when they follow from the writes. */
  readonly dimensions?: readonly Expression[];
  readonly span: Span;
}

/** The values of sizes, undefined for those that are not known. */
type Sizes = ReadonlyMap<string, number | undefined>;

/** The names of a definition. */
export interface Symbols {
  /** Sizes and compile-time parameters; undefined for those that only a call tells. */
  readonly sizes: Sizes;
  /** Parameters in order, then results, then temporaries in the order of their first write. */
  readonly tensors: ReadonlyMap<string, TensorSymbol>;
}

/** Where a definition stands. */
export interface Surroundings {
  readonly module: Module;
  /** The definitions that it may call. */
  readonly signatures: Signatures;
}

/**
 * Collects the names of a definition whose calls are marked. Reports duplicates, writes to read-only
 * parameters, results without a write, temporaries that start with an update, and unused parameters.
 */
export function collectSymbols(
  definition: Definition,
  { module, signatures }: Surroundings,
  solved: ReadonlyMap<string, number>,
  report: Report,
): Symbols {
  const sizes = new Map(
    sizeSymbols(definition, module).map(({ name }) => [name, solved.get(name)]),
  );
  const tensors = new Map<string, TensorSymbol>();
  const writes = firstWrites(definition, signatures);
  addParameters(definition, sizes, tensors, report);
  addResults(definition, writes, sizes, tensors, report);
  for (const { name } of definition.results) {
    if (writes.has(name.name)) continue;
    const known = new Set([...tensors.keys(), ...sizes.keys()]);
    const temporaries = [...writes.keys()].filter((written) => !known.has(written));
    report(diagnose("TC2018", suggestName(name.name, temporaries), name.span));
  }
  addTemporaries(writes, sizes, tensors, report);
  checkReadOnly(definition, tensors, report);
  checkUnused(definition, report);
  return { sizes, tensors };
}

/** The first write of a tensor. */
interface FirstWrite {
  readonly rank: number | undefined;
  /** True when it combines with what the tensor holds. */
  readonly updates: boolean;
  /** The assignment; undefined for a call. */
  readonly assign: Assign | undefined;
  readonly span: Span;
}

function firstWrites(
  definition: Definition,
  signatures: Signatures,
): ReadonlyMap<string, FirstWrite> {
  const writes = new Map<string, FirstWrite>();
  const add = (target: Target, write: Omit<FirstWrite, "span">): void => {
    const { name, span } = target.name;
    if (!writes.has(name)) writes.set(name, { ...write, span });
  };
  for (const s of eachAstStatement(definition.body)) {
    if (s.kind === "assign") {
      add(s.target, { rank: s.target.indices.length, updates: updates(s), assign: s });
    } else if (s.kind === "call") {
      const results = signatures.get(s.callee.name)?.results ?? [];
      for (const [n, target] of s.targets.entries()) {
        const result = results[n];
        const own = result?.rank;
        const rank = own === undefined ? undefined : target.indices.length + own;
        const known = result !== undefined && result.kind !== "new";
        add(target, { rank, updates: known, assign: undefined });
      }
    }
  }
  return writes;
}

/** True for statements that combine with what the tensor holds. */
function updates(assign: Assign): boolean {
  return assign.operator !== "=" && !assign.operator.endsWith("!");
}

function addParameters(
  definition: Definition,
  sizes: Sizes,
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
    const dimensions = declared.dimensions ?? [];
    tensors.set(name.name, {
      name: name.name,
      role: "input",
      type: declared.type,
      shape: dimensions.length === 0 ? [] : declared.shape,
      dimensions,
      rank: dimensions.length,
      span: name.span,
    });
  }
}

/**
 * The type and shape that are written; a result without dimensions leaves its shape open, and so do
 * sizes without a value.
 */
function declaredType(
  node: TypeNode | undefined,
  sizes: Sizes,
  report: Report,
): Pick<TensorSymbol, "type" | "shape" | "dimensions"> {
  if (node === undefined) return { type: undefined, shape: undefined };
  const type = scalarTypeOf(node.scalar, node.span, report);
  const { dimensions } = node;
  if (dimensions === undefined) return { type, shape: undefined };
  const extents = dimensions.map((dimension) => {
    if (!isSizeExpression(dimension)) {
      report(diagnose("TC2021", { text: printExpression(dimension) }, dimension.span));
      return 1;
    }
    const value = evaluateSize(dimension, sizes);
    if (value === undefined || (value > 0 && value <= greatestSize)) return value;
    report(diagnose("TC2013", { name: printExpression(dimension), value }, dimension.span));
    return 1;
  });
  const shape = extents.filter((extent) => extent !== undefined);
  return { type, dimensions, shape: shape.length === extents.length ? shape : undefined };
}

function addResults(
  definition: Definition,
  writes: ReadonlyMap<string, FirstWrite>,
  sizes: Sizes,
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
    const role = write?.updates === true ? "inout" : "output";
    const declared = declaredType(type, sizes, report);
    const rank = declared.dimensions?.length ?? (write === undefined ? 0 : write.rank);
    tensors.set(name, { name, role, ...declared, rank, span });
  }
}

function addTemporaries(
  writes: ReadonlyMap<string, FirstWrite>,
  sizes: Sizes,
  tensors: Map<string, TensorSymbol>,
  report: Report,
): void {
  for (const [name, { rank, updates: first, assign, span }] of writes) {
    if (sizes.has(name)) report(diagnose("TC2003", { name, what: "a size" }, span));
    if (tensors.has(name)) continue;
    if (first && assign !== undefined) {
      report(diagnose("TC4006", { tensor: name, operator: assign.operator }, assign.operatorSpan));
    }
    tensors.set(name, { name, role: "temporary", rank, type: undefined, shape: undefined, span });
  }
}

function checkReadOnly(
  definition: Definition,
  tensors: ReadonlyMap<string, TensorSymbol>,
  report: Report,
): void {
  for (const target of writtenTargets(definition)) {
    const symbol = tensors.get(target.name.name);
    if (symbol?.role === "input") {
      const labels = [{ span: symbol.span, text: "declared here" }];
      report(diagnose("TC2017", { name: symbol.name }, target.name.span, { labels }));
    }
  }
}

/** The targets of all assignments and calls. */
function writtenTargets(definition: Definition): readonly Target[] {
  return flatMap(eachAstStatement(definition.body), (s) => {
    if (s.kind === "assign") return [s.target];
    return s.kind === "call" ? s.targets : [];
  });
}

function checkUnused(definition: Definition, report: Report): void {
  const statements = eachAstStatement(definition.body);
  const types = [...definition.parameters, ...definition.results].map((p) => p.type);
  const expressions = [
    ...flatMap(statements, statementExpressions),
    ...flatMap(types, (type) => type?.dimensions ?? []),
  ];
  const used = new Set([
    ...definition.results.map((r) => r.name.name),
    ...writtenTargets(definition).map((target) => target.name.name),
    ...flatMap(expressions, (e) => eachExpressionNode(e).map((n) => referenced(n)?.name)),
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
