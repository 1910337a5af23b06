/** Sources that nobody writes: they take no more time than sources of their length may. */
import { expect, test } from "vitest";
import { check } from "../../src/api/check.ts";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";
import { format } from "../../src/frontend/format/format.ts";

function lines(count: number, line: (n: number) => string, separator = "\n"): string {
  return Array.from({ length: count }, (_, n) => line(n)).join(separator);
}

function definition(body: string, parameters = "float(N) x"): string {
  return `#! sizes N=8\ndef f(${parameters}) -> (y) {\n${body}\n}\n`;
}

const call = "def f%(float(N) x) -> (y) { y = f#(x) }";
const calls = (count: number, next: (n: number) => number): string =>
  lines(count, (n) => call.replace("%", `${n}`).replace("#", `${next(n)}`));

/** Sources of a size. */
const sources: readonly (readonly [string, (size: number) => string])[] = [
  ["a chain of comparisons", (n) => definition(`y(i) = ${"x(i) < ".repeat(4 * n)} 1.0`)],
  ["definitions that call the next one", (n) => calls(n, (k) => k + 1)],
  ["a cycle of calls", (n) => calls(n, (k) => (k + 1) % n)],
  [
    "calls that double",
    (n) => lines(n, (k) => `def f${k}(float(N) x) -> (y) { a = f${k + 1}(x) y = f${k + 1}(a) }`),
  ],
  [
    "parameters with sizes of their own",
    (n) => `def f(${lines(10 * n, (k) => `float(N${k}) a${k}`, ", ")}) -> (y) { y(i) = a0(i) }`,
  ],
  [
    "indices that nothing ranges",
    (n) => `def f(float(N) x) -> (y) { y(${lines(5 * n, (k) => `i${k}`, ", ")}) = x(i0) }`,
  ],
  [
    "wrong definitions without sizes",
    (n) => lines(2 * n, (k) => `def f${k}(float(N) x) -> (y) { y(i) = x(i + 1) where i in 0:N }`),
  ],
  ["open brackets in a directive", (n) => `#! input ${"a=(".repeat(500 * n)}`],
  ["spaces in a directive", (n) => `#! input a=(${" ".repeat(5000 * n)}`],
  ["words of the language for names", (n) => definition("half(i) = x(i)\n".repeat(n))],
];

test.each(sources)(
  "%s",
  (_, make) => {
    const source = make(100);
    const start = performance.now();
    const { diagnostics } = check(source);
    const text = renderDiagnostics(diagnostics, { source });
    const milliseconds = performance.now() - start;
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(text.length).toBeLessThan(700_000);
    // Where the time is the cube of the length, it is a minute here.
    expect(milliseconds).toBeLessThan(20_000);
    expect(typeof format(source)).toBe("string");
  },
  60_000,
);
