/**
 * Goldens of facts: what the defaults of each program ask of each family. Some are computed anew here, `scripts/facts`
 * compares all. Bounds that break are named, with what it takes to keep them.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { defined } from "../../src/support/assert.ts";
import { families, goldenPath, linesOf, programs, readGolden } from "./entries.ts";
import { exceptionFor, exceptions } from "./exceptions.ts";

const goldens = new Map(
  families.map((family) => [family, readGolden(readFileSync(goldenPath(family), "utf8"))] as const),
);

describe("goldens of facts", () => {
  it.each(families)("have all programs on %s", (family) => {
    expect([...(goldens.get(family)?.keys() ?? [])]).toEqual(programs.map((p) => p.name));
  });

  // One program in six, each of another family: scripts/facts compares all.
  it("are what today's defaults ask, of a family for some programs", { timeout: 300_000 }, () => {
    for (const [n, program] of programs.entries()) {
      if (n % 6 !== 0) continue;
      const family = defined(families[(n / 6) % families.length], "family", n);
      expect(linesOf(program, family), `scripts/facts --update: ${program.name}`).toEqual(
        goldens.get(family)?.get(program.name),
      );
    }
  });
});

it("nothing spills registers, or uses scratch, as Mesa's compiler writes it for RDNA 3", () => {
  const text = readFileSync("test/golden/facts/isa-navi31.txt", "utf8");
  const kernels = text.split("\n").filter((line) => line.includes(" registers, "));
  expect(kernels.length).toBeGreaterThan(200);
  expect(kernels.filter((line) => !line.includes(", 0 spilled, 0 B scratch, "))).toEqual([]);
});

/** The table of docs/performance.md: the last figure of each cell, by family. */
function shareTable(): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const text = readFileSync("docs/performance.md", "utf8");
  const rows = text
    .slice(text.indexOf("| case | nvidia |"))
    .split("\n\n")[0]
    ?.split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const [, ...names] = (rows?.[0] ?? []).slice(1, -1);
  return new Map(
    (rows ?? []).slice(2).map(([, program = "", ...cells]) => {
      const shares = names.map((name, n) => [name, Number(cells[n]?.split(" ").at(-1))] as const);
      return [program, new Map(shares)] as const;
    }),
  );
}

describe("the table of estimates in the documents", () => {
  it("says what the goldens do, within what they were rounded by", () => {
    const table = shareTable();
    expect(table.size).toBe(programs.filter(({ work }) => work !== undefined).length);
    const stale = families.flatMap((family) =>
      [...table].flatMap(([program, shares]) => {
        const line = goldens.get(family)?.get(program)?.[0] ?? "";
        const golden = Number(/: (\d+) % of the roofline$/.exec(line)?.[1]);
        const told = shares.get(family) ?? Number.NaN;
        return Math.abs(told - golden) <= 1 ? [] : [`${program} on ${family}: ${told}, ${golden}`];
      }),
    );
    expect(stale).toEqual([]);
  });
});

/** Bounds that programs break on families, by the goldens. */
const broken = families.flatMap((family) =>
  [...(goldens.get(family) ?? [])].flatMap(([program, lines]) =>
    lines.flatMap((line) => {
      const [, veto] = /^ {2}veto (\w+)/.exec(line) ?? [];
      return veto === undefined ? [] : [{ program, family, veto }];
    }),
  ),
);

describe("bounds that defaults break", () => {
  it("are named, with what it takes to keep them", () => {
    const unnamed = broken.filter((one) => exceptionFor(one) === undefined);
    expect(unnamed.map((b) => `${b.program} on ${b.family}: ${b.veto}`)).toEqual([]);
  });

  it("are broken: what is named and holds is no exception any more", () => {
    const met = new Set(broken.map(({ program, veto }) => `${program}: ${veto}`));
    const named = exceptions.flatMap((one) => one.programs.map((p) => `${p}: ${one.veto}`));
    expect(named.filter((one) => !met.has(one))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });
});
