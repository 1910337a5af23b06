import { flatMap } from "../../support/flat-map.ts";
import { elementBytes, elementCount } from "../../support/scalar-type.ts";
import { kernelLeaves, layoutOf } from "../layout.ts";
import { occurrencesOf } from "../legality/occurrence.ts";
import { teamReductionOf } from "../legality/team-reduction.ts";
import { findTensor, type Program, reductionOf } from "../program.ts";
import { type Schedule, teamSize } from "../schedule.ts";

/**
 * Bytes that the schedule of one kernel takes of workgroup memory: the tensors that it places there,
 * and at most what teams need to combine the parts of reductions.
 */
export function workgroupBytes(program: Program, schedule: Schedule): number {
  return placedBytes(program, schedule) + partBytes(program, schedule);
}

/** An element for each invocation and each kind of state; kinds of one type share it. */
function partBytes(program: Program, schedule: Schedule): number {
  const occurrences = occurrencesOf(program, schedule);
  const kinds = new Set(
    flatMap(program.statements, (s) => {
      const parts = teamReductionOf(s, occurrences) !== undefined;
      return parts ? reductionOf(s).monoid.state.map((scalar, c) => `${scalar} ${c}`) : [];
    }),
  );
  return 4 * kinds.size * teamSize(schedule.root);
}

function placedBytes(program: Program, schedule: Schedule): number {
  const leaves = kernelLeaves(schedule.root, []);
  return schedule.places.reduce((sum, { target, space }) => {
    if (target.kind !== "tensor" || space !== "workgroup") return sum;
    const layout = layoutOf(program, schedule, leaves, target.tensor);
    const components = findTensor(program, target.tensor)?.components ?? [];
    const element = components.reduce((bytes, c) => bytes + elementBytes(c), 0);
    if (layout.kind !== "box") return sum;
    return sum + element * elementCount(layout.extents) * (layout.turns?.slots ?? 1);
  }, 0);
}
