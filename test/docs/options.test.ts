import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { type CompileRequest, compile } from "../../src/compile.ts";
import { given } from "../support/given.ts";
import { matrixProfile } from "../support/matrix-profile.ts";
import { readDocument, root } from "./support/markdown.ts";

/** The paths of the first column of the table of decisions, as patterns. */
function documented(): ReadonlyMap<string, RegExp> {
  const rows = readDocument("docs/options.md").matchAll(/^\| (`.*?) \|/gm);
  const paths = [...rows].flatMap(([, cell = ""]) => {
    return [...cell.matchAll(/`([^`]*)`/g)].map(([, path = ""]) => path);
  });
  const pattern = (path: string): RegExp => {
    const names = path.replaceAll("TENSOR", "[^/]+").replaceAll("PAIR", "[^/]+");
    const more = names.replaceAll("STATEMENT", "[^/]+").replaceAll("LOOP", "[^/]+");
    return new RegExp(`^${more.replaceAll("READ", "[^/]+").replaceAll("N", "\\d+")}$`);
  };
  return new Map(paths.map((path) => [path, pattern(path)]));
}

/** A loop whose temporary is written and read in each iteration, one that reads itself, odd rows. */
const more = [
  `#! sizes N=8
  def expanded(float(N, N) x) -> (y) {
    for t in N { part(i) +=! x(i, t)
      y(t, i) = part(i) + part(N - 1 - i) }
  }`,
  `#! sizes N=8
  def turned(float(N) x) -> (y) {
    state(i) = x(i)
    for t in 0:4 { state(i) = state(N - 1 - i) + x(i) }
    y(i) = state(i)
  }`,
  "#! sizes N=3 M=7\ndef rows(float(N, M) x) -> (y) { y(i, j) = 2.0 * x(i, j) }",
  "#! sizes N=3 M=9\ndef sums(float(N, M) x, float(M) b) -> (y) { y(i, j) = x(i, j) + b(j) }",
];

/** A product with all levels of tiles. */
const levels = {
  source: `#! sizes B=32 M=32 N=32 K=32
    def products(float(B, M, K) x, float(B, K, N) y) -> (z) { z(b, m, n) +=! x(b, m, k) * y(b, k, n) }`,
  options: given(
    Object.fromEntries([
      ...[0, 1, 2].flatMap((axis) =>
        ["workgroup", "points", "turns/0", "turns/1", "turns/2"].map(
          (level, n) => [`kernels/$0/axes/${axis}/${level}`, n < 2 ? 1 : 2] as const,
        ),
      ),
      ["kernels/$0/reduced/0/0", 16],
      ["kernels/$0/reduced/0/1", 8],
    ]),
  ),
};

function asked(): ReadonlySet<string> {
  const names = readdirSync(new URL("examples/", root)).filter((name) => name.endsWith(".tc"));
  const sources = [...names.map((name) => readDocument(`examples/${name}`)), ...more];
  const paths = new Set<string>();
  const add = (source: string, request: CompileRequest): void => {
    const result = compile(source, request);
    if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
    for (const { path } of result.decisions) paths.add(path);
  };
  add(levels.source, { profile: "llvmpipe", options: levels.options });
  const inLanes = given({ "kernels/$0/lanes": 8, "kernels/$0/spread": "steps" });
  add(readDocument("examples/matmul.tc"), { profile: "llvmpipe", options: inLanes });
  for (const source of sources) {
    for (const profile of ["baseline", "swiftshader", matrixProfile]) {
      for (const options of ["default", "naive"] satisfies CompileRequest["options"][]) {
        add(source, { profile, options, padded: true });
      }
    }
  }
  return paths;
}

test("docs/options.md has every decision, and no other", () => {
  const patterns = [...documented()];
  const paths = [...asked()];
  const of = (path: string): readonly string[] =>
    patterns.filter(([, pattern]) => pattern.test(path)).map(([name]) => name);
  expect(paths.filter((path) => of(path).length !== 1)).toEqual([]);
  const found = new Set(paths.flatMap(of));
  expect(patterns.map(([name]) => name).filter((name) => !found.has(name))).toEqual([]);
});
