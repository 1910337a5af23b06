// Wall clock from the first call to completed work, at least ten calls with all results alive.

/** @typedef {import("../peers/peer.js").Prepared} Prepared */

/** Milliseconds of one call, as the mean over `calls`. @param {Prepared} prepared @param {number} calls */
async function timeBatch(prepared, calls) {
  const results = [];
  const start = performance.now();
  for (let n = 0; n < calls; n++) results.push(await prepared.call());
  await prepared.settle(results);
  const elapsed = performance.now() - start;
  prepared.release(results);
  return elapsed / calls;
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/**
 * Measures all, in turns, so that other work on the machine hits everyone alike.
 * @param {ReadonlyMap<string, Prepared>} all
 * @param {{ rounds: number, resultBytes: number }} options
 * @returns {Promise<Map<string, number[]>>} milliseconds per round
 */
export async function measure(all, { rounds, resultBytes }) {
  const times = new Map([...all.keys()].map((who) => [who, /** @type {number[]} */ ([])]));
  const calls = new Map();
  for (const [who, prepared] of all) {
    await timeBatch(prepared, 2);
    const once = await timeBatch(prepared, 3);
    const mostAlive = Math.max(10, Math.floor(2 ** 28 / Math.max(1, resultBytes)));
    calls.set(who, Math.min(mostAlive, 100, Math.max(10, Math.ceil(50 / Math.max(once, 0.01)))));
  }
  for (let round = 0; round < rounds; round++) {
    for (const [who, prepared] of all) {
      times.get(who)?.push(await timeBatch(prepared, calls.get(who)));
    }
  }
  return times;
}
