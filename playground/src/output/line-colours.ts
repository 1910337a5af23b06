/** The colours of indices in loops and WGSL: names of loops have the colour of the index they go along. */
import { RangeSetBuilder, StateEffect, type StateEffectType, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { indexClass } from "../editor/index-class.ts";
import type { PanelName } from "../link-state.ts";
import { lastGood, links, shownRanges } from "../state.ts";

/** From a line on, the colours of names. */
interface Region {
  readonly line: number;
  readonly colours: ReadonlyMap<string, number>;
}

const setColours: StateEffectType<readonly Region[]> = StateEffect.define<readonly Region[]>();

/** Words in their colours. */
export const lineColours: StateField<DecorationSet> = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    const told = transaction.effects.find((effect) => effect.is(setColours));
    if (told === undefined) return marks.map(transaction.changes);
    const builder = new RangeSetBuilder<Decoration>();
    const { doc } = transaction.state;
    for (const [n, { line, colours }] of told.value.entries()) {
      const next = told.value[n + 1]?.line ?? doc.lines + 1;
      if (line > doc.lines || next <= line) continue;
      const from = doc.line(line).from;
      const text = doc.sliceString(from, doc.line(next - 1).to);
      for (const { 0: name, index } of text.matchAll(/[A-Za-z_][\w.#]*/g)) {
        const colour = colours.get(name);
        if (colour === undefined) continue;
        const decoration = Decoration.mark({ class: indexClass(colour) });
        builder.add(from + index, from + index + name.length, decoration);
      }
    }
    return builder.finish();
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Gives names in a text the colours of their indices, once it is known which are theirs. */
export function colourLines(view: EditorView, panel: PanelName): void {
  const known = links.peek();
  if (known === null || known.job !== lastGood.peek()?.job) return;
  const { colours } = shownRanges.peek();
  const regions = panel === "wgsl" ? known.links.wgsl : known.links.loops;
  const coloured = regions.map(({ line, names }): Region => {
    const pairs = Object.entries(names).flatMap(([name, index]) => {
      const colour = colours.get(index);
      return colour === undefined ? [] : [[name, colour] as const];
    });
    return { line, colours: new Map(pairs) };
  });
  view.dispatch({ effects: setColours.of(coloured) });
}
