/**
 * Which loops of a plain kernel, one invocation for each point of its axes, may run as one: asked of legality once for
 * each group and pair, a necessary condition of what is offered.
 */
import { rememberTexts } from "../../../support/remember.ts";
import type { ScheduleNode } from "../../schedule.ts";
import type { LoopPair } from "../../scheduling/fuse-loops.ts";
import { pairName, statementsToMove } from "../build/join-loops.ts";
import { mapGroup, plainShape } from "../build/map-group.ts";
import type { Axis } from "../group/axes.ts";
import { type Group, legalityOf } from "../group/group.ts";

const asked = rememberTexts<Group, boolean>();

/**
 * Whether a plain kernel is legal with a pair of loops of its nest joined. `nest` has the pairs that are `joined` before,
 * with which it is legal.
 */
export function mayJoin(
  group: Group,
  axes: readonly Axis[],
  nest: ScheduleNode,
  joined: readonly LoopPair[],
  next: LoopPair,
): boolean {
  const pairs = [...joined, next];
  return asked(group, `join ${axes.length} ${pairs.map(pairName).join(", ")}`, () => {
    const { program, nodes, prefix } = group;
    const root = mapGroup(program, nodes, axes, plainShape(axes, 1), prefix, pairs);
    return legalityOf(group)({ root, places: group.folds }, statementsToMove(nest, next));
  });
}
