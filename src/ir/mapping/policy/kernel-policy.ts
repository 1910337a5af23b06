/**
 * What we would choose for one kernel: the values of its knobs, in their order, for a device.
 *
 * Ensures: a mapping that the space offers; whether all of it is legal is left to repair. The rules themselves
 * are in files of their own, by kind of decision.
 */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import { legalKernel } from "../build/build-kernel.ts";
import type { Group } from "../group/group.ts";
import type { KernelMapping } from "../kernel-mapping.ts";
import { turnKnobs } from "../space/kernel-space.ts";
import type { Knob } from "../space/knob.ts";
import { isStaged } from "../space/loop-knobs.ts";
import { plainMapping } from "../space/plain-mapping.ts";
import { preferredInside } from "./inside-policy.ts";
import { preferredPlace } from "./place-policy.ts";
import { preferredShape } from "./shape-policy.ts";
import { preferredSharing } from "./sharing-policy.ts";
import { preferredUnit } from "./unit-policy.ts";

/** What a preference may look at: a group, the device, and what is chosen so far. */
export interface PolicyQuestion {
  readonly group: Group;
  readonly profile: DeviceProfile;
  readonly mapping: KernelMapping;
  /** Whether operands may be staged: the wish was not legal where they may not. */
  readonly mayStage: boolean;
  readonly joining: Joining;
  /** Whether a mapping with the value of a knob is legal; where that is not asked, it may be. */
  readonly mayBeLegal: (mapping: KernelMapping) => boolean;
}

/** How a wish differs from our usual one. */
export interface Leaning {
  readonly mayStage: boolean;
  readonly joining: Joining;
  /** Whether preferences ask if what they would choose is legal. */
  readonly asks: boolean;
  /** Another value than the usual one for a knob; the usual one where it gives that. */
  readonly instead: (knob: Knob, usual: Choice, question: PolicyQuestion) => Choice;
}

/** Our usual wish. */
export const usualLeaning: Leaning = {
  mayStage: true,
  joining: "usual",
  asks: true,
  instead: (_, usual) => usual,
};

/** Which loops of a kernel are joined: those that are better so, none, or all that may be. */
export type Joining = "usual" | "never" | "always";

/** The value that a part of the policy prefers for a knob; undefined where it has no opinion. */
export type Preference = (knob: Knob, question: PolicyQuestion) => Choice | undefined;

const preferences: readonly Preference[] = [
  preferredUnit,
  preferredShape,
  preferredSharing,
  preferredInside,
  preferredPlace,
];

/** The wish for a kernel, knob by knob. */
export function wish(group: Group, profile: DeviceProfile, leaning: Leaning): KernelMapping {
  const { mayStage, joining, instead, asks } = leaning;
  const start = plainMapping(group, profile);
  const mayBeLegal = (mapping: KernelMapping): boolean =>
    !asks || legalKernel(group, profile, mapping) !== null;
  return turnKnobs(group, profile, start, (knob, mapping) => {
    const question = { group, profile, mapping, mayStage, joining, mayBeLegal };
    for (const preference of preferences) {
      const value = preference(knob, question);
      if (value !== undefined) return instead(knob, value, question);
    }
    return instead(knob, knob.value, question);
  });
}

/**
 * Our first choice for a kernel. Whether it is legal is asked of the whole, which most are; only of one that is not it is
 * asked of each choice.
 */
export function policyKernel(
  group: Group,
  profile: DeviceProfile,
  joining: Joining = "usual",
): KernelMapping {
  const isLegal = (mapping: KernelMapping): boolean =>
    legalKernel(group, profile, mapping) !== null;
  const trusting = wish(group, profile, { ...usualLeaning, joining, asks: false });
  if (isLegal(trusting)) return trusting;
  const careful = wish(group, profile, { ...usualLeaning, joining });
  if (!isStaged(careful) || isLegal(careful)) return careful;
  return wish(group, profile, { ...usualLeaning, joining, mayStage: false });
}

/** The largest workgroups and nothing else: one invocation for each element, nothing shared. */
export function naiveKernel(group: Group, profile: DeviceProfile): KernelMapping {
  return turnKnobs(group, profile, plainMapping(group, profile), (knob) =>
    knob.path.endsWith("/workgroup") && knob.path.startsWith("axes/")
      ? (knob.values.at(-1) ?? knob.value)
      : knob.value,
  );
}
