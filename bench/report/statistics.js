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
  if (ratios.length === 0) return Number.NaN;
  const logs = ratios.map((ratio) => Math.log(Math.min(ratioCap, ratio)));
  return Math.exp(logs.reduce((a, b) => a + b, 0) / ratios.length);
}
