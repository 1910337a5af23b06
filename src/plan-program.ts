/** From a program to the plan that executes it on a device, within the limits of the device. */
import { generate } from "./codegen/generate.ts";
import type { Plan } from "./codegen/plan.ts";
import { temporaryLimits } from "./codegen/tensor-limits.ts";
import { limitFaults } from "./codegen/verify-kernel/limit-faults.ts";
import { type Diagnostic, diagnose } from "./diagnostics/diagnostic.ts";
import { noSpan } from "./diagnostics/span.ts";
import { type Decider, decider, defaultOptions, type Repair } from "./ir/decisions.ts";
import { type Mapped, mapProgram } from "./ir/mapping/map-program.ts";
import type { Program } from "./ir/program.ts";
import type { DeviceProfile } from "./support/device-profile.ts";
import { flatMap } from "./support/flat-map.ts";

/** A program mapped, as a plan, and what of it the device refuses. */
export interface Planned {
  readonly mapped: Mapped;
  readonly plan: Plan;
  readonly asked: Decider["asked"];
  readonly repairs: readonly Repair[];
  readonly refused: readonly Diagnostic[];
}

function planOf(program: Program, profile: DeviceProfile, answers: Decider): Planned {
  const mapped = mapProgram(program, profile, answers);
  const plan = generate(mapped.program, mapped.schedule, profile);
  const refused = limitDiagnostics(plan, mapped.program, profile);
  return { mapped, plan, asked: answers.asked, repairs: answers.repairs, refused };
}

/**
 * Maps a program as the decider answers. Where the plan is over a limit of the device, as one is whose
 * options keep a temporary apart that no buffer can hold, and that of the defaults is not, it is that of
 * the defaults: then all answers that differ from them are repairs. Something is refused only if the
 * defaults are, too; what is then refused is what was asked for.
 */
export function planProgram(program: Program, profile: DeviceProfile, answers: Decider): Planned {
  const wished = planOf(program, profile, answers);
  if (wished.refused.length === 0) return wished;
  const usual = planOf(program, profile, decider(defaultOptions));
  if (usual.refused.length > 0) return wished;
  const used = new Map(usual.asked.map(({ decision, answer }) => [decision.path, answer]));
  const earlier = new Set(wished.repairs.map(({ path }) => path));
  const dropped = flatMap(wished.asked, ({ decision, answer }): readonly Repair[] => {
    const { path } = decision;
    const instead = used.get(path) ?? decision.default;
    const kept = answer === decision.default || answer === instead || earlier.has(path);
    return kept ? [] : [{ path, asked: answer, used: instead }];
  });
  const before = flatMap(wished.repairs, (repair): readonly Repair[] => {
    const instead = used.get(repair.path) ?? repair.used;
    return instead === repair.asked ? [] : [{ ...repair, used: instead }];
  });
  return { ...usual, repairs: [...before, ...dropped] };
}

/** The limits of the device that a plan is over. */
function limitDiagnostics(
  plan: Plan,
  program: Program,
  profile: DeviceProfile,
): readonly Diagnostic[] {
  const large = temporaryLimits(plan, program, profile);
  if (large.length > 0) return large;
  return flatMap(plan.kernels, ({ kernel }) => {
    const written = kernel.arrays.filter((a) => a.space === "storage" && a.access !== "read");
    const names = new Set(written.map((a) => a.buffer));
    const span = program.tensors.find((t) => names.has(t.name))?.span ?? noSpan;
    return limitFaults(kernel, profile.limits).map((detail) =>
      diagnose("TC5001", { detail, profile: profile.name }, span),
    );
  });
}
