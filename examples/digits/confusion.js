// The confusion matrix as text.

/**
 * A table with a row for each digit shown and a column for each digit that it was taken for; what
 * is right stands on the diagonal, zeros elsewhere are dots.
 * @param {ArrayLike<number>} counts 10 by 10, row by row
 * @returns {string}
 */
export function confusionTable(counts) {
  const digits = Array.from({ length: 10 }, (_, n) => n);
  const cell = (/** @type {string | number} */ text) => String(text).padStart(5);
  const lines = digits.map((shown) => {
    const row = digits.map((taken) => counts[10 * shown + taken]);
    const sum = row.reduce((a, b) => a + b, 0);
    const cells = row.map((count, taken) => cell(count === 0 && taken !== shown ? "·" : count));
    const share = sum === 0 ? "" : `${((100 * row[shown]) / sum).toFixed(1)} %`;
    return `${cell(shown)} |${cells.join("")} | ${share.padStart(7)}`;
  });
  return [
    `shows |${digits.map(cell).join("")} |   right`,
    `${"-".repeat(6)}+${"-".repeat(51)}+${"-".repeat(8)}`,
    ...lines,
  ].join("\n");
}

/**
 * How many digits were counted, and how many of them on the diagonal.
 * @param {ArrayLike<number>} counts 10 by 10, row by row
 * @returns {{ right: number, all: number }}
 */
export function score(counts) {
  let right = 0;
  let all = 0;
  for (let n = 0; n < counts.length; n++) {
    all += counts[n];
    if (n % 11 === 0) right += counts[n];
  }
  return { right, all };
}
