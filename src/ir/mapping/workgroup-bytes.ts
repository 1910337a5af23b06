import { elementBytes, elementCount } from "../../support/scalar-type.ts";
import { kernelLeaves, layoutOf } from "../layout.ts";
import { findTensor, type Program } from "../program.ts";
import type { Schedule } from "../schedule.ts";

/** Bytes that the tensors which the schedule of one kernel places in workgroup memory take. */
export function workgroupBytes(program: Program, schedule: Schedule): number {
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
