import { describe, expect, it } from "vitest";
import { scanCandidates, scanPrefix } from "../../../src/ir/algebraic/scan-prefix.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { difference, resultsOf } from "../support/same-results.ts";
import { lowered } from "./apply-all.ts";
import { applied, lines, reason } from "./rewrites.ts";

const sizes = { N: 3, L: 11 };

const scans: Readonly<Record<string, string>> = {
  "sums up to a value": "y(n, i) +=! x(n, j) where i in 0:L, j in 0:i + 1",
  "sums before a value": "y(i, n) +=! x(n, j) where i in 0:L, j in 0:i",
  "sums from a value on": "y(n, 2*i) +=! x(n, j) * w(j) where i in 0:L, j in i:L",
  "sums behind a value": "y(n, i) +=! x(n, j) where i in 0:L, j in i + 1:L",
  "a part of the range": "y(n, i) +=! x(n, j) where i in 2:L - 1, j in 1:i",
  maxima: "y(n, i) max=! x(n, j) where i in 0:L, j in 0:i + 1",
  "places of minima": "y(n, i) argmin=! x(n, j) where i in 0:L, j in 0:i + 1",
  products: "y(n, i) *=! w(j) * x(n, 0) where i in 0:L, j in 0:i + 1",
  "in a loop": "for n in N { z(i) +=! x(n, j) where i in 0:L, j in 0:i + 1  y(n, i) = z(i) }",
};

function programOf(body: string) {
  return lowered(`def f(float(N, L) x, float(L) w) -> (y) { ${body} }`, sizes);
}

const inputs = {
  x: Float64Array.from({ length: 33 }, (_, i) => ((i * 5) % 7) - 3),
  w: Float64Array.from({ length: 11 }, (_, i) => ((i * 3) % 4) - 1),
};

describe("scanPrefix", () => {
  it.each(Object.entries(scans))("keeps %s, in chunks of any size", (_name, body) => {
    const p = programOf(body);
    const before = resultsOf(p, inputs) ?? new Map();
    expect(before.size).toBe(1);
    const [candidate] = scanCandidates(p);
    expect(candidate).toBeDefined();
    const { statement = "", length = 0 } = candidate ?? {};
    for (const chunk of ["whole", 1, 2, 3, 4, 5, 7] as const) {
      const scanned = applied(scanPrefix(p, { statement, chunk }));
      expect(verifyProgram(scanned), printProgram(scanned)).toEqual([]);
      expect(difference(before, scanned, inputs), printProgram(scanned)).toBeNull();
    }
    expect(reason(scanPrefix(p, { statement, chunk: length }))).toBe(
      "there are not several chunks",
    );
  });

  it("goes over the chunks as a scan of its own, which can be scanned again", () => {
    const p = programOf("y(n, i) +=! x(n, j) where i in 0:L, j in 0:i + 1");
    const once = applied(scanPrefix(p, { statement: "y", chunk: 2 }));
    expect(scanCandidates(once).map((c) => c.path)).toEqual(["y.carry/scan/p1"]);
    const twice = applied(scanPrefix(once, { statement: "y.carry", chunk: 2 }));
    expect(difference(resultsOf(p, inputs) ?? new Map(), twice, inputs)).toBeNull();
    expect(lines(once)).toEqual([
      "y.total: { n in 0..3, y.chunk in 0..5, y.step in 0..2 } y_total(n, y.chunk) = state of sum[y.step] x(n, 2*y.chunk + y.step)",
      "y.carry: { n in 0..3, y.chunk in 0..6, y.step in 0..y.chunk } y_carry(n, y.chunk) = state of sum[y.step] y_total(n, y.step)",
      "y.start: { n in 0..3, y.chunk in 0..6 } y_state(n, y.chunk) = y_carry(n, y.chunk)",
      "y.step: { y.step in 0..2, n in 0..3, y.chunk in 0..6 | -2*y.chunk - y.step + 10 >= 0 } y_state(n, y.chunk) = (y_state(n, y.chunk) + x(n, 2*y.chunk + y.step))",
      "y: { y.step in 0..2, n in 0..3, y.chunk in 0..6 | -2*y.chunk - y.step + 10 >= 0 } y(n, 2*y.chunk + y.step) = y_state(n, y.chunk)",
    ]);
  });

  it.each([
    [
      "terms that differ for each result",
      "y(n, i) +=! x(n, j) * x(n, i) where i in 0:L, j in 0:i + 1",
      "a term is not the same for all results that it takes part in",
    ],
    [
      "a window",
      "y(n, i) +=! x(n, j) where i in 2:L, j in i - 2:i + 1",
      "its range is no triangle",
    ],
    [
      "a steeper triangle",
      "y(n, i) +=! x(n, j) where i in 0:L / 2, j in 0:2 * i + 1",
      "its range is no triangle",
    ],
    [
      "results without their first terms",
      "y(n, i) +=! x(n, j) where i in 4:L, j in 0:i + 1",
      "its range is no triangle",
    ],
    [
      "two reduced dims",
      "y(i) +=! x(n, j) where i in 0:L, j in 0:i + 1",
      "it is no reduction over one dim",
    ],
  ])("refuses %s", (_name, body, why) => {
    const p = programOf(body);
    expect(reason(scanPrefix(p, { statement: "y", chunk: "whole" }))).toBe(why);
    expect(scanCandidates(p)).toEqual([]);
  });
});
