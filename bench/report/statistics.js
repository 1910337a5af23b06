/** @param {readonly number[]} values @returns {number} NaN of none */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** Each ratio counts at most so much, so that one easy case hides nothing. */
export const ratioCap = 4;

/** The geometric mean of ratios, each capped. @param {readonly number[]} ratios @returns {number} NaN of none */
export function cappedMean(ratios) {
  return geometricMean(ratios.map((ratio) => Math.min(ratioCap, ratio)));
}

/** @param {readonly number[]} ratios @returns {number} NaN of none */
export function geometricMean(ratios) {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}
