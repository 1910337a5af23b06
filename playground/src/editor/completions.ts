/** Completion: the words of the language, its functions, and the names of the text. */
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from "@codemirror/autocomplete";
import { scalarFunctions } from "../../../src/support/scalar-functions.ts";

const keywords: readonly Completion[] = [
  snippetCompletion("def #{name}(float(#{N}) #{x}) -> (#{y}) {\n  #{y}(i) = #{x}(i)\n}", {
    label: "def",
    detail: "a definition",
    type: "keyword",
  }),
  snippetCompletion("for #{t} in #{1}:#{T} {\n  #{}\n}", {
    label: "for",
    detail: "a loop in order",
    type: "keyword",
  }),
  { label: "where", detail: "ranges: where i in 0:N", type: "keyword" },
  { label: "exists", detail: "a range as if this were read", type: "keyword" },
  { label: "if", detail: "a condition on indices", type: "keyword" },
  { label: "else", type: "keyword" },
  { label: "reversed", detail: "a loop downwards", type: "keyword" },
  snippetCompletion("pad(#{x}(#{i}), #{0})", {
    label: "pad",
    detail: "a value outside of a tensor",
    type: "keyword",
  }),
  { label: "inf", detail: "infinity", type: "constant" },
  ...["float", "half", "int", "int8", "uint8", "int16", "uint16", "uint32", "bool"].map(
    (label): Completion => ({ label, detail: "a type", type: "type" }),
  ),
  ...["sizes", "input"].map(
    (word): Completion => ({ label: `#! ${word}`, detail: "a directive", type: "text" }),
  ),
];

const parameters = ["x", "y", "z"] as const;

const functions: readonly Completion[] = Object.entries(scalarFunctions).map(
  ([label, { arity, result }]) => ({
    label,
    detail: `(${parameters.slice(0, arity).join(", ")})${result === "bool" ? ": bool" : ""}`,
    type: "function",
    apply: `${label}(`,
  }),
);

/** A comment, which is no directive. */
const comment = /#(?!!).*/g;

/** What may stand at the cursor: nothing in a comment, nor where a definition gets its name. */
export function completions(context: CompletionContext): CompletionResult | null {
  if (context.matchBefore(/#(?!!).*|\bdef\s+\w*/) !== null) return null;
  const before = context.matchBefore(/#!\s?\w*|[A-Za-z_]\w*/);
  if (before === null && !context.explicit) return null;
  const from = before?.from ?? context.pos;
  const text = context.state.doc.toString().replace(comment, (found) => " ".repeat(found.length));
  const written = new Set([...keywords, ...functions].map((option) => option.label));
  const names = new Set<string>();
  for (const match of text.matchAll(/[A-Za-z_]\w*/g)) {
    // The word at the cursor is no suggestion for itself.
    if (match.index !== from && !written.has(match[0])) names.add(match[0]);
  }
  const own = [...names].map((label): Completion => ({ label, type: "variable", boost: 2 }));
  return { from, options: [...own, ...keywords, ...functions], validFor: /^(?:#!\s?)?\w*$/ };
}
