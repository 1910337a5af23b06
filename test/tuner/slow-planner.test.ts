/** A search over a planner that takes long: others have a turn, and no time is spent on what nobody asks for. */
import { expect, test } from "vitest";
import type { Mapping } from "../../src/support/mapping-file.ts";
import { seededRandom } from "../../src/support/random.ts";
import type { Planner } from "../../src/tuner/candidate.ts";
import { drawnKernels } from "../../src/tuner/moves.ts";
import { simulatedBench } from "../../src/tuner/replay-bench.ts";
import { runTuning } from "../../src/tuner/run-tuning.ts";
import { syntheticSpace } from "./synthetic-space.ts";

const task = { source: "", def: "f", sizes: {} };

/** A made up space in which a plan takes milliseconds of the simulated clock, and of this process; what was planned. */
function slowSpace(planMs: number, busyMs: number) {
  const space = syntheticSpace(3);
  const simulated = simulatedBench(({ id }) => ({ us: space.us(id), firstMs: 1_000 }), { seed: 1 });
  const log = { plans: [] as string[], designs: 0, wishes: 0, judged: 0, sinceTurn: 0, longest: 0 };
  const work = (): void => {
    for (const begun = performance.now(); performance.now() - begun < busyMs; );
    log.sinceTurn += 1;
    log.longest = Math.max(log.longest, log.sinceTurn);
  };
  const plan: Planner["plan"] = (mapping, ...rest) => {
    work();
    simulated.pass(planMs);
    log.plans.push(JSON.stringify(mapping));
    const made = space.planner.plan(mapping, ...rest);
    if ("refused" in made) return made;
    const judged = {
      get vetoes() {
        work();
        log.judged += 1;
        return [];
      },
    };
    const kernels = made.kernels.map(({ vetoes: _, ...k }) => {
      return Object.defineProperties(
        { ...k, vetoes: [] },
        Object.getOwnPropertyDescriptors(judged),
      );
    });
    return { ...made, kernels };
  };
  const wishes = function* (): Generator<Mapping> {
    yield { version: 2, policy: "default" };
    for (; log.wishes < 5; log.wishes++) yield { version: 2, policy: "plain" };
  };
  const first = space.planner.plan({ version: 2 });
  if ("refused" in first) throw new Error(first.refused);
  const designs = function* (): Generator<Mapping> {
    const random = seededRandom(2);
    for (let n = 0; n < 9; n++) {
      log.designs += 1;
      yield drawnKernels(first, random, 1);
    }
  };
  return { planner: { ...space.planner, plan, wishes, designs }, simulated, log };
}

test("others have a turn while designs are made and steps are thought of", async () => {
  const { planner, simulated, log } = slowSpace(1, 40);
  const turns = setInterval(() => {
    log.sinceTurn = 0;
  });
  const budget = { candidates: 16, ms: 1e9 };
  const options = { effort: "quick", seed: 1, now: simulated.now, budget } as const;
  for await (const _ of runTuning(task, planner, simulated.bench, options));
  clearInterval(turns);
  expect(log.plans.length).toBeGreaterThan(16);
  expect(log.judged).toBeGreaterThan(10);
  expect(log.longest).toBeLessThanOrEqual(2);
  // Nobody asked for the other wishes of the policy.
  expect(log.wishes).toBe(0);
});

test("a mapping is not planned again and again for one step, and designs are made while there is time", async () => {
  const { planner, simulated, log } = slowSpace(1, 0);
  const budget = { candidates: 60, ms: 1e9 };
  const options = { effort: "quick", seed: 1, now: simulated.now, budget } as const;
  for await (const _ of runTuning(task, planner, simulated.bench, options));
  expect(log.plans.length).toBeGreaterThan(60);
  // Steps that keep what they promise are planned alone.
  expect(log.plans.length).toBeLessThan(150);
  // Two steps in a row may well think of the same.
  expect(log.plans.filter((text, n) => text === log.plans[n - 1]).length).toBeLessThan(10);

  // Of nine designs, each of which takes a second to plan, some are tried before the others are made.
  const slow = slowSpace(1_000, 0);
  const kinds: string[] = [];
  const run = runTuning(task, slow.planner, slow.simulated.bench, {
    ...options,
    now: slow.simulated.now,
    budget: { candidates: 60, ms: 8_000 },
  });
  for await (const e of run) if (e.type === "candidate") kinds.push(e.from.kind);
  expect(kinds).toContain("design");
  expect(slow.log.designs).toBeLessThan(9);
});
