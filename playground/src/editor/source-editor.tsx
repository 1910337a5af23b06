import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, toggleComment } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import type { Extension, StateEffect } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { litIn } from "../links.ts";
import { formatSource } from "../shell/format-source.ts";
import {
  checked,
  focusRequest,
  links,
  replaceRequest,
  setSource,
  shownRanges,
  source,
} from "../state.ts";
import { changeTo } from "./change-to.ts";
import { completions } from "./completions.ts";
import { indexMarks, setIndices } from "./index-marks.ts";
import { languageOf } from "./languages.ts";
import { linkMarks, linkOnHover, setLit } from "./link-marks.ts";
import { lintOf } from "./lint.ts";
import { mountEditor } from "./mount.ts";
import { theme } from "./theme.ts";

const setup: readonly Extension[] = [
  lineNumbers(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  history(),
  drawSelection(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ override: [completions], icons: false }),
  indentUnit.of("  "),
  lintGutter(),
  languageOf("tc"),
  indexMarks,
  linkMarks,
  linkOnHover("source"),
  theme,
  EditorView.lineWrapping,
  // Tab is left to the browser: it goes on to the next control, so that no key is a trap.
  keymap.of([
    { key: "Mod-/", run: toggleComment },
    {
      key: "Shift-Alt-f",
      run: () => {
        void formatSource();
        return true;
      },
    },
    ...completionKeymap,
    ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
    ...historyKeymap,
    ...lintKeymap,
  ]),
  EditorView.contentAttributes.of({
    "aria-label": "Source in Tensor Comprehensions",
    spellcheck: "false",
    tabindex: "0",
  }),
];

/** The editor of the source. The signal `source` follows it, and it follows `replaceRequest`. */
export function SourceEditor(): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  useEffect(() => {
    if (host.current === null) return;
    const typed = EditorView.updateListener.of((update) => {
      if (update.docChanged) setSource(update.state.doc.toString());
    });
    const made = mountEditor(host.current, source.peek(), [...setup, typed]);
    view.current = made;
    return () => made.destroy();
  }, []);
  useSignalEffect(() => {
    const { text } = replaceRequest.value;
    const editor = view.current;
    if (editor === null || text === editor.state.doc.toString()) return;
    editor.dispatch({ changes: changeTo(editor.state.doc.toString(), text) });
  });
  useSignalEffect(() => {
    const found = checked.value;
    const shown = shownRanges.value;
    const known = links.value;
    const editor = view.current;
    if (editor === null || found === null) return;
    // What is said of another text has no place in this one.
    if (found.source !== editor.state.doc.toString()) return;
    const runs = known?.job.source === found.source ? known.links.runs : null;
    const effects: StateEffect<unknown>[] = [setIndices.of({ ...shown, runs })];
    editor.dispatch({ effects });
    editor.dispatch(
      setDiagnostics(editor.state, lintOf(found.diagnostics, editor.state.doc.length)),
    );
  });
  useSignalEffect(() => {
    view.current?.dispatch({ effects: setLit.of(litIn("source")) });
  });
  useSignalEffect(() => {
    const { at } = focusRequest.value;
    const editor = view.current;
    if (editor === null || at === null) return;
    const anchor = Math.min(at, editor.state.doc.length);
    editor.dispatch({ selection: { anchor }, scrollIntoView: true });
    editor.focus();
  });
  return <div class="editor" ref={host} />;
}
