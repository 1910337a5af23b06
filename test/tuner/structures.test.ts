import { expect, test } from "vitest";
import { seededRandom } from "../../src/support/random.ts";
import { pickStructure, type Structure } from "../../src/tuner/structures.ts";

/** A structure with the best time after each of its tries. */
const structure = (...curve: readonly number[]): Structure => ({ ranked: [], curve });

/** How many of 200 picks each structure has. */
function picks(structures: readonly Structure[], spent: number): readonly number[] {
  const random = seededRandom(7);
  const counts = structures.map(() => 0);
  for (let n = 0; n < 200; n++) {
    const picked = pickStructure(structures, random, spent);
    if (picked === undefined) continue;
    const place = structures.indexOf(picked);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

const leader = structure(100, 80, 50, 50);

test.each([0.1, 0.9])("kernels of a structure far behind are not searched, %f spent", (spent) => {
  expect(picks([leader, structure(310)], spent)).toEqual([200, 0]);
});

test("a structure whose first kernels are no slower than the best one's were has most tries at first", () => {
  const [best, other] = picks([leader, structure(110)], 0.1);
  expect(other).toBeGreaterThan(2 * (best ?? 0));
});

test("what still gets better is searched rather than what does not any more", () => {
  const tired = structure(...Array.from({ length: 20 }, () => 50));
  const [best, other] = picks([tired, structure(90, 60)], 0.9);
  expect(other).toBeGreaterThan(2 * (best ?? 0));
});
