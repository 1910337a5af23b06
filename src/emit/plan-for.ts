import type { Plan } from "../codegen/plan.ts";
import { type ModuleProgram, moduleProgram } from "./module-data.ts";

/** A plan, and the profile that it was compiled for. */
export interface PlanFor {
  /** Its name: `nvidia`, `apple`, `gpu`, `baseline`, ..., or that of a device's own (`runtime.profile.name`). */
  readonly profile: string;
  readonly plan: Plan;
}

/** What a module holds: one plan, or one for each of some profiles. */
export type ModulePlans = Plan | readonly PlanFor[];

/** True of plans for profiles. */
export function isForProfiles(plans: ModulePlans): plans is readonly PlanFor[] {
  return Array.isArray(plans);
}

/**
 * What callers of a module see, whichever of its plans runs.
 * @throws RangeError for no plans, two for one profile, plans whose tensors are not the same, and views.
 */
export function programOf(plans: ModulePlans): ModuleProgram {
  if (!isForProfiles(plans)) return moduleProgram(plans);
  const [first, ...others] = plans;
  if (first === undefined) throw new RangeError("a module has at least one plan");
  const program = moduleProgram(first.plan);
  const seen = new Set([first.profile]);
  for (const { profile, plan } of others) {
    if (seen.has(profile)) throw new RangeError(`there are two plans for "${profile}"`);
    seen.add(profile);
    if (JSON.stringify(moduleProgram(plan)) === JSON.stringify(program)) continue;
    throw new RangeError(
      `the plans for "${first.profile}" and "${profile}" have not the same tensors: ` +
        "compile one definition at the same sizes",
    );
  }
  return program;
}
