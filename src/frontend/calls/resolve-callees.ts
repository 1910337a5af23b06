import type { Diagnostic, Report } from "../../diagnostics/diagnostic.ts";
import { type ResolvedDefinition, resolveDefinition } from "../names/resolve-definition.ts";
import { collectSymbols, type Symbols } from "../names/symbols.ts";
import type { Definition, Module } from "../syntax/ast.ts";
import { calleesFirst } from "./call-graph.ts";
import { type Inlinable, inlineCalls } from "./inline-calls.ts";
import type { Signature, SignatureResult, Signatures } from "./signature.ts";

/** The definitions that one calls, and what it has to know about all of the file. */
export interface Callees {
  readonly inlinable: ReadonlyMap<string, Inlinable>;
  readonly signatures: Signatures;
}

/**
 * Resolves the definitions that `root` calls, directly or through others. Their mistakes are
 * reported with the first call of them; those that are not readable, or that call themselves, have
 * no signature.
 */
export function resolveCallees(
  root: Definition,
  module: Module,
  isReadable: (definition: Definition) => boolean,
  report: Report,
): Callees {
  const signatures = new Map<string, Signature | undefined>(
    module.definitions.map((d) => [d.name.name, undefined]),
  );
  const inlinable = new Map<string, Inlinable>();
  for (const { definition, call } of calleesFirst(root, module, report)) {
    if (!isReadable(definition)) continue;
    const label = { span: call.span, text: "called here" };
    const own: Report = (d: Diagnostic) => report({ ...d, labels: [...d.labels, label] });
    const symbols = collectSymbols(definition, { module, signatures }, new Map(), own);
    const resolved = resolveDefinition(definition, symbols, signatures, own);
    const signature = signatureOf(definition, symbols, resolved);
    signatures.set(definition.name.name, signature);
    const inlined = inlineCalls({ symbols, resolved }, inlinable);
    inlinable.set(definition.name.name, { signature, ...inlined });
  }
  return { inlinable, signatures };
}

function signatureOf(
  definition: Definition,
  symbols: Symbols,
  { types }: ResolvedDefinition,
): Signature {
  const inPlace = new Set(definition.results.map((r) => r.name.name));
  return {
    name: definition.name.name,
    span: definition.name.span,
    parameters: definition.parameters.map(({ name, type }) => ({
      name: name.name,
      type: types.get(name.name) ?? "int32",
      dimensions: type.dimensions ?? [],
      compileTime: type.dimensions === undefined && symbols.sizes.has(name.name),
      inPlace: inPlace.has(name.name),
      span: name.span,
    })),
    results: definition.results.map(({ name }): SignatureResult => {
      const symbol = symbols.tensors.get(name.name);
      const isParameter = definition.parameters.some((p) => p.name.name === name.name);
      const updated = symbol?.role === "inout" ? "updated" : "new";
      return {
        name: name.name,
        type: types.get(name.name) ?? "float32",
        rank: symbol?.rank,
        dimensions: symbol?.dimensions,
        kind: isParameter ? "parameter" : updated,
        span: name.span,
      };
    }),
  };
}
