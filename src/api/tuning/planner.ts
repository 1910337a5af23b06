/** Makes candidates of mappings: what the tuner, which knows no compiler, is given. */
import { canonicalChoice, canonicalPath } from "../../ir/mapping/canonical-names.ts";
import { mappingOf, pathsOf } from "../../ir/mapping/mapping.ts";
import { flatten } from "../../ir/mapping/paths.ts";
import { designedKernels } from "../../ir/mapping/policy/designs.ts";
import { variants } from "../../ir/mapping/policy/variants.ts";
import type { Planned } from "../../plan-program.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import { type Mapping, mappingVersion, type PolicyName } from "../../support/mapping-file.ts";
import type { Planner, TuningTask, Unplanned } from "../../tuner/candidate.ts";
import { candidateOf } from "./candidate-of.ts";
import { contentOfProgram } from "./content.ts";
import {
  alternativesOf,
  isUnplanned,
  planTask,
  type TaskProgram,
  taskPrograms,
} from "./planned-task.ts";

/** Policies whose choices are worth a try, beside the default's. */
const otherPolicies: readonly PolicyName[] = ["together", "apart"];

const byDefault: Mapping = { version: mappingVersion, policy: "default" };

/** The most wishes. */
const mostWishes = 12;

/**
 * The planner of a task for a device; or why there is nothing to plan.
 * Pure and deterministic: the same mapping gives the same candidate on every machine.
 */
export function createPlanner(
  task: TuningTask,
  profile: DeviceProfile,
  programOf: (alternative: string | null) => TaskProgram | Unplanned = taskPrograms(task, profile),
): Planner | Unplanned {
  const own = programOf(null);
  if (isUnplanned(own)) return own;
  // The default is asked for again and again.
  const usuals = new Map<TaskProgram, Planned | Unplanned>();
  const usual = (program: TaskProgram): Planned | Unplanned => {
    const known = usuals.get(program) ?? planTask(program, profile, byDefault);
    usuals.set(program, known);
    return known;
  };
  const planOf = (program: TaskProgram, mapping: Mapping): Planned | Unplanned => {
    const isDefault = pathsOf(mapping).size === 0 && mapping.policy === byDefault.policy;
    if (isDefault) return usual(program);
    const known = usuals.get(program);
    const isKnown = known !== undefined && !isUnplanned(known) && known.mapping === mapping;
    return isKnown ? known : planTask(program, profile, mapping);
  };
  return {
    content: contentOfProgram(own.program),
    canonical: (mapping) => canonicalMapping(own, mapping),
    plan: (mapping, alternative = null) => {
      const program = programOf(alternative);
      if (isUnplanned(program)) return program;
      const planned = planOf(program, mapping);
      return isUnplanned(planned) ? planned : candidateOf(planned, profile, alternative);
    },
    wishes: () => wishesOf(usual(own), profile),
    designs: (mapping, alternative = null) => {
      const program = programOf(alternative);
      return isUnplanned(program) ? [] : designsOf(planOf(program, mapping), profile);
    },
    alternatives: alternativesOf(task, own.program.name).map(({ name }) => name),
  };
}

/**
 * The default, other policies, then the default with another wish for one of its kernels: the second wish of each
 * kernel, then the third, and so on.
 */
function* wishesOf(planned: Planned | Unplanned, profile: DeviceProfile): Generator<Mapping> {
  yield byDefault;
  for (const policy of otherPolicies) yield { version: mappingVersion, policy };
  if (isUnplanned(planned)) return;
  const { mapping, kernels } = planned;
  const chosen = [...pathsOf(mapping)];
  const others = kernels.flatMap(({ name, group }) =>
    variants(group, profile)
      .slice(1)
      .map((variant, rank) => ({ rank, name, variant })),
  );
  const ranked = others.sort((a, b) => a.rank - b.rank);
  for (const { name, variant } of ranked.slice(0, mostWishes - otherPolicies.length - 1)) {
    const rest = chosen.filter(([path]) => !path.startsWith(`kernels/${name}/`));
    yield mappingOf([...rest, ...flatten(variant, `kernels/${name}`)], "plain");
  }
}

/** The designs of all kernels of a structure, those at the same place together: kernels do not depend on each other. */
function* designsOf(planned: Planned | Unplanned, profile: DeviceProfile): Generator<Mapping> {
  if (isUnplanned(planned)) return;
  const structure = pathsOf({ structure: planned.mapping.structure ?? {} });
  const kernels = planned.kernels.map(({ name, group }) => ({
    name,
    designed: designedKernels(group, profile),
  }));
  for (;;) {
    const own = kernels.flatMap(({ name, designed }) => {
      const next = designed.next();
      return next.done === true ? [] : [...flatten(next.value, `kernels/${name}`)];
    });
    if (own.length === 0) return;
    yield mappingOf([...structure, ...own], "plain");
  }
}

function canonicalMapping({ program }: TaskProgram, mapping: Mapping): Mapping {
  const paths = [...pathsOf(mapping)].map(
    ([path, value]) =>
      [canonicalPath(program, path), canonicalChoice(program, path, value)] as const,
  );
  return mappingOf(paths, mapping.policy ?? "default");
}
