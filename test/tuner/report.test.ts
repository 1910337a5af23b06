import { describe, expect, it } from "vitest";
import { databaseOf } from "../../src/tuner/database.ts";
import type { TuneEvent, TuneResult } from "../../src/tuner/events.ts";
import { reportPage } from "../../src/tuner/report/page.ts";
import type { ReuseLosses } from "../../src/tuner/report/report.ts";
import { reportOf } from "../../src/tuner/report/report.ts";
import { reuseLosses } from "../../src/tuner/report/reuse-losses.ts";
import { figuresOf } from "../../src/tuner/statistics.ts";
import { type Given, lines } from "./support/records.ts";

const start: TuneEvent = {
  type: "start",
  def: "mm",
  sizes: { M: 8, N: 9 },
  effort: "quick",
  budget: { candidates: 24, ms: 5000 },
  seed: 1,
  clock: { kind: "replay", quantumNs: 1 },
  adapter: "a <fast> & small one",
};

type Candidate = Extract<TuneEvent, { readonly type: "candidate" }>;

function candidate(
  i: number,
  team: number,
  us: number | null,
  more: Partial<Candidate> = {},
): Candidate {
  return {
    type: "candidate",
    def: "mm",
    i,
    id: `c${i}`,
    options: { version: 2, kernels: { C: { team, unroll: i % 2 === 0 } } },
    alternative: null,
    from: i === 0 ? { kind: "default" } : { kind: "step", parent: 0 },
    status: us === null ? "wrong" : "ok",
    ...(us === null ? { why: "C(0, 0) is 3 </td> not 4" } : { us }),
    estimateUs: us === null ? null : 2 * us,
    atMs: 100 * i,
    ...more,
  };
}

const result: TuneResult = {
  def: "mm",
  sizes: { M: 8, N: 9 },
  options: { version: 2, kernels: { C: { team: 4, unroll: true } } },
  alternative: null,
  source: { kind: "tuned" },
  default: figuresOf([40, 42, 41]),
  ratio: 21 / 41,
  tuned: figuresOf([20, 21, 22]),
  complete: true,
  swept: false,
  why: "budget",
  counts: { ok: 3, vetoed: 0, invalid: 0, wrong: 1, timeout: 0, "out-of-memory": 0, lost: 0 },
  elapsedMs: 500,
};

const events: readonly TuneEvent[] = [
  start,
  candidate(0, 1, 40),
  candidate(1, 2, null),
  candidate(2, 4, 20),
  candidate(3, 2, 30),
  { type: "best", def: "mm", i: 2, us: 21, defaultUs: 41, options: result.options, atMs: 250 },
  { type: "note", def: "mm", text: "the disk is full: <nothing> is kept" },
  { type: "done", def: "mm", result },
];

/** Elements are closed in their order, and all that is not one is escaped. */
function checkMarkup(html: string): void {
  const open: string[] = [];
  for (const [whole, close, name = ""] of html.matchAll(/<(\/?)([a-zA-Z0-9!]+)[^<>]*>/g)) {
    if (name === "!doctype" || name === "meta" || whole.endsWith("/>")) continue;
    if (close === "") open.push(name);
    else expect(open.pop(), whole).toBe(name);
  }
  expect(open).toEqual([]);
  const text = html.replaceAll(/<[^<>]*>/g, "");
  expect(text).not.toMatch(/[<>]/);
  expect(text).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
}

describe("what reuse loses", () => {
  it("is read from the records of several sizes, and from one size nothing is", () => {
    const known = (...given: readonly Given[]): ReuseLosses | null => {
      const [content] = databaseOf(lines(...given)).contents.values();
      return content === undefined ? null : reuseLosses(content);
    };
    const [a, b] = [{ kernels: { $0: { unroll: 1 } } }, { kernels: { $0: { unroll: 2 } } }];
    const small = { sizes: [64, 64], choices: a, text: "a", us: 50, won: true };
    const large = { sizes: [128, 64], choices: b, text: "b", us: 100, won: true };
    const other = { sizes: [128, 64], choices: a, text: "c", us: 150 };
    expect(known(small)).toBeNull();
    expect(known(small, large, other)).toEqual({
      sizes: ["64 x 64", "128 x 64"],
      options: ["best of 64 x 64", "best of 128 x 64", "default"],
      losses: [
        [1, null, 4],
        [1.5, 1, 2],
      ],
    });
  });
});

describe("a report of tuning", () => {
  const report = reportOf(events, { machine: "<script>alert(1)</script>" });
  const [run] = report.runs;

  it("has what the events say, as JSON", () => {
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    expect(report.runs).toHaveLength(1);
    expect(run?.speedup).toBeCloseTo(41 / 21);
    expect(run?.candidates.map((c) => [c.i, c.status, c.us, c.from])).toEqual([
      [0, "ok", 40, "default"],
      [1, "wrong", null, "step of 0"],
      [2, "ok", 20, "step of 0"],
      [3, "ok", 30, "step of 0"],
    ]);
    expect(run?.best).toEqual([{ i: 2, us: 21, defaultUs: 41, atMs: 250 }]);
  });

  it("says what each knob does: only candidates that ran count", () => {
    expect(run?.knobs.map(({ path, effect }) => [path, effect])).toEqual([
      ["kernels/C/team", 1.5],
      ["kernels/C/unroll", 1.5],
    ]);
    expect(run?.knobs[0]?.values).toEqual([
      { value: 4, n: 1, best: 20, median: 20 },
      { value: 2, n: 1, best: 30, median: 30 },
      { value: 1, n: 1, best: 40, median: 40 },
    ]);
  });

  it("is a page that loads and runs nothing, with every text escaped", () => {
    const html = reportPage(report);
    checkMarkup(html.replace(/<style>[\s\S]*?<\/style>/, ""));
    expect(html).not.toMatch(/<script|<link|<img|https?:|url\(|@import/);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).toContain("C(0, 0) is 3 &lt;/td&gt; not 4");
    expect(html.match(/<svg/g)).toHaveLength(3);
    // Three points in each plot, the best one marked.
    expect(html.match(/<circle/g)).toHaveLength(9);
    expect(html.match(/class="point best"/g)).toHaveLength(3);
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("has the table of samples, for default and tuned", () => {
    const cells = [...reportPage(report).matchAll(/<td[^>]*>(default|tuned)<\/td>(.*?)<\/tr>/g)];
    const rows = cells.map(([, name, rest = ""]) => [
      name,
      ...[...rest.matchAll(/>([\d.]+)</g)].map(([, x]) => Number(x)),
    ]);
    expect(rows).toEqual([
      ["default", 3, 41, 1, 41, 40, 42, 1],
      ["tuned", 3, 21, 1, 21, 20, 22, 1],
    ]);
  });

  it("has a section for each run, and what reuse loses", () => {
    const two = reportOf(
      [...events, { ...start, def: "conv" }],
      {},
      {
        sizes: ["N=8", "N=16"],
        options: ["N=8", "default"],
        losses: [
          [1, 1.5],
          [1.25, null],
        ],
      },
    );
    expect(two.runs.map(({ def, result: end }) => [def, end === null])).toEqual([
      ["mm", false],
      ["conv", true],
    ]);
    const html = reportPage(two);
    checkMarkup(html.replace(/<style>[\s\S]*?<\/style>/, ""));
    expect(html).toContain("Reuse at other sizes");
    expect(html).toContain("it did not come to an end");
  });

  it("says so where nothing was tuned", () => {
    checkMarkup(reportPage(reportOf([])).replace(/<style>[\s\S]*?<\/style>/, ""));
    expect(reportPage(reportOf([]))).toContain("Tuning of nothing");
  });
});
