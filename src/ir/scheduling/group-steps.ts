/**
 * Purpose: lets each point of an invocation take several written-out steps of a reduction before the
 * next point takes them, so that its accumulator stays in a register meanwhile.
 *
 * ```
 * unroll k in 0..8, unroll i in 0..4             unroll k.group in 0..2, unroll i in 0..4, unroll k.step in 0..4
 *   C.update(i, k)                        -->      C.update(i, k = 4*k.group + k.step)
 * ```
 * Requires: a legal kernel. Ensures: the same instances, each point's steps in the same order, and so a
 * legal kernel: what is regrouped are updates alone, which read nothing that updates write but the
 * accumulator of their own point.
 */
import { flatMap } from "../../support/flat-map.ts";
import { coefficientOf, constant } from "../affine.ts";
import { type Program, statementOf } from "../program.ts";
import { type Band, eachLeaf, type Loop, type ScheduleNode } from "../schedule.ts";
import { mapNode } from "./map-node.ts";
import { reorder } from "./reorder.ts";
import { tile } from "./tile.ts";

/** What a loop is to the leaves of a band, all updates: steps of all, points of all; null for others. */
function roleOf(program: Program, { child }: Band, loop: Loop): "step" | "point" | null {
  const roles = flatMap(eachLeaf(child), ({ leaf }) => {
    const { reduction } = statementOf(program, leaf.statement);
    const dims = [...leaf.binding.keys()].filter(
      (d) => coefficientOf(leaf.binding.get(d) ?? constant(0), loop.id) !== 0,
    );
    if (leaf.phase !== "update") return [null];
    return dims.map((d) => (reduction?.dims.includes(d) === true ? "step" : "point"));
  });
  const [first = null, ...others] = new Set(roles);
  return others.length === 0 ? first : null;
}

/** The written-out steps of a band's reductions that stand around its written-out points. */
function stepLoop(program: Program, band: Band): Loop | null {
  const end = band.loops.findLastIndex((l) => l.on !== "unroll" && l.on !== "vector") + 1;
  const written = band.loops.slice(end).filter((l) => l.on === "unroll" && l.extent > 1);
  if (written.length < 2) return null;
  const at = written.findLastIndex((l) => roleOf(program, band, l) !== "point");
  const loop = written[at];
  if (loop === undefined || at === written.length - 1) return null;
  return roleOf(program, band, loop) === "step" ? loop : null;
}

/** Of each band whose points are inside of the steps of a reduction: how many steps these are. */
export function stepCounts(program: Program, root: ScheduleNode): readonly number[] {
  const counts: number[] = [];
  const visit = (node: ScheduleNode): void => {
    if (node.kind === "sequence") for (const child of node.children) visit(child);
    if (node.kind !== "band") return;
    const loop = stepLoop(program, node);
    if (loop !== null) counts.push(loop.extent);
    visit(node.child);
  };
  visit(root);
  return counts;
}

/** Groups the steps by `size >= 1`, wherever it divides them. */
export function groupSteps(program: Program, root: ScheduleNode, size: number): ScheduleNode {
  if (size === 1) return root;
  return mapNode(root, (n) => {
    const loop = n.kind === "band" ? stepLoop(program, n) : null;
    if (n.kind !== "band" || loop === null || loop.extent % size !== 0) return n;
    const vectors = n.loops.filter((l) => l.on === "vector").map((l) => l.id);
    if (size === loop.extent) return reorder(n, [loop.id, ...vectors]);
    const [group, step] = [`${loop.id}.group`, `${loop.id}.step`];
    return reorder(tile(n, loop.id, size, group, step), [step, ...vectors]);
  });
}
