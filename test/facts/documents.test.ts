/** What docs/performance.md says of estimates: its tables are what the goldens have. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { families, programs, readGoldens } from "./entries.ts";

const goldens = readGoldens();
const text = readFileSync("docs/performance.md", "utf8");

/** The cells of a table by row, its heading first. */
function tableOf(heading: string): readonly (readonly string[])[] {
  const at = text.indexOf(`| ${heading} |`);
  expect(at, heading).toBeGreaterThanOrEqual(0);
  const lines = text.slice(at).split("\n\n")[0]?.split("\n") ?? [];
  return lines
    .filter((_, n) => n !== 1)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((c) => c.trim()),
    );
}

/** The last figure of each cell below a heading, by row and by the names of the columns. */
function figuresOf(heading: string): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const [[, ...names] = [], ...rows] = tableOf(heading);
  return new Map(
    rows.map(([row = "", ...cells]) => {
      const figures = names.map((name, n) => [name, Number(cells[n]?.split(" ").at(-1))] as const);
      return [row, new Map(figures)] as const;
    }),
  );
}

/** Estimated shares of the roofline of the benchmark's cases on a family, by name. */
function sharesOn(family: (typeof families)[number]): ReadonlyMap<string, number> {
  const known = goldens.get(family);
  return new Map(
    programs.flatMap(({ name, work }) => {
      const share = /: ([\d.]+) % of the roofline$/.exec(known?.get(name)?.[0] ?? "")?.[1];
      return work === undefined ? [] : [[name, Number(share)] as const];
    }),
  );
}

const products = /^(matmul|linear|conv|dense)/;
const recurrences = new Set(programs.filter((p) => p.isRecurrence).map((p) => p.name));

function mean(shares: readonly number[]): number {
  return Math.exp(shares.reduce((sum, share) => sum + Math.log(share), 0) / shares.length);
}

/** What the targets ask of a family: means of all cases, and of those without loops; the least of products. */
const outcomes: Readonly<Record<string, (shares: ReadonlyMap<string, number>) => number>> = {
  "all cases": (shares) => mean([...shares.values()]),
  "without recurrences": (shares) =>
    mean([...shares].flatMap(([name, share]) => (recurrences.has(name) ? [] : [share]))),
  "least of products and linear layers": (shares) =>
    Math.min(...[...shares].flatMap(([name, share]) => (products.test(name) ? [share] : []))),
};

describe("the table of estimates", () => {
  it("says what the goldens do, within what they were rounded by", () => {
    const table = figuresOf("case | nvidia");
    expect(table.size).toBe(programs.filter(({ work }) => work !== undefined).length);
    const stale = families.flatMap((family) =>
      [...sharesOn(family)].flatMap(([program, golden]) => {
        const told = table.get(program)?.get(family) ?? Number.NaN;
        return Math.abs(told - golden) <= 1 ? [] : [`${program} on ${family}: ${told}, ${golden}`];
      }),
    );
    expect(stale).toEqual([]);
  });
});

describe("the tables of targets", () => {
  it("say what the goldens make of them", () => {
    const table = figuresOf("estimated, in percent | nvidia");
    const computed = Object.entries(outcomes).map(([row, outcome]) => [
      row,
      families.map((family) => Math.round(outcome(sharesOn(family)))),
    ]);
    const told = [...table].map(([row, figures]) => [row, families.map((f) => figures.get(f))]);
    expect(told).toEqual(computed);
  });

  it.each([
    ["below 40 %", (_: string, share: number): boolean => share < 40],
    [
      "product below 50 %",
      (name: string, share: number): boolean => products.test(name) && share < 50,
    ],
  ])("name each case %s, and on which families", (heading, isBelow) => {
    const computed = families.flatMap((family) =>
      [...sharesOn(family)].flatMap(([name, share]) =>
        isBelow(name, share) ? [`${name} on ${family}`] : [],
      ),
    );
    const [, ...rows] = tableOf(`${heading} | on`);
    const told = rows.flatMap(([names = "", on = ""]) =>
      names.split("; ").flatMap((name) => {
        const where = on === "all" ? families : on.split(", ");
        return where.map((family) => `${name} on ${family}`);
      }),
    );
    expect([...told].sort()).toEqual([...computed].sort());
  });
});
