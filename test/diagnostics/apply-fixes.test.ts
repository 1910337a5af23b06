import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { applyFixes } from "../../src/diagnostics/apply-fixes.ts";
import { type Diagnostic, diagnose, type Fix } from "../../src/diagnostics/diagnostic.ts";
import { lineStarts, positionAt } from "../../src/diagnostics/position.ts";
import { type AnalyseOptions, analyse } from "../../src/frontend/analyse.ts";
import { parse } from "../../src/frontend/syntax/parse.ts";

/** A diagnostic with one fix: edits as `[start, end, text]`. */
function withFix(...edits: readonly (readonly [number, number, string])[]): Diagnostic {
  const fix: Fix = {
    title: "fix",
    edits: edits.map(([start, end, text]) => ({ span: { start, end }, text })),
  };
  return diagnose("TC2018", { name: "x" }, { start: 0, end: 1 }, { fixes: [fix] });
}

test("edits are made from the old text, whatever their order", () => {
  const found = [withFix([6, 7, "Z"]), withFix([0, 1, "long"], [3, 4, ""]), withFix([4, 4, "+"])];
  const { source, applied } = applyFixes("abcdefgh", found);
  expect(source).toBe("longbc+efZh");
  expect(applied.length).toBe(3);
});

test("of fixes that meet the first in the text is made, whole or not at all", () => {
  const first = withFix([0, 3, "X"]);
  const second = withFix([2, 4, "Y"], [6, 7, "Y"]);
  const third = withFix([6, 7, "Z"]);
  const { source, applied } = applyFixes("abcdefgh", [third, second, first]);
  expect(source).toBe("XdefZh");
  expect(applied).toEqual([first, third]);
});

test("insertions at one place meet, edits that touch do not, equal ones are one", () => {
  expect(applyFixes("ab", [withFix([1, 1, "x"]), withFix([1, 1, "y"])]).source).toBe("axb");
  expect(applyFixes("ab", [withFix([0, 1, "x"]), withFix([1, 2, "y"])]).source).toBe("xy");
  const same = applyFixes("ab", [withFix([0, 1, "x"]), withFix([0, 1, "x"], [1, 2, ""])]);
  expect(same.source).toBe("x");
  expect(same.applied.length).toBe(2);
});

test("what has no fix, or one outside of the text, changes nothing", () => {
  const none = diagnose("TC2018", { name: "x" }, { start: 0, end: 1 });
  const found = [none, withFix(), withFix([1, 9, "x"]), withFix([-1, 0, "x"])];
  expect(applyFixes("ab", found)).toEqual({ source: "ab", applied: [] });
});

test("a hundred thousand fixes are made in time", () => {
  const source = ";".repeat(100_000);
  const found = Array.from({ length: 100_000 }, (_, n) => withFix([n, n + 1, "\n"]));
  const started = performance.now();
  expect(applyFixes(source, found).applied.length).toBe(100_000);
  expect(performance.now() - started).toBeLessThan(3000);
});

const folder = new URL("../errors/", import.meta.url);
const goldens = readdirSync(folder).filter((name) => name.endsWith(".tc"));

function optionsOf(source: string): AnalyseOptions {
  const match = /^# options: (.*)$/m.exec(source);
  return match === null ? {} : JSON.parse(match[1] ?? "{}");
}

/** A diagnostic without its place, since edits before it move it: its line, code and message. */
function keysOf(source: string): readonly string[] {
  const starts = lineStarts(source);
  return analyse(source, optionsOf(source)).diagnostics.map(
    (d) => `${positionAt(starts, d.span.start).line} ${d.code} ${d.message}`,
  );
}

function count(keys: readonly string[], key: string): number {
  return keys.filter((k) => k === key).length;
}

test.each(goldens)("each fix for %s removes what it is for, and the text still parses", (name) => {
  const source = readFileSync(new URL(name, folder), "utf8");
  const found = analyse(source, optionsOf(source)).diagnostics;
  const starts = lineStarts(source);
  const before = keysOf(source);
  const broken = parse(source).unreadable.length;
  for (const d of found) {
    for (const fix of d.fixes ?? []) {
      const fixed = applyFixes(source, [{ ...d, fixes: [fix] }]);
      expect(fixed.applied.length).toBe(1);
      const key = `${positionAt(starts, d.span.start).line} ${d.code} ${d.message}`;
      expect([fixed.source, count(keysOf(fixed.source), key)]).toEqual([
        fixed.source,
        count(before, key) - 1,
      ]);
      expect(parse(fixed.source).unreadable.length).toBeLessThanOrEqual(broken);
    }
  }
});

test("fixes of habits mend whole programs in a few rounds", () => {
  let source = `#! sizes N=4 M=3
def f(double[N][M] A, float x(N), int w) -> y {   // a row each
  y[i] := A[i][j] * x[i];  /* sum */
  t(i) += A[i][0]
  z(i) = max(y[i], 0.0f) <=> relu(y)
  y(i) = z(i) > 1.0 and not w or z(i) ≤ 2.0 ? lgo(z(i)) : t(i)
}
`;
  let rounds = 0;
  for (; rounds < 10; rounds++) {
    const fixed = applyFixes(source, analyse(source).diagnostics);
    if (fixed.applied.length === 0) break;
    source = fixed.source;
  }
  expect(source).toMatchInlineSnapshot(`
    "#! sizes N=4 M=3
    def f(float(N, M) A, float(N) x, int w) -> (y) {   # a row each
      y(i) +=! A(i, j) * x(i)  # sum
      t(i) +=! A(i, 0)
      z(i) = max(y(i), 0.0) 
      y(i) = z(i) > 1.0 && ! ((w) != 0) || z(i) <= 2.0 ? log(z(i)) : t(i)
    }
    "
  `);
  expect(analyse(source).diagnostics).toEqual([]);
  expect(rounds).toBeLessThan(6);
});
