/** From a program that was mapped to the candidate that the tuner sees. */
import { estimate } from "../../codegen/facts/estimate.ts";
import { kernelFacts } from "../../codegen/facts/facts.ts";
import { type Veto, vetoes } from "../../codegen/facts/vetoes.ts";
import { executedKernels } from "../../codegen/generate.ts";
import { bytesOfBuffer, type Plan, type PlanKernel } from "../../codegen/plan.ts";
import { statementsOf } from "../../codegen/walk-kernel.ts";
import { pathsOf } from "../../ir/mapping/mapping.ts";
import { eachLeaf } from "../../ir/schedule.ts";
import type { Planned } from "../../plan-program.ts";
import { deviceFamilies } from "../../support/device-families.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import { shareMemory } from "../../support/share-memory.ts";
import { textHash } from "../../support/text-hash.ts";
import { whenAsked } from "../../support/when-asked.ts";
import type { Candidate, CandidateKernel } from "../../tuner/candidate.ts";
import { contentOfKernel, kernelNamesOf } from "./content.ts";

/** The bytes of temporaries, those that are never live together in the same memory. */
export function workspaceOf({ buffers }: Plan): number {
  const temporaries = buffers
    .filter(({ role }) => role === "temporary")
    .map((buffer) => ({ id: buffer.id, live: buffer.live, bytes: bytesOfBuffer(buffer) }));
  return shareMemory(temporaries).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The names of the mapping's kernels that a plan's kernels are of, each in the place of its own. */
export function ownersOf({ kernels, mapped }: Planned): readonly (string | undefined)[] {
  return executedKernels(mapped.schedule.root).map(({ kernel }) => {
    const statements = new Set(eachLeaf(kernel).map(({ leaf }) => leaf.statement));
    return kernels.find(({ group }) => group.statements.some(({ id }) => statements.has(id)))?.name;
  });
}

function vetoText({ veto, place, found, bound }: Veto): string {
  const where = place === null ? "" : ` at ${place}`;
  return `${veto}${where}: ${Number(found.toPrecision(3))}, the bound is ${bound}`;
}

/** What facts say of some kernels of a plan; nothing on processors, which they do not describe. */
function factsOfKernels(plan: Plan, kernels: readonly number[], profile: DeviceProfile): Judged {
  if (profile.class !== "gpu") return { estimateUs: null, vetoes: [] };
  const own = kernels.map((at) => kernelFacts(plan, at, profile));
  const family = deviceFamilies[profile.family ?? "gpu"];
  const us = own.reduce((sum, k) => sum + 1e6 * estimate(k, family).seconds, 0);
  return { estimateUs: us, vetoes: vetoes(own, family).map(vetoText) };
}

type Judged = Pick<CandidateKernel, "estimateUs" | "vetoes">;

/** The candidate that a mapped program is. Facts, which take longer than all else, are found when they are asked for. */
export function candidateOf(
  planned: Planned,
  profile: DeviceProfile,
  alternative: string | null,
): Candidate {
  const { plan, mapping, decisions, repairs, kernels } = planned;
  const owners = ownersOf(planned);
  const structure = [...pathsOf({ structure: mapping.structure ?? {} })].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const steps = JSON.stringify([plan.steps, plan.stepIndices, plan.buffers]);
  const textOf = ({ kernel, wgsl }: PlanKernel): string => `${kernel.grid.join()}\n${wgsl}`;
  return {
    id: textHash([alternative ?? "", steps, ...plan.kernels.map(textOf)].join("\n")),
    alternative,
    mapping,
    knobs: decisions,
    kernels: kernels.map(({ name, group }): CandidateKernel => {
      const numbers = owners.flatMap((owner, at) => (owner === name ? [at] : []));
      const own = plan.kernels.filter((_, at) => owners[at] === name);
      const judged = whenAsked(() => factsOfKernels(plan, numbers, profile));
      return {
        name,
        ...contentOfKernel(group),
        names: kernelNamesOf(group),
        text: textHash(own.map(textOf).join("\n")),
        get estimateUs() {
          return judged().estimateUs;
        },
        get vetoes() {
          return judged().vetoes;
        },
      };
    }),
    structure: textHash(JSON.stringify([alternative, structure])),
    repairs: repairs.length,
    statements: plan.kernels.reduce((sum, { kernel }) => sum + statementsOf(kernel).length, 0),
    workspace: workspaceOf(plan),
  };
}
