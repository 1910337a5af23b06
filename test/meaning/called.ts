/** Definitions put behind a call. */
import { lowerSource } from "../../src/compile.ts";
import { parse } from "../../src/frontend/syntax/parse.ts";

/** How a definition is called: once; or twice in a loop, its new results stacked. */
export type Calling = "once" | "stacked";

/**
 * The source with a definition that calls the one that is not called; undefined if that is refused. Results
 * that the caller supplies are supplied by the caller's caller.
 */
export function called(
  source: string,
  sizes: Readonly<Record<string, number>>,
  calling: Calling,
): string | undefined {
  const lowered = lowerSource(source, { sizes });
  if (!lowered.ok) return undefined;
  const { definitions } = parse(source).module;
  const definition = definitions.find((d) => d.name.name === lowered.program.name);
  if (definition === undefined) return undefined;
  const supplied = new Set(
    lowered.program.tensors.filter((t) => t.role === "inout").map((t) => t.name),
  );
  const head = source.slice(definition.name.span.end, definition.span.end);
  const parameters = head.slice(0, head.indexOf("->"));
  const args = definition.parameters.map((p) => p.name.name).join(", ");
  const stacked = calling === "stacked";
  const targets = definition.results.map(({ name }) =>
    stacked && !supplied.has(name.name) ? `${name.name}(times)` : name.name,
  );
  const results = definition.results.map(({ name, span }) =>
    stacked && !supplied.has(name.name) ? name.name : source.slice(span.start, span.end),
  );
  const call = `(${targets.join(", ")}) = ${definition.name.name}(${args})`;
  const body = stacked ? `for times in 2 { ${call} }` : call;
  return `${source}\ndef calling${parameters}-> (${results.join(", ")}) {\n  ${body}\n}\n`;
}
