/** What the benchmark makes of its measurements. */
import { describe, expect, it } from "vitest";
import { sortLines } from "../../bench/report/lines.js";
import {
  bestPeer,
  type Record as Measurement,
  newestRuns,
  peerRatio,
  perOperationRatio,
  summarise,
  timeRatio,
} from "../../bench/report/ratios.js";
import { cappedMean, median } from "../../bench/report/statistics.js";
import { caseLines, missed, summaryLines } from "../../bench/report/table.js";

/** A measurement of 100 operations on "soft" in the run of the first day. */
function record(name: string, who: string, more: Partial<Measurement> = {}): Measurement {
  const date = "2026-01-01T00:00:00Z";
  const place = { case: name, group: "cases", who, adapter: "soft", date, operations: 100 };
  return { ...place, madMs: 0, runs: 10, dispatches: 1, ceiling: 0.5, ...more };
}

const at = (name: string, who: string, medianMs: number): Measurement =>
  record(name, who, { medianMs });

describe("statistics", () => {
  it("have the middle value, or the mean of two", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(median([7])).toBe(7);
    expect(median([])).toBeNaN();
  });

  it("have geometric means in which a ratio counts at most 4", () => {
    expect(cappedMean([2, 0.5])).toBeCloseTo(1);
    expect(cappedMean([400, 1])).toBeCloseTo(2);
    expect(cappedMean([])).toBeNaN();
  });
});

describe("ratios", () => {
  const records = [
    at("a", "default", 2),
    at("a", "fuse none", 1.5),
    at("a", "tfjs", 6),
    at("a", "jax-js", 5),
    record("a", "onnxruntime", { medianMs: 1, unranked: "elsewhere" }),
  ];

  it("are against the fastest peer that is ranked", () => {
    expect(bestPeer(records)?.who).toBe("jax-js");
    expect(peerRatio(records, "default")).toBe(2.5);
    expect(timeRatio(records, "default", "fuse none")).toBeCloseTo(4 / 3);
  });

  it("are left out where one of the two was not measured", () => {
    expect(peerRatio(records, "tuned")).toBeUndefined();
    expect(peerRatio([at("a", "default", 2)], "default")).toBeUndefined();
    const failed = record("a", "jax-js", { unsupported: "wrong result" });
    expect(peerRatio([at("a", "default", 2), failed], "default")).toBeUndefined();
    expect(timeRatio(records, "default", "naive")).toBeUndefined();
  });

  it("per operation divide by what each computes", () => {
    const relative = record("b", "default", { medianMs: 3, operations: 300 });
    const byCase = newestRuns([...records, relative]).get("soft") ?? new Map();
    expect(perOperationRatio(byCase, "b", "a", "default")).toBeCloseTo(0.5);
    expect(perOperationRatio(byCase, "b", "c", "default")).toBeUndefined();
  });

  it("per operation prefer the plain case that was measured in turns", () => {
    const relative = record("b", "default", { medianMs: 3, operations: 300 });
    const plain = record("b", "plain case", { medianMs: 0.5, operations: 100 });
    const byCase = newestRuns([...records, relative, plain]).get("soft") ?? new Map();
    expect(perOperationRatio(byCase, "b", "a", "default")).toBeCloseTo(2);
    expect(bestPeer([relative, plain])).toBeUndefined();
  });

  it("per operation are never of two runs", () => {
    const date = "2026-01-02T00:00:00Z";
    const relative = record("b", "default", { medianMs: 3, operations: 300, date });
    const byCase = newestRuns([...records, relative]).get("soft") ?? new Map();
    expect(perOperationRatio(byCase, "b", "a", "default")).toBeUndefined();
  });
});

describe("a summary", () => {
  const byCase = newestRuns([
    at("a", "default", 1),
    at("a", "jax-js", 2),
    at("b", "default", 4),
    at("b", "jax-js", 2),
    at("c", "default", 1),
    record("d", "default", { unsupported: "wrong result" }),
    at("d", "jax-js", 2),
    record("e", "default", { medianMs: 1, group: "scaling" }),
    record("e", "jax-js", { medianMs: 9, group: "scaling" }),
  ]).get("soft");

  it("is over the cases of a group that have a peer, and names what failed", () => {
    const found = summarise(byCase ?? new Map(), "default", ["cases"]);
    expect(found).toEqual({ cases: 2, mean: 1, least: 0.5, leastCase: "b", wrong: ["d"] });
  });

  it("names each case that is below its target, or slower than without fusion", () => {
    const slow = [at("a", "default", 2), at("a", "fuse none", 1), at("a", "jax-js", 1.7)];
    expect(missed("a", slow)).toEqual([
      "  below 0.9x: a, default 0.85x",
      "  slower than fuse none: a, 2.00x its time",
    ]);
    expect(missed("a", [at("a", "tuned", 2), at("a", "jax-js", 2.3)])).toEqual([
      "  below 1.2x: a, tuned 1.15x",
    ]);
    expect(missed("a", [at("a", "default", 1), at("a", "jax-js", 0.9)])).toEqual([]);
  });

  it("prints means, minima and the cases without a figure", () => {
    const text = summaryLines([at("a", "default", 1), at("a", "jax-js", 2)]);
    expect(text).toContain("geometric mean 2.00x, least 2.00x (a)");
    const failed = record("a", "default", { unsupported: "wrong result" });
    expect(summaryLines([failed, at("a", "jax-js", 2)])).toContain("default: no figure for a");
  });
});

describe("runs", () => {
  const newer = { date: "2026-01-02T00:00:00Z", medianMs: 5 };

  it("are not mixed: the newest one of a case counts", () => {
    const old = [at("a", "default", 1), at("a", "jax-js", 2)];
    for (const all of [
      [...old, record("a", "default", newer)],
      [record("a", "default", newer), ...old],
    ]) {
      const found = newestRuns(all).get("soft")?.get("a");
      expect(found).toEqual([record("a", "default", newer)]);
    }
  });

  it("of different adapters stay apart", () => {
    const found = newestRuns([
      at("a", "default", 1),
      { ...at("a", "default", 2), adapter: "hard" },
    ]);
    expect([...found.keys()]).toEqual(["soft", "hard"]);
    expect(found.get("hard")?.get("a")).toHaveLength(1);
  });

  it("give lines of several kinds, the last of each figure", () => {
    const figure = { figure: "cold start", of: "check", adapter: "soft", value: 1 };
    const lines = [{ ceilings: {} }, at("a", "default", 1), figure, { ...figure, value: 2 }];
    const { records, ceilings, figures } = sortLines(lines);
    expect([records.length, ceilings.length]).toEqual([1, 1]);
    expect(figures).toEqual([{ ...figure, value: 2 }]);
  });
});

describe("the lines of a case", () => {
  it("mark who cannot, who is not ranked, whose plan is another's, and old options", () => {
    const text = caseLines([
      at("a", "default", 1),
      record("a", "fuse none", { medianMs: 1, same: "default" }),
      record("a", "tuned", { medianMs: 1, stale: 2 }),
      record("a", "tfjs", { unsupported: "no program for it" }),
      record("a", "onnxruntime", { medianMs: 3, unranked: "on the CPU" }),
    ]);
    expect(text).toMatch(/^ {2}fuse none .*the plan of default$/m);
    expect(text).toMatch(/^ {2}tuned .*2 of its answers are not legal any more$/m);
    expect(text).toMatch(/^ {2}tfjs +unsupported: no program for it$/m);
    expect(text).toMatch(/^ {2}onnxruntime .*unranked: on the CPU$/m);
    expect(text).not.toContain("best peer");
  });
});
