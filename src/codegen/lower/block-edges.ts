/**
 * What stands around the updates of a block: an arg reduction that goes through several states of one
 * block in an iteration of a loop keeps its values before them, and sets its index behind them.
 */
import { band, type Loop, type ScheduleNode } from "../../ir/schedule.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { KernelContext } from "./scope.ts";

/** For each reduction that goes through a block in an iteration of a loop: its update, once. */
export function blockEdges(
  { ordered }: KernelContext,
  loop: Loop,
  child: ScheduleNode,
): readonly ScheduleNode[] {
  return flatMap([...ordered], ([statement, { block }]) =>
    block?.loop === loop.id ? firstUpdates(child, statement, block.inside) : [],
  );
}

/** What is left of a node without other leaves than the updates of a statement, some loops made once. */
function firstUpdates(
  node: ScheduleNode,
  statement: string,
  once: ReadonlySet<string>,
): readonly ScheduleNode[] {
  switch (node.kind) {
    case "leaf":
      return node.statement === statement && node.phase === "update" ? [node] : [];
    case "sequence":
      return flatMap(node.children, (c) => firstUpdates(c, statement, once));
    case "band": {
      const loops = node.loops.map((l) => (once.has(l.id) ? { ...l, extent: 1 } : l));
      return firstUpdates(node.child, statement, once).map((child) => band(loops, child));
    }
  }
}
