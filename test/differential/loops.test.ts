/**
 * Random definitions with loops, in all executions: written out, a dispatch for each step, all of it in one
 * kernel, and under random schedules; and layers whose rows have workgroups of their own.
 */
import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { chainCandidates } from "../../src/ir/algebraic/scan-chain.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { defined } from "../../src/support/assert.ts";
import { namedProfiles } from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";
import { drawingTimeout } from "../support/sweep.ts";
import { describeFailure, type Prepared, prepareCase, valuesOf } from "./differential.ts";
import { generateLoops } from "./generate-loops.ts";
import type { TcCase } from "./generate-tc.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Way } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

const nvidia = defined(namedProfiles["nvidia"], "profile", "nvidia");

/** How many random definitions there are; every eighth is also run with its loops written out. */
const count = 304;

const perStep: Way = { kind: "options", options: given({ "structure/loops/t/on": "host" }) };
const inOne: Way = { kind: "options", options: given({}, "together") };

/** Steps of whatever composes four at a time, the carries again; tables in wavefronts. */
function inChunks(source: string): Way {
  const names = new Set(source.match(/\ba\d+/g));
  const paths = [...names].flatMap((name) =>
    ["", "#1", "#1.carry"].map((id) => [`structure/statements/${name}${id}/scan/t0`, 4] as const),
  );
  const fronts = [...new Set(source.match(/\be\d+/g))].map(
    (name) => [`structure/statements/${name}#2/skew/t0`, true] as const,
  );
  return { kind: "options", options: given(Object.fromEntries([...paths, ...fronts])) };
}

/** The ways in which a definition is run: one of four, each as often. */
function wayOf(seed: number, source: string): Way {
  const ways: readonly Way[] = [
    seed % 8 === 0 ? { kind: "options", options: given() } : inChunks(source),
    perStep,
    inOne,
    { kind: "random", seed, share: 0.7 },
  ];
  return ways[seed % ways.length] ?? perStep;
}

function prepared(tcCase: TcCase): Prepared {
  const made = prepareCase(tcCase);
  if (made.kind !== "prepared") throw new Error(`${tcCase.source}\n${JSON.stringify(made)}`);
  return made.prepared;
}

async function failuresOf(of: Prepared, ways: readonly Way[], profiles = [runtime.profile]) {
  const executions = { profiles, runtime, tally: createTally(), plans: null };
  const failures = await runPrepared(of, executions, ways);
  return failures.map((f) => `${describeFailure(of.tcCase, f)}\n${of.tcCase.source}`);
}

test(
  "random loops mean the same in all executions, and as when they are written out",
  async () => {
    const failures: string[] = [];
    const running: Promise<readonly string[]>[] = [];
    let composed = 0;
    for (let seed = 1; seed <= count; seed++) {
      const { looped, written } = generateLoops(seed);
      const [a, b] = [prepared(looped), prepared(written)];
      for (const { name, values } of a.expected) {
        const other = valuesOf(b, name);
        const most = values.reduce((m, x, at) => Math.max(m, Math.abs(x - (other[at] ?? NaN))), 0);
        expect(most, `${name}\n${looped.source}`).toBeLessThan(1e-12);
      }
      composed += Math.min(1, chainCandidates(a.program).length);
      const profiles = seed % 3 === 0 ? [nvidia] : [runtime.profile];
      running.push(failuresOf(a, [wayOf(seed, looped.source)], profiles));
      // The device runs some of them while others are compiled.
      if (seed % 8 !== 0) continue;
      running.push(failuresOf(b, [wayOf(0, "")]));
      failures.push(...(await Promise.all(running.splice(0))).flat());
    }
    expect(failures.slice(0, 2)).toEqual([]);
    expect(composed).toBeGreaterThan(count / 5);
  },
  drawingTimeout,
);

const average = `def average(float(T, B) x) -> (y) {
  for t in T {
    if t == 0 { y(t, b) = x(t, b) } else { y(t, b) = 0.9 * y(t - 1, b) + 0.1 * x(t, b) }
  }
}`;

const minGru = `def min_gru(float(T, B, I) x, float(B, H) s, float(H, I) w, float(H, I) u) -> (s, hidden) {
  for t in T {
    z(b, h) +=! w(h, i) * x(t, b, i)
    z(b, h) = sigmoid(z(b, h))
    n(b, h) +=! u(h, i) * x(t, b, i)
    s(b, h) = s(b, h) + z(b, h) * (n(b, h) - s(b, h))
    hidden(t, b, h) = s(b, h)
  }
}`;

const recurrences = [
  ["average", average, { T: 37, B: 3 }],
  ["qrnn", readFileSync("examples/qrnn.tc", "utf8"), { T: 21, B: 2, I: 3, H: 4, K: 2 }],
  ["minGRU", minGru, { T: 22, B: 2, I: 3, H: 4 }],
] as const;

test.each(recurrences)(
  "%s is the same step by step, in chunks of any size, and in chunks of chunks",
  async (name, source, sizes) => {
    const of = prepared({ name, source, sizes, population: "reals", inputSeed: 3 });
    const [candidate] = chainCandidates(of.program);
    const path = `structure/statements/${candidate?.statement}`;
    const ways = [4, 16].map((chunk): Way => {
      const again = { [`${path}/scan/t0`]: chunk, [`${path}.carry/scan/t0`]: 4 };
      return { kind: "options", options: given(again) };
    });
    expect(await failuresOf(of, [perStep, inOne, ...ways])).toEqual([]);
    expect(await failuresOf(of, ways.slice(0, 1), [nvidia])).toEqual([]);
  },
  120_000,
);

test.each([
  ["on the host", { P: 2, M: 5, N: 19 }, { "structure/loops/i.front/on": "host" }],
  ["in a workgroup", { P: 1, M: 20, N: 23 }, {}],
] as const)(
  "wavefronts %s give what nested loops do",
  async (_name, sizes, where) => {
    const source = readFileSync("examples/edit_distance.tc", "utf8");
    const of = prepared({ name: "fronts", source, sizes, population: "reals", inputSeed: 1 });
    const skewed = given({ "structure/statements/cost#2/skew/t0": true, ...where });
    const ways: readonly Way[] = [{ kind: "options", options: skewed }];
    expect(await failuresOf(of, ways, [nvidia])).toEqual([]);
    expect(await failuresOf(of, ways)).toEqual([]);
  },
  120_000,
);

const stencils = [
  ["heat_equation", "u#1", { N: 21, S: 5 }],
  ["jacobi", "heat#1", { H: 6, W: 9, T: 4 }],
  ["floyd_warshall", "d#1", { N: 7 }],
  ["odd_even_sort", "x", { R: 3, N: 10 }],
  ["game_of_life", "cell#1", { H: 6, W: 7, T: 3 }],
] as const;

test.each(stencils)(
  "%s is the same in one buffer and a copy, and in two or three that take turns, inside of a kernel and step by step",
  async (name, id, sizes) => {
    const source = readFileSync(`examples/${name}.tc`, "utf8");
    const population = name === "game_of_life" ? "integers" : "reals";
    const of = prepared({ name, source, sizes, population, inputSeed: 4 });
    const ways = ["stage", "in place", "2 slots", "3 slots"].flatMap((own) =>
      ["host", "serial"].map((on): Way => {
        const loops = Object.fromEntries(
          ["s", "t", "k"].map((l) => [`structure/loops/${l}/on`, on]),
        );
        return {
          kind: "options",
          options: given({ ...loops, [`structure/statements/${id}/own`]: own }),
        };
      }),
    );
    expect(await failuresOf(of, ways, [nvidia])).toEqual([]);
  },
  120_000,
);

const layers = [
  ["elman", { T: 5, B: 3, Ci: 7, Co: 20 }, [], []],
  ["lstm", { T: 4, B: 3, I: 6, H: 18 }, ["z#3/turn/read0"], ["z#3/parts/p1"]],
  ["gru", { T: 4, B: 3, I: 6, H: 17 }, ["own/turn/read0"], ["own/parts/p1"]],
  [
    "stacked_lstm",
    { T: 4, B: 2, I: 5, H: 17 },
    ["cell_gate#1/turn/read0", "cell_gate_2#1/turn/read0"],
    ["cell_gate#1/parts/p1", "cell_gate_2#1/parts/p1"],
  ],
] as const;

test.each(layers)(
  "%s is the same with a workgroup for each row, its weights turned or not, its gates together or apart, and a dispatch for each step",
  async (name, sizes, weights, gates) => {
    const source = readFileSync(`examples/${name}.tc`, "utf8");
    const of = prepared({ name, source, sizes, population: "reals", inputSeed: 2 });
    const serial = {
      "structure/loops/t/on": "serial",
      "structure/loops/t.rest/on": "serial",
    } as const;
    const all = (names: readonly string[], value: boolean) =>
      Object.fromEntries(names.map((w) => [`structure/statements/${w}`, value]));
    const way = (paths: Readonly<Record<string, string | boolean>>): Way => {
      return { kind: "options", options: given(paths) };
    };
    const ways = [way(serial), perStep];
    if (gates.length > 0) {
      ways.push(way({ ...serial, ...all(weights, true), ...all(gates, false) }));
      ways.push(way({ "structure/loops/t/on": "host", ...all(gates, true) }));
    }
    expect(await failuresOf(of, ways, [nvidia])).toEqual([]);
  },
  120_000,
);

test("rows of an LSTM are the same two to an invocation, and two to a workgroup", async () => {
  const source = readFileSync("examples/lstm.tc", "utf8");
  const sizes = { T: 4, B: 3, I: 6, H: 18 };
  const of = prepared({ name: "rows", source, sizes, population: "reals", inputSeed: 2 });
  const compiled = (paths: Readonly<Record<string, string | number>>) => {
    const options = given({ "structure/loops/t/on": "serial", ...paths });
    const result = compile(source, { sizes, profile: nvidia, options });
    if (!result.ok) throw new Error("an LSTM compiles");
    return { ...result, given: options };
  };
  const kernel = compiled({}).decisions.findLast(({ path }) => path.endsWith("/team"))?.path ?? "";
  const own = kernel.slice(0, -"/team".length);
  const ways = ["points", "workgroup"].map((field): Way => {
    const rows = {
      [`${own}/team`]: 64,
      [`${own}/points`]: "unroll",
      [`${own}/axes/0/${field}`]: 2,
    };
    const { repairs, plan, given: options } = compiled(rows);
    // Three rows in two workgroups.
    expect([field, repairs, plan.kernels.at(-1)?.kernel.grid]).toEqual([field, [], [2, 1, 1]]);
    return { kind: "options", options };
  });
  expect(await failuresOf(of, ways, [nvidia])).toEqual([]);
}, 120_000);

/** A layer whose state is a temporary of one dispatch. */
const state = `def state(float(T, B, H) x, float(H, H) w) -> (y) {
  s(b, j) = 0.0 where b in 0:B, j in 0:H
  for t in T { z(b, j) +=! w(j, k) * s(b, k)  s(b, j) = tanh(z(b, j)) + x(t, b, j) }
  y(b, j) = s(b, j) where b in 0:B, j in 0:H
}`;

test.each([
  ["private", 1, 1],
  ["workgroup", 4, 1],
  ["scratch", 4, 1],
  ["lanes", 4, 4],
] as const)("a state in %s is what it is in storage", async (space, team, lanes) => {
  const sizes = { T: 3, B: 2, H: 8 };
  const one = { "structure/loops/t/on": "serial", "structure/loops/t/with": true } as const;
  const kernel = { team, lanes, "places/s": space };
  const paths = {
    ...one,
    "structure/statements/y/with": true,
    ...Object.fromEntries(Object.entries(kernel).map(([k, v]) => [`kernels/s/${k}`, v])),
  };
  const options = given(paths, "plain");
  const compiled = compile(state, { sizes, profile: runtime.profile, options });
  if (!compiled.ok) throw new Error("a state compiles");
  const { decisions, repairs, plan } = compiled;
  const value = decisions.find((d) => d.path === "kernels/s/places/s")?.value;
  expect([value, repairs, plan.kernels.length]).toEqual([space, [], 1]);
  const of = prepared({ name: "state", source: state, sizes, population: "reals", inputSeed: 5 });
  expect(await failuresOf(of, [{ kind: "options", options }])).toEqual([]);
});
