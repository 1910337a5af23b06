/**
 * Purpose: moves a loop from around a subtree to around each leaf that uses it (loop distribution).
 *
 * Requires: that the leaves may finish all iterations one after the other (checked by
 * verifySchedule). Ensures: the same instances; each leaf has a loop of its own, innermost.
 *
 * ```
 * serial u in 0..8               sequence
 *   sequence                       serial u.0 in 0..8
 *     S.init(i = u)        -->       S.init(i = u.0)
 *     serial k in 0..K             serial k in 0..K, serial u.1 in 0..8
 *       S.update(i = u, k)           S.update(i = u.1, k)
 * ```
 */
import { variable } from "../affine.ts";
import { band, type Loop, type ScheduleNode } from "../schedule.ts";
import { mapBandOf, mapNode, rebind, usesLoop } from "./map-node.ts";

/** Sinks a loop; the copies are named `id.0`, `id.1`, ... in the order of the leaves. */
export function sink(node: ScheduleNode, id: string): ScheduleNode {
  let copies = 0;
  const around = (child: ScheduleNode, loop: Loop): ScheduleNode =>
    mapNode(child, (n) => {
      if (n.kind === "band" && n.child.kind === "band") {
        // A copy joins the loops that are already directly around its leaf.
        return { ...n, loops: [...n.loops, ...n.child.loops], child: n.child.child };
      }
      if (n.kind !== "leaf" || !usesLoop(n, id)) return n;
      const copy = `${id}.${copies++}`;
      const leaf = rebind(n, (l) => (l === id ? variable(copy) : undefined));
      return { kind: "band", loops: [{ ...loop, id: copy }], child: leaf };
    });
  return mapBandOf(node, id, (b) => {
    const loop = b.loops.find((l) => l.id === id);
    if (loop === undefined) return b;
    return band(
      b.loops.filter((l) => l.id !== id),
      around(b.child, loop),
    );
  });
}
