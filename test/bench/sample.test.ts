/** Options at random: what is drawn, what is tried, what is kept. */
import { describe, expect, it } from "vitest";
import { uniform } from "../../bench/measure/inputs.js";
import { planBatches, spread } from "../../bench/measure/measure.js";
import { allAnswers, type Choices, type Decision, drawNear } from "../../bench/sample/draw.js";
import { fileName } from "../../bench/sample/option-files.js";
import { search } from "../../bench/sample/search.js";
import { tryOut } from "../../bench/sample/try-out.js";

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

/** A space in which time is known; `wrong` answers give a wrong result. */
function space(wrong: (answers: Choices) => boolean = () => false) {
  const bugs: string[] = [];
  const runs: number[] = [];
  const msOf = (answers: Choices): number =>
    16 / answers["tile"] + (answers["fuse"] ? 0 : 8) + (answers["points"] === "vector" ? 0 : 4);
  return {
    bugs,
    runs,
    compile: (choices: Choices) => {
      if (choices["points"] === "unroll") return undefined;
      return { plan: JSON.stringify(choices), decisions, answers: choices };
    },
    tryOut: async ({ answers }: { answers: Choices }, best: number) => {
      const run = async (): Promise<number> => {
        runs.push(msOf(answers));
        return msOf(answers);
      };
      const first = async (): Promise<number> => {
        if (wrong(answers)) throw new Error("wrong result");
        return await run();
      };
      const trial = { first, short: run, long: run, dispose: () => {} };
      return await tryOut(async () => trial, best);
    },
    bug: (text: string) => void bugs.push(text),
  };
}

describe("a search", () => {
  it("finds the best of a small space, and runs no plan twice", async () => {
    const small = space();
    const { ranked, sampled } = await search(small, [plain], { samples: 50, next: uniform(2) });
    expect(ranked[0]?.answers).toMatchObject({ tile: 8, fuse: true, points: "vector" });
    // What it cannot try, a third of all, does not count.
    expect(sampled).toBe(16);
    expect(new Set(ranked.map((c) => c.plan)).size).toBe(ranked.length);
  });

  it("stops slow candidates after their first run", async () => {
    const small = space();
    const best = { ...plain, tile: 8, fuse: true, points: "vector" };
    await search(small, [best], { samples: 50, next: uniform(2) });
    // 2 ms for the best: whatever takes more than 1.8 times that ran once.
    const slow = small.runs.filter((ms) => ms > 3.6);
    expect(slow.length).toBe(15);
    expect(small.runs.filter((ms) => ms === 2).length).toBe(3);
  });

  it("stops at the number of samples", async () => {
    const { sampled } = await search(space(), [plain], { samples: 7, next: uniform(2) });
    expect(sampled).toBe(7);
  });

  it("reports wrong results, and never ranks them", async () => {
    const broken = space((answers) => answers["tile"] === 8);
    const { ranked } = await search(broken, [plain], { samples: 50, next: uniform(2) });
    expect(broken.bugs).toEqual(Array.from({ length: 4 }, () => "wrong result"));
    expect(ranked[0]?.answers).toMatchObject({ tile: 4, fuse: true, points: "vector" });
  });

  it("reports what does not compile, once", async () => {
    const broken = space();
    const compile = (choices: Choices) => {
      if (choices["fuse"]) throw new Error("no such loop");
      return broken.compile(choices);
    };
    await search({ ...broken, compile }, [plain], { samples: 50, next: uniform(2) });
    expect(broken.bugs).toEqual(["does not compile: no such loop"]);
  });
});

describe("batches", () => {
  const options = { rounds: 7, resultBytes: 4 };

  it("have at least ten calls, and more of what is fast", () => {
    expect(planBatches(100, 100, options)).toEqual({ calls: 10, rounds: 7 });
    expect(planBatches(1, 1, options)).toEqual({ calls: 50, rounds: 7 });
    expect(planBatches(0.001, 0.001, options)).toEqual({ calls: 100, rounds: 7 });
  });

  it("keep the memory of results that are alive together in bounds", () => {
    expect(planBatches(1, 1, { rounds: 7, resultBytes: 2 ** 24 }).calls).toBe(16);
    expect(planBatches(1, 1, { rounds: 7, resultBytes: 2 ** 30 }).calls).toBe(10);
  });

  it("are fewer for who is many times slower than the fastest", () => {
    expect(planBatches(70, 10, options)).toEqual({ calls: 10, rounds: 3 });
    expect(planBatches(90, 10, options)).toEqual({ calls: 3, rounds: 1 });
    expect(planBatches(1100, 10, options)).toEqual({ calls: 1, rounds: 0 });
    expect(planBatches(900, 1, options)).toEqual({ calls: 3, rounds: 1 });
    expect(planBatches(20, 0.5, options)).toEqual({ calls: 10, rounds: 7 });
    expect(planBatches(60, 20, options).rounds).toBe(7);
    expect(planBatches(120, 20, options).rounds).toBe(4);
  });

  it("give the median and how far times are from it", () => {
    expect(spread([5, 1, 2])).toEqual({ medianMs: 2, madMs: 1 });
  });
});

describe("files of options", () => {
  it("have names that any system takes, different for different cases", async () => {
    expect(fileName("conv 3x3 32->64 56x56")).toBe("conv-3x3-32-64-56x56");
    const { cases } = await import("../../bench/cases/cases.js");
    const names = cases.map((c) => fileName(c.name));
    expect(new Set(names).size).toBe(cases.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9.=-]+$/);
  });
});
