/**
 * Answers by a text that says all that they depend on, from one compilation to the next one: those that the last one
 * asked for, and those that this one does. Nobody can tell an answer that was kept from one that was found anew.
 */
export interface Kept<V> {
  readonly before: ReadonlyMap<string, V>;
  readonly now: Map<string, V>;
}

/** Nothing yet, or what the last compilation asked for. */
export function keptFrom<V>(last: ReadonlyMap<string, V> = new Map()): Kept<V> {
  return { before: last, now: new Map() };
}

/** What is known under a text. */
export function keptUnder<V>({ before, now }: Kept<V>, text: string): V | undefined {
  return now.get(text) ?? before.get(text);
}
