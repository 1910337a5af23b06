/** A policy that draws: each knob at random with some probability, else as the default policy chooses. */
import type { Group } from "../../src/ir/mapping/group/group.ts";
import { flatten } from "../../src/ir/mapping/paths.ts";
import { type Policy, policyOf } from "../../src/ir/mapping/policy/policies.ts";
import { turnKnobs } from "../../src/ir/mapping/space/kernel-space.ts";
import { nearestValue } from "../../src/ir/mapping/space/knob.ts";
import { plainMapping } from "../../src/ir/mapping/space/plain-mapping.ts";
import type { DeviceProfile } from "../../src/support/device-profile.ts";
import type { Choice } from "../../src/support/mapping-file.ts";
import type { Random } from "../../src/support/random.ts";

/** A question that is drawn: a path and the values on offer. */
export interface Drawn {
  readonly path: string;
  readonly values: readonly Choice[];
}

/** What a draw prefers for a question; undefined for a draw like others. */
export type Preference = (question: Drawn) => Choice | undefined;

/** Draws with probability `share`; `prefer` comes first. */
export function randomPolicy(
  profile: DeviceProfile,
  random: Random,
  share = 1,
  prefer: Preference = () => undefined,
): Policy {
  const usual = policyOf("default", profile);
  return {
    structure: (question) => {
      const preferred = prefer(question);
      if (preferred !== undefined) return preferred;
      return random.chance(share) ? random.pick(question.values) : usual.structure(question);
    },
    kernel: (group: Group) => {
      const wish = share < 1 ? flatten(usual.kernel(group)) : new Map<string, Choice>();
      return turnKnobs(group, profile, plainMapping(group, profile), (knob) => {
        const preferred = prefer(knob);
        if (preferred !== undefined) return preferred;
        if (random.chance(share)) return random.pick(knob.values);
        return nearestValue(knob, wish.get(knob.path) ?? knob.value);
      });
    },
  };
}
