import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type LanguageName, languageOf } from "../editor/languages.ts";
import { linkMarks, linkOnHover, setLit } from "../editor/link-marks.ts";
import { mountEditor } from "../editor/mount.ts";
import { theme } from "../editor/theme.ts";
import { hovered, type PanelName } from "../link-state.ts";
import { litIn } from "../links.ts";
import { links } from "../state.ts";
import { colourLines, lineColours } from "./line-colours.ts";

interface CodeViewProps {
  readonly text: string;
  readonly language: LanguageName;
  /** For screen readers. */
  readonly label: string;
  /** Where it takes part in linked highlighting. */
  readonly panel?: PanelName;
}

/** A text to read: selectable, searchable by the browser's own means, with linked highlighting. */
export function CodeView({ text, language, label, panel }: CodeViewProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  useEffect(() => {
    if (host.current === null) return;
    const linked: readonly Extension[] =
      panel === undefined ? [] : [linkMarks, linkOnHover(panel), lineColours];
    const made = mountEditor(host.current, "", [
      lineNumbers(),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, role: "textbox" }),
      languageOf(language),
      ...linked,
      theme,
    ]);
    view.current = made;
    return () => made.destroy();
  }, [language, label, panel]);
  useEffect(() => {
    const made = view.current;
    if (made === null) return;
    if (made.state.doc.toString() !== text) {
      made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: text } });
    }
    if (panel !== undefined) colourLines(made, panel);
  }, [text, language, label, panel]);
  useSignalEffect(() => {
    const made = view.current;
    if (panel !== undefined && links.value !== null && made !== null) colourLines(made, panel);
  });
  useSignalEffect(() => {
    if (panel === undefined) return;
    const lit = litIn(panel);
    const made = view.current;
    made?.dispatch({ effects: setLit.of(lit) });
    const first = Math.min(...lit.lines);
    const place = hovered.value;
    if (made === null || !place?.isChosen || place.panel === panel) return;
    if (first > made.state.doc.lines) return;
    const { from } = made.state.doc.line(first);
    made.dispatch({ effects: EditorView.scrollIntoView(from, { y: "center" }) });
  });
  return <div class="code" ref={host} />;
}
