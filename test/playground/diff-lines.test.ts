import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DiffLine, diffLines } from "../../playground/src/output/diff-lines.ts";

const signs = { same: " ", added: "+", removed: "-" } as const;

function shown(before: string, after: string): readonly string[] {
  return diffLines(before, after).map(({ kind, text }) => `${signs[kind]}${text}`);
}

describe("differences of texts", () => {
  it("keep common lines, and show what replaces what", () => {
    expect(shown("a\nb\nc\nd", "a\nx\nc\nd\ne")).toEqual([" a", "-b", "+x", " c", " d", "+e"]);
    expect(shown("a\nb", "a\nb")).toEqual([" a", " b"]);
  });

  it("give back both texts, with as few changes as there can be", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before.join("\n"), after.join("\n"));
        const without = (kind: DiffLine["kind"]): readonly string[] =>
          lines.filter((line) => line.kind !== kind).map((line) => line.text);
        expect(without("added")).toEqual(before);
        expect(without("removed")).toEqual(after);
        const same = lines.filter((line) => line.kind === "same").length;
        expect(same).toBe(longestCommon(before, after));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it("of texts that have nothing in common come soon", () => {
    const before = Array.from({ length: 4000 }, (_, n) => `a${n}`).join("\n");
    const after = Array.from({ length: 4000 }, (_, n) => `b${n}`).join("\n");
    expect(diffLines(before, after)).toHaveLength(8000);
  });
});

/** The length of the longest common subsequence, plainly. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const x of a) {
    const next = [0];
    for (const [j, y] of b.entries()) {
      next.push(x === y ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
