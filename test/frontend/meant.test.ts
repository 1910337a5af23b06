/** Programs that look like mistakes and are none: they compile without a warning. */
import { expect, test } from "vitest";
import { check } from "../../src/api/check.ts";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";

/** The bodies of definitions of `x`, `y` (N), `A` (N, N), `w` (uint8, N), `n` (uint32, N). */
const bodies: readonly (readonly [string, string])[] = [
  ["a reversal in place", "x(i) = x(N - 1 - i)"],
  ["a transpose in place", "A(i, j) = A(j, i)"],
  ["a shift in place", "x(i) = x(i + 1) where i in 0:N - 1"],
  ["differences in place", "x(i) = x(i) - x(i - 1) where i in 1:N"],
  ["smoothing in place", "x(i) = 0.5 * x(i) + 0.5 * x(i - 1) where i in 1:N"],
  ["a stencil in place", "x(i) = 0.5 * (x(i - 1) + x(i + 1)) where i in 1:N - 1"],
  ["a rotation", "x(i) = x((i + 1) % N) where i in 0:N"],
  ["an update at the element", "x(i) = x(i) * 2 + y(i)"],
  ["an update of a row by another", "A(0, j) = A(0, j) + A(1, j) * x(j)"],
  ["a padded read of what was there", "x(i) = x(i) + pad(x(i - 1))"],
  ["a recurrence in a loop", "for i in 1:N { x(i) = y(i) + x(i - 1) }"],
  ["a step of Jacobi in a loop", "for t in 0:4 { x(i) = x(i - 1) + y(i) where i in 1:N }"],
  ["a triangular update", "x(i) -= A(i, j) * x(j) where i in 0:N, j in 0:i"],
  ["a conversion before", "y(i) = (int32(w(i)) - 128) * 0.1"],
  ["a float before", "y(i) = (float(w(i)) - 128) * 0.1"],
  [
    "a difference that stays an integer",
    "x(i) = y(i)  m(i) = n(i) - n(0)  y(i) = float(int32(m(i)))",
  ],
  ["a difference under a condition", "y(i) = n(i) > 10 ? float(n(i) - 10) : 0.0"],
  ["the rest to the largest byte", "y(i) = (255 - w(i)) * 0.5"],
  ["what is above a floor", "y(i) = float(max(n(i), 10) - 10)"],
  ["what a remainder leaves", "y(i) = float(n(i) - n(i) % 4)"],
  ["numbered indices", "x(i) +=! A(i, k1) * y(k2)"],
  ["similar indices of one read", "x(i) +=! A(i, ii)"],
  ["a similar index with a range", "x(i) +=! A(i, k) * y(kk) where kk in 0:N"],
  ["short indices", "x(i) +=! A(i, j) * y(k)"],
  ["a sum into a parameter", "x(i) += A(i, k)"],
];

test.each(bodies)("%s", (_, body) => {
  const head = "float(N) x, float(N) y, float(N, N) A, uint8(N) w, uint32(N) n";
  const rest = "x(i) = x(i) + 0.0  y(i) = y(i) + 0.0  A(i, j) = A(i, j) + 0.0";
  const source = `#! sizes N=8\ndef f(${head}) -> (x, y, A) {\n  ${body}\n  ${rest}\n}\n`;
  const diagnostics = check(source).diagnostics.filter((d) => d.code !== "TC2019");
  expect(renderDiagnostics(diagnostics, { source, format: "short" })).toBe("");
});

test("a result that is not fully given may be updated element by element without a warning", () => {
  const source = "#! sizes N=8\ndef f(float(N) x) -> (y) { y(i) += x(i) }\n";
  expect(check(source).diagnostics).toEqual([]);
});

test("indices of different ranges are not taken for each other", () => {
  const source =
    "#! sizes M=4 K=5 N=6\ndef f(float(M, K) A, float(N) b) -> (y) { y(i) +=! A(i, k) * b(kk) }\n";
  expect(check(source).diagnostics).toEqual([]);
});
