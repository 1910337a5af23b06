import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { type CompileRequest, compile } from "../../src/compile.ts";
import { given } from "../support/given.ts";
import { matrixProfile } from "../support/matrix-profile.ts";
import { readDocument, root } from "./support/markdown.ts";

/** Where the table of version 1 begins. */
const oldTable = "### From version 1";

const [current = "", old = ""] = readDocument("docs/options.md").split(oldTable);

/** What stands in backticks. */
function quoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]*)`/g)].map(([, path = ""]) => path);
}

/** The paths of the first column of the table of decisions, as patterns. */
function documented(): ReadonlyMap<string, RegExp> {
  const rows = current.matchAll(/^\| (`.*?) \|/gm);
  const paths = [...rows].flatMap(([, cell = ""]) => quoted(cell));
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

/** All paths that mappings of version 1 had. */
const ofVersion1 = `
  sN.flatten sN.merge sN.online sN.inline sN.stage sN.stage.how sN.vectors sN.tN.expand
  sN.pN.split sN.rN.split sN.tN.split sN.up sN.rN.blocks sN.rN.factor sN.rN.pad
  sN.readN.pack
  loopN.on
  kernelN.fuseN kernelN.joinN kernelN.matrix kernelN.pN.fragments kernelN.pN.subgroups
  kernelN.rows kernelN.team kernelN.combine kernelN.pN.workgroup kernelN.pN.thread
  kernelN.pN.step kernelN.pN.turns kernelN.pN.turns2 kernelN.pN.turns3 kernelN.turnOrder
  kernelN.turnOrder2 kernelN.innermost kernelN.innermost1 kernelN.innermost2
  kernelN.pN.subgroup kernelN.bands kernelN.blocked kernelN.points kernelN.lanes
  kernelN.spread kernelN.spreadOver kernelN.spreadSteps kernelN.spreadBlock kernelN.unroll
  kernelN.steps kernelN.operandN.stage kernelN.operandN.pad kernelN.operandN.slots
  kernelN.rN.tile kernelN.rN.tile2 kernelN.rN.tile3 kernelN.turnsInside
  kernelN.operandN.vector kernelN.prefetch kernelN.inner kernelN.placeN kernelN.align
  kernelN.full
`;

test("each path of version 1 has a place in the mapping", () => {
  const rows = [...old.matchAll(/^\| (`.*?) \| `(.*?)` \|/gm)];
  const before = rows.flatMap(([, cell = ""]) => quoted(cell));
  expect([...before].sort()).toEqual(ofVersion1.trim().split(/\s+/).sort());
  const known = [...documented().keys()];
  expect(known).toEqual(expect.arrayContaining(rows.map(([, , path]) => path)));
});
