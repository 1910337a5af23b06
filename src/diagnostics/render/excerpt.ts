import { displayWidth, visibleText } from "./visible-text.ts";

/** Lines are shown up to so many characters, from a little before the first mark on. */
const widestLine = 160;
const widthBefore = 40;
const dots = "...";

/** A part of a line: what is shown, and where the marks stand in it. */
export interface Excerpt<Mark> {
  readonly text: string;
  readonly marks: readonly PlacedMark<Mark>[];
}

/** A mark as columns from 0 in the shown text. */
export interface PlacedMark<Mark> {
  readonly mark: Mark;
  readonly column: number;
  readonly width: number;
}

/** What is marked: UTF-16 offsets into the source. */
interface Marked {
  readonly start: number;
  readonly end: number;
}

/**
 * The line `[start, end)` of a source, or, of a long line, the parts around its marks, with dots
 * for what is left out. Marks must be sorted and begin in the line; those that end beyond the part
 * that is shown are cut there.
 */
export function excerptsOf<Mark extends Marked>(
  source: string,
  start: number,
  end: number,
  marks: readonly Mark[],
): readonly Excerpt<Mark>[] {
  if (end - start <= widestLine) return [excerpt(source, { start, end }, { start, end }, marks)];
  const excerpts: Excerpt<Mark>[] = [];
  for (let rest = marks; rest.length > 0; ) {
    const first = rest[0]?.start ?? start;
    const last = Math.min(end, Math.max(start, first - widthBefore) + widestLine);
    const shown = {
      start: wholeCharacter(source, Math.max(start, last - widestLine)),
      end: wholeCharacter(source, last),
    };
    const near = rest.filter((m) => m.start < shown.end || (m.start === end && shown.end === end));
    const here = near.length === 0 ? rest.slice(0, 1) : near;
    excerpts.push(excerpt(source, { start, end }, shown, here));
    rest = rest.slice(here.length);
  }
  return excerpts;
}

/** The offset, or the one before when it would cut a surrogate pair. */
function wholeCharacter(source: string, offset: number): number {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(source.slice(offset - 1, offset + 1))
    ? offset - 1
    : offset;
}

function excerpt<Mark extends Marked>(
  source: string,
  line: Marked,
  shown: Marked,
  marks: readonly Mark[],
): Excerpt<Mark> {
  const head = shown.start > line.start ? dots : "";
  const tail = shown.end < line.end ? dots : "";
  const columnOf = (offset: number): number => {
    const inside = Math.max(shown.start, Math.min(offset, shown.end));
    return head.length + displayWidth(visibleText(source.slice(shown.start, inside)));
  };
  return {
    text: `${head}${visibleText(source.slice(shown.start, shown.end))}${tail}`,
    marks: marks.map((mark) => {
      const column = columnOf(mark.start);
      return { mark, column, width: Math.max(1, columnOf(mark.end) - column) };
    }),
  };
}
