/**
 * Mapping as they are stored: what a compilation says of itself, written as JSON and read again,
 * gives the same compilation.
 */

import { describe, expect, it } from "vitest";
import { printStage } from "../../src/api/print-stage.ts";
import { printPlan } from "../../src/codegen/print-plan.ts";
import { type Compiled, type CompileRequest, compile } from "../../src/compile.ts";
import { namedProfiles } from "../../src/support/device-profile.ts";
import type { Choice, Mapping } from "../../src/support/mapping-file.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import { generateTc } from "../differential/generate-tc.ts";
import { given } from "../support/given.ts";

const profiles = Object.keys(namedProfiles);

/** What a file of options would bring back. */
function reread(options: unknown): Mapping {
  return JSON.parse(JSON.stringify(options));
}

function compiled(source: string, request: CompileRequest, seed: number): Compiled {
  const result = compile(source, request);
  if (result.ok) return result;
  throw new Error(`seed ${seed}: ${result.diagnostics.map((d) => d.message)}\n${source}`);
}

/** The compilation in full: kernels, buffers, steps, answers. */
function textOf({ plan, options, mapped, decisions }: Compiled): string {
  return JSON.stringify([printPlan(plan), plan, options, mapped, decisions]);
}

/** Random programs that compile, each for a profile. */
function* drawnPrograms(
  from: number,
  to: number,
): Generator<{ source: string; request: CompileRequest; seed: number }> {
  for (let seed = from; seed < to; seed++) {
    const { source, sizes } = generateTc(seed);
    const request = { sizes, profile: seededRandom(seed).pick(profiles) };
    if (compile(source, request).ok) yield { source, request, seed };
  }
}

type Decision = Compiled["decisions"][number];

/** An answer that is on offer, or sometimes one that is not. */
function drawChoice(random: Random, { values }: Decision): Choice {
  return random.chance(0.9) ? random.pick(values) : random.pick([7, "no such answer", true]);
}

/** Answers to some of the decisions, and to one that nobody asks. */
function drawOptions(random: Random, decisions: readonly Decision[]): Mapping {
  const share = random.next();
  const chosen = decisions.filter(() => random.chance(share));
  const answers = chosen.map((d) => [d.path, drawChoice(random, d)] as const);
  const others = random.chance(0.2) ? [["kernels/nobody/team", 4] as const] : [];
  return given(Object.fromEntries([...answers, ...others]));
}

describe("options", () => {
  it("that a compilation reports give the same compilation when they are read from JSON", () => {
    let changed = 0;
    let repaired = 0;
    // Beside the first ones: seeds in which combinations are repaired, or kernels are asked twice.
    const seeds = [...Array(24).keys(), 246, 505];
    for (const seed of seeds) {
      const random = seededRandom(seed);
      const { source, sizes } = generateTc(seed);
      const request = { sizes, profile: random.pick(profiles) };
      const first = compile(source, request);
      if (!first.ok) continue;
      const options = drawOptions(random, first.decisions);
      const drawn = compile(source, { ...request, options });
      if (!drawn.ok) continue;
      const again = compiled(source, { ...request, options: reread(drawn.options) }, seed);
      const text = `seed ${seed}, options ${JSON.stringify(options)}\n${source}`;
      expect(textOf(again), text).toBe(textOf(drawn));
      expect([again.repairs, again.unusedChoices], text).toEqual([[], []]);
      expect(reread(drawn.options), text).toEqual(drawn.options);
      if (printPlan(drawn.plan) !== printPlan(first.plan)) changed++;
      if (drawn.repairs.length > 0) repaired++;
    }
    expect(changed).toBeGreaterThan(8);
    expect(repaired).toBeGreaterThan(2);
  });

  it("that say every answer give the same plan, whatever the heuristic says", () => {
    for (let seed = 100; seed < 112; seed++) {
      const { source, sizes } = generateTc(seed);
      let stored = "";
      const onStage: CompileRequest["onStage"] = (result) => {
        if (result.stage === "options") stored = printStage(result);
      };
      const options = seed % 2 === 0 ? "default" : "naive";
      const plain = compile(source, { sizes, options, onStage });
      if (!plain.ok) continue;
      const pinned = compiled(source, { sizes, options: JSON.parse(stored) }, seed);
      expect(printPlan(pinned.plan), `seed ${seed}\n${source}`).toBe(printPlan(plain.plan));
      expect([pinned.repairs, pinned.unusedChoices]).toEqual([[], []]);
      const own = compiled(source, { sizes, options: reread(plain.options) }, seed);
      expect(printPlan(own.plan), `seed ${seed}\n${source}`).toBe(printPlan(plain.plan));
    }
  });

  it("of a policy are choices like others", () => {
    let different = 0;
    for (const { source, request, seed } of drawnPrograms(200, 212)) {
      const plain = compiled(source, request, seed);
      for (const policy of ["apart", "together"] as const) {
        const asked = compiled(source, { ...request, options: policy }, seed);
        expect([asked.repairs, asked.unusedChoices]).toEqual([[], []]);
        // Read again, the choices do not need the policy.
        const again = compiled(source, { ...request, options: reread(asked.options) }, seed);
        expect(textOf(again), `seed ${seed}\n${source}`).toBe(textOf(asked));
        if (printPlan(asked.plan) !== printPlan(plain.plan)) different++;
      }
    }
    expect(different).toBeGreaterThan(5);
  });

  it("of a mapping come before those of its policy", () => {
    let overruled = 0;
    for (const { source, request, seed } of drawnPrograms(220, 228)) {
      const plain = compiled(source, request, seed);
      const options = { ...plain.options, policy: "apart" } as const;
      const chosen = compiled(source, { ...request, options }, seed);
      expect(printPlan(chosen.plan), `seed ${seed}\n${source}`).toBe(printPlan(plain.plan));
      const apart = compiled(source, { ...request, options: "apart" }, seed);
      if (printPlan(apart.plan) !== printPlan(plain.plan)) overruled++;
    }
    expect(overruled).toBeGreaterThan(2);
  });

  it("of another version, of no policy, or of no values are refused with what to do", () => {
    const { source, sizes } = generateTc(1);
    const faults: readonly (readonly [unknown, RegExp])[] = [
      [{ version: 1, choices: {} }, /make a new one with `--emit options`/],
      [{ version: 3 }, /this version reads 2/],
      [{ kernels: {} }, /no `version`/],
      [{ version: 2, policy: "some" }, /`policy` is one of default, naive/],
      [{ version: 2, generator: 6 }, /`generator` is .*, no text/],
      [{ version: 2, kernels: [] }, /`kernels` is/],
      [{ version: 2, kernels: { C: { team: null } } }, /`kernels\/C\/team` is null/],
      [{ version: 2, choices: {} }, /no `choices` in one/],
      ["other", /default, naive, apart/],
      [null, /options are/],
    ];
    for (const [options, message] of faults) {
      expect(() => compile(source, { sizes, options: reread(options) })).toThrow(message);
    }
  });
});
