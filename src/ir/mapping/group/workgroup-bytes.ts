import { flatMap } from "../../../support/flat-map.ts";
import { elementBytes, elementCount } from "../../../support/scalar-type.ts";
import { kernelLeaves, layoutOf } from "../../layout.ts";
import { occurrencesOf } from "../../legality/occurrence.ts";
import { teamReductionOf } from "../../legality/team-reduction.ts";
import { findTensor, type Program, reductionOf } from "../../program.ts";
import { type Loop, type Schedule, teamSize } from "../../schedule.ts";

/**
 * Bytes that the schedule of one kernel, inside of some host loops, takes of workgroup memory: the tensors that it places there,
 * and at most what teams need to combine the parts of reductions.
 */
export function workgroupBytes(
  program: Program,
  schedule: Schedule,
  host: readonly Loop[],
): number {
  return placedBytes(program, schedule, host) + partBytes(program, schedule);
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

function placedBytes(program: Program, schedule: Schedule, host: readonly Loop[]): number {
  return boxes(program, schedule, host, "workgroup").reduce((sum, n) => sum + n, 0);
}

/** Bytes of each tensor in a space, for each workgroup. */
function boxes(
  program: Program,
  schedule: Schedule,
  host: readonly Loop[],
  wanted: "workgroup" | "scratch",
): readonly number[] {
  const leaves = kernelLeaves(schedule.root, host);
  return flatMap(schedule.places, ({ target, space }) => {
    if (target.kind !== "tensor" || space !== wanted) return [];
    const layout = layoutOf(program, schedule, leaves, target.tensor);
    const components = findTensor(program, target.tensor)?.components ?? [];
    const element = components.reduce((bytes, c) => bytes + elementBytes(c), 0);
    if (layout.kind !== "box") return [];
    return [element * elementCount(layout.extents) * (layout.turns?.slots ?? 1)];
  });
}

/** Bytes of the largest buffer that the scratch slices of a tensor take, of all workgroups. */
export function scratchBufferBytes(
  program: Program,
  schedule: Schedule,
  host: readonly Loop[],
): number {
  const loops = schedule.root.kind === "band" ? schedule.root.loops : [];
  const groups = loops.reduce((n, l) => (l.on === "grid" ? n * l.extent : n), 1);
  return groups * Math.max(0, ...boxes(program, schedule, host, "scratch"));
}
