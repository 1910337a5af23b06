import { expect, test } from "vitest";
import { interpretKernel } from "../../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { initialisedMemory } from "../../../src/codegen/interpret-kernel/memory.ts";
import type { Kernel } from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { applyGuards } from "../../../src/codegen/simplify/apply-guards.ts";
import { hoistInvariants } from "../../../src/codegen/simplify/hoist-invariants.ts";
import { removeDead } from "../../../src/codegen/simplify/remove-dead.ts";
import { splitLoops } from "../../../src/codegen/simplify/split-loops.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { randomKernel } from "../support/random-kernel.ts";

/** What a kernel leaves in its memory, and what went wrong. */
function outcomeOf(kernel: Kernel): readonly unknown[] {
  const data = (length: number): Float32Array =>
    Float32Array.from({ length }, (_, n) => ((n * 7) % 23) - 11);
  const memory = new Map(
    kernel.arrays.map((a) => [a.id, initialisedMemory(data(a.length), true)] as const),
  );
  const faults = interpretKernel(kernel, memory, []);
  return [faults.map((f) => f.message), [...(memory.get("y")?.data ?? [])]];
}

const passes: Readonly<Record<string, (kernel: Kernel) => Kernel>> = {
  splitLoops,
  hoistInvariants,
  removeDead,
  applyGuards,
  "all of them": (kernel) => hoistInvariants(applyGuards(removeDead(splitLoops(kernel)))),
};

test.each(Object.entries(passes))("random kernels mean the same after %s", (_, pass) => {
  let changed = 0;
  for (let seed = 0; seed < 200; seed++) {
    const kernel = randomKernel(seededRandom(seed));
    expect(verifyKernel(kernel, baselineProfile)).toEqual([]);
    const before = outcomeOf(kernel);
    expect(before[0], `seed ${seed}`).toEqual([]);
    const passed = pass(kernel);
    const text = `seed ${seed}\n${printKernel(kernel)}\n${printKernel(passed)}`;
    expect(verifyKernel(passed, baselineProfile), text).toEqual([]);
    expect(outcomeOf(passed), text).toEqual(before);
    if (printKernel(passed) !== printKernel(kernel)) changed += 1;
  }
  expect(changed).toBeGreaterThan(50);
});
