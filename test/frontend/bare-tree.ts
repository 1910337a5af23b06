/** The tree without the places where its nodes are written: what has to be equal after printing. */
export function bareTree(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bareTree);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !/[sS]pan$/.test(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, bareTree(inner)]));
}
