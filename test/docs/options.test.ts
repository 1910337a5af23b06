import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { type CompileRequest, compile } from "../../src/compile.ts";
import { matrixProfile } from "../support/matrix-profile.ts";
import { readDocument, root } from "./support/markdown.ts";

/** The paths of the first column of the table of decisions, as patterns. */
function documented(): ReadonlyMap<string, RegExp> {
  const rows = readDocument("docs/options.md").matchAll(/^\| (`.*?) \|/gm);
  const paths = [...rows].flatMap(([, cell = ""]) => {
    return [...cell.matchAll(/`([^`]*)`/g)].map(([, path = ""]) => path);
  });
  const pattern = (path: string): RegExp => {
    return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll("N", "\\d+")}$`);
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
];

function asked(): ReadonlySet<string> {
  const names = readdirSync(new URL("examples/", root)).filter((name) => name.endsWith(".tc"));
  const sources = [...names.map((name) => readDocument(`examples/${name}`)), ...more];
  const paths = new Set<string>();
  for (const source of sources) {
    for (const profile of ["baseline", "swiftshader", matrixProfile]) {
      for (const options of ["default", "naive"] satisfies CompileRequest["options"][]) {
        const result = compile(source, { profile, options, padded: true });
        if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
        for (const { path } of result.decisions) paths.add(path);
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
