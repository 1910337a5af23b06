/** Mappings that tests give: some choices by path, with canonical names, over a policy. */
import { mappingOf } from "../../src/ir/mapping/mapping.ts";
import type { Choice, Mapping, PolicyName } from "../../src/support/mapping-file.ts";

/** Choices by path: `kernels/$0/axes/0/workgroup`. */
export type GivenChoices = Readonly<Record<string, Choice>>;

/** The mapping that says just these choices; the policy chooses the rest. */
export function given(choices: GivenChoices = {}, policy: PolicyName = "default"): Mapping {
  return mappingOf(Object.entries(choices), policy);
}
