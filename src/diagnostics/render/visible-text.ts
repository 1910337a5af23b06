/** Source text as a terminal or a page can show it, and how many columns it takes there. */

const tabWidth = 4;

/**
 * Tabs as spaces up to the next multiple of four columns; control and format characters, which
 * could do anything to a terminal or turn the direction of the text around, and lone surrogates as
 * the sign for what cannot be shown.
 */
export function visibleText(text: string): string {
  const plain = text.replace(/(?!\t)[\p{Cc}\p{Cf}\p{Cs}]/gu, "\ufffd");
  if (!plain.includes("\t")) return plain;
  let shown = "";
  for (const [n, part] of plain.split("\t").entries()) {
    if (n > 0) shown += " ".repeat(tabWidth - (displayWidth(shown) % tabWidth));
    shown += part;
  }
  return shown;
}

/**
 * The columns that a visible text takes in a terminal: two for wide characters (the ranges W and F
 * of Unicode's UAX #11, rounded to blocks), none for combining marks.
 */
export function displayWidth(text: string): number {
  // Most text is ASCII, and lines may be long.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\u0000-\u007f]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function characterWidth(character: string): number {
  if (/[\p{Mn}\p{Me}]/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
