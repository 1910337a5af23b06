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
