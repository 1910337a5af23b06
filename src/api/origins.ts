/** Where the texts of a compilation come from: for pages that show them beside the source. */
import { leafOrigin, loopOrigins } from "../codegen/lower/origins.ts";
import { type Origin, uniteOrigins } from "../codegen/origin.ts";
import { kernelLines } from "../codegen/print-kernel.ts";
import {
  statementOrigin,
  type WgslOrigins,
  wgslOrigins,
} from "../codegen/print-wgsl/wgsl-origins.ts";
import type { Compiled } from "../compile.ts";
import { statementOf } from "../ir/program.ts";
import { eachLeaf, scheduleLines } from "../ir/schedule.ts";

/** Where the texts of one kernel come from. */
export interface KernelOrigins extends WgslOrigins {
  /** As `lines`, of the text that `--emit kernel` prints of it. */
  readonly kernelLines: readonly Origin[];
}

/** Where the texts of a compilation come from. */
export interface Origins {
  /** By line of the schedule's text, from the first on. */
  readonly schedule: readonly Origin[];
  /** As `plan.kernels`. */
  readonly kernels: readonly KernelOrigins[];
}

/**
 * What each line of a compilation's schedule and kernels comes from, with source spans, and what the names
 * in its WGSL count. Prints the texts once more, which compiling for itself does not pay for.
 */
export function originsOf(compiled: Pick<Compiled, "plan" | "mapped">): Origins {
  const { plan } = compiled;
  return {
    schedule: scheduleOrigins(compiled.mapped),
    kernels: plan.kernels.map((kernel) => ({
      ...wgslOrigins(kernel, plan.stepIndices),
      kernelLines: kernelLines(kernel.kernel).map(({ of }) =>
        of === null ? [] : statementOrigin(of),
      ),
    })),
  };
}

function scheduleOrigins({ program, schedule }: Compiled["mapped"]): readonly Origin[] {
  const loops = loopOrigins(program, eachLeaf(schedule.root));
  return scheduleLines(schedule).map(({ of }): Origin => {
    if (of === null) return [];
    if (of.kind === "leaf") return leafOrigin(statementOf(program, of.statement), of.phase);
    return of.loops.reduce<Origin>((all, { id }) => uniteOrigins(all, loops.get(id) ?? []), []);
  });
}
