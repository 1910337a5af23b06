import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { completions } from "../../playground/src/editor/completions.ts";

/** What is offered at the `|` of a text; null for nothing. */
function offered(text: string): readonly string[] | null {
  const at = text.indexOf("|");
  const state = EditorState.create({ doc: text.replace("|", "") });
  const found = completions(new CompletionContext(state, at, false));
  return found === null ? null : found.options.map((option) => option.label);
}

describe("completion", () => {
  it("offers names of the text, words of the language and functions", () => {
    expect(offered("def f(float(N) weights) -> (y) { y(i) = w| }")).toEqual(
      expect.arrayContaining(["weights", "where", "exp"]),
    );
  });

  it("offers the words of directives", () => {
    expect(offered("#! si|\ndef f(float(N) x) -> (y) { y(i) = x(i) }")).toContain("#! sizes");
  });

  it.each([
    ["a comment", "# the softm|\n"],
    ["a comment behind code", "def f(float(N) x) -> (y) { # ro|"],
    ["the name of a definition", "def soft|"],
  ])("offers nothing in %s", (_, text) => {
    expect(offered(text)).toBeNull();
  });

  it("takes no names from comments", () => {
    expect(offered("# surely\ndef f(float(N) x) -> (y) { y(i) = s| }")).not.toContain("surely");
  });
});
