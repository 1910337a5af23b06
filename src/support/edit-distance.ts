/**
 * The optimal string alignment distance: insertions, deletions, replacements and swaps of
 * neighbours, each at cost 1.
 *
 * @internal
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(replace, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

const longestWord = 100;

/**
 * The candidates that a misspelt word most likely meant, in order: the nearest in edit distance,
 * differences of case being free, if within a third of the word's length (at least 1).
 */
export function nearestWords(word: string, candidates: Iterable<string>): readonly string[] {
  // Nobody misspells a word that long, and comparing takes the square of its length.
  if (word.length > longestWord) return [];
  const limit = Math.max(1, Math.floor(word.length / 3));
  const best = new Set<string>();
  let bestDistance = limit;
  for (const candidate of candidates) {
    if (candidate === word || Math.abs(candidate.length - word.length) > limit) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    const tooFar = distance > 0 && distance >= Math.max(word.length, candidate.length);
    if (tooFar || distance > bestDistance) continue;
    if (distance < bestDistance) best.clear();
    bestDistance = distance;
    best.add(candidate);
  }
  return [...best];
}

/** The first of the {@link nearestWords}; undefined if there is none. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  return nearestWords(word, candidates)[0];
}
