// What the records say: ratios against peers, against relatives, against targets.
import { peerNames, plainName } from "../flags.js";
import { cappedMean } from "./statistics.js";

/**
 * One measurement.
 * @typedef {object} Record
 * @property {string} case
 * @property {string} group
 * @property {string} who
 * @property {string} adapter
 * @property {string} date when its run began; ratios are formed within a run only
 * @property {number} operations
 * @property {string} [relative]
 * @property {string} [curve]
 * @property {number} [size]
 * @property {number} [medianMs]
 * @property {number} [madMs]
 * @property {number} [runs] timed calls
 * @property {number} [dispatches]
 * @property {number} [maxError]
 * @property {number} [ceiling] the part of the adapter's ceiling that is reached
 * @property {string} [same] whose plan it has, and so its time
 * @property {number} [stale] answers of kept options that are not legal any more: sample again
 * @property {string} [unsupported]
 * @property {string} [unranked]
 */

/** What the defaults, and the best options that were found, shall reach against the best peer. */
export const targets = {
  default: { mean: 1.5, least: 0.9 },
  tuned: { mean: 2, least: 1.2 },
};

/** A fused form may take so much longer than the unfused one. */
export const fusionLimit = 1.05;
/** A relative may take so much longer per operation than its plain form. */
export const relativeLimit = 1.3;

/**
 * The records by adapter, then by case, of the newest run of each case.
 * @param {readonly Record[]} records
 * @returns {Map<string, Map<string, Record[]>>}
 */
export function newestRuns(records) {
  /** @type {Map<string, Map<string, Record[]>>} */
  const adapters = new Map();
  for (const record of records) {
    const byCase = adapters.get(record.adapter) ?? new Map();
    adapters.set(record.adapter, byCase);
    const before = byCase.get(record.case) ?? [];
    const date = before[0]?.date ?? "";
    if (record.date > date) byCase.set(record.case, [record]);
    else if (record.date === date) byCase.set(record.case, [...before, record]);
  }
  return adapters;
}

/** @param {readonly Record[]} records of one case @returns {Record | undefined} the fastest that is ranked */
export function bestPeer(records) {
  const ranked = records.filter(
    (r) => peerNames.includes(r.who) && r.medianMs !== undefined && r.unranked === undefined,
  );
  return ranked.sort((a, b) => a.medianMs - b.medianMs)[0];
}

/**
 * How many times as fast as the best peer; undefined without one.
 * @param {readonly Record[]} records of one case
 * @param {string} who
 */
export function peerRatio(records, who) {
  const mine = records.find((r) => r.who === who)?.medianMs;
  const best = bestPeer(records)?.medianMs;
  return mine === undefined || best === undefined ? undefined : best / mine;
}

/**
 * How many times the other one's time; undefined unless both were measured.
 * @param {readonly Record[]} records of one case
 */
export function timeRatio(records, who, other) {
  const mine = records.find((r) => r.who === who)?.medianMs;
  const theirs = records.find((r) => r.who === other)?.medianMs;
  return mine === undefined || theirs === undefined ? undefined : mine / theirs;
}

/**
 * Over the ranked cases of one adapter.
 * @param {ReadonlyMap<string, readonly Record[]>} byCase
 * @param {string} who
 * @param {readonly string[]} groups
 * @returns {{ cases: number, mean: number, least: number, leastCase: string, wrong: string[] }}
 *   `wrong`: measured peers, but not this one
 */
export function summarise(byCase, who, groups) {
  const ratios = [];
  const wrong = [];
  for (const [name, records] of byCase) {
    if (!groups.includes(records[0]?.group ?? "") || bestPeer(records) === undefined) continue;
    const ratio = peerRatio(records, who);
    if (ratio !== undefined) ratios.push({ name, ratio });
    else if (records.some((r) => r.who === who)) wrong.push(name);
  }
  const least = ratios.reduce((a, b) => (b.ratio < a.ratio ? b : a), {
    name: "",
    ratio: Number.POSITIVE_INFINITY,
  });
  return {
    cases: ratios.length,
    mean: cappedMean(ratios.map((r) => r.ratio)),
    least: least.ratio,
    leastCase: least.name,
    wrong,
  };
}

/**
 * Time per operation of a case against that of its plain relative, of the same run and measured in
 * turns where that is known: by the defaults.
 * @param {ReadonlyMap<string, readonly Record[]>} byCase
 * @param {string} name
 * @param {string} relative
 * @param {string} who
 */
export function perOperationRatio(byCase, name, relative, who) {
  const find = (of, whose) => byCase.get(of)?.find((r) => r.who === whose && r.medianMs > 0);
  const beside = who === "default" ? find(name, plainName) : undefined;
  const [mine, plain] = [find(name, who), beside ?? find(relative, who)];
  if (mine === undefined || plain === undefined || mine.date !== plain.date) return undefined;
  return mine.medianMs / mine.operations / (plain.medianMs / plain.operations);
}
