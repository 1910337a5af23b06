/**
 * Purpose: what the search finds on recorded landscapes, beside the best that was recorded.
 */
import { expect, test } from "vitest";
import type { Effort } from "../../src/tuner/events.ts";
import { type Landscape, recordedCandidates, replayPlanner } from "../../src/tuner/landscape.ts";
import { replayBench } from "../../src/tuner/replay-bench.ts";
import { runTuning } from "../../src/tuner/run-tuning.ts";
import { drawn } from "../support/sweep.ts";
import { bestUs, gemmLandscapes } from "./gemm-landscapes.ts";
import { llvmpipeLandscapes, recordedLandscapes } from "./recorded-landscapes.ts";

/** The share of the best recorded speed that a run reaches. */
async function reached(landscape: Landscape, effort: Effort, seed: number): Promise<number> {
  const { bench, now, pass } = replayBench(landscape, { seed: 100 + seed });
  const recorded = new Map(
    recordedCandidates(landscape).map((c, n) => [JSON.stringify(c.mapping), landscape.points[n]]),
  );
  const planner = replayPlanner(landscape);
  const run = runTuning(
    landscape.task,
    {
      ...planner,
      plan: (...asked) => {
        pass(planMs);
        return planner.plan(...asked);
      },
    },
    bench,
    { effort, seed, now },
  );
  for await (const event of run) {
    if (event.type !== "done") continue;
    const found = recorded.get(JSON.stringify(event.result.options));
    return bestUs(landscape) / (found?.us ?? Number.POSITIVE_INFINITY);
  }
  return 0;
}

/** The search was made with other seeds than those that follow this one. */
const heldOut = 200;

/** Milliseconds that a plan takes. */
const planMs = 10;

async function meanReached(
  landscapes: readonly Landscape[],
  effort: Effort,
  seeds: number,
): Promise<{ readonly mean: number; readonly each: Readonly<Record<string, number>> }> {
  const each: Record<string, number> = {};
  for (const landscape of landscapes) {
    let logs = 0;
    for (let n = 1; n <= seeds; n++) {
      logs += Math.log(await reached(landscape, effort, heldOut + n));
    }
    each[landscape.name] = Math.exp(logs / seeds);
  }
  const all = Object.values(each);
  return { mean: Math.exp(all.reduce((sum, v) => sum + Math.log(v), 0) / all.length), each };
}

test("on 15 sizes of a product, quick reaches 90 % of the best recorded, and normal 97 %", async () => {
  const quick = await meanReached(gemmLandscapes, "quick", drawn(1, 2));
  const normal = await meanReached(gemmLandscapes, "normal", 1);
  expect(quick.mean).toBeGreaterThan(0.9);
  expect(normal.mean).toBeGreaterThan(0.97);
}, 300_000);

/** Those with enough points to search among; what was recorded of recurrent layers is too little. */
const classes = recordedLandscapes.filter(({ points }) => points.length > 20);

// 34 to 117 points of each class: recorded on SwiftShader on a machine that others kept busy, so that compilations
// took about ten times as long as they do alone.
test("on landscapes of seven classes, quick reaches 90 % of the best recorded, and normal 97 %", async () => {
  const alone = classes.map((landscape) => ({
    ...landscape,
    points: landscape.points.map((p) => ({ ...p, firstMs: p.firstMs / 10 })),
  }));
  expect(classes).toHaveLength(7);
  expect((await meanReached(alone, "quick", drawn(1, 2))).mean).toBeGreaterThan(0.9);
  expect((await meanReached(alone, "normal", drawn(1, 2))).mean).toBeGreaterThan(0.97);
}, 300_000);

// The targets are missed here, for want of time: a candidate of a product takes most of a second to compile, of which quick
// has five. Were all compiled in a tenth of that, quick would reach 0.82 and normal 0.96 (bench/RESULTS.md).
test("on landscapes of eight classes on llvmpipe, with its times of compilation, quick reaches half and normal four fifths", async () => {
  expect(llvmpipeLandscapes).toHaveLength(8);
  expect((await meanReached(llvmpipeLandscapes, "quick", drawn(1, 2))).mean).toBeGreaterThan(0.5);
  expect((await meanReached(llvmpipeLandscapes, "normal", drawn(1, 2))).mean).toBeGreaterThan(0.8);
}, 300_000);
