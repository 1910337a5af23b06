// Hill climbing over options: draws near the best so far.
import { drawNear, pick } from "./draw.js";

/** How many of the best are drawn near. */
const parents = 4;
/** How many draws in a row may bring nothing new before the space counts as exhausted. */
const patience = 400;

/**
 * @typedef {object} Candidate
 * @property {string} plan what is executed: the same plan is not run twice
 * @property {readonly import("./draw.js").Decision[]} decisions
 * @property {import("./draw.js").Choices} answers to all of them
 * @property {number} [ms] of a call
 *
 * @typedef {object} Space
 * @property {(choices: import("./draw.js").Choices) => Candidate | undefined} compile undefined: too
 *   large to try
 * @property {(candidate: Candidate, best: number) => Promise<Outcome>} tryOut `best`: milliseconds
 *   of the best so far
 * @property {(text: string, candidate: Candidate | undefined) => void} bug
 *
 * @typedef {{ ms: number } | { slow: string } | { bug: string }} Outcome
 *
 * @typedef {object} Found
 * @property {readonly Candidate[]} ranked the fastest first
 * @property {number} sampled different plans that ran
 */

/**
 * @param {Space} space
 * @param {readonly import("./draw.js").Choices[]} starts tried first; the first is the default
 * @param {{ samples: number, next: import("./draw.js").Random }} options
 * @returns {Promise<Found>}
 */
export async function search(space, starts, { samples, next }) {
  /** @type {Candidate[]} */
  const ranked = [];
  const seen = new Set();
  const queue = [...starts];
  let sampled = 0;
  let idle = 0;
  while (sampled < samples && idle < patience) {
    const choices = queue.shift() ?? drawFrom(ranked, next);
    if (choices === undefined) break;
    const candidate = compileOnce(space, choices, seen);
    idle = candidate === undefined ? idle + 1 : 0;
    if (candidate === undefined) continue;
    sampled += 1;
    const outcome = await space.tryOut(candidate, ranked[0]?.ms ?? Number.POSITIVE_INFINITY);
    if (outcome.bug !== undefined) space.bug(outcome.bug, candidate);
    if (outcome.ms === undefined) continue;
    ranked.push({ ...candidate, ms: outcome.ms });
    ranked.sort((a, b) => (a.ms ?? 0) - (b.ms ?? 0));
  }
  return { ranked, sampled };
}

/** Mostly near the best. */
function drawFrom(ranked, next) {
  if (ranked.length === 0) return undefined;
  const parent = next() < 0.5 ? ranked[0] : pick(ranked.slice(0, parents), next);
  return drawNear(parent.decisions, parent.answers, next);
}

function compileOnce(space, choices, seen) {
  try {
    const candidate = space.compile(choices);
    if (candidate === undefined || seen.has(candidate.plan)) return undefined;
    seen.add(candidate.plan);
    return candidate;
  } catch (error) {
    const text = `does not compile: ${error.message}`;
    if (!seen.has(text)) space.bug(text, { plan: "", decisions: [], answers: choices });
    seen.add(text);
    return undefined;
  }
}
