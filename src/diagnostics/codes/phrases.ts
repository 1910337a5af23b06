/** Phrases and fixes that several texts have in common. */
import type { Span } from "../span.ts";
import type { AccessProblem, Fix } from "./problem-data.ts";

/** Names in backticks, separated by commas. */
export const quoted = (names: readonly string[]): string => names.map((n) => `\`${n}\``).join(", ");

/** The question whether a similar name was meant. */
export function meant(data: { suggestion?: string }): string | undefined {
  return data.suggestion === undefined ? undefined : `did you mean \`${data.suggestion}\`?`;
}

/** The fix that puts a text in the place of the span; none without a text. */
export function replaceBy(text: string | undefined, span: Span): Fix | undefined {
  return text === undefined ? undefined : { title: `write \`${text}\``, edits: [{ span, text }] };
}

/** The fix that writes the name that was meant, if there is only one such. */
export function suggestedFix(
  data: { suggestion?: string; ambiguous?: boolean },
  span: Span,
): Fix | undefined {
  return data.ambiguous ? undefined : replaceBy(data.suggestion, span);
}

/** The fix that writes something around the span. */
export function wrap(before: string, { start, end }: Span, after: string): Fix {
  const edits = [
    { span: { start, end: start }, text: before },
    { span: { start: end, end }, text: after },
  ];
  return { title: `write \`${before}...${after}\``, edits };
}

/** The fix that converts the value at the span. */
export function castFix(to: string, span: Span): Fix {
  return to === "bool" ? wrap("(", span, ") != 0") : wrap(`${to}(`, span, ")");
}

/** That an index leaves its tensor. */
export function leaves(d: AccessProblem, verb: string): string {
  const where = `dimension ${d.dimension} of \`${d.tensor}\` (size ${d.size})`;
  return `${verb} outside ${where}: \`${d.index}\` takes the value ${d.value}`;
}

/** What to do when a size stands where an index was meant. */
export function namedHint(d: AccessProblem): string | undefined {
  return d.named === undefined
    ? undefined
    : `\`${d.named}\` is a size or a parameter here, not an index; use another name for the index`;
}

/** Whether there is a form of the operator that starts from its identity. */
export function resets(operator: string): boolean {
  return operator !== "-=" && operator !== "/=";
}
