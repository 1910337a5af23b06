// Tables for people, on a terminal.
import { ownNames } from "../flags.js";
import { fusionLimit, newestRuns, peerRatio, summarise, targets, timeRatio } from "./ratios.js";

/** @typedef {import("./ratios.js").Record} Record */

/** A case's lines. @param {readonly Record[]} records of one case and run */
export function caseLines(records) {
  const lines = records.map((r) => {
    const who = `  ${r.who.padEnd(12)}`;
    if (r.medianMs === undefined) return `${who} unsupported: ${r.unsupported}`;
    const ratio = ownNames.includes(r.who) ? peerRatio(records, r.who) : undefined;
    const notes = [
      ratio === undefined ? "" : `${ratio.toFixed(2)}x the best peer`,
      r.unranked === undefined ? "" : `unranked: ${r.unranked}`,
      r.same === undefined ? "" : `the plan of ${r.same}`,
      r.stale === undefined ? "" : `${r.stale} of its answers are not legal any more`,
    ];
    return [
      who,
      `${r.medianMs.toFixed(3).padStart(10)} ms ±${((100 * r.madMs) / r.medianMs).toFixed(0).padStart(3)} %`,
      `${String(r.dispatches).padStart(5)} dispatches`,
      `${(100 * r.ceiling).toFixed(0).padStart(4)} % of the ceiling `,
      notes.filter((note) => note !== "").join(", "),
    ].join(" ");
  });
  return `${records[0]?.case}\n${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** Means and minima per adapter, and what is below its target. @param {readonly Record[]} records */
export function summaryLines(records) {
  const lines = [];
  for (const [adapter, byCase] of newestRuns(records)) {
    lines.push(`${adapter}: ours against the best peer of each case`);
    for (const groups of [["cases"], ["recurrent"]]) {
      for (const who of ownNames) lines.push(...summaryOf(byCase, who, groups));
    }
    for (const [name, of] of byCase) lines.push(...missed(name, of));
  }
  return lines.map((line) => `${line}\n`).join("");
}

function summaryOf(byCase, who, groups) {
  const { cases, mean, least, leastCase, wrong } = summarise(byCase, who, groups);
  const failed = wrong.map((name) => `  ${who}: no figure for ${name}`);
  if (cases === 0) return failed;
  const counted = `${String(cases).padStart(3)} ${groups.join(", ")}`;
  const figures = `geometric mean ${mean.toFixed(2)}x, least ${least.toFixed(2)}x (${leastCase})`;
  return [`  ${who.padEnd(10)} ${counted.padEnd(14)} ${figures}`, ...failed];
}

/** What a case misses of the targets. @returns {string[]} */
export function missed(name, records) {
  const lines = [];
  const ranked = ["cases", "recurrent"].includes(records[0]?.group ?? "");
  for (const [who, { least }] of Object.entries(targets)) {
    const ratio = peerRatio(records, who);
    if (!ranked || ratio === undefined || ratio >= least) continue;
    lines.push(`  below ${least}x: ${name}, ${who} ${ratio.toFixed(2)}x`);
  }
  const fused = timeRatio(records, "default", "fuse none");
  if (fused !== undefined && fused > fusionLimit) {
    lines.push(`  slower than fuse none: ${name}, ${fused.toFixed(2)}x its time`);
  }
  return lines;
}

/** @param {readonly import("../figures/figures.js").Figure[]} figures */
export function figureLines(figures) {
  return figures
    .map(({ figure, of, value, unit, target }) => {
      const wanted = target === undefined ? "" : ` (at most ${target})`;
      return `${figure}: ${of}: ${Number(value.toPrecision(3))} ${unit}`.trimEnd() + wanted;
    })
    .map((line) => `${line}\n`)
    .join("");
}
