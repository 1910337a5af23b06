/** Mappings at random around others, of which landscapes are recorded. */
import { describe, expect, it } from "vitest";
import { allAnswers, type Choices, type Decision, drawNear } from "../../bench/landscapes/draw.js";
import { uniform } from "../../bench/measure/inputs.js";

const decisions: readonly Decision[] = [
  { path: "tile", values: [1, 2, 4, 8], value: 1 },
  { path: "fuse", values: [false, true], value: false },
  { path: "points", values: ["serial", "unroll", "vector"], value: "serial" },
  { path: "innermost", values: [0], value: 0 },
];
const plain = { tile: 1, fuse: false, points: "serial", innermost: 0 };

describe("a draw", () => {
  it("changes one to three answers to others that are legal", () => {
    const next = uniform(1);
    const counts = new Set<number>();
    for (let n = 0; n < 300; n++) {
      const drawn: Choices = drawNear(decisions, plain, next);
      const changed = decisions.filter((d) => drawn[d.path] !== Object(plain)[d.path]);
      for (const d of decisions) expect(d.values).toContain(drawn[d.path]);
      counts.add(changed.length);
    }
    expect([...counts].sort()).toEqual([1, 2, 3]);
  });

  it("is the same for the same seed, and reaches every answer", () => {
    const draw = (seed: number): Choices[] => {
      const next = uniform(seed);
      return Array.from({ length: 200 }, () => drawNear(decisions, plain, next));
    };
    expect(draw(5)).toEqual(draw(5));
    expect(draw(5)).not.toEqual(draw(6));
    for (const { path, values } of decisions) {
      expect(new Set(draw(5).map((d) => d[path]))).toEqual(new Set(values));
    }
  });

  it("starts from all answers of a compilation", () => {
    const taken = decisions.map((d) =>
      d.path === "tile" ? { ...d, value: 4 } : d.path === "fuse" ? { ...d, value: true } : d,
    );
    expect(allAnswers({ decisions: taken })).toEqual({ ...plain, tile: 4, fuse: true });
  });
});
