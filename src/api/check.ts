import { type Diagnostic, sortDiagnostics } from "../diagnostics/diagnostic.ts";
import {
  analysePrepared,
  type ReadSource,
  sourceFor,
  widthDiagnostics,
} from "../frontend/analyse.ts";
import { uncalledDefinitions } from "../frontend/calls/call-graph.ts";
import { sizeSymbols } from "../frontend/sizes.ts";
import type { Module } from "../frontend/syntax/ast.ts";
import { checkOptions, checkSizes, type OptionNames } from "../support/check-call-shape.ts";
import { optionKinds } from "../support/option-kinds.ts";

/** What to check. */
export interface CheckRequest {
  /** The definition; all of them when left out. */
  readonly def?: string;
  /** Sizes and compile-time parameters; they win over `#! sizes`. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** The name of the source: given back, so that the result can be rendered with it. */
  readonly file?: string;
}

const requestNames: OptionNames<CheckRequest> = { def: optionKinds.def, sizes: true, file: true };

/** What a check found, and what could be read of the text. */
export interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly module: Module;
  readonly file?: string;
}

/**
 * All that can be said about a source text without compiling it. Never throws on bad source. Where
 * sizes are missing, what is wrong for all of several sizes that are tried is said; that they are
 * missing is a warning, since callers may still give them.
 * @throws TypeError for a call that is none: a source that is no text, an option that there is not.
 */
export function check(source: string | ReadSource, request: CheckRequest = {}): Checked {
  const prepared = sourceFor("check", source);
  checkOptions("check", request, requestNames);
  checkSizes("check", request.sizes);
  const { module } = prepared;
  const definitions = module.definitions.map((d) => d.name.name);
  const names = request.def === undefined && definitions.length > 1 ? definitions : [request.def];
  const uncalled = new Set(uncalledDefinitions(module).map((d) => d.name.name));
  const found = names.flatMap((name) => {
    const options = { sizes: ownSizes(module, name, request.sizes ?? {}) };
    const definition = name === undefined ? {} : { definition: name };
    const analysis = analysePrepared(prepared, { ...options, ...definition });
    const { checked } = analysis;
    const wide = checked === undefined ? [] : widthDiagnostics(checked);
    const diagnostics = [...analysis.diagnostics, ...wide];
    // Calls tell the sizes of the others.
    const called = name !== undefined && request.def === undefined && !uncalled.has(name);
    return called ? diagnostics.filter((d) => d.code !== "TC2012") : diagnostics;
  });
  const named = request.file === undefined ? {} : { file: request.file };
  return { diagnostics: sortDiagnostics(found).map(softened), module, ...named };
}

/** Without the sizes that only other definitions have. */
function ownSizes(
  module: Module,
  name: string | undefined,
  sizes: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  if (Object.keys(sizes).length === 0) return sizes;
  const others = module.definitions.filter((d) => d.name.name !== name);
  const own = module.definitions.filter((d) => d.name.name === name);
  const names = (some: typeof own): ReadonlySet<string> =>
    new Set(some.flatMap((d) => sizeSymbols(d, module)).map((s) => s.name));
  const [mine, theirs] = [names(own), names(others)];
  const kept = Object.entries(sizes).filter(([size]) => mine.has(size) || !theirs.has(size));
  return name === undefined ? sizes : Object.fromEntries(kept);
}

function softened(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.code === "TC2012" ? { ...diagnostic, severity: "warning" } : diagnostic;
}
