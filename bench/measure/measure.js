// Wall clock from the first call to completed work, at least ten calls with all results alive.
import { median } from "../report/statistics.js";

/** @typedef {import("../peers/peer.js").Prepared} Prepared */

/** Calls once without the clock: what others did before leaves caches, threads and memory behind. */
async function warmUp(prepared) {
  const result = await prepared.call();
  await prepared.settle([result]);
  prepared.release([result]);
}

/** Milliseconds of one call, as the mean over `calls`. @param {Prepared} prepared @param {number} calls */
export async function timeBatch(prepared, calls) {
  const results = [];
  const start = performance.now();
  for (let n = 0; n < calls; n++) results.push(await prepared.call());
  await prepared.settle(results);
  const elapsed = performance.now() - start;
  prepared.release(results);
  return elapsed / calls;
}

/** A batch should take so long, in milliseconds. */
const batchMs = 50;
/** Results that are alive at once take at most so much, beyond the ten calls. */
const aliveBytes = 2 ** 28;
/** Who is so many times slower than the fastest gets three calls: no rank depends on it. */
const hopeless = 8;

/** A call of seconds, as many times slower than the fastest as this, is not made again. */
const beyondHope = 100;

/**
 * How many calls a batch has, and how many rounds are worth it: those who are many times slower
 * than the fastest need no precise figure.
 *
 * @param {number} once milliseconds of a call
 * @param {number} fastest of all
 * @param {{ rounds: number, resultBytes: number }} options
 * @returns {{ calls: number, rounds: number }} at least one round, of ten calls unless it is hopeless;
 *   no round where the first call has to do
 */
export function planBatches(once, fastest, { rounds, resultBytes }) {
  if (once > beyondHope * fastest && once > 1000) return { calls: 1, rounds: 0 };
  if (once > hopeless * fastest && once > batchMs) return { calls: 3, rounds: 1 };
  const most = Math.max(10, Math.floor(aliveBytes / Math.max(1, resultBytes)));
  const wanted = Math.ceil(batchMs / Math.max(once, 0.01));
  const calls = Math.min(most, 100, Math.max(10, wanted));
  const worth = once * calls > 4 * batchMs ? Math.ceil((rounds * 3 * fastest) / once) : rounds;
  return { calls, rounds: Math.max(1, Math.min(rounds, worth)) };
}

/**
 * Measures all, in turns, so that other work on the machine hits everyone alike. Every other round goes
 * the other way, so that nobody always comes after the same one.
 * @param {ReadonlyMap<string, Prepared>} all
 * @param {{ rounds: number, resultBytes: number }} options
 * @returns {Promise<Map<string, { times: number[], calls: number }>>} milliseconds per round
 */
export async function measure(all, options) {
  const once = new Map();
  for (const [who, prepared] of all) {
    const first = await timeBatch(prepared, 1);
    once.set(who, first > batchMs ? first : await timeBatch(prepared, 3));
  }
  const fastest = Math.min(...once.values());
  const plans = new Map([...once].map(([who, ms]) => [who, planBatches(ms, fastest, options)]));
  const found = new Map(
    [...plans].map(([who, { calls, rounds }]) => {
      return [who, { times: rounds === 0 ? [once.get(who)] : [], calls }];
    }),
  );
  for (let round = 0; round < options.rounds; round++) {
    const order = round % 2 === 0 ? [...all] : [...all].reverse();
    for (const [who, prepared] of order) {
      const { calls, rounds } = plans.get(who);
      if (round >= rounds) continue;
      if (once.get(who) <= batchMs) await warmUp(prepared);
      found.get(who).times.push(await timeBatch(prepared, calls));
    }
  }
  return found;
}

/** @param {readonly number[]} times @returns {{ medianMs: number, madMs: number }} */
export function spread(times) {
  const medianMs = median(times);
  return { medianMs, madMs: median(times.map((t) => Math.abs(t - medianMs))) };
}
