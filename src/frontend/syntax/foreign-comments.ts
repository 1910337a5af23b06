/** As much of a line as matters for guesses: lines may be long. */
const longestLine = 300;

/** The text of the line before and after an offset. */
export function lineAround(
  source: string,
  offset: number,
): { readonly before: string; readonly after: string } {
  const before = source.slice(Math.max(0, offset - longestLine), offset);
  const after = source.slice(offset, offset + longestLine);
  return { before: before.split(/[\r\n]/).at(-1) ?? "", after: after.split(/[\r\n]/)[0] ?? "" };
}

/**
 * Where `//` at the offset ends: it is a division inside of parentheses that its line opened and
 * before a number at the end of a line, and a comment to the end of the line elsewhere; undefined
 * if there is none.
 */
export function endOfSlashes(source: string, offset: number): number | undefined {
  if (!source.startsWith("//", offset)) return undefined;
  const { before, after } = lineAround(source, offset);
  const open = before.split(/[([]/).length - before.split(/[)\]]/).length;
  if (open > 0 || /^\/\/\s*\d+[\s)]*$/.test(after)) return offset + 2;
  const ending = /[\r\n]/g;
  ending.lastIndex = offset;
  return ending.exec(source)?.index ?? source.length;
}

/** Where `/* ... *\/` at the offset ends, which may be the end of the text; undefined if there is none. */
export function endOfBlockComment(source: string, offset: number): number | undefined {
  if (!source.startsWith("/*", offset)) return undefined;
  const end = source.indexOf("*/", offset + 2);
  return end < 0 ? source.length : end + 2;
}
