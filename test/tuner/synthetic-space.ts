/** A space that is made up: two statements in one kernel or two, with knobs of each, and a formula for the times. */
import { mappingOf, pathsOf } from "../../src/ir/mapping/mapping.ts";
import type { Choice } from "../../src/support/mapping-file.ts";
import { textHash } from "../../src/support/text-hash.ts";
import type { Candidate, CandidateKnob, Planner } from "../../src/tuner/candidate.ts";

const workgroups = [1, 2, 4, 8, 16, 32, 64];
const points = [1, 2, 4, 8];

/** The knobs of a kernel, with their values; the default has the first of each. */
const knobs: Readonly<Record<string, readonly Choice[]>> = {
  "axes/0/workgroup": workgroups,
  "axes/1/workgroup": workgroups,
  "axes/0/points": points,
  "axes/1/points": points,
  "operands/A/stage": ["no", "workgroup"],
  "operands/A/pad": [0, 1],
};

/** Where a kernel is the fastest: `at` tells kernels apart. */
function bestValue(path: string, at: number): number {
  if (path.endsWith("workgroup")) return workgroups[path.includes("/0/") ? 3 + at : 5 - at] ?? 1;
  return points[path.includes("/0/") ? 2 : 1 + at] ?? 1;
}

const names = ["one", "two", "both"];

/** Microseconds of a kernel: 100 at best, more by each step that a knob is off. */
function kernelUs(name: string, choices: ReadonlyMap<string, Choice>): number {
  const at = names.indexOf(name);
  let us = name === "both" ? 260 : 100;
  for (const path of Object.keys(knobs)) {
    const value = choices.get(path);
    if (typeof value === "number" && !path.endsWith("pad")) {
      us *= 1 + 0.3 * Math.abs(Math.log2(value / bestValue(path, at)));
    }
  }
  const isStaged = choices.get("operands/A/stage") === "workgroup";
  if (isStaged === (at === 0)) us *= 1.4;
  return isStaged && choices.get("operands/A/pad") === 0 ? us * 1.05 : us;
}

/** The best time that there is. */
export const bestSyntheticUs = 200;

export interface Synthetic {
  readonly planner: Planner;
  /** Microseconds by kernel of a candidate that was planned. */
  kernels(id: string): Readonly<Record<string, number>>;
  us(id: string): number;
}

/** The planner of the space, which begins fused, and the times of its candidates. */
export function syntheticSpace(): Synthetic {
  const times = new Map<string, Readonly<Record<string, number>>>();
  const fused = "structure/statements/two/with";
  const plan = (asked: ReadonlyMap<string, Choice>): Candidate => {
    const together = asked.get(fused) ?? true;
    const decisions: CandidateKnob[] = [{ path: fused, values: [false, true], value: together }];
    const own = together === true ? ["both"] : ["one", "two"];
    const kernels = own.map((name) => {
      const choices = new Map(
        Object.entries(knobs).map(([path, values]): [string, Choice] => {
          const wanted = asked.get(`kernels/${name}/${path}`);
          return [path, values.find((v) => v === wanted) ?? values[0] ?? 0];
        }),
      );
      for (const [path, value] of choices) {
        decisions.push({ path: `kernels/${name}/${path}`, values: knobs[path] ?? [], value });
      }
      return { name, us: kernelUs(name, choices), text: JSON.stringify([name, ...choices]) };
    });
    const id = textHash(JSON.stringify(kernels));
    times.set(id, Object.fromEntries(kernels.map(({ name, us }) => [name, us])));
    return {
      id,
      alternative: null,
      mapping: mappingOf(
        decisions.map((d) => [d.path, d.value]),
        "plain",
      ),
      knobs: decisions,
      kernels: kernels.map(({ name, text }) => ({
        name,
        key: name,
        extents: [],
        types: [],
        alignment: 16,
        planKernels: [name],
        names: { statements: {}, tensors: {} },
        text,
        estimateUs: null,
        vetoes: [],
      })),
      structure: String(together),
      repairs: 0,
      statements: 10,
      workspace: 0,
    };
  };
  const kernelsOf = (id: string): Readonly<Record<string, number>> => times.get(id) ?? {};
  return {
    planner: {
      content: { key: "synthetic", extents: [], types: [], alignment: 16 },
      canonical: (mapping) => mapping,
      plan: (mapping) => plan(pathsOf(mapping)),
      wishes: () => [{ version: 2, policy: "default" }],
      alternatives: [],
    },
    kernels: kernelsOf,
    us: (id) => Object.values(kernelsOf(id)).reduce((sum, us) => sum + us, 0),
  };
}
