// The kinds of lines that --json writes.

/**
 * Measurements, ceilings and figures apart.
 * @param {readonly any[]} lines
 * @returns {{ records: import("./ratios.js").Record[], ceilings: any[], figures: any[] }}
 */
export function sortLines(lines) {
  return {
    records: lines.filter((line) => line.who !== undefined),
    ceilings: lines.filter((line) => line.ceilings !== undefined),
    figures: newestFigures(lines.filter((line) => line.figure !== undefined)),
  };
}

/** Of figures with the same name, the last one. */
function newestFigures(all) {
  const byName = new Map();
  for (const one of all) byName.set([one.adapter, one.figure, one.of].join("\n"), one);
  return [...byName.values()];
}
