/** Times of plans beside each other: what changes while they are measured changes all of them. */
import type { Timing } from "../node.ts";
import type { TimedPlan } from "./api.ts";

/** Turns of each plan, and the milliseconds of device time that one takes at least. */
const [timingRounds, minMsPerTurn] = [5, 20];

/** Measures each again and again, in turns; each function measures one for at least so many milliseconds. */
export async function timeInTurns(
  measures: readonly ((minMs: number) => Promise<Timing>)[],
): Promise<readonly TimedPlan[]> {
  const turns: Timing[][] = measures.map(() => []);
  for (let round = 0; round < timingRounds; round++) {
    for (const [n, measure] of measures.entries()) turns[n]?.push(await measure(minMsPerTurn));
  }
  return turns.map(summedUp);
}

/** The median of the turns' medians; it varies as much as the turns or what is in them, whichever is more. */
function summedUp(turns: readonly Timing[]): TimedPlan {
  const us = median(turns.map((turn) => turn.us));
  const mad = Math.max(
    median(turns.map((turn) => Math.abs(turn.us - us))),
    median(turns.map((turn) => turn.mad)),
  );
  const n = turns.reduce((sum, turn) => sum + turn.n, 0);
  const { clock = "wall", quantumNs = 0 } = turns[0] ?? {};
  return { us, mad, n, clock, quantumNs };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}
