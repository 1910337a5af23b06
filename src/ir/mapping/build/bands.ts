/** The axes of rows and columns of workgroups, by how many tiles each has: the last two with several. */
export function bandAxes(counts: readonly number[]): readonly number[] {
  const several = [...counts.keys()].filter((a) => (counts[a] ?? 1) > 1);
  return several.length < 2 ? [] : several.slice(-2);
}
