import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../support/edit-distance.ts";
import { type MarkedAlternative, markedAlternatives } from "../alternatives.ts";
import type { Definition, Module, Parameter, Result } from "../syntax/ast.ts";
import { printExpression } from "../syntax/print-ast.ts";

/** Reports alternatives of nothing, and those with other inputs or results than what they stand for. */
export function checkAlternatives(module: Module, report: Report): void {
  const marked = markedAlternatives(module);
  const alternatives = new Set(marked.map(({ definition }) => definition?.name.name));
  const originals = module.definitions.filter(({ name }) => !alternatives.has(name.name));
  for (const alternative of marked) checkAlternative(alternative, originals, report);
}

function checkAlternative(
  { directive: { of }, definition }: MarkedAlternative,
  originals: readonly Definition[],
  report: Report,
): void {
  const original = originals.find(({ name }) => name.name === of.name);
  if (definition === undefined || original === undefined) {
    const known = originals.map(({ name }) => name.name);
    const suggestion = definition === undefined ? undefined : didYouMean(of.name, known);
    const data = { name: of.name, definition: definition?.name.name ?? null, known };
    report(diagnose("TC2036", suggestion === undefined ? data : { ...data, suggestion }, of.span));
    return;
  }
  const what = firstDifference(definition, original);
  if (what === undefined) return;
  const { name } = definition;
  const labels = [{ span: original.name.span, text: "what it stands for" }];
  report(diagnose("TC2037", { name: name.name, of: of.name, what }, name.span, { labels }));
}

/** In words, the alternative's first; undefined where there is none. */
function firstDifference(one: Definition, other: Definition): string | undefined {
  const inputs = differenceOf("input", one.parameters, other.parameters);
  return inputs ?? differenceOf("result", one.results, other.results);
}

function differenceOf(
  what: string,
  ones: readonly (Parameter | Result)[],
  others: readonly (Parameter | Result)[],
): string | undefined {
  for (let n = 0; n < Math.max(ones.length, others.length); n++) {
    const [one, other] = [ones[n], others[n]];
    if (one === undefined)
      return `it lacks the ${what} \`${other === undefined ? "" : text(other)}\``;
    if (other === undefined) return `it has the ${what} \`${text(one)}\` besides`;
    // A result without a type is what its statements make of it.
    const told = one.type !== undefined && other.type !== undefined;
    const same = told ? text(one) === text(other) : one.name.name === other.name.name;
    if (!same) return `its ${what} \`${text(one)}\` is \`${text(other)}\` there`;
  }
  return undefined;
}

function text({ type, name }: Parameter | Result): string {
  if (type === undefined) return name.name;
  const dimensions = type.dimensions?.map(printExpression).join(", ");
  return `${type.scalar}${dimensions === undefined ? "" : `(${dimensions})`} ${name.name}`;
}
