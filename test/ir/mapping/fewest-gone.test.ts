import { describe, expect, it } from "vitest";
import { fewestGone, mostQuestions } from "../../../src/ir/mapping/repair/fewest-gone.ts";

const wishes = Array.from({ length: 60 }, (_, n) => `knob ${n}`);

/** What goes where some wishes are each in the way, and how often that was asked. */
function gone(...culprits: readonly number[]): readonly [readonly string[], number] {
  let asked = 0;
  const found = fewestGone(wishes, (without) => {
    asked += 1;
    return culprits.every((n) => without.has(`knob ${n}`));
  });
  return [[...(found ?? [])].sort(), asked];
}

describe("of 60 wishes", () => {
  it.each([0, 5, 23, 24, 41, 59])("number %i, in the way alone, goes alone", (n) => {
    const [found, asked] = gone(n);
    expect(found).toEqual([`knob ${n}`]);
    expect(asked).toBeLessThanOrEqual(mostQuestions);
  });

  it.each([
    [2, 9],
    [3, 58],
    [30, 31],
  ])("numbers %i and %i go, and no others", (a, b) => {
    const [found, asked] = gone(a, b);
    expect(found).toEqual([`knob ${a}`, `knob ${b}`].sort());
    expect(asked).toBeLessThanOrEqual(mostQuestions);
  });

  it("many go with few questions, though others may go with them", () => {
    const culprits = [1, 8, 15, 22, 29, 36, 43, 50, 57];
    const [found, asked] = gone(...culprits);
    for (const n of culprits) expect(found).toContain(`knob ${n}`);
    expect(asked).toBeLessThanOrEqual(mostQuestions);
  });

  it("nothing is found where nothing is legal", () => {
    let asked = 0;
    const found = fewestGone(wishes, () => {
      asked += 1;
      return false;
    });
    expect(found).toBeNull();
    expect(asked).toBeLessThanOrEqual(mostQuestions);
  });
});
