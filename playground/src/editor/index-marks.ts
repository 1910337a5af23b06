/** Indices in the source: each in its colour, with the range that was inferred behind the statement. */
import {
  type EditorState,
  RangeSetBuilder,
  StateEffect,
  type StateEffectType,
  StateField,
} from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import type { StatementRanges } from "../../../src/index.ts";
import type { IndexRun } from "../compile/index-runs.ts";
import { indexClass, indexLooks } from "./index-class.ts";

/** The number of each index's look, by name, in the order of the source. */
export type IndexColours = ReadonlyMap<string, number>;

/** Gives the indices of some statements their colours. */
export function colourIndices(statements: readonly StatementRanges[]): IndexColours {
  const names = statements.flatMap((s) => s.indices.map((i) => i.name));
  return new Map([...new Set(names)].map((name, n) => [name, n % indexLooks]));
}

/** What is known of the source that the editor holds. */
export interface IndexKnowledge {
  readonly statements: readonly StatementRanges[];
  readonly colours: IndexColours;
  /** What executes their instances; null as long as that is not known. */
  readonly runs: readonly IndexRun[] | null;
}

/** What executes a statement along an index; undefined where that is not known. */
export function runOf(
  runs: readonly IndexRun[] | null,
  span: StatementRanges["span"],
  name: string,
): IndexRun | undefined {
  return runs?.find(({ index, span: own }) => index === name && own.start === span.start);
}

/** All that is known of an index of a statement. */
export function indexTitle(
  { name, lower, upper, role }: StatementRanges["indices"][number],
  run: IndexRun | undefined,
): string {
  const parts = [
    `${name} runs over ${lower}:${upper}, ${roles[role]}`,
    ...(run === undefined ? [] : [`on the device: ${run.loops.join(", ")}`]),
    ...(run === undefined || run.choices.length === 0
      ? []
      : [`chosen by ${run.choices.join(", ")}`]),
  ];
  return parts.join("; ");
}

/** Tells the editor the ranges of its text. */
export const setIndices: StateEffectType<IndexKnowledge> = StateEffect.define<IndexKnowledge>();

/** The marks, which move with the text until the next ones come. */
export const indexMarks: StateField<DecorationSet> = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    const told = transaction.effects.find((effect) => effect.is(setIndices));
    if (told !== undefined) return marksOf(transaction.state, told.value);
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** How a statement uses an index, in words. */
export const roles: Readonly<Record<StatementRanges["indices"][number]["role"], string>> = {
  loop: "one after the other",
  parallel: "in any order",
  reduced: "combined over",
};

interface Mark {
  readonly from: number;
  readonly to: number;
  readonly decoration: Decoration;
}

function marksOf(state: EditorState, known: IndexKnowledge): DecorationSet {
  const { statements, colours } = known;
  const text = state.doc.toString();
  const marks = [...namesIn(text, known), ...hintsOf(state, statements, colours)];
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to, decoration } of marks.sort((a, b) => a.from - b.from || a.to - b.to)) {
    builder.add(from, to, decoration);
  }
  return builder.finish();
}

/** Each place of a name once, though cases of a statement share their text. */
function namesIn(text: string, { statements, colours, runs }: IndexKnowledge): readonly Mark[] {
  const found = new Map<number, Mark>();
  for (const { span, indices } of statements) {
    const own = new Map(indices.map((index) => [index.name, index]));
    const part = text.slice(span.start, span.end);
    for (const match of part.matchAll(/[A-Za-z_]\w*/g)) {
      const colour = colours.get(match[0]);
      const index = own.get(match[0]);
      if (colour === undefined || index === undefined) continue;
      const from = span.start + match.index;
      const title = indexTitle(index, runOf(runs, span, index.name));
      const decoration = Decoration.mark({ class: indexClass(colour), attributes: { title } });
      found.set(from, { from, to: from + match[0].length, decoration });
    }
  }
  return [...found.values()];
}

/** One hint for each statement, at the end of its last line. */
function hintsOf(
  state: EditorState,
  statements: readonly StatementRanges[],
  colours: IndexColours,
): readonly Mark[] {
  const byEnd = new Map<number, Map<string, Set<string>>>();
  for (const { span, indices } of statements) {
    if (span.end > state.doc.length) continue;
    const { to } = state.doc.lineAt(span.end);
    const ranges = byEnd.get(to) ?? new Map<string, Set<string>>();
    byEnd.set(to, ranges);
    for (const { name, lower, upper } of indices) {
      ranges.set(name, (ranges.get(name) ?? new Set()).add(`${lower}:${upper}`));
    }
  }
  return [...byEnd].map(([at, ranges]) => {
    const parts = [...ranges].map(([name, texts]) => ({
      // Cases of a statement have ranges of their own.
      text: `${name} ${[...texts].slice(0, 3).join(" | ")}${texts.size > 3 ? " …" : ""}`,
      colour: colours.get(name) ?? 0,
    }));
    return {
      from: at,
      to: at,
      decoration: Decoration.widget({ widget: new Hint(parts), side: 1 }),
    };
  });
}

interface HintPart {
  readonly text: string;
  readonly colour: number;
}

/** The ranges of a statement behind its line; CodeMirror wants a class. */
class Hint extends WidgetType {
  readonly parts: readonly HintPart[];

  constructor(parts: readonly HintPart[]) {
    super();
    this.parts = parts;
  }

  override eq(other: Hint): boolean {
    const textOf = ({ parts }: Hint): string => parts.map((p) => `${p.text} ${p.colour}`).join();
    return textOf(this) === textOf(other);
  }

  override toDOM(): HTMLElement {
    const hint = document.createElement("span");
    hint.className = "cm-hint";
    const said = this.parts.map((p) => p.text).join(", ");
    hint.title = `inferred ranges, half-open: ${said}`;
    hint.append(
      ...this.parts.map(({ text, colour }) => {
        const part = document.createElement("span");
        part.className = indexClass(colour);
        part.textContent = text;
        return part;
      }),
    );
    return hint;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}
