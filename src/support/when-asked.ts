/** A value that is computed when it is asked for, and once. Requires: `compute` is pure. */
export function whenAsked<T>(compute: () => T): () => T {
  let known: { readonly value: T } | null = null;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
