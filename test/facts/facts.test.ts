/**
 * Goldens of facts: what the defaults of each program ask of each family. Some are computed anew here, `scripts/facts`
 * compares all. Bounds that break are named, with what it takes to keep them.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { defined } from "../../src/support/assert.ts";
import { families, linesOf, programs, readGoldens } from "./entries.ts";
import { exceptionFor, exceptions } from "./exceptions.ts";
import { codeExceptions, leastShare } from "./machine-code.ts";

const goldens = readGoldens();

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

/** Loops of 32 multiply-adds and more by kernel: which part of their vector instructions these are, in percent. */
function sharesOfLoops(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  let program = "";
  for (const line of readFileSync("test/golden/facts/isa-navi31.txt", "utf8")
    .split("\n")
    .slice(1)) {
    if (!line.startsWith(" ")) program = line;
    const [, kernel = "", share] = /^ {2}(\w+) .* fma in a loop, (\d+) % of it$/.exec(line) ?? [];
    if (share !== undefined) found.set(`${program} ${kernel}`, Number(share));
  }
  return found;
}

describe("of the vector instructions in loops of 32 multiply-adds and more", () => {
  const below = [...sharesOfLoops()].filter(([, share]) => share < leastShare).map(([k]) => k);
  const named = codeExceptions.flatMap(({ kernels }) => kernels);

  it("three quarters and more compute, but where it is named what that takes", () => {
    expect(sharesOfLoops().size).toBeGreaterThan(50);
    expect(below.filter((kernel) => !named.includes(kernel))).toEqual([]);
  });

  it("no more than that computes in the loops that are named: others are no exceptions any more", () => {
    expect(named.filter((kernel) => !below.includes(kernel))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
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
