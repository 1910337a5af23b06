/**
 * Random definitions with loops, in all executions: written out, a dispatch for each step, all of it in one
 * kernel, and under random schedules; and layers whose rows have workgroups of their own.
 */
import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { defined } from "../../src/support/assert.ts";
import { namedProfiles } from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";
import { drawingTimeout, drawn } from "../support/sweep.ts";
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
const count = drawn(104, 304);

const perStep: Way = { kind: "options", options: given({ "structure/loops/t/on": "host" }) };
const inOne: Way = { kind: "options", options: given({}, "together") };

/** The ways in which a definition is run: one of four, each as often. */
function wayOf(seed: number): Way {
  const ways: readonly Way[] = [
    { kind: "options", options: given() },
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
    for (let seed = 1; seed <= count; seed++) {
      const { looped, written } = generateLoops(seed);
      const [a, b] = [prepared(looped), prepared(written)];
      for (const { name, values } of a.expected) {
        const other = valuesOf(b, name);
        const most = values.reduce((m, x, at) => Math.max(m, Math.abs(x - (other[at] ?? NaN))), 0);
        expect(most, `${name}\n${looped.source}`).toBeLessThan(1e-12);
      }
      const profiles = seed % 3 === 0 ? [nvidia] : [runtime.profile];
      failures.push(...(await failuresOf(a, [wayOf(seed)], profiles)));
      if (seed % 8 === 0) failures.push(...(await failuresOf(b, [wayOf(0)])));
    }
    expect(failures.slice(0, 2)).toEqual([]);
  },
  drawingTimeout,
);

const layers = [
  ["elman", { T: 5, B: 3, Ci: 7, Co: 20 }],
  ["lstm", { T: 4, B: 3, I: 6, H: 18 }],
  ["gru", { T: 4, B: 3, I: 6, H: 17 }],
  ["stacked_lstm", { T: 4, B: 2, I: 5, H: 17 }],
] as const;

test.each(layers)(
  "%s is the same with a workgroup for each row and a dispatch for each step",
  async (name, sizes) => {
    const source = readFileSync(`examples/${name}.tc`, "utf8");
    const of = prepared({ name, source, sizes, population: "reals", inputSeed: 2 });
    const serial = {
      "structure/loops/t/on": "serial",
      "structure/loops/t.rest/on": "serial",
    } as const;
    const rows: Way = { kind: "options", options: given(serial) };
    expect(await failuresOf(of, [rows, perStep], [nvidia])).toEqual([]);
  },
  120_000,
);
