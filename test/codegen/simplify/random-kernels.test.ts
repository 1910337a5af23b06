import { expect, test } from "vitest";
import { interpretKernel } from "../../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { initialisedMemory } from "../../../src/codegen/interpret-kernel/memory.ts";
import type { Kernel } from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { applyGuards } from "../../../src/codegen/simplify/apply-guards.ts";
import { dropOverwritten } from "../../../src/codegen/simplify/drop-overwritten.ts";
import { forwardStores } from "../../../src/codegen/simplify/forward-stores.ts";
import { hoistInvariants } from "../../../src/codegen/simplify/hoist-invariants.ts";
import { joinConditions } from "../../../src/codegen/simplify/join-conditions.ts";
import { removeDead } from "../../../src/codegen/simplify/remove-dead.ts";
import { shareGuardedLoads } from "../../../src/codegen/simplify/share-guarded-loads.ts";
import { shareOwnLoads } from "../../../src/codegen/simplify/share-own-loads.ts";
import { sinkIntoConditions } from "../../../src/codegen/simplify/sink-into-conditions.ts";
import { skipIdleWorkgroups } from "../../../src/codegen/simplify/skip-idle-workgroups.ts";
import { splitAtBounds } from "../../../src/codegen/simplify/split-at-bounds.ts";
import { splitLoops } from "../../../src/codegen/simplify/split-loops.ts";
import { widenStores } from "../../../src/codegen/simplify/widen-stores.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import { type Random, seededRandom } from "../../../src/support/random.ts";
import { randomBranches } from "../support/random-branches.ts";
import { randomGuardedLoop } from "../support/random-guarded-loop.ts";
import { randomKernel } from "../support/random-kernel.ts";
import { randomNeighbours, randomStores } from "../support/random-stores.ts";

/** What a kernel leaves in its memory, and what went wrong. */
function outcomeOf(kernel: Kernel): readonly unknown[] {
  const data = (length: number): Float32Array =>
    Float32Array.from({ length }, (_, n) => ((n * 7) % 23) - 11);
  const memory = new Map(
    kernel.arrays.map((a) => [a.id, initialisedMemory(data(a.length), true)] as const),
  );
  const faults = interpretKernel(kernel, memory, []);
  const written = kernel.arrays.filter((a) => a.access === "read_write");
  const left = written.map((a) => [...(memory.get(a.id)?.data ?? [])]);
  return [faults.map((f) => f.message), left];
}

/** How many of 200 random kernels a pass changes, none of them in its meaning. */
function changedBy(pass: (kernel: Kernel) => Kernel, draw: (random: Random) => Kernel): number {
  const features = { ...baselineProfile.features, subgroups: true };
  const profile = { ...baselineProfile, features, subgroups: { min: 4, max: 4 } };
  let changed = 0;
  for (let seed = 0; seed < 200; seed++) {
    const kernel = draw(seededRandom(seed));
    expect(verifyKernel(kernel, profile)).toEqual([]);
    const before = outcomeOf(kernel);
    expect(before[0], `seed ${seed}`).toEqual([]);
    const passed = pass(kernel);
    const text = `seed ${seed}\n${printKernel(kernel)}\n${printKernel(passed)}`;
    expect(verifyKernel(passed, profile), text).toEqual([]);
    expect(outcomeOf(passed), text).toEqual(before);
    if (printKernel(passed) !== printKernel(kernel)) changed += 1;
  }
  return changed;
}

const passes: Readonly<Record<string, (kernel: Kernel) => Kernel>> = {
  splitLoops,
  hoistInvariants,
  removeDead,
  applyGuards,
  "all of them": all,
};

function all(kernel: Kernel): Kernel {
  const forwarded = widenStores(dropOverwritten(forwardStores(shareGuardedLoads(kernel))));
  const sunk = shareOwnLoads(sinkIntoConditions(forwarded));
  const split = splitAtBounds(skipIdleWorkgroups(splitLoops(sunk)));
  return hoistInvariants(applyGuards(joinConditions(removeDead(split))));
}

test.each(Object.entries(passes))("random kernels mean the same after %s", (_, pass) => {
  expect(changedBy(pass, randomKernel)).toBeGreaterThan(50);
});

test.each(Object.entries({ forwardStores, dropOverwritten, all }))(
  "random stores and loads of the same elements mean the same after %s",
  (_, pass) => {
    expect(changedBy(pass, randomStores)).toBeGreaterThan(50);
  },
);

test("random stores and loads mean the same where elements are loaded once", () => {
  expect(changedBy(shareOwnLoads, randomStores)).toBeGreaterThan(30);
});

test("random stores of neighbours mean the same where they are one", () => {
  expect(changedBy(widenStores, randomNeighbours)).toBeGreaterThan(50);
});

test.each(Object.entries({ joinConditions, all }))(
  "random branches beside each other mean the same after %s",
  (_, pass) => {
    expect(changedBy(pass, randomBranches)).toBeGreaterThan(50);
  },
);

test("random loops whose results are stored under conditions mean the same where they are skipped", () => {
  expect(changedBy(skipIdleWorkgroups, randomGuardedLoop)).toBeGreaterThan(20);
});

test.each(Object.entries({ splitAtBounds, hoistInvariants, shareGuardedLoads, all }))(
  "random loops with conditions mean the same after %s",
  (_, pass) => {
    expect(changedBy(pass, randomGuardedLoop)).toBeGreaterThan(80);
  },
);
