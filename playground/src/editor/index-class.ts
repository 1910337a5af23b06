/** How an index looks: its colour, and its underline, which tells it apart without colours, too. */

/** Colours that there are, in light and in dark. */
export const indexColours = 8;

/** Underlines that there are. */
export const indexUnderlines = ["solid", "double", "dashed", "dotted"] as const;

/** Indices that are told apart; the next one looks as the first. */
export const indexLooks: number = indexColours * indexUnderlines.length;

/** The classes of an index, by its number: neighbours differ in colour, those of one colour in the underline. */
export function indexClass(index: number): string {
  const colour = index % indexColours;
  const turn = Math.floor(index / indexColours);
  return `ix-${colour} ul-${(Math.floor(colour / 2) + turn) % indexUnderlines.length}`;
}
