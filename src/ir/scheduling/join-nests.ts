/**
 * Purpose: runs what follows a leaf in its loops, if it has loops alike around it.
 *
 * Requires: that no dependence is turned around (checked by verifySchedule). Ensures: the same
 * instances; what has other loops stays where it is, with all behind it.
 *
 * ```
 * unroll i.0 in 0..4                unroll i.0 in 0..4
 *   C.finish(m = i.0)                 sequence
 * unroll i.1 in 0..4        -->         C.finish(m = i.0)
 *   D(m = i.1)                          D(m = i.0)
 * ```
 */
import { variable } from "../affine.ts";
import { type Band, band, type Leaf, type ScheduleNode, sequence } from "../schedule.ts";
import { mapNode, rebind } from "./map-node.ts";

/** A leaf with the loops of one band around it. */
interface Nest extends Band {
  readonly child: Leaf;
}

function isNest(node: ScheduleNode): node is Nest {
  return node.kind === "band" && node.child.kind === "leaf";
}

function areAlike(a: Band, b: Band): boolean {
  const same = a.loops.every(({ on, extent }, n) => {
    const other = b.loops[n];
    return on === other?.on && extent === other.extent;
  });
  return same && a.loops.length === b.loops.length;
}

/** Joins nests to that of the leaf that `isFirst` finds in a sequence. */
export function joinNests(root: ScheduleNode, isFirst: (leaf: Leaf) => boolean): ScheduleNode {
  return mapNode(root, (node) => {
    if (node.kind !== "sequence") return node;
    const at = node.children.findIndex((c) => isNest(c) && isFirst(c.child));
    const first = node.children[at];
    if (first === undefined || !isNest(first)) return node;
    const leaves: Leaf[] = [first.child];
    for (const next of node.children.slice(at + 1)) {
      if (!isNest(next) || !areAlike(first, next)) break;
      const names = new Map(next.loops.map((l, n) => [l.id, first.loops[n]?.id ?? l.id]));
      leaves.push(
        rebind(next.child, (loop) => {
          const name = names.get(loop);
          return name === undefined ? undefined : variable(name);
        }),
      );
    }
    const joined = band(first.loops, sequence(leaves));
    const rest = node.children.slice(at + leaves.length);
    return sequence([...node.children.slice(0, at), joined, ...rest]);
  });
}
