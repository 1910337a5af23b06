/** What was tuned at some sizes is used at others: what that loses, on times that were recorded. */
import { describe, expect, it } from "vitest";
import { contentId, databaseOf } from "../../src/tuner/database.ts";
import { distance } from "../../src/tuner/distance.ts";
import { type Predicted, predict } from "../../src/tuner/predict.ts";
import { printRecord } from "../../src/tuner/record.ts";
import { recorded, recordsAt, textbook, usAt, wayOf } from "./support/gemm-records.ts";
import { record } from "./support/records.ts";

const key = contentId(record({ kernel: "key:mm" }).key);

/** What the sizes but one say of that one. */
function predictedAt(size: number, most?: number): readonly Predicted[] {
  const others = recorded.sizes.flatMap((_, n) => (n === size ? [] : recordsAt(n, most)));
  const content = databaseOf(others.map(printRecord)).contents.get(key);
  const sizes = recorded.sizes[size] ?? [];
  return predict(content === undefined ? [] : [content], { sizes, alignment: 16 });
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);
}

/** How many times slower than the best of its size something is, size by size. */
function losses(usOf: (size: number) => number): readonly number[] {
  return recorded.sizes.map((_, size) => {
    const best = Math.min(...recorded.cfgs.map((__, n) => usAt(size, n)));
    return usOf(size) / best;
  });
}

function summary(all: readonly number[]): string {
  return `${geometricMean(all).toFixed(3)} on average, ${Math.max(...all).toFixed(2)} at worst`;
}

/** The winner that is predicted to be the best, without measuring. */
const reused = (size: number, most?: number): number =>
  usAt(size, wayOf(predictedAt(size, most)[0]?.record.choices ?? {}));

/** The best of the default and of the neighbours' winners: what a small tune measures. */
const refined = (size: number, most?: number): number =>
  Math.min(
    usAt(size, textbook),
    ...predictedAt(size, most).map(({ record: { choices } }) => usAt(size, wayOf(choices))),
  );

describe("each of 15 sizes of a product of matrices, from the 14 others", () => {
  it.each([
    ["where all ways were measured there", undefined, "1.052 on average, 1.43 at worst"],
    ["where the best four were", 4, "1.051 on average, 1.43 at worst"],
    ["where only winners are known", 1, "1.060 on average, 1.43 at worst"],
  ])("is within 1.20 of the best without measuring, %s", (_, most, told) => {
    const found = losses((size) => reused(size, most));
    expect(geometricMean(found)).toBeLessThan(1.2);
    expect(summary(found)).toBe(told);
  });

  it("is within 1.05 of the best after a small tune, of five at most", () => {
    const most = Math.max(...recorded.sizes.map((_, size) => predictedAt(size).length));
    expect(1 + most).toBeLessThanOrEqual(5);
    const found = losses((size) => refined(size));
    expect(geometricMean(found)).toBeLessThan(1.05);
    expect(summary(found)).toBe("1.047 on average, 1.43 at worst");
  });

  it("loses about what it is expected to lose", () => {
    const expected = recorded.sizes.map((_, size) => predictedAt(size)[0]?.loss ?? 0);
    expect(summary(expected)).toBe("1.076 on average, 1.39 at worst");
  });

  it("would be ten times slower by the default", () => {
    expect(summary(losses((size) => usAt(size, textbook)))).toMatch(/^10\.\d+ on average/);
  });

  it("is predicted from the times of its neighbours, within a factor of 3 where they are near", () => {
    for (const [size] of recorded.sizes.entries()) {
      const [first] = predictedAt(size);
      if (first === undefined || first.distance > 2) continue;
      const ratio = first.us / usAt(size, wayOf(first.record.choices));
      expect(Math.abs(Math.log(ratio))).toBeLessThan(Math.log(3));
    }
  });
});

describe("the distance of sizes", () => {
  const choices = { axes: [{}, {}] };
  const at = (sizes: readonly number[], alignment = 16) => ({ sizes, alignment });

  it("is 0 for the same, grows with doublings, half as fast along reduced dims", () => {
    const base = at([256, 256, 256]);
    expect(distance(base, base, choices)).toBe(0);
    expect(distance(base, at([512, 256, 256]), choices)).toBe(1);
    expect(distance(base, at([256, 256, 512]), choices)).toBe(0.5);
    expect(distance(base, at([256, 256, 512]), {})).toBe(1);
  });

  it("is greater for another alignment and across regimes, and symmetric", () => {
    const base = at([256, 256, 256]);
    expect(distance(base, at([256, 256, 256], 4), choices)).toBe(1);
    expect(distance(base, at([2, 256, 256]), choices)).toBe(9);
    expect(distance(at([2, 256, 256]), base, choices)).toBe(9);
  });
});

describe("a winner", () => {
  const contents = (swept: boolean) => {
    const { key: own, ...rest } = record({ kernel: "key:mm", won: true, us: 10 });
    const outcome = { ...rest.outcome, ...(swept ? { swept } : {}) };
    const database = databaseOf([JSON.stringify({ ...rest, key: own, outcome })]);
    return [...database.contents.values()];
  };

  it("that did not pass the gates at other sizes is no answer there", () => {
    const target = { sizes: [128, 64, 64], alignment: 16 };
    expect(predict(contents(false), target)).toHaveLength(0);
    expect(predict(contents(true), target)).toHaveLength(1);
    // What begins a search is measured and gated there.
    expect(predict(contents(false), target, "starts")).toHaveLength(1);
  });

  it("is no answer for sizes that are far away", () => {
    const target = { sizes: [4096, 4096, 4096], alignment: 16 };
    expect(predict(contents(true), target)).toHaveLength(0);
  });
});
