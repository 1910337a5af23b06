/**
 * Mappings of a task as plans: what the planner describes, and what a bench executes. Both come from here, so that
 * what is measured is what was planned.
 */
import { callersTensorLimits } from "../../codegen/tensor-limits.ts";
import { lowerSource } from "../../compile.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { padTensors } from "../../ir/apply-layouts.ts";
import type { Program } from "../../ir/program.ts";
import { type Planned, planProgram } from "../../plan-program.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import type { Mapping } from "../../support/mapping-file.ts";
import type { TuningTask, Unplanned } from "../../tuner/candidate.ts";
import { outline } from "../outline.ts";

/** A program that is to be tuned. */
export interface TaskProgram {
  /** What the source means: what the reference executes. */
  readonly program: Program;
  /** The same in the memory of the runtime's tensors, which is padded: what is mapped. */
  readonly placed: Program;
}

/** Definitions that stand for the one that is tuned: other algorithms, with the same inputs and results. */
export function alternativesOf(
  { source, approximate = false }: TuningTask,
  name: string,
): readonly { readonly name: string; readonly approximate: boolean }[] {
  return outline(source).definitions.flatMap(({ name: own, alternativeOf: of }) => {
    if (of?.name !== name || (of.approximate && !approximate)) return [];
    return [{ name: own, approximate: of.approximate }];
  });
}

/** Whether there is none, with the reason. */
export function isUnplanned(made: object): made is Unplanned {
  return "refused" in made && typeof made.refused === "string";
}

function refusal(diagnostics: readonly Diagnostic[]): Unplanned {
  const errors = diagnostics.filter((d) => d.severity === "error");
  return { refused: errors.map((d) => `${d.code}: ${d.message}`).join("; ") };
}

/** The program of a task, or of another definition of its source, at some sizes. */
export function taskProgram(
  { source, def }: Pick<TuningTask, "source" | "def">,
  sizes: TuningTask["sizes"],
  profile: DeviceProfile,
): TaskProgram | Unplanned {
  const lowered = lowerSource(source, { ...(def === undefined ? {} : { def }), sizes });
  if (!lowered.ok) return refusal(lowered.diagnostics);
  const large = callersTensorLimits(lowered.program, profile);
  if (large.length > 0) return refusal(large);
  return { program: lowered.program, placed: padTensors(lowered.program) };
}

/** The programs of a task: of its own definition, and of those that stand for it, each made once. */
export function taskPrograms(
  { source, def, sizes }: TuningTask,
  profile: DeviceProfile,
): (alternative: string | null) => TaskProgram | Unplanned {
  const programs = new Map<string | null, TaskProgram | Unplanned>();
  return (alternative) => {
    const name = alternative ?? def;
    const named = name === undefined ? { source } : { source, def: name };
    const program = programs.get(alternative) ?? taskProgram(named, sizes, profile);
    programs.set(alternative, program);
    return program;
  };
}

/** A program mapped, with its plan; or why the device cannot have it. */
export function planTask(
  { placed }: TaskProgram,
  profile: DeviceProfile,
  mapping: Mapping,
): Planned | Unplanned {
  const planned = planProgram(placed, profile, mapping);
  return planned.refused.length > 0 ? refusal(planned.refused) : planned;
}
