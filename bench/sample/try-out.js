// One candidate: stops as soon as it is out of the race.

/** Whose first run takes so many times the best one's is not run again. */
const slowFactor = 1.8;
/** Whose short batch takes so many times the best one's gets no long one. */
const closeFactor = 1.15;
/** What takes so many milliseconds is timed well enough by one call. */
const longMs = 150;

/**
 * @typedef {object} Trial
 * @property {() => Promise<number>} first milliseconds of one call, checked; throws when it is wrong
 * @property {() => Promise<number>} short milliseconds of a call, of a few
 * @property {() => Promise<number>} long
 * @property {() => void} dispose
 */

/**
 * @param {() => Promise<Trial>} load throws when it does not run
 * @param {number} best milliseconds of the best so far
 * @returns {Promise<import("./search.js").Outcome>}
 */
export async function tryOut(load, best) {
  let trial;
  try {
    trial = await load();
    const first = await trial.first();
    if (first > slowFactor * best) return { slow: `${first.toFixed(1)} ms` };
    if (first > longMs) return { ms: first };
    const short = await trial.short();
    return { ms: short > closeFactor * best ? short : await trial.long() };
  } catch (error) {
    return { bug: error.message };
  } finally {
    trial?.dispose();
  }
}
