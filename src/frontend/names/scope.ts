import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/span.ts";
import { computedAs, type ElementType } from "../../support/scalar-type.ts";
import type { Signatures } from "../calls/signature.ts";
import type { Expression, LetClause } from "../syntax/ast.ts";
import { builtinNames } from "./builtins.ts";
import { suggestName } from "./suggest-name.ts";
import type { Symbols } from "./symbols.ts";
import type { StatementIndex, Typed } from "./typed.ts";
import { typedError, typedLiteral } from "./types.ts";

/** What names mean at some place of a definition. */
export interface Scope {
  readonly symbols: Symbols;
  /** The types of tensors as far as they are known. */
  readonly types: ReadonlyMap<string, ElementType>;
  /** The enclosing loops, outermost first. */
  readonly loops: readonly LoopName[];
  /** Undefined in loop bounds and conditions. */
  readonly statement: StatementScope | undefined;
  /** The definitions of the file. */
  readonly definitions: Signatures;
  readonly report: Report;
}

/** A loop index as it is written and its unique name. */
export interface LoopName {
  readonly source: string;
  readonly name: string;
}

/** The names of a statement; filled while its expressions are resolved. */
export interface StatementScope {
  /** By name as written, in order of first use. */
  readonly indices: Map<string, StatementIndex>;
  /** Names with a range after `where` that nothing has used yet. */
  readonly ranged: Map<string, Span>;
  readonly lets: Map<string, LetEntry>;
}

/** A `name = value` clause: resolved where it is first used. */
export interface LetEntry {
  readonly clause: LetClause;
  state: "fresh" | "open" | "done";
  value: Typed | undefined;
}

/** Where an expression stands: unknown names in an index are new indices. */
export interface Place {
  readonly inIndex: boolean;
  readonly onLeft: boolean;
}

/** Resolves the value of a let; resolve-expression.ts passes itself. */
export type ResolveLet = (e: Expression, place: Place) => Typed;

/**
 * What a name alone means: the statement's indices and lets first, then loops, sizes, tensors of
 * rank 0; an unknown one is a new index inside of an index, and an error elsewhere.
 */
export function resolveName(
  name: string,
  span: Span,
  scope: Scope,
  place: Place,
  resolveLet: ResolveLet,
): Typed {
  const own = scope.statement;
  if (own?.indices.has(name) || own?.ranged.has(name)) return useIndex(name, span, scope, place);
  const entry = own?.lets.get(name);
  if (entry !== undefined) return useLet(entry, span, scope, place, resolveLet);
  const loop = scope.loops.findLast((l) => l.source === name);
  if (loop !== undefined) return { kind: "index", name: loop.name, type: "int32", span };
  if (scope.symbols.sizes.has(name)) return sizeNamed(name, span, scope);
  const tensor = scope.symbols.tensors.get(name);
  if (tensor !== undefined) return tensorNamed(name, tensor.rank, span, scope);
  if (place.inIndex && own !== undefined) return useIndex(name, span, scope, place);
  const data = suggestName(name, [...visibleNames(scope), ...literalNames]);
  // A tensor with dimensions may be meant, but not alone.
  const rank = scope.symbols.tensors.get(data.suggestion ?? "")?.rank ?? 0;
  scope.report(diagnose("TC2001", data, span, rank === 0 ? {} : { fixes: [] }));
  return typedError(span);
}

/** A tensor without indices: it must have none. */
function tensorNamed(name: string, rank: number | undefined, span: Span, scope: Scope): Typed {
  if (rank !== undefined && rank !== 0) {
    scope.report(diagnose("TC2006", { name, rank, found: 0 }, span));
    return typedError(span);
  }
  const type = scope.types.get(name);
  if (rank === undefined || type === undefined) return typedError(span);
  return { kind: "access", tensor: name, indices: [], fill: null, type: computedAs(type), span };
}

const literalNames = ["true", "false", "inf"];

function sizeNamed(name: string, span: Span, scope: Scope): Typed {
  const value = scope.symbols.sizes.get(name);
  if (value !== undefined) return typedLiteral(value, "int32", span);
  return { kind: "size", name, type: "int32", span };
}

function useIndex(source: string, span: Span, scope: Scope, place: Place): Typed {
  const indices = scope.statement?.indices ?? new Map<string, StatementIndex>();
  const before = indices.get(source);
  if (before === undefined) {
    const name = freshName(source, [...scope.loops, ...indices.values()]);
    indices.set(source, { name, source, span, left: place.onLeft });
    scope.statement?.ranged.delete(source);
    return { kind: "index", name, type: "int32", span };
  }
  if (place.onLeft && !before.left) indices.set(source, { ...before, left: true });
  return { kind: "index", name: before.name, type: "int32", span };
}

/** The name itself, or with underscores when a loop that it hides has it already. */
function freshName(source: string, taken: readonly { readonly name: string }[]): string {
  let name = source;
  while (taken.some((t) => t.name === name)) name += "_";
  return name;
}

/** A let used first on the right and later on the left makes its indices left indices as well. */
function useLet(
  entry: LetEntry,
  span: Span,
  scope: Scope,
  place: Place,
  resolveLet: ResolveLet,
): Typed {
  if (entry.state === "open") {
    scope.report(diagnose("TC2001", { name: entry.clause.name.name }, span));
    return typedError(span);
  }
  if (entry.state === "fresh" || place.onLeft) {
    entry.state = "open";
    entry.value = resolveLet(entry.clause.value, place);
    entry.state = "done";
  }
  return entry.value ?? typedError(span);
}

/** All names that a plain name could have meant. */
export function visibleNames(scope: Scope): readonly string[] {
  return [
    ...(scope.statement?.indices.keys() ?? []),
    ...(scope.statement?.ranged.keys() ?? []),
    ...(scope.statement?.lets.keys() ?? []),
    ...scope.loops.map((l) => l.source),
    ...scope.symbols.sizes.keys(),
    ...scope.symbols.tensors.keys(),
  ];
}

/** All names that could have stood before parentheses. */
export function callableNames(scope: Scope): readonly string[] {
  return [...scope.symbols.tensors.keys(), ...scope.definitions.keys(), ...builtinNames()];
}
