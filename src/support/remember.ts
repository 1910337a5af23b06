/**
 * `compute` with its answers kept for as long as their keys live.
 *
 * Requires: `compute` is a pure function and its key is never changed. Nobody can tell the result
 * from `compute`, but by its speed: so it is no state of a module, wherever it is made.
 */
// @__NO_SIDE_EFFECTS__
export function remember<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const entry = known.get(key);
    if (entry !== undefined) return entry.value;
    const value = compute(key);
    known.set(key, { value });
    return value;
  };
}

/**
 * `compute` with the last answer for each key kept while the other things that it depends on are the same objects.
 *
 * Requires: as {@link remember}, of the key and the parts together.
 */
// @__NO_SIDE_EFFECTS__
export function rememberWhile<K extends object, P, V>(
  compute: (key: K, parts: readonly P[]) => V,
): (key: K, parts: readonly P[]) => V {
  const known = new WeakMap<K, { readonly parts: readonly P[]; readonly value: V }>();
  return (key, parts) => {
    const entry = known.get(key);
    const isSame = entry?.parts.length === parts.length;
    if (isSame && parts.every((part, n) => part === entry.parts[n])) return entry.value;
    const value = compute(key, parts);
    known.set(key, { parts, value });
    return value;
  };
}

/**
 * Answers about an object by a text that says what is asked, kept for as long as the object lives: at most `most`, then
 * all are found anew.
 *
 * Requires: as {@link remember}, of what gives the answer for an object and a text.
 */
// @__NO_SIDE_EFFECTS__
export function rememberTexts<K extends object, V>(
  most: number = Infinity,
): (key: K, text: string, compute: () => V) => V {
  const tables: (key: K) => Map<string, { readonly value: V }> = remember(() => new Map());
  return (key, text, compute) => {
    const table = tables(key);
    const entry = table.get(text);
    if (entry !== undefined) return entry.value;
    const value = compute();
    if (table.size >= most) table.clear();
    table.set(text, { value });
    return value;
  };
}
