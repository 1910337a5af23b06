/** Linked highlighting: what belongs to the place under the pointer, or at the cursor, is lit everywhere. */
import {
  type Extension,
  RangeSetBuilder,
  StateEffect,
  type StateEffectType,
  StateField,
} from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { hovered, type PanelName } from "../link-state.ts";

/** What to light in one text. */
export interface Lit {
  /** Offsets, half-open. */
  readonly spans: readonly { readonly from: number; readonly to: number }[];
  /** Numbers of lines, from 1. */
  readonly lines: readonly number[];
}

/** Tells a text what of it to light. */
export const setLit: StateEffectType<Lit> = StateEffect.define<Lit>();

/** What is lit. */
export const linkMarks: StateField<DecorationSet> = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    const told = transaction.effects.find((effect) => effect.is(setLit));
    if (told === undefined) return marks.map(transaction.changes);
    const { doc } = transaction.state;
    const { spans, lines } = told.value;
    const all = [
      ...lines
        .filter((line) => line <= doc.lines)
        .map((line) => {
          const { from } = doc.line(line);
          return { from, to: from, decoration: litLine };
        }),
      ...spans
        .filter(({ from, to }) => from < to && to <= doc.length)
        .map(({ from, to }) => ({ from, to, decoration: litSpan })),
    ];
    const builder = new RangeSetBuilder<Decoration>();
    for (const { from, to, decoration } of all.sort((a, b) => a.from - b.from || a.to - b.to)) {
      builder.add(from, to, decoration);
    }
    return builder.finish();
  },
  provide: (field) => EditorView.decorations.from(field),
});

const litLine = Decoration.line({ class: "cm-linked-line" });
const litSpan = Decoration.mark({ class: "cm-linked" });

/** Says where the pointer is, and where the cursor goes: the same for those without a pointer. */
export function linkOnHover(panel: PanelName): Extension {
  const place = (view: EditorView, offset: number, isChosen: boolean): void => {
    const { number: line } = view.state.doc.lineAt(offset);
    const { value } = hovered;
    const isSame = value?.panel === panel && value.offset === offset;
    if (!isSame || (isChosen && !value.isChosen)) hovered.value = { panel, offset, line, isChosen };
  };
  return [
    EditorView.domEventHandlers({
      mousemove: (event, view) => {
        const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (offset !== null) place(view, offset, false);
      },
      mouseleave: () => {
        hovered.value = null;
      },
    }),
    EditorView.updateListener.of((update) => {
      if (update.selectionSet && !update.docChanged && update.view.hasFocus) {
        place(update.view, update.state.selection.main.head, true);
      }
    }),
  ];
}
