/** Purpose: checks that what is loaded an iteration early may be, see {@link prefetchedCopies}. */
import { flatMap } from "../../support/flat-map.ts";
import { prefetchedCopies } from "../prefetched-copies.ts";
import type { Program } from "../program.ts";
import { type Band, eachLeaf, type Schedule, type ScheduleNode } from "../schedule.ts";
import { type Fault, fault } from "./fault.ts";

/** The bands of a tree whose loops prefetch. */
function prefetchingBands(node: ScheduleNode): readonly Band[] {
  if (node.kind === "leaf") return [];
  if (node.kind === "sequence") return flatMap(node.children, prefetchingBands);
  const inside = prefetchingBands(node.child);
  return node.loops.some((l) => l.prefetch === true) ? [node, ...inside] : inside;
}

/** What is wrong with the prefetching loops of a schedule. */
export function checkPrefetch(program: Program, schedule: Schedule): readonly Fault[] {
  return flatMap(prefetchingBands(schedule.root), (node) => {
    const [text] = flatMap(node.loops, ({ id, prefetch }, n) => {
      if (prefetch === undefined) return [];
      if (n < node.loops.length - 1) return [`loop ${id} prefetches, and has others inside of it`];
      const found = prefetchedCopies(program, schedule, node);
      return typeof found === "string" ? [found] : [];
    });
    if (text === undefined) return [];
    return [fault("place", [...new Set(eachLeaf(node).map((c) => c.leaf.statement))], text)];
  });
}
