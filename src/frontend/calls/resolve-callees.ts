import type { Diagnostic, Report } from "../../diagnostics/diagnostic.ts";
import { remember } from "../../support/remember.ts";
import { type ResolvedDefinition, resolveDefinition } from "../names/resolve-definition.ts";
import { collectSymbols, type Symbols } from "../names/symbols.ts";
import type { Definition, Module } from "../syntax/ast.ts";
import { calleesFirst, callsOf } from "./call-graph.ts";
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
  const known = resolvedIn(module);
  for (const { definition, call } of calleesFirst(root, module, report)) {
    if (!isReadable(definition)) continue;
    const { name } = definition.name;
    const callees = callsOf(definition).map(({ callee }) => inlinable.get(callee.name));
    const before = known.get(definition);
    const resolved =
      before !== undefined && isSame(before.callees, callees)
        ? before
        : resolveCallee(definition, module, signatures, inlinable);
    known.set(definition, { ...resolved, callees });
    signatures.set(name, resolved.inlinable.signature);
    inlinable.set(name, resolved.inlinable);
    const label = { span: call.span, text: "called here" };
    for (const d of resolved.diagnostics) report({ ...d, labels: [...d.labels, label] });
  }
  return { inlinable, signatures };
}

/** A definition that others call, with its own mistakes. */
interface ResolvedCallee {
  readonly inlinable: Inlinable;
  readonly diagnostics: readonly Diagnostic[];
  /** What it was resolved with: those that it calls, in the order of its calls. */
  readonly callees: readonly (Inlinable | undefined)[];
}

/** What was resolved for other definitions of the file: it holds where the same ones are called. */
const resolvedIn: (module: Module) => Map<Definition, ResolvedCallee> = remember(() => new Map());

function isSame<T>(before: readonly T[], now: readonly T[]): boolean {
  return before.length === now.length && before.every((one, n) => one === now[n]);
}

function resolveCallee(
  definition: Definition,
  module: Module,
  signatures: Signatures,
  inlinable: ReadonlyMap<string, Inlinable>,
): Pick<ResolvedCallee, "inlinable" | "diagnostics"> {
  const diagnostics: Diagnostic[] = [];
  const report: Report = (d) => diagnostics.push(d);
  const symbols = collectSymbols(definition, { module, signatures }, new Map(), report);
  const resolved = resolveDefinition(definition, symbols, signatures, report);
  const signature = signatureOf(definition, symbols, resolved);
  const inlined = inlineCalls({ symbols, resolved }, inlinable);
  return { inlinable: { signature, ...inlined }, diagnostics };
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
