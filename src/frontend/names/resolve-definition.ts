import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import { flatMap } from "../../support/flat-map.ts";
import {
  computedAs,
  type ElementType,
  isFloat,
  type ScalarType,
} from "../../support/scalar-type.ts";
import { callsOf } from "../calls/call-graph.ts";
import { resolveCallStatement } from "../calls/resolve-call-statement.ts";
import type { Signatures } from "../calls/signature.ts";
import type { Definition, Expression, For, Statement } from "../syntax/ast.ts";
import { eachAssign } from "../syntax/walk-ast.ts";
import { resolveCondition, resolveExpression } from "./resolve-expression.ts";
import { resolveStatement } from "./resolve-statement.ts";
import type { LoopName, Scope } from "./scope.ts";
import type { Symbols } from "./symbols.ts";
import type { Typed, TypedLoop, TypedNode } from "./typed.ts";
import { convert, promoteTypes, typedError, typedLiteral } from "./types.ts";

/** A definition with all names resolved. */
export interface ResolvedDefinition {
  readonly nodes: readonly TypedNode[];
  /** The element type of every tensor. */
  readonly types: ReadonlyMap<string, ElementType>;
}

/**
 * Purpose: resolve names, find the types of all tensors, make conversions explicit.
 * Requires: a definition without syntax errors whose calls are marked, its symbols.
 * Ensures: every access has as many indices as its tensor has dimensions; index names are unique
 * in a statement and its loops; whatever was wrong is reported once and poisoned.
 */
export function resolveDefinition(
  definition: Definition,
  symbols: Symbols,
  definitions: Signatures,
  report: Report,
): ResolvedDefinition {
  const types = inferTypes(definition, symbols, definitions);
  const scope = { symbols, types, loops: [], statement: undefined, definitions, report };
  const names = new Set<string>();
  return { nodes: resolveBody(definition.body, scope, names), types };
}

/**
 * A tensor without a declared type has the promotion of all that is written to it, which may read
 * such tensors in turn: repeated until nothing changes.
 */
function inferTypes(
  definition: Definition,
  symbols: Symbols,
  definitions: Signatures,
): ReadonlyMap<string, ElementType> {
  const types = new Map<string, ElementType>();
  for (const { name, type } of symbols.tensors.values())
    if (type !== undefined) types.set(name, type);
  for (const [name, type] of typesOfResults(definition, definitions)) {
    if (symbols.tensors.get(name)?.type === undefined) widen(types, name, type);
  }
  const report: Report = () => undefined;
  const everywhere = loopsByAssign(definition.body, []);
  const open = eachAssign(definition.body).filter(
    (assign) => symbols.tensors.get(assign.target.name.name)?.type === undefined,
  );
  for (let changed = true; changed; ) {
    changed = false;
    for (const assign of open) {
      const loops = everywhere.get(assign) ?? [];
      const scope: Scope = { symbols, types, loops, statement: undefined, definitions, report };
      const { contributes } = resolveStatement(assign, scope);
      changed = widen(types, assign.target.name.name, contributes) || changed;
    }
  }
  // What only depends on itself or on mistakes.
  for (const name of symbols.tensors.keys()) if (!types.has(name)) types.set(name, "float32");
  return types;
}

/** What calls write: each target and the type of the result. */
function typesOfResults(
  definition: Definition,
  definitions: Signatures,
): readonly (readonly [string, ScalarType])[] {
  return flatMap(callsOf(definition), ({ callee, targets }) => {
    const results = definitions.get(callee.name)?.results ?? [];
    return flatMap(targets, (target, n) => {
      const type = results[n]?.type;
      return type === undefined ? [] : [[target.name.name, computedAs(type)] as const];
    });
  });
}

/** Makes the type of a tensor hold what is written to it; tells whether that changed it. */
function widen(
  types: Map<string, ElementType>,
  name: string,
  contributes: ScalarType | "error",
): boolean {
  if (contributes === "error") return false;
  const before = types.get(name);
  const after = before === undefined ? contributes : promoteTypes(computedAs(before), contributes);
  types.set(name, after);
  return after !== before;
}

/** The loops around each assignment; for types their names as written suffice. */
function loopsByAssign(
  body: readonly Statement[],
  loops: readonly LoopName[],
): ReadonlyMap<Statement, readonly LoopName[]> {
  return new Map(
    flatMap(body, (s): (readonly [Statement, readonly LoopName[]])[] => {
      if (s.kind === "for") {
        const inner = { source: s.index.name, name: s.index.name };
        return [...loopsByAssign(s.body, [...loops, inner])];
      }
      if (s.kind !== "if") return [[s, loops]];
      const bodies = [...s.branches.map((b) => b.body), s.otherwise];
      return flatMap(bodies, (inner) => [...loopsByAssign(inner, loops)]);
    }),
  );
}

function resolveBody(
  body: readonly Statement[],
  scope: Scope,
  names: Set<string>,
): readonly TypedNode[] {
  return body.map((statement) => resolveNode(statement, scope, names));
}

function resolveNode(statement: Statement, scope: Scope, names: Set<string>): TypedNode {
  switch (statement.kind) {
    case "assign":
      return resolveStatement(statement, scope).statement;
    case "for":
      return resolveLoop(statement, scope, names);
    case "if": {
      const place = { inIndex: false, onLeft: false };
      const branches = statement.branches.map(({ condition, body: inner }) => ({
        condition: resolveCondition(condition, scope, place, "the condition of `if`"),
        body: resolveBody(inner, scope, names),
      }));
      const otherwise = resolveBody(statement.otherwise, scope, names);
      return { kind: "if", node: statement, branches, otherwise };
    }
    case "call":
      return resolveCallStatement(statement, scope);
  }
}

function resolveLoop(node: For, scope: Scope, names: Set<string>): TypedLoop {
  const source = node.index.name;
  let name = source;
  while (names.has(name) || (name !== source && scope.symbols.sizes.has(name))) name += "_";
  names.add(name);
  const bound = (e: Expression): Typed => {
    const typed = resolveExpression(e, scope, { inIndex: false, onLeft: false });
    if (typed.type !== "error" && (isFloat(typed.type) || typed.type === "bool")) {
      scope.report(diagnose("TC3013", { type: typed.type }, e.span));
      return typedError(e.span);
    }
    return convert(typed, "int32", scope.report);
  };
  const lower =
    node.lower === undefined ? typedLiteral(0, "int32", node.index.span) : bound(node.lower);
  const upper = bound(node.upper);
  const inner = { ...scope, loops: [...scope.loops, { source, name }] };
  const body = resolveBody(node.body, inner, names);
  return { kind: "loop", node, name, source, lower, upper, reversed: node.reversed, body };
}
