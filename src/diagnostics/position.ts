/** A place in a text as people count: line and column from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The offsets at which the lines of a text begin; `\n`, `\r\n` and `\r` end a line. */
export function lineStarts(source: string): readonly number[] {
  const starts = [0];
  for (const match of source.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return starts;
}

/** The position of an offset, given {@link lineStarts}; offsets past the end give the end. */
export function positionAt(starts: readonly number[], offset: number): Position {
  let [lo, hi] = [0, starts.length];
  while (hi - lo > 1) {
    const middle = (lo + hi) >> 1;
    if ((starts[middle] ?? 0) <= offset) lo = middle;
    else hi = middle;
  }
  return { line: lo + 1, column: offset - (starts[lo] ?? 0) + 1 };
}

/** The offset at which a line (from 1) ends: before what separates it from the next. */
export function lineEnd(source: string, starts: readonly number[], line: number): number {
  const next = starts[line];
  if (next === undefined) return source.length;
  return source[next - 1] === "\n" && source[next - 2] === "\r" ? next - 2 : next - 1;
}
