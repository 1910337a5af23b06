import {
  type Diagnostic,
  diagnose,
  hasErrors,
  type Report,
  sortDiagnostics,
} from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/span.ts";
import { indexWidthDiagnostics } from "../ir/index-width.ts";
import type { Program } from "../ir/program.ts";
import { checkSourceText } from "../support/check-call-shape.ts";
import { didYouMean } from "../support/edit-distance.ts";
import { remember, rememberTexts } from "../support/remember.ts";
import { uncalledDefinitions } from "./calls/call-graph.ts";
import { inlineCalls } from "./calls/inline-calls.ts";
import { markCalls } from "./calls/mark-calls.ts";
import { resolveCallees } from "./calls/resolve-callees.ts";
import { checkMissingSizes } from "./check-missing-sizes.ts";
import type { CheckedDefinition } from "./checked.ts";
import { checkAlternatives } from "./checks/check-alternatives.ts";
import { checkDirectives } from "./checks/check-directives.ts";
import { dropConsequences } from "./checks/drop-consequences.ts";
import { proveOutside } from "./checks/prove-outside.ts";
import { lower } from "./lower/lower.ts";
import { resolveDefinition } from "./names/resolve-definition.ts";
import { collectSymbols } from "./names/symbols.ts";
import { eachStatement } from "./names/typed.ts";
import { elaborate } from "./ranges/elaborate.ts";
import { inferRanges } from "./ranges/infer-ranges.ts";
import { directiveSizes, sizeSymbols, solveSizes } from "./sizes.ts";
import type { Definition, Module } from "./syntax/ast.ts";
import { parse } from "./syntax/parse.ts";
import { trialSizes } from "./trial-sizes.ts";

/** What to analyse a source for. */
export interface AnalyseOptions {
  /** The definition; may be left out when the file has only one. */
  readonly definition?: string;
  /** Sizes and compile-time parameters; they win over shapes, shapes over `#! sizes`. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** Shapes of inputs, by name. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
}

/** What an analysis gives: the definition if it has no errors, and all that was found. */
export interface Analysis {
  readonly module: Module;
  readonly checked: CheckedDefinition | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** What there is to know about a file before one of its definitions is analysed. */
export interface ReadSource {
  readonly source: string;
  readonly module: Module;
  /** The module with its calls marked. */
  readonly marked: Module;
  /** Mistakes of the syntax, the directives, and between definitions. */
  readonly diagnostics: readonly Diagnostic[];
  /** Mistakes after which the tree does not say what was written. */
  readonly unreadable: readonly Diagnostic[];
}

/** What {@link prepare} made: objects of any other origin are no sources. */
const known = new WeakSet<object>();

/** The source that a call of the function `name` is given: a text, or one that was read before. */
export function sourceFor(name: string, source: string | ReadSource): ReadSource {
  if (typeof source === "object" && known.has(source)) return source;
  checkSourceText(name, source);
  return prepare(source);
}

/** The part of an analysis that all definitions of a file share. */
export function prepare(source: string): ReadSource {
  const { module, diagnostics: syntax, unreadable } = parse(source);
  const diagnostics: Diagnostic[] = [...syntax];
  const report: Report = (d) => diagnostics.push(d);
  checkDuplicates(module, report);
  if (unreadable.length === 0) {
    checkDirectives(module, report);
    checkAlternatives(module, report);
  }
  const read = { source, module, marked: markCalls(module), diagnostics, unreadable };
  known.add(read);
  return read;
}

/**
 * Text to a checked definition. Never throws on bad input. Names and types of the definition are
 * checked also when sizes are missing; of ranges and bounds what {@link checkMissingSizes} finds.
 */
export function analyse(source: string, options: AnalyseOptions = {}): Analysis {
  return analysePrepared(prepare(source), options);
}

/** The most analyses of a source that are kept. */
const mostKept = 32;
const kept: <K extends object>(key: K, text: string, compute: () => Analysis) => Analysis =
  rememberTexts(mostKept);

/** {@link analyse} of what is read: once for a definition and its sizes, however many ask for that. */
export function analysePrepared(prepared: ReadSource, options: AnalyseOptions): Analysis {
  const { sizes = {}, shapes = {} } = options;
  const [only, second] = uncalledDefinitions(prepared.marked);
  const usual = second === undefined ? only?.name.name : undefined;
  const { definition = usual } = options;
  const asked = { ...options, ...(definition === undefined ? {} : { definition }) };
  const text = JSON.stringify([definition ?? null, sizes, shapes]);
  return kept(prepared, text, () => analyseOnce(prepared, asked));
}

function analyseOnce(prepared: ReadSource, options: AnalyseOptions): Analysis {
  const { source, module, marked, unreadable } = prepared;
  const diagnostics: Diagnostic[] = [...prepared.diagnostics];
  const report: Report = (d) => diagnostics.push(d);
  const definition = chooseDefinition(marked, options.definition, unreadable.length > 0, report);
  const isReadable = ({ span }: Definition): boolean =>
    !unreadable.some((d) => overlaps(d.span, span));
  const checked =
    definition === undefined || !isReadable(definition)
      ? undefined
      : analyseDefinition({ source, module: marked, isReadable, report }, definition, options);
  return {
    module,
    checked: hasErrors(diagnostics) ? undefined : checked,
    diagnostics: dropConsequences(sortDiagnostics(diagnostics)),
  };
}

/** After these the sizes are not those that were meant. */
const unsized: ReadonlySet<string> = new Set(["TC2013", "TC2021"]);

function overlaps(a: Span, b: Span): boolean {
  return a.start <= b.end && b.start <= a.end;
}

function checkDuplicates(module: Module, report: Report): void {
  const seen = new Map<string, Span>();
  for (const { name } of module.definitions) {
    const before = seen.get(name.name);
    if (before === undefined) seen.set(name.name, name.span);
    else {
      const labels = [{ span: before, text: "the first one" }];
      report(diagnose("TC2002", { name: name.name }, name.span, { labels }));
    }
  }
}

function chooseDefinition(
  module: Module,
  wanted: string | undefined,
  quiet: boolean,
  report: Report,
): Definition | undefined {
  const candidates = wanted === undefined ? uncalledDefinitions(module) : module.definitions;
  const known = candidates.map((d) => d.name.name);
  const [only] = candidates;
  if (wanted === undefined && candidates.length === 1) return only;
  const found = candidates.find((d) => d.name.name === wanted);
  if (found !== undefined) return found;
  const suggestion = wanted === undefined ? undefined : didYouMean(wanted, known);
  const data = {
    known,
    ...(wanted === undefined ? {} : { wanted }),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
  // After a syntax error the definition may be there and unread.
  if (!quiet) report(diagnose("TC2015", data, only?.name.span ?? { start: 0, end: 0 }));
  return undefined;
}

/** A file that is analysed. */
interface File {
  readonly source: string;
  /** With its calls marked. */
  readonly module: Module;
  /** False for definitions with syntax errors. */
  readonly isReadable: (definition: Definition) => boolean;
  readonly report: Report;
}

function analyseDefinition(
  file: File,
  definition: Definition,
  options: AnalyseOptions,
): CheckedDefinition | undefined {
  const { source, module, isReadable } = file;
  const found: Diagnostic[] = [];
  const report: Report = (d) => {
    found.push(d);
    file.report(d);
  };
  const solved = solveSizes(definition, module, {
    explicit: options.sizes ?? {},
    shapes: options.shapes ?? {},
    defaults: directiveSizes(module),
  });
  for (const d of solved.diagnostics) report(d);
  const { inlinable, signatures } = resolveCallees(definition, module, isReadable, report);
  const own = collectSymbols(definition, { module, signatures }, solved.sizes, report);
  const { symbols, resolved } = inlineCalls(
    { symbols: own, resolved: resolveDefinition(definition, own, signatures, report) },
    inlinable,
  );
  const unsound = found.some((d) => unsized.has(d.code));
  if (unsound || hasErrors(solved.diagnostics)) {
    const others = solved.diagnostics.filter((d) => d.code !== "TC2012");
    if (unsound || hasErrors(others)) return undefined;
    const missing = new Set(solved.missing);
    const diagnostics = checkMissingSizes({
      sets: trialSizes(
        sizeSymbols(definition, module).filter(({ name }) => missing.has(name)),
        definition,
      ),
      known: found,
      proved: () => proveOutside(resolved.nodes, symbols),
      analyse: (sizes) =>
        analyseWith(file, definition, { ...options, sizes: { ...options.sizes, ...sizes } }),
      statements: eachStatement(resolved.nodes).length * module.definitions.length,
    });
    for (const d of diagnostics) file.report(d);
    return undefined;
  }
  const inferred = inferRanges(resolved.nodes, symbols, report);
  const textOf = (span: Span): string => source.slice(span.start, span.end);
  return elaborate({ definition, symbols, resolved, inferred, report, textOf });
}

/** What is wrong with a definition, {@link widthDiagnostics} included. */
function analyseWith(
  file: File,
  definition: Definition,
  options: AnalyseOptions,
): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const checked = analyseDefinition({ ...file, report: (d) => found.push(d) }, definition, options);
  if (checked === undefined || hasErrors(found)) return found;
  return [...found, ...widthDiagnostics(checked)];
}

/** The program of a right definition, made once. */
export const loweredOf: (checked: CheckedDefinition) => Program = remember(lower);

/** What of a right definition is too large for indices of 32 bits. */
export const widthDiagnostics: (checked: CheckedDefinition) => readonly Diagnostic[] = remember(
  (checked) => indexWidthDiagnostics(loweredOf(checked)),
);
