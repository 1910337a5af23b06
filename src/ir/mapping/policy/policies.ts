/** The policies that can be asked for by name: what each chooses where nobody else does. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import type { Choice, PolicyName } from "../../../support/mapping-file.ts";
import type { Group } from "../group/group.ts";
import type { KernelMapping } from "../kernel-mapping.ts";
import { plainMapping } from "../space/plain-mapping.ts";
import type { StructureQuestion } from "../structure/question.ts";
import { hasSeveral, prefersInside, prefersWith } from "./grouping-policy.ts";
import { naiveKernel, policyKernel } from "./kernel-policy.ts";
import { policyStructure } from "./structure-policy.ts";
import { eachVariant } from "./variants.ts";

/** What chooses for a device. */
export interface Policy {
  structure(question: StructureQuestion): Choice;
  kernel(group: Group): KernelMapping;
  /** All wishes for a kernel, the best first, for where the first is not legal as it is; none but that if left out. */
  wishes?(group: Group): Iterable<KernelMapping>;
  /** Whether it chooses the same for all kernels that compute the same: not so where it draws. */
  readonly repeats?: boolean;
}

function usualStructure(question: StructureQuestion, profile: DeviceProfile): Choice {
  const { subject, program } = question;
  switch (subject.family) {
    case "with":
      return prefersWith(program, subject, profile);
    case "loop":
      return prefersInside(program, subject, profile) ? "serial" : "host";
    default:
      return policyStructure(subject, question, profile);
  }
}

/** Whether a question takes statements apart by its first value and together by its last. */
function isFusing({ subject }: StructureQuestion): boolean {
  const { family } = subject;
  if (family === "loop") return hasSeveral(subject);
  return family === "with" || family === "merge" || family === "inline";
}

/** The plainest value: the first one. */
function plainest({ values }: StructureQuestion): Choice {
  return values[0] ?? false;
}

/** The policy of a name for a device. */
export function policyOf(name: PolicyName, profile: DeviceProfile): Policy {
  const usual = (question: StructureQuestion): Choice => usualStructure(question, profile);
  switch (name) {
    case "default":
      return {
        repeats: true,
        structure: usual,
        kernel: (group) => policyKernel(group, profile),
        wishes: (group) => eachVariant(group, profile),
      };
    case "naive":
      return { repeats: true, structure: plainest, kernel: (group) => naiveKernel(group, profile) };
    case "plain":
      return {
        repeats: true,
        structure: plainest,
        kernel: (group) => plainMapping(group, profile),
      };
    case "apart":
      return {
        repeats: true,
        // What is computed beside each other is worth that only in one kernel.
        structure: (q) => (isFusing(q) || q.subject.family === "parts" ? plainest(q) : usual(q)),
        kernel: (group) => policyKernel(group, profile, "never"),
      };
    case "together":
      return {
        repeats: true,
        structure: (q) => (isFusing(q) ? (q.values.at(-1) ?? plainest(q)) : usual(q)),
        kernel: (group) => policyKernel(group, profile, "always"),
      };
  }
}
