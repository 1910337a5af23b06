/**
 * A recorded landscape: mappings of one definition at one set of sizes, with the times that a device took for them.
 *
 * ```
 * landscape := { name, task, adapter, device?, generator?, default: N, wishes, paths: [path ...], values: [[value ...] ...], points: [point ...] }
 * point     := { at: [index of the value of each path, or -1 ...], us, kernels: { name: us }, statements, estimateUs, gate? }
 * ```
 * A run is replayed on it: the planner gives for any mapping the recorded one that is nearest, the bench its time.
 */
import { mappingOf, pathsOf } from "../ir/mapping/mapping.ts";
import type { Choice, Mapping } from "../support/mapping-file.ts";
import type { Candidate, CandidateKnob, Content, Planner, TuningTask } from "./candidate.ts";
import type { StoredDevice } from "./store.ts";

/** One recorded mapping. */
export interface LandscapePoint {
  /** For each path which of its values it has; -1 where it has no such knob. */
  readonly at: readonly number[];
  /** Median microseconds of one execution; null for one that does not run, or computes something else. */
  readonly us: number | null;
  /** Microseconds of each kernel, by its name; empty where they were not told apart. */
  readonly kernels: Readonly<Record<string, number>>;
  /** Milliseconds until the end of its first execution. */
  readonly firstMs: number;
  readonly statements: number;
  readonly estimateUs: number | null;
}

/** What was recorded of one definition on one device. */
export interface Landscape {
  readonly name: string;
  readonly task: TuningTask;
  readonly adapter: string;
  /** Left out in those that were recorded before it was kept, as is the generator: nothing can be added to these. */
  readonly device?: StoredDevice;
  /** The version of what made the kernels. */
  readonly generator?: string;
  /** Which point is the default. */
  readonly default: number;
  /** Points that the policy wishes, the best first. */
  readonly wishes: readonly number[];
  readonly paths: readonly string[];
  /** Values of each path, in the order of the space. */
  readonly values: readonly (readonly Choice[])[];
  readonly points: readonly LandscapePoint[];
}

/** How far the values of a knob are from each other: of numbers by their ratio, else 1 for any two. */
function valueDistance(a: Choice | undefined, b: Choice | undefined): number {
  if (a === b) return 0;
  if (typeof a === "number" && typeof b === "number") return Math.abs(Math.log2((a + 1) / (b + 1)));
  return 1;
}

/** The choices of a point, by path. */
function choicesOf({ paths, values }: Landscape, { at }: LandscapePoint): Map<string, Choice> {
  return new Map(
    paths.flatMap((path, n): readonly (readonly [string, Choice])[] => {
      const value = values[n]?.[at[n] ?? -1];
      return value === undefined ? [] : [[path, value]];
    }),
  );
}

/** What was recorded is known by its names alone. */
function contentOf({ task }: Landscape, key: string): Content {
  return { key, extents: Object.values(task.sizes), types: ["float32"], alignment: 16 };
}

/** A recorded point as a candidate. Its kernels are those that its paths name. */
function candidateOf(landscape: Landscape, index: number, point: LandscapePoint): Candidate {
  const choices = choicesOf(landscape, point);
  const knobs = landscape.paths.flatMap((path, n): readonly CandidateKnob[] => {
    const value = choices.get(path);
    return value === undefined ? [] : [{ path, values: landscape.values[n] ?? [], value }];
  });
  const names = new Set(knobs.flatMap(({ path }) => path.match(/^kernels\/([^/]+)\//)?.[1] ?? []));
  const ofKernel = (name: string): string =>
    JSON.stringify([...choices].filter(([path]) => path.startsWith(`kernels/${name}/`)));
  return {
    id: `${landscape.name}#${index}`,
    alternative: null,
    mapping: mappingOf(choices, "plain"),
    knobs,
    kernels: [...names].map((name) => ({
      name,
      ...contentOf(landscape, name),
      names: { statements: {}, tensors: {} },
      text: `${name} ${ofKernel(name)}`,
      estimateUs: point.estimateUs === null ? null : point.estimateUs / names.size,
      vetoes: [],
    })),
    structure: JSON.stringify([...choices].filter(([path]) => path.startsWith("structure/"))),
    repairs: 0,
    statements: point.statements,
    workspace: 0,
  };
}

/** How much a knob of the structure counts: it decides which other knobs there are. */
const structureWeight = 16;

function weightOf(path: string): number {
  return path.startsWith("structure/") ? structureWeight : 1;
}

/**
 * How far a point is from what is wanted, as far as that is less than `most`. Of a knob that neither is wanted nor the
 * default has any value will do: a policy would choose it. One that is wanted and is not there counts once.
 */
function distanceTo(
  own: ReadonlyMap<string, Choice>,
  wanted: ReadonlyMap<string, Choice>,
  byDefault: ReadonlyMap<string, Choice>,
  most: number,
): number {
  let distance = 0;
  for (const [path, value] of own) {
    const asked = wanted.get(path) ?? byDefault.get(path);
    if (asked !== undefined) distance += weightOf(path) * valueDistance(asked, value);
    if (distance >= most) return distance;
  }
  for (const path of wanted.keys()) if (!own.has(path)) distance += weightOf(path);
  return distance;
}

/** The recorded candidates, in their order. */
export function recordedCandidates(landscape: Landscape): readonly Candidate[] {
  return landscape.points.map((point, n) => candidateOf(landscape, n, point));
}

/**
 * A planner of what was recorded: of any mapping the nearest point, by the sum of the distances of its values. What a
 * mapping does not say is as its policy has it: that of the default, or the first value.
 */
export function replayPlanner(landscape: Landscape): Planner {
  const candidates = recordedCandidates(landscape);
  const choices = landscape.points.map((point) => choicesOf(landscape, point));
  const byDefault = choices[landscape.default] ?? new Map<string, Choice>();
  const nearest = (wanted: ReadonlyMap<string, Choice>): number => {
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (const [n, own] of choices.entries()) {
      const distance = distanceTo(own, wanted, byDefault, least);
      if (distance < least) [best, least] = [n, distance];
    }
    return best;
  };
  const asMapping = (n: number): Mapping => candidates[n]?.mapping ?? { version: 2 };
  return {
    content: contentOf(landscape, landscape.name),
    canonical: (mapping) => mapping,
    plan: (mapping, alternative = null) => {
      if (alternative !== null) return { refused: `nothing was recorded of ${alternative}` };
      const wanted = pathsOf(mapping);
      const isDefault = wanted.size === 0 && (mapping.policy ?? "default") === "default";
      const found = candidates[isDefault ? landscape.default : nearest(wanted)];
      return found ?? { refused: "nothing was recorded" };
    },
    wishes: () => [landscape.default, ...landscape.wishes].map(asMapping),
    designs: () => [],
    alternatives: [],
  };
}
