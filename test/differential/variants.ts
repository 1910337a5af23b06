/** The ways in which a program is mapped: one thread, the default, and random legal schedules. */
import { generate } from "../../src/codegen/generate.ts";
import type { Plan } from "../../src/codegen/plan.ts";
import type { FindDependences } from "../../src/ir/mapping/group/group.ts";
import { type Mapped, type MappingResult, mapWith } from "../../src/ir/mapping/map-program.ts";
import { mappingOf, pathsOf } from "../../src/ir/mapping/mapping.ts";
import { type Policy, policyOf } from "../../src/ir/mapping/policy/policies.ts";
import type { Program } from "../../src/ir/program.ts";
import type { DeviceProfile } from "../../src/support/device-profile.ts";
import type { Choice, Mapping } from "../../src/support/mapping-file.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import { given } from "../support/given.ts";
import { type Drawn, type Preference, randomPolicy } from "../support/random-policy.ts";
import { mapOneThread } from "./one-thread.ts";

/** How to map: `options` are repaired where they are not legal, as a user's would be. */
export type Way =
  | { readonly kind: "one-thread" }
  | { readonly kind: "options"; readonly options: Mapping }
  /**
   * Each knob is drawn at random with the given probability, but for the choices that are given;
   * `lanes` prefers subgroups of that size.
   */
  | {
      readonly kind: "random";
      readonly seed: number;
      readonly share: number;
      readonly lanes?: number;
      readonly given?: Mapping;
    };

/** A program mapped for one device. */
export interface Variant {
  readonly mapping: Way;
  readonly profile: DeviceProfile;
  readonly mapped: Mapped;
  readonly plan: Plan;
  /** What reproduces a random mapping: complete. */
  readonly options: Mapping;
  /** What was chosen; nothing where there is one thread. */
  readonly decisions: MappingResult["decisions"];
  readonly repairs: MappingResult["repairs"];
}

/** Whether a kernel is to have several statements, and their temporaries in memory of its own. */
function fusedChoice(random: Random, { path, values }: Drawn): Choice | undefined {
  if (/\/with$/.test(path)) return random.chance(0.8);
  if (/^places\//.test(path) && values.length > 1) return random.pick(values.slice(1));
  if (/\/inline$/.test(path)) return values[0];
  return undefined;
}

/** Whether values are to be spread over the lanes of subgroups, and a workgroup is to have several. */
function lanesChoice(lanes: number, random: Random, { path, values }: Drawn): Choice | undefined {
  const whole = values.filter((v) => typeof v === "number" && v % lanes === 0);
  if (/^(?:axes\/\d+\/workgroup|team)$/.test(path) && whole.length > 0 && random.chance(0.5)) {
    return random.pick(whole);
  }
  if (path === "lanes") return values.find((v) => v === lanes);
  if (path === "spread") return values.length > 1 ? random.pick(values.slice(1)) : undefined;
  if (/^spread(?:Steps|Block)$/.test(path)) return random.pick(values);
  if (/\/factor\//.test(path)) return values.find((v) => v === `strided ${lanes}`);
  if (/^places\//.test(path)) return values.find((v) => v === "lanes");
  return undefined;
}

/**
 * Draws at random with probability `share`, else as the default policy chooses. Every other seed prefers
 * large kernels.
 */
function drawing(seed: number, share: number, profile: DeviceProfile, lanes?: number): Policy {
  const random = seededRandom(seed);
  const prefer: Preference = (question) => {
    const inLanes = lanes === undefined ? undefined : lanesChoice(lanes, random, question);
    if (inLanes !== undefined) return inLanes;
    return seed % 2 === 1 ? fusedChoice(random, question) : undefined;
  };
  return randomPolicy(profile, random, share, prefer);
}

/** Maps a program in a way that has choices. */
export function mapIn(
  program: Program,
  profile: DeviceProfile,
  way: Exclude<Way, { readonly kind: "one-thread" }>,
  findDependences?: FindDependences,
): MappingResult {
  const asked = findDependences === undefined ? {} : { findDependences };
  if (way.kind === "options") {
    const { options } = way;
    const policy = policyOf(options.policy ?? "default", profile);
    return mapWith(program, profile, pathsOf(options), policy, asked);
  }
  const policy = drawing(way.seed, way.share, profile, way.lanes);
  return mapWith(program, profile, pathsOf(way.given ?? given()), policy, asked);
}

/** Maps a program, and generates its plan. */
export function makeVariant(program: Program, profile: DeviceProfile, way: Way): Variant {
  const result =
    way.kind === "one-thread"
      ? {
          mapped: mapOneThread(program, profile),
          mapping: mappingOf([], "plain"),
          decisions: [],
          repairs: [],
        }
      : mapIn(program, profile, way);
  const { mapped, mapping: options, decisions, repairs } = result;
  const plan = generate(mapped.program, mapped.schedule, profile);
  return { mapping: way, profile, mapped, plan, options, decisions, repairs };
}

/** The ways in which a program is tried; the random ones differ in how far they stray. */
export function waysFor(seed: number): readonly Way[] {
  const shares = [0.25, 0.7, 1];
  const share = (n: number): number => shares[(seed + n) % shares.length] ?? 1;
  return [
    { kind: "one-thread" },
    { kind: "options", options: given() },
    { kind: "random", seed: 2 * seed, share: share(0) },
    { kind: "random", seed: 2 * seed + 1, share: share(1) },
  ];
}

/** For messages. */
export function nameWay(way: Way): string {
  switch (way.kind) {
    case "one-thread":
      return "one thread";
    case "options":
      return pathsOf(way.options).size === 0 ? (way.options.policy ?? "default") : "given options";
    case "random":
      return `random ${way.seed} (${way.share})`;
  }
}
