/** A space that is made up: two statements in one kernel or two, with knobs of each, and a formula for the times. */
import { mappingOf, pathsOf } from "../../src/ir/mapping/mapping.ts";
import type { Choice, Mapping } from "../../src/support/mapping-file.ts";
import { seededRandom } from "../../src/support/random.ts";
import { textHash } from "../../src/support/text-hash.ts";
import type { Candidate, CandidateKnob, Planner } from "../../src/tuner/candidate.ts";
import { kernelNamed } from "./support/kernel-named.ts";

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

/** The best time that there is, but for 5 %. */
export const bestSyntheticUs = 200;

const names = ["one", "two", "both"] as const;

/** Where each kernel is the fastest, and by what it is slower a step away. */
interface Shape {
  readonly best: ReadonlyMap<string, Choice>;
  readonly steepness: number;
  /** Of the kernel that is both. */
  readonly togetherUs: number;
}

/** A shape that is drawn: the best of both kernels apart takes 200 microseconds, of both together 1.2 to 1.6 times that. */
function shapeOf(seed: number): Shape {
  const random = seededRandom(seed);
  const best = names.flatMap((name) =>
    Object.entries(knobs).map(
      ([path, values]) => [`${name}/${path}`, random.pick(values)] as const,
    ),
  );
  return {
    best: new Map(best),
    steepness: 0.2 + 0.3 * random.next(),
    togetherUs: bestSyntheticUs * (1.2 + 0.4 * random.next()),
  };
}

/** Microseconds of a kernel: more by each step that a knob is off. */
function kernelUs(shape: Shape, name: string, choices: ReadonlyMap<string, Choice>): number {
  const { best, steepness, togetherUs } = shape;
  let us = name === "both" ? togetherUs : bestSyntheticUs / 2;
  for (const path of Object.keys(knobs)) {
    const [value, wanted] = [choices.get(path), best.get(`${name}/${path}`)];
    if (typeof value === "number" && typeof wanted === "number" && !path.endsWith("pad")) {
      us *= 1 + steepness * Math.abs(Math.log2(value / wanted));
    }
  }
  const stage = choices.get("operands/A/stage");
  if (stage !== best.get(`${name}/operands/A/stage`)) us *= 1.4;
  return stage === "workgroup" && choices.get("operands/A/pad") === 0 ? us * 1.05 : us;
}

/** Ways of what is shared, of invocations and of points, each two of them once. */
const designs: readonly (readonly [stage: string, workgroup: number, points: number])[] = [
  ["no", 2, 1],
  ["workgroup", 8, 8],
  ["no", 32, 2],
  ["workgroup", 32, 1],
  ["no", 8, 2],
  ["workgroup", 2, 2],
  ["no", 32, 8],
  ["workgroup", 8, 1],
  ["no", 2, 8],
];

function designsOf({ structure = {} }: Mapping): readonly Mapping[] {
  return designs.map(([stage, workgroup, points]) => {
    const own = names.flatMap((name) =>
      [0, 1].flatMap((axis): (readonly [string, Choice])[] => [
        [`kernels/${name}/axes/${axis}/workgroup`, workgroup],
        [`kernels/${name}/axes/${axis}/points`, points],
        [`kernels/${name}/operands/A/stage`, stage],
      ]),
    );
    return mappingOf([...pathsOf({ structure }), ...own], "plain");
  });
}

export interface Synthetic {
  readonly planner: Planner;
  /** Microseconds by kernel of a candidate that was planned. */
  kernels(id: string): Readonly<Record<string, number>>;
  us(id: string): number;
}

/** The planner of a space that is drawn from a seed, which begins fused, and the times of its candidates. */
export function syntheticSpace(seed: number): Synthetic {
  const shape = shapeOf(seed);
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
      return { name, us: kernelUs(shape, name, choices), text: JSON.stringify([name, ...choices]) };
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
      kernels: kernels.map(({ name, text }) => kernelNamed(name, text)),
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
      designs: designsOf,
      alternatives: [],
    },
    kernels: kernelsOf,
    us: (id) => Object.values(kernelsOf(id)).reduce((sum, us) => sum + us, 0),
  };
}
