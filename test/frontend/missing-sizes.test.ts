/** What `check` finds of a source that gives no sizes. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { check } from "../../src/api/check.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";
import { checkMissingSizes } from "../../src/frontend/check-missing-sizes.ts";

const folders = ["examples", "examples/digits", "examples/image-filter", "examples/vad"];
const examples = folders.flatMap((folder) =>
  readdirSync(folder).flatMap((name) => (name.endsWith(".tc") ? [`${folder}/${name}`] : [])),
);

/** Without the lines that give sizes. */
function unsized(source: string): string {
  return source.replaceAll(/^#!.*$/gm, "#");
}

function found(source: string): readonly Diagnostic[] {
  return check(source).diagnostics.filter((d) => d.code !== "TC2012");
}

test.each(examples)("%s has no mistake when its sizes are not given", (name) => {
  const source = unsized(readFileSync(name, "utf8"));
  expect(renderDiagnostics(found(source), { source, format: "short" })).toBe("");
});

/** Definitions that are right for some sizes only. */
const conditional: readonly (readonly [string, string])[] = [
  [
    "one size that is twice another",
    "def f(float(M) x, float(2 * N) z) -> (y) { y(i) = x(i) + z(i) }",
  ],
  ["a size that is large enough", "def f(float(N) x) -> (y) { y(i) = x(200) + x(i) }"],
  ["a range that begins late", "def f(float(N) x) -> (y) { y(i) = x(i) where i in 100:N }"],
  [
    "one size that is larger than another",
    "def f(float(N) x, float(M) z) -> (y) { y(i) = x(i) + z(3 * i + 2) where i in 0:N }",
  ],
  [
    "a window in an image",
    "def f(float(H) x, float(K) w) -> (y) { y(h) +=! x(h + k) * w(k) where h in 0:H - K + 1 }",
  ],
  ["a dimension that must be positive", "def f(float(N - 50) x) -> (y) { y(i) = x(i) }"],
  [
    "a stride as a parameter",
    "def f(float(N) x, int S) -> (y) { y(i) = x(S * i) where i in 0:N / S }",
  ],
  [
    "groups that divide",
    "def f(float(C) x, int G) -> (y) { y(g) +=! x(C / G * g + i) where g in 0:G, i in 0:C / G }",
  ],
  [
    "an index below a parameter",
    "def f(float(N) x, int P) -> (y) { y(i) = x(i + P) where i in 0:N }",
  ],
  ["a declared shape", "def f(float(N) x) -> (float(M) y) { y(i) = x(i) where i in 0:N }"],
  ["a guard", "def f(float(N) x) -> (y) { y(i) = i + 1 < N ? x(i + 1) : 0.0 where i in 0:N }"],
];

test.each(conditional)("%s is no mistake", (_, source) => {
  expect(renderDiagnostics(found(source), { source, format: "short" })).toBe("");
});

test("what is wrong whatever the sizes are is an error, where it is proved or never depends on them", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["y(i) = x(i + 1) where i in 0:N", "TC3003"],
    ["y(i) = x(i + N) where i in 0:M", "TC3003"],
    ["y(i) = x(i - 1) where i in 0:N", "TC3003"],
    ["for t in N { y(t) = x(t + 1) }", "TC3003"],
    ["y(k) = pad(x(2 * k))", "TC3001"],
    ["for t in 0:4 { if x(0) > 0.0 { y(i) = x(i) } }", "TC4003"],
    ["y(i - 1) = x(i)", "TC3005"],
    ["y(i - N) = x(0) where i in 0:N", "TC3005"],
    ["y(i / 2) = x(i)", "TC3009"],
  ];
  for (const [body, code] of cases) {
    const source = `def f(float(N) x, float(M) other) -> (y) { ${body}  z(i) = other(i) }`;
    const errors = found(source).filter((d) => d.severity === "error");
    expect([body, errors.map((d) => d.code)]).toEqual([body, [code]]);
  }
});

test("what is only tried is a warning that says the sizes", () => {
  const source = "def f(float(N) x, float(2 * N) z) -> (y) { y(i) = x(i) + z(i) }";
  const [d, ...others] = found(source);
  expect(others).toEqual([]);
  expect([d?.code, d?.severity]).toEqual(["TC3002", "warning"]);
  expect(d?.message).toMatch(/ with N=64$/);
  expect(d?.hint).toMatch(/; it is so with N=1; N=2; .*, too$/);
});

test("too many elements are told with sizes and without", () => {
  for (const line of ["", "#! sizes N=2\n"]) {
    const source = `${line}def f(float(N, 100000, 50000) x) -> (y) { y(i) +=! x(i, j, k) }`;
    expect(found(source).map((d) => [d.code, d.severity])).toEqual([["TC5003", "error"]]);
  }
});

test("a right definition is analysed once more, a wrong one a bounded number of times", () => {
  const counts = (statements: number, wrong: readonly Diagnostic[]): number => {
    let analyses = 0;
    const sets = Array.from({ length: 24 }, (_, n) => ({ N: n + 1 }));
    const analyse = (): readonly Diagnostic[] => {
      analyses += 1;
      return wrong;
    };
    checkMissingSizes({ sets, known: [], proved: () => [], analyse, statements });
    return analyses;
  };
  const [error] = found("def f(float(N) x) -> (y) { y(i - 1) = x(i) }");
  const wrong = error === undefined ? [] : [error];
  expect(wrong).toHaveLength(1);
  expect([counts(10, []), counts(10, wrong), counts(1000, wrong), counts(20_000, wrong)]).toEqual([
    1, 24, 10, 0,
  ]);
});
