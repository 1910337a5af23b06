/** The ways in which a program is mapped: one thread, the default, and random legal schedules. */
import { generate } from "../../src/codegen/generate.ts";
import type { Plan } from "../../src/codegen/plan.ts";
import {
  type Choice,
  type Decider,
  type Decision,
  decider,
  defaultOptions,
  type Options,
  optionsOf,
} from "../../src/ir/decisions.ts";
import { type Mapped, mapProgram } from "../../src/ir/mapping/map-program.ts";
import type { Program } from "../../src/ir/program.ts";
import type { DeviceProfile } from "../../src/support/device-profile.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import { mapOneThread } from "./one-thread.ts";

/** How to map: `options` are repaired where they are not legal, as a user's would be. */
export type Mapping =
  | { readonly kind: "one-thread" }
  | { readonly kind: "options"; readonly options: Options }
  /**
   * Each decision is drawn at random with the given probability, but for the answers that are given;
   * `lanes` prefers subgroups of that size.
   */
  | {
      readonly kind: "random";
      readonly seed: number;
      readonly share: number;
      readonly lanes?: number;
      readonly given?: Options;
    };

/** A program mapped for one device. */
export interface Variant {
  readonly mapping: Mapping;
  readonly profile: DeviceProfile;
  readonly mapped: Mapped;
  readonly plan: Plan;
  /** What reproduces a random mapping. */
  readonly options: Options;
  readonly asked: Decider["asked"];
}

/** Whether a kernel is to have several statements, and their temporaries in memory of its own. */
function fusedChoice(random: Random, { path, values }: Decision): Choice | undefined {
  if (/\.fuse\d+$/.test(path)) return random.chance(0.8);
  if (/\.place\d+$/.test(path) && values.length > 1) return random.pick(values.slice(1));
  if (/\.inline$/.test(path)) return false;
  return undefined;
}

/** Whether values are to be spread over the lanes of subgroups, and a workgroup is to have several. */
function lanesChoice(
  lanes: number,
  random: Random,
  { path, values }: Decision,
): Choice | undefined {
  const whole = values.filter((v) => typeof v === "number" && v % lanes === 0);
  if (/\.(?:p\d+\.workgroup|team)$/.test(path) && whole.length > 0 && random.chance(0.5)) {
    return random.pick(whole);
  }
  if (/\.lanes$/.test(path)) return values.find((v) => v === lanes);
  if (/\.spread$/.test(path)) return true;
  if (/\.spread(?:Over|Steps|Block)$/.test(path)) return random.pick(values);
  if (/\.factor$/.test(path)) return values.find((v) => v === `strided ${lanes}`);
  if (/\.place\d+$/.test(path)) return values.find((v) => v === "lanes");
  return undefined;
}

/**
 * Answers at random with probability `share`, else as the heuristic does. Every other seed prefers
 * large kernels.
 */
function randomChoice(seed: number, share: number, lanes?: number): (decision: Decision) => Choice {
  const random = seededRandom(seed);
  return (decision) => {
    const inLanes = lanes === undefined ? undefined : lanesChoice(lanes, random, decision);
    if (inLanes !== undefined) return inLanes;
    const fused = seed % 2 === 1 ? fusedChoice(random, decision) : undefined;
    if (fused !== undefined) return fused;
    return random.chance(share) ? random.pick(decision.values) : decision.default;
  };
}

/** What answers the decisions of a mapping. */
export function deciderOf(mapping: Mapping): Decider {
  switch (mapping.kind) {
    case "one-thread":
      return decider(defaultOptions);
    case "options":
      return decider(mapping.options);
    case "random":
      return decider(
        mapping.given ?? defaultOptions,
        randomChoice(mapping.seed, mapping.share, mapping.lanes),
      );
  }
}

/** Maps a program, asking the decider unless the mapping has no choice, and generates its plan. */
export function makeVariant(
  program: Program,
  profile: DeviceProfile,
  mapping: Mapping,
  answers: Decider,
): Variant {
  const mapped =
    mapping.kind === "one-thread"
      ? mapOneThread(program, profile)
      : mapProgram(program, profile, answers);
  const plan = generate(mapped.program, mapped.schedule, profile);
  const { asked } = answers;
  return { mapping, profile, mapped, plan, options: optionsOf(answers), asked };
}

/** The mappings that a program is tried with; the random ones differ in how far they stray. */
export function mappingsFor(seed: number): readonly Mapping[] {
  const shares = [0.25, 0.7, 1];
  const share = (n: number): number => shares[(seed + n) % shares.length] ?? 1;
  return [
    { kind: "one-thread" },
    { kind: "options", options: defaultOptions },
    { kind: "random", seed: 2 * seed, share: share(0) },
    { kind: "random", seed: 2 * seed + 1, share: share(1) },
  ];
}

/** For messages. */
export function nameMapping(mapping: Mapping): string {
  switch (mapping.kind) {
    case "one-thread":
      return "one thread";
    case "options":
      return Object.keys(mapping.options.choices).length === 0 ? "default" : "given options";
    case "random":
      return `random ${mapping.seed} (${mapping.share})`;
  }
}
