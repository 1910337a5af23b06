/** What defaults make of recurrences and scans on GPUs, by facts and the frozen model, for every family. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cases } from "../../bench/cases/cases.js";
import { estimate } from "../../src/codegen/facts/estimate.ts";
import { facts } from "../../src/codegen/facts/facts.ts";
import { executedKernels, generate } from "../../src/codegen/generate.ts";
import { type CompileRequest, lowerSource } from "../../src/compile.ts";
import { boundingBox } from "../../src/ir/domain.ts";
import { mapProgram } from "../../src/ir/mapping/map-program.ts";
import { parallelDims, type Statement } from "../../src/ir/program.ts";
import { eachLeaf, teamSize } from "../../src/ir/schedule.ts";
import { defined } from "../../src/support/assert.ts";
import { deviceFamilies, type FamilyName } from "../../src/support/device-families.ts";
import { namedProfiles } from "../../src/support/device-profile.ts";

const families = Object.keys(deviceFamilies) as readonly FamilyName[];

type Mapped = ReturnType<typeof mapProgram>["mapped"];

/** A program by the defaults of a family. */
function mappedFor(family: FamilyName, source: string, request: CompileRequest): Mapped {
  const profile = defined(namedProfiles[family], "profile", family);
  const lowered = lowerSource(source, request);
  if (!lowered.ok) throw new Error(lowered.diagnostics.map((d) => d.message).join());
  return mapProgram(lowered.program, profile, { version: 2, policy: "default" }).mapped;
}

/** What it asks of a device of the family, and how long it takes there by the model. */
function timed(family: FamilyName, { program, schedule }: Mapped) {
  const profile = defined(namedProfiles[family], "profile", family);
  const kernels = facts(generate(program, schedule, profile), profile);
  const seconds = kernels.reduce((sum, k) => sum + estimate(k, deviceFamilies[family]).seconds, 0);
  return { kernels, seconds };
}

/**
 * Microseconds by the model of what the compiler made of examples/lstm.tc at these sizes before loops were distributed
 * (commit 8e0a89d, profile gpu): 257 dispatches with the input's product inside, weights 1 kB apart for neighbours.
 */
const before: Readonly<Record<FamilyName, number>> = {
  nvidia: 13439,
  apple: 50364,
  "amd-rdna": 9319,
  "intel-xe": 88097,
  adreno: 99108,
  mali: 123131,
  gpu: 32379,
};

/** The recurrent cases; layers of several gates are mapped as the LSTM above is. */
const recurrent = cases.filter(
  ({ group, name }) => group === "recurrent" && !/lstm|gru/.test(name),
);

/** How many instances of a statement are beside each other in an iteration of its loops. */
function beside(s: Statement): number {
  const box = boundingBox(s.domain);
  const dims = parallelDims(s).filter((d) => !s.loops.includes(d));
  return dims.reduce((product, d) => {
    const { lo, hi } = box.get(d) ?? { lo: 0, hi: 0 };
    return product * (hi - lo + 1);
  }, 1);
}

/** The statements that run in one invocation though there are others beside them, in kernels with loops of the program. */
function lonely({ program, schedule }: Mapped): readonly string[] {
  return executedKernels(schedule.root).flatMap(({ kernel }) => {
    const grids = kernel.loops.filter((l) => l.on === "grid");
    const workgroups = grids.reduce((product, l) => product * l.extent, 1);
    if (workgroups * teamSize(kernel) > 1) return [];
    const ids = new Set(eachLeaf(kernel).map(({ leaf }) => leaf.statement));
    const own = program.statements.filter((s) => ids.has(s.id));
    const isScan = own.some((s) => s.loops.length > 0);
    return isScan ? own.filter((s) => beside(s) > 1).map((s) => s.id) : [];
  });
}

it.each(families)(
  "an LSTM of T=128 B=32 C=256 takes less than a fifth of what it took on %s",
  (family) => {
    const source = readFileSync("examples/lstm.tc", "utf8");
    const sizes = { T: 128, B: 32, I: 256, H: 256 };
    const mapped = mappedFor(family, source, { sizes });
    expect(lonely(mapped)).toEqual([]);
    const { seconds } = timed(family, mapped);
    expect(before[family] / (seconds * 1e6)).toBeGreaterThan(5);
  },
);

describe.each(families)("on %s", (family) => {
  const copy = "def copy(float(N) x) -> (y) { y(i) = x(i) }";
  const least = timed(family, mappedFor(family, copy, { sizes: { N: 2 ** 20 } })).seconds;

  it("scans of 2^20 do linear work at 40 % of a copy and more, and nothing beside others runs alone", () => {
    for (const { name, source, inputs } of recurrent) {
      const mapped = mappedFor(family, source, { shapes: inputs });
      expect([name, lonely(mapped)]).toEqual([name, []]);
      if (!/cumulative|running/.test(name)) continue;
      const { seconds, kernels } = timed(family, mapped);
      expect(least / seconds, name).toBeGreaterThan(0.4);
      // Each element is loaded and combined twice; carries and trees take as much again at most.
      const operations = kernels.reduce((sum, k) => sum + k.mostOperations.float, 0);
      expect(operations, name).toBeLessThan(8 * 2 ** 20);
    }
  });
});
