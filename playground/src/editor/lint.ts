/** Diagnostics of the compiler as those of the editor. */
import type { Diagnostic as EditorDiagnostic } from "@codemirror/lint";
import type { Diagnostic } from "../../../src/index.ts";

/** A fix as changes of the editor's text. */
export function changesOf(
  edits: readonly { readonly span: { start: number; end: number }; readonly text: string }[],
): { from: number; to: number; insert: string }[] {
  return edits.map(({ span, text }) => ({ from: span.start, to: span.end, insert: text }));
}

/** Squiggles with messages, and a button for each fix. */
export function lintOf(
  diagnostics: readonly Diagnostic[],
  length: number,
): readonly EditorDiagnostic[] {
  return diagnostics.map(({ severity, code, message, hint, span, fixes = [] }) => ({
    from: Math.min(span.start, length),
    // Nothing to underline is hard to see.
    to: Math.min(Math.max(span.end, span.start + 1), length),
    severity,
    source: code,
    message: hint === undefined ? message : `${message}\n${hint}`,
    actions: fixes.map(({ title, edits }) => ({
      name: title,
      apply: (view) => {
        const { length } = view.state.doc;
        const changes = changesOf(edits).filter(({ to }) => to <= length);
        view.dispatch({ changes });
      },
    })),
  }));
}
