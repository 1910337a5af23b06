/** The colours of indices in loops and WGSL: names of loops have the colour of the index they go along. */
import { RangeSetBuilder, StateEffect, type StateEffectType, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import type { PanelName } from "../link-state.ts";
import { lastGood, shownRanges } from "../state.ts";

const setColours: StateEffectType<ReadonlyMap<string, number>> =
  StateEffect.define<ReadonlyMap<string, number>>();

/** Words in their colours. */
export const lineColours: StateField<DecorationSet> = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    const told = transaction.effects.find((effect) => effect.is(setColours));
    if (told === undefined) return marks.map(transaction.changes);
    const colours = told.value;
    const builder = new RangeSetBuilder<Decoration>();
    for (const match of transaction.state.doc.toString().matchAll(/[A-Za-z_][\w.#]*/g)) {
      const colour = colours.get(match[0]);
      if (colour === undefined) continue;
      const decoration = Decoration.mark({ class: `ix-${colour}` });
      builder.add(match.index, match.index + match[0].length, decoration);
    }
    return builder.finish();
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Gives names in a text the colours of their indices. */
export function colourLines(view: EditorView, panel: PanelName): void {
  const good = lastGood.peek();
  const { colours } = shownRanges.peek();
  const names = good?.compiled.indexNames[panel === "wgsl" ? "wgsl" : "loops"] ?? {};
  const pairs = Object.entries(names).flatMap(([name, index]) => {
    const colour = colours.get(index);
    return colour === undefined ? [] : [[name, colour] as const];
  });
  view.dispatch({ effects: setColours.of(new Map(pairs)) });
}
