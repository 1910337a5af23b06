/**
 * Purpose: finds which of some wishes have to go so that the others are legal, by asking few times.
 *
 * Requires: without all of them it is legal. Ensures: without those that go it is; they are as few as can be where
 * what is legal stays so without more of them, and there are questions enough: about seven for each that goes.
 */

/** The most times that is asked. */
export const mostQuestions = 48;

/** The most wishes of which each is tried to go alone. */
const mostAlone = 12;

/** The wishes that go, of several that would do the first ones; null where even without all of them it is illegal. */
export function fewestGone(
  wishes: readonly string[],
  isLegal: (gone: ReadonlySet<string>) => boolean,
): ReadonlySet<string> | null {
  let left = mostQuestions;
  const ask = (gone: readonly string[]): boolean => {
    left -= 1;
    return isLegal(new Set(gone));
  };
  for (const wish of wishes.slice(0, mostAlone)) {
    if (ask([wish])) return new Set([wish]);
  }
  if (!ask(wishes)) return null;
  // Without the first `high` it is legal, without fewer of them not: so the last of these has to go.
  const needed: string[] = [];
  let high = wishes.length;
  while (left > 0) {
    let low = 0;
    while (low < high && left > 0) {
      const middle = Math.floor((low + high) / 2);
      if (ask([...wishes.slice(0, middle), ...needed])) high = middle;
      else low = middle + 1;
    }
    const last = wishes[high - 1];
    if (low < high || last === undefined) break;
    needed.push(last);
    high -= 1;
  }
  return new Set([...wishes.slice(0, high), ...needed]);
}
