/**
 * Ranges and bounds of the front end against plain enumeration: of statements that are drawn to be
 * right or wrong, and of whole random programs.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Analysis, analyse } from "../../src/frontend/analyse.ts";
import type { CheckedDefinition } from "../../src/frontend/checked.ts";
import { generateTc } from "../differential/generate-tc.ts";
import { eachInstance, evaluate, holds, readsOf } from "./ranges/checked-points.ts";
import { rule } from "./ranges/rounds.ts";
import {
  arbitraryModel,
  argumentValue,
  linearValue,
  type Model,
  names,
  type Point,
  print,
} from "./ranges/statement.ts";

/** The points of the only statement, as the front end has them. */
function pointsOf({ checked }: Analysis): readonly Point[] {
  if (checked === undefined) throw new Error("not accepted");
  return [...eachInstance(checked)].map(({ statement, values }) => {
    const sources = new Map(statement.dims.map((d) => [d.source, d.name]));
    return [...names.map((i) => values.get(sources.get(i) ?? "") ?? 0), values.get("t") ?? 0];
  });
}

function inOrder(points: readonly Point[]): readonly string[] {
  return points.map((p) => p.join(" ")).sort();
}

/** What leaves its tensor: reads by access and dimension, each with its bad values, and writes. */
interface Outside {
  readonly reads: readonly {
    readonly access: number;
    readonly dimension: number;
    readonly values: readonly number[];
  }[];
  readonly writes: readonly number[];
}

function outside({ accesses, target }: Model, points: readonly Point[]): Outside {
  const reads = accesses.flatMap(({ shape, arguments: all, guard, padded }, access) => {
    if (padded) return [];
    const seen = points.filter((p) => guard.every((g) => linearValue(g, p) >= 0));
    return all.flatMap((argument, dimension) => {
      const values = seen.map((p) => argumentValue(argument, p));
      const wrong = values.filter((v) => v < 0 || v >= (shape[dimension] ?? 0));
      return wrong.length === 0 ? [] : [{ access, dimension, values: wrong }];
    });
  });
  const writes = (target ?? []).flatMap((size, d) =>
    points.some((p) => (p[d] ?? 0) < 0 || (p[d] ?? 0) >= size) ? [d] : [],
  );
  return { reads, writes };
}

/** Codes that stand for a verdict on ranges and bounds. */
const verdicts = new Set([
  "TC3001",
  "TC3002",
  "TC3003",
  "TC3004",
  "TC3005",
  "TC3006",
  "TC3007",
  "TC3011",
]);

type Tally = Record<"open" | "empty" | "disagreement" | "accepted" | "refused", number>;

function check(model: Model, tally: Tally): void {
  const { source, places } = print(model);
  const analysis = analyse(source);
  const codes = analysis.diagnostics.map((d) => d.code).filter((code) => verdicts.has(code));
  const ruling = rule(model);
  if (ruling.kind === "open") {
    tally.open++;
    expect(codes).toContain("TC3001");
    return;
  }
  if (ruling.kind === "disagreement") {
    tally.disagreement++;
    expect(codes).toContain("TC3002");
    return;
  }
  if (ruling.kind === "empty") {
    tally.empty++;
    return;
  }
  const { reads, writes } = outside(model, ruling.points);
  const refusals = analysis.diagnostics.filter((d) => d.code === "TC3003");
  const found = reads.map(({ access, dimension }) => places[access]?.[dimension] ?? -1);
  expect(refusals.map((d) => d.span.start)).toEqual(found);
  for (const [n, { values }] of reads.entries()) {
    const named = values.some((v) => refusals[n]?.message.includes(` ${v}`));
    expect(named, `${refusals[n]?.message} of ${values}`).toBe(true);
  }
  expect(codes.some((code) => code === "TC3004" || code === "TC3005")).toBe(writes.length > 0);
  if (reads.length + writes.length > 0) {
    tally.refused++;
    return;
  }
  tally.accepted++;
  expect(codes).toEqual([]);
  expect(inOrder(pointsOf(analysis))).toEqual(inOrder(ruling.points));
  if (model.target !== null) return;
  const reach = names
    .slice(0, model.count)
    .map((_, n) => Math.max(...ruling.points.map((p) => (p[n] ?? 0) + 61)));
  expect(analysis.checked?.tensors.find((t) => t.name === "o")?.shape).toEqual(reach);
}

describe("the ranges of random statements", () => {
  it("are the largest intervals by the rules, and what is refused goes out", () => {
    const tally: Tally = { open: 0, empty: 0, disagreement: 0, accepted: 0, refused: 0 };
    fc.assert(
      fc.property(
        arbitraryModel.map((model) => ({ model, toString: () => print(model).source })),
        ({ model }) => check(model, tally),
      ),
      { seed: 21, numRuns: 1000 },
    );
    expect(tally.accepted).toBeGreaterThan(150);
    expect(tally.refused).toBeGreaterThan(200);
    expect(tally.open).toBeGreaterThan(50);
    expect(tally.disagreement).toBeGreaterThan(20);
  });
});

/** An index of an access of a statement at one of its points. */
interface Place {
  readonly tensor: string;
  readonly value: number;
  readonly size: number;
}

/** Every affine index of every access that takes place, at every point. */
function* eachPlace(checked: CheckedDefinition): Generator<Place> {
  const shapes = new Map(checked.tensors.map((t) => [t.name, t.shape]));
  for (const { statement, values } of eachInstance(checked)) {
    const written = { tensor: statement.target, index: statement.left, guard: [] };
    for (const { tensor, index, guard } of [written, ...readsOf(statement)]) {
      if (!guard.every((g) => holds(g, values))) continue;
      for (const [d, own] of index.entries()) {
        const size = shapes.get(tensor)?.[d] ?? 0;
        if (own.kind === "affine") yield { tensor, value: evaluate(own.affine, values), size };
      }
    }
  }
}

describe("random programs", () => {
  it("access elements that are there, at every point", () => {
    let places = 0;
    for (let seed = 0; seed < 100; seed++) {
      const { source, sizes } = generateTc(seed);
      const { checked } = analyse(source, { sizes });
      for (const { tensor, value, size } of checked === undefined ? [] : eachPlace(checked)) {
        places++;
        if (value >= 0 && value < size) continue;
        expect.fail(`seed ${seed}: \`${tensor}\` at ${value} of ${size}\n${source}`);
      }
    }
    expect(places).toBeGreaterThan(80_000);
  });
});
