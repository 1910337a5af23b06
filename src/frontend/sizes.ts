import { type Diagnostic, diagnose, type Report } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/span.ts";
import { didYouMean } from "../support/edit-distance.ts";
import { flatMap } from "../support/flat-map.ts";
import { own } from "../support/own.ts";
import { remember } from "../support/remember.ts";
import { markCalls } from "./calls/mark-calls.ts";
import { builtin } from "./names/builtins.ts";
import { evaluateSize, solveDimensions, type ToldDimension } from "./size-expression.ts";
import type { Assign, Definition, Expression, Module, TypeNode } from "./syntax/ast.ts";
import { printExpression } from "./syntax/print-ast.ts";
import { eachAstStatement, eachExpressionNode, statementExpressions } from "./syntax/walk-ast.ts";

/** A size, or a scalar parameter whose value is needed to compile. */
export interface SizeSymbol {
  readonly name: string;
  readonly kind: "size" | "parameter";
  readonly span: Span;
}

/** Where values of sizes come from; the first source that has one wins. */
export interface SizeSources {
  readonly explicit?: Readonly<Record<string, number>>;
  /** Shapes of inputs, by tensor. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
  /** What `#! sizes` says. */
  readonly defaults?: Readonly<Record<string, number>>;
}

/** The values of a definition's sizes; `missing` are those that no source gives. */
export interface SolvedSizes {
  readonly sizes: ReadonlyMap<string, number>;
  readonly missing: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The sizes of a definition in the order in which they occur, then the scalar integer parameters
 * that an index, a range or a shape uses, also in definitions that are called. `module` is the
 * definition's file.
 */
export function sizeSymbols(definition: Definition, module: Module): readonly SizeSymbol[] {
  const { definitions } = markCalls(module);
  const { start } = definition.name.span;
  const marked = definitions.find((d) => d.name.span.start === start) ?? definition;
  return symbolsOf(marked, fileOf(definitions), new Set());
}

/** The definitions of a file, with what is known of them. */
interface File {
  readonly definitions: readonly Definition[];
  /** By definition, {@link compileTimePositions}, of those that are not part of a cycle of calls. */
  readonly positions: Map<string, readonly boolean[]>;
  /** How many calls closed a cycle so far. */
  cycles: number;
}

const fileOf: (definitions: readonly Definition[]) => File = remember((definitions) => ({
  definitions,
  positions: new Map(),
  cycles: 0,
}));

/** `open` are the definitions whose symbols are being looked for: they call this one. */
function symbolsOf(
  definition: Definition,
  file: File,
  open: ReadonlySet<string>,
): readonly SizeSymbol[] {
  const found = new Map<string, SizeSymbol>();
  const needed = positionNames(definition, (callee) =>
    compileTimePositions(callee, file, new Set([...open, definition.name.name])),
  );
  const scalars = new Set(
    definition.parameters
      .filter(({ type }) => type.dimensions === undefined && /int/.test(type.scalar))
      .map(({ name }) => name.name),
  );
  const dimensions = flatMap(declaredTypes(definition), (type) => type.dimensions ?? []);
  for (const node of flatMap(dimensions, (d) => eachExpressionNode(d))) {
    if (node.kind !== "name") continue;
    if (scalars.has(node.name)) needed.add(node.name);
    else if (!found.has(node.name)) {
      found.set(node.name, { name: node.name, kind: "size", span: node.span });
    }
  }
  for (const { name } of definition.parameters) {
    if (!scalars.has(name.name) || !needed.has(name.name)) continue;
    found.set(name.name, { name: name.name, kind: "parameter", span: name.span });
  }
  return [...found.values()];
}

function declaredTypes(definition: Definition): readonly TypeNode[] {
  const results = flatMap(definition.results, (r) => (r.type === undefined ? [] : [r.type]));
  return [...definition.parameters.map((p) => p.type), ...results];
}

/** For each parameter of a definition whether it is needed to compile; none of an open one. */
function compileTimePositions(
  name: string,
  file: File,
  open: ReadonlySet<string>,
): readonly boolean[] {
  const known = file.positions.get(name);
  const callee = file.definitions.find((d) => d.name.name === name);
  if (open.has(name)) file.cycles += 1;
  if (callee === undefined || open.has(name)) return [];
  if (known !== undefined) return known;
  const before = file.cycles;
  const needed = new Set(symbolsOf(callee, file, open).map((s) => s.name));
  const found = callee.parameters.map(
    (p) => p.type.dimensions === undefined && needed.has(p.name.name),
  );
  // With a cycle below, what is found depends on what is open.
  if (file.cycles === before) file.positions.set(name, found);
  return found;
}

/**
 * The names that stand in an index, a range or an `if`, or in an argument that `neededBy` a callee
 * to compile; lets are replaced by what they stand for.
 */
function positionNames(
  definition: Definition,
  neededBy: (callee: string) => readonly boolean[],
): Set<string> {
  const names = new Set<string>();
  const tensors = tensorNames(definition);
  for (const statement of eachAstStatement(definition.body)) {
    const here = new Set<string>();
    if (statement.kind === "call") {
      const needed = neededBy(statement.callee.name);
      collect(
        flatMap(statement.targets, (target) => target.indices),
        here,
      );
      collect(
        statement.arguments.filter((_, n) => needed[n] === true),
        here,
      );
    }
    for (const e of statementExpressions(statement)) collect(indexPositions(e, tensors), here);
    if (statement.kind === "for" || statement.kind === "if") {
      collect(statementExpressions(statement), here);
    }
    if (statement.kind === "assign") collectAssign(statement, here);
    for (const name of here) names.add(name);
  }
  return names;
}

function collectAssign(statement: Assign, into: Set<string>): void {
  collect(statement.target.indices, into);
  for (const clause of statement.clauses) {
    if (clause.kind === "range") collect([clause.lower, clause.upper], into);
  }
  for (const clause of [...statement.clauses].reverse()) {
    if (clause.kind === "let" && into.has(clause.name.name)) collect([clause.value], into);
  }
}

/** The names of tensors, which may be those of functions. */
function tensorNames({ parameters, body }: Definition): ReadonlySet<string> {
  const written = flatMap(eachAstStatement(body), (s) =>
    s.kind === "assign" ? [s.target] : s.kind === "call" ? s.targets : [],
  );
  return new Set([...parameters, ...written].map(({ name }) => name.name));
}

function indexPositions(e: Expression, tensors: ReadonlySet<string>): readonly Expression[] {
  const accesses = (name: string): boolean => tensors.has(name) || builtin(name) === undefined;
  return flatMap(eachExpressionNode(e), (node) =>
    node.kind === "apply" && accesses(node.name.name) ? node.arguments : [],
  );
}

function collect(expressions: readonly Expression[], into: Set<string>): void {
  for (const e of expressions) {
    for (const node of eachExpressionNode(e)) if (node.kind === "name") into.add(node.name);
  }
}

/**
 * The sizes that the file's `#! sizes` lines give, and the scalar parameters that its `#! input`
 * lines give a number; sizes win, of two lines of a kind the later.
 */
export function directiveSizes(module: Module): Readonly<Record<string, number>> {
  const scalars = new Set(
    flatMap(module.definitions, (definition) =>
      flatMap(definition.parameters, (p) => (p.type.dimensions === undefined ? [p.name.name] : [])),
    ),
  );
  const inputs = flatMap(module.directives, (d) => {
    if (d.kind !== "input" || d.source.kind !== "number") return [];
    const { name } = d.tensor;
    return scalars.has(name) ? [[name, d.source.value] as const] : [];
  });
  const sizes = flatMap(module.directives, (d) =>
    d.kind === "sizes" ? d.sizes.map((s) => [s.name.name, s.value] as const) : [],
  );
  return Object.fromEntries([...inputs, ...sizes]);
}

/**
 * Finds the value of every size of a definition. Unknown names among the explicit ones, values that
 * are no positive integers and shapes that contradict are errors; missing sizes are returned and
 * reported in one diagnostic.
 */
export function solveSizes(
  definition: Definition,
  module: Module,
  sources: SizeSources,
): SolvedSizes {
  const diagnostics: Diagnostic[] = [];
  const report: Report = (d) => diagnostics.push(d);
  const symbols = sizeSymbols(definition, module);
  checkKnown(definition, symbols, sources, report);
  const sizes = new Map<string, number>();
  const take = (name: string, value: number | undefined): void => {
    if (value !== undefined && !sizes.has(name)) sizes.set(name, value);
  };
  for (const { name } of symbols) take(name, ownValue(sources.explicit, name));
  const told = toldDimensions(definition, sources.shapes ?? {}, report);
  solveDimensions(told, sizes);
  for (const { name } of symbols) take(name, ownValue(sources.defaults, name));
  solveDimensions(told, sizes);
  checkTold(told, sizes, report);
  checkValues(symbols, sizes, report);
  const missing = symbols.filter((s) => !sizes.has(s.name));
  const [first] = missing;
  if (first !== undefined) {
    report(diagnose("TC2012", { names: missing.map((s) => s.name) }, first.span));
  }
  return { sizes, missing: missing.map((s) => s.name), diagnostics };
}

/** Explicit values must be for names that there are. */
function checkKnown(
  definition: Definition,
  symbols: readonly SizeSymbol[],
  sources: SizeSources,
  report: Report,
): void {
  const known = symbols.map((s) => s.name);
  for (const name of Object.keys(sources.explicit ?? {})) {
    if (known.includes(name)) continue;
    const suggestion = didYouMean(name, known);
    const data = { name, known, ...(suggestion === undefined ? {} : { suggestion }) };
    report(diagnose("TC2011", data, definition.name.span));
  }
}

/** The largest value of a size: that of WGSL's `i32`. */
export const greatestSize: number = 2 ** 31 - 1;

/** Sizes are positive integers, parameters integers; both as large as WGSL's `i32` at most. */
function checkValues(
  symbols: readonly SizeSymbol[],
  sizes: ReadonlyMap<string, number>,
  report: Report,
): void {
  for (const { name, kind, span } of symbols) {
    const value = sizes.get(name);
    if (value === undefined) continue;
    const least = kind === "parameter" ? -greatestSize - 1 : 1;
    const fits = Number.isInteger(value) && value >= least && value <= greatestSize;
    if (!fits) report(diagnose("TC2013", { name, value }, span));
  }
}

function ownValue(
  record: Readonly<Record<string, number>> | undefined,
  name: string,
): number | undefined {
  return record === undefined ? undefined : own(record, name);
}

/** A dimension of a parameter, and what is given for it. */
interface Told extends ToldDimension {
  readonly name: string;
  readonly d: number;
}

/** The declared dimensions of which shapes of inputs tell the extents. */
function toldDimensions(
  definition: Definition,
  shapes: Readonly<Record<string, readonly number[]>>,
  report: Report,
): readonly Told[] {
  return flatMap(definition.parameters, ({ name, type }): readonly Told[] => {
    const shape = own(shapes, name.name);
    const dimensions = type.dimensions ?? [];
    if (shape === undefined) return [];
    if (shape.length !== dimensions.length) {
      const [rank, found] = [dimensions.length, shape.length];
      report(diagnose("TC2006", { name: name.name, rank, found, given: true }, name.span));
      return [];
    }
    return dimensions.map((dimension, d) => {
      return { dimension, d, extent: shape[d] ?? 0, name: name.name };
    });
  });
}

/** Every declared dimension must be what is given for it. */
function checkTold(
  told: readonly Told[],
  sizes: ReadonlyMap<string, number>,
  report: Report,
): void {
  for (const { dimension, d, extent, name } of told) {
    const expected = evaluateSize(dimension, sizes);
    if (expected === undefined || expected === extent) continue;
    const data = { name, dimension: d, text: printExpression(dimension) };
    report(diagnose("TC2014", { ...data, first: expected, second: extent }, dimension.span));
  }
}
