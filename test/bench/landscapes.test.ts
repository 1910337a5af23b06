/** Landscapes that are recorded in parts, on a bench without a device: points that were packed are gone on from. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packedLandscapes, packLandscapes } from "../../bench/landscapes/landscape-files.js";
import {
  type Head,
  headOf,
  landscapeOf,
  linesOfLandscape,
  otherPoints,
} from "../../bench/landscapes/landscape-lines.js";
import { type Line, recordPoints } from "../../bench/landscapes/record-points.js";
import { isUnplanned } from "../../src/api/tuning/planned-task.ts";
import { createPlanner } from "../../src/api/tuning/planner.ts";
import { mappingOf } from "../../src/ir/mapping/mapping.ts";
import { llvmpipeProfile } from "../../src/support/device-profile.ts";
import { isRefusal } from "../../src/tuner/bench.ts";
import type { Candidate, Planner } from "../../src/tuner/candidate.ts";
import type { Landscape } from "../../src/tuner/landscape.ts";
import { simulatedBench } from "../../src/tuner/replay-bench.ts";
import { device } from "../tuner/support/records.ts";

const tools = { mappingOf, isRefusal, isUnplanned };
const task = {
  source: "def f(float(N) a, float(M) b) -> (y) { y(n, m) = a(n) * b(m) }",
  sizes: { N: 48, M: 64 },
};
const head: Head = headOf({ name: "outer", task, adapter: "fake", device, generator: "g" });

const planner = ((): Planner => {
  const made = createPlanner(task, llvmpipeProfile);
  if (isUnplanned(made)) throw new Error(made.refused);
  return made;
})();

function usual(): Candidate {
  const [wish] = planner.wishes();
  const candidate = wish === undefined ? { refused: "no wish" } : planner.plan(wish);
  if (isUnplanned(candidate)) throw new Error(candidate.refused);
  return candidate;
}

/** Every text has a time of its own; one of eight is wrong. Says what was admitted. */
function fakeBench() {
  const admitted: string[] = [];
  const { bench } = simulatedBench(
    ({ id }) => {
      admitted.push(id);
      const number = Number.parseInt(id.slice(0, 6), 16);
      if (number % 8 === 0) return { kind: "wrong", gate: "integers", why: "element 0" };
      return { us: 50 + (number % 100), firstMs: 1 };
    },
    { seed: 1, noise: 0, disturbed: 0 },
  );
  return { bench, admitted };
}

/** All lines once there are so many points; and what was admitted for that, beside the default. */
async function recorded(begun: readonly Line[], most: number) {
  const lines = [...begun];
  const { bench, admitted } = fakeBench();
  const byDefault = usual();
  await bench.admit(byDefault, { timeoutMs: 1_000 });
  const write = (line: Line) => void lines.push(JSON.parse(JSON.stringify(line)));
  const isOver = () => false;
  const found = { planner, bench, byDefault, lines: begun, write, most, isOver, tools };
  expect(await recordPoints(found)).toEqual({ points: most, lost: false });
  return { lines, admitted: admitted.slice(1) };
}

/** The points of lines, without the milliseconds of this machine, and which wish one was but for the default. */
function pointsOf(lines: readonly Line[]): readonly Line[] {
  return lines.flatMap(
    ({ trying, firstMs: _, why: __, kernels = {}, ...point }): readonly Line[] => {
      if (point["id"] === undefined || trying !== undefined) return [];
      return [{ ...point, kernels, from: point["from"].replace(/^wish [1-9]\d*$/, "wish") }];
    },
  );
}

/** As a file keeps it. */
function packed(lines: readonly Line[]): Landscape {
  const folder = mkdtempSync(join(tmpdir(), "landscapes-"));
  try {
    packLandscapes(join(folder, "all.json.gz"), [landscapeOf(lines)]);
    const [found] = packedLandscapes(join(folder, "all.json.gz"));
    if (found === undefined) throw new Error("nothing was packed");
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function unpacked(landscape: Landscape, wanted = head): readonly Line[] {
  const lines = linesOfLandscape(landscape, wanted, planner, tools);
  if (typeof lines === "string") throw new Error(lines);
  return lines;
}

describe("a packed landscape", () => {
  it("is what was recorded, and goes on as the lines would", async () => {
    const first = await recorded([head], 21);
    const landscape = packed(first.lines);
    expect(landscape).toMatchObject({ name: "outer", generator: "g", device });
    const begun = unpacked(landscape);
    expect(pointsOf(begun)).toEqual(pointsOf(first.lines));
    expect(pointsOf(begun).some(({ us }) => us === null)).toBe(true);

    const byLines = await recorded(first.lines, 34);
    const byPack = await recorded(begun, 34);
    const more = pointsOf(byPack.lines).slice(21);
    expect(more).toHaveLength(13);
    expect(pointsOf(byPack.lines)).toEqual(pointsOf(byLines.lines));
    // Nothing is measured again, and each new point once.
    expect(byPack.admitted).toEqual(more.map(({ id }) => id));
    const known = new Set(pointsOf(first.lines).map(({ id }) => id));
    expect(byPack.admitted.filter((id) => known.has(id))).toEqual([]);

    // What is packed again has the points that were there before, first.
    const both = packed(byPack.lines);
    const kept = both.points.slice(0, 21);
    expect(kept.map(({ us }) => us)).toEqual(landscape.points.map(({ us }) => us));
    expect(
      unpacked(both)
        .slice(-34)
        .map(({ id }) => id),
    ).toEqual(pointsOf(byPack.lines).map(({ id }) => id));
    expect(both.default).toBe(landscape.default);
    expect(both.wishes).toEqual(landscape.wishes);
  });

  it("of another generator, device, adapter or size is refused, and so is one that does not say", async () => {
    const landscape = packed((await recorded([head], 6)).lines);
    const refused = (other: Partial<Landscape>, wanted: Partial<Head> = {}) =>
      linesOfLandscape({ ...landscape, ...other }, { ...head, ...wanted }, planner, tools);
    expect(refused({}, { generator: "h" })).toBe("its points are of generator g, this one is h");
    expect(refused({ adapter: "another" })).toBe("its points are of another, not of fake");
    expect(refused({ device: { ...device, driver: "24.1" } })).toContain("another driver: 24.1");
    expect(refused({ task: { ...task, sizes: { N: 1, M: 1 } } })).toContain("of other sizes");
    const { generator: _, ...unsaid } = landscape;
    expect(linesOfLandscape(unsaid, head, planner, tools)).toContain(
      "does not say which generator",
    );
    expect(otherPoints(head, head)).toBe(null);
  });

  it("with a point that is planned otherwise by now is refused", async () => {
    const landscape = packed((await recorded([head], 6)).lines);
    const [first, second, ...rest] = landscape.points;
    if (first === undefined || second === undefined) throw new Error("too few points");
    const longer = { ...second, statements: second.statements + 1 };
    expect(
      linesOfLandscape({ ...landscape, points: [first, longer, ...rest] }, head, planner, tools),
    ).toBe("its point 1 is planned otherwise by now");
    const at = second.at.map((n, k) => (landscape.paths[k]?.endsWith("/workgroup") ? -1 : n));
    const open = { ...second, at };
    expect(
      linesOfLandscape({ ...landscape, points: [first, open, ...rest] }, head, planner, tools),
    ).toBe("its point 1 is planned otherwise by now");
  });
});

it("a candidate that ended its process is a point that does not run", async () => {
  const { lines } = await recorded([head], 8);
  const last = lines.at(-1);
  const torn = lines.slice(0, -1);
  expect(torn.at(-1)).toMatchObject({ trying: true, id: last?.["id"] });
  const again = await recorded(torn, 9);
  const [lost] = again.lines.slice(torn.length);
  expect(lost).toMatchObject({ id: last?.["id"], us: null, why: "it ended its process" });
  expect(again.admitted).not.toContain(last?.["id"]);
});
