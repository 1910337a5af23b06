/** From a program to the plan that executes it on a device, within the limits of the device. */
import { generate } from "./codegen/generate.ts";
import type { LoweredKernel } from "./codegen/lower/source-text.ts";
import type { Plan } from "./codegen/plan.ts";
import { temporaryLimits } from "./codegen/tensor-limits.ts";
import { limitFaults } from "./codegen/verify-kernel/limit-faults.ts";
import { type Diagnostic, diagnose } from "./diagnostics/diagnostic.ts";
import { noSpan } from "./diagnostics/span.ts";
import { type Chosen, type MappingResult, mapProgram } from "./ir/mapping/map-program.ts";
import type { Program } from "./ir/program.ts";
import type { DeviceProfile } from "./support/device-profile.ts";
import { flatMap } from "./support/flat-map.ts";
import type { Kept } from "./support/kept.ts";
import type { Mapping } from "./support/mapping-file.ts";

/** A program mapped, as a plan, and what of it the device refuses. */
export interface Planned extends MappingResult {
  readonly plan: Plan;
  readonly refused: readonly Diagnostic[];
}

/** What one compilation leaves to the next one for the same device by the same policy: see {@link Kept}. */
export interface KeptKernels {
  readonly chosen: Kept<Chosen>;
  readonly lowered: Kept<LoweredKernel>;
}

/** Maps a program as its mapping says, and generates the plan. */
export function planProgram(
  program: Program,
  profile: DeviceProfile,
  mapping: Mapping,
  kept?: KeptKernels,
): Planned {
  const result = mapProgram(program, profile, mapping, kept && { chosen: kept.chosen });
  const { mapped } = result;
  const plan = generate(mapped.program, mapped.schedule, profile, kept && { kept: kept.lowered });
  return { ...result, plan, refused: limitDiagnostics(plan, mapped.program, profile) };
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
