/**
 * Purpose: places a temporary in the lanes of a subgroup, and writes out the loops that its readers go
 * through lanes by.
 *
 * ```
 * lane l                               lane l
 *   P(n, l) = ...                        P(n, l) = ...
 * serial r in 0..L              -->    unroll r in 0..L
 *   C(n) += P(n, r)                      C(n) += P(n, r)
 *                                      place P in lanes
 * ```
 * Requires: every writer's lane loop moves through one dimension. Ensures: the same instances in the
 * same order; whether it is legal is asked of verifySchedule.
 */
import { flatMap } from "../../../support/flat-map.ts";
import { coefficientOf, substitute } from "../../affine.ts";
import { placedDeal } from "../../layout.ts";
import { findStatement, type Program } from "../../program.ts";
import { eachLeaf, type LeafContext, type Place, type Schedule } from "../../schedule.ts";
import { mapNode } from "../../scheduling/map-node.ts";
import { place } from "../../scheduling/place.ts";

/** The most iterations of a loop that is written out for its lanes. */
const mostTrips = 64;

/** The serial loops by which a leaf goes from lane to lane of a tensor. */
function loopsThroughLanes(
  program: Program,
  { leaf, loops }: LeafContext,
  tensor: string,
  dimension: number,
  lanes: number,
): readonly string[] {
  const reads = findStatement(program, leaf.statement)?.reads ?? [];
  const maps = flatMap(reads, (r) => {
    const index = r.tensor === tensor ? r.index[dimension] : undefined;
    return index?.kind === "affine" ? [substitute(index.affine, (d) => leaf.binding.get(d))] : [];
  });
  const serial = loops.filter((l) => l.on === "serial" && l.extent <= mostTrips);
  return serial
    .filter((l) => maps.some((a) => coefficientOf(a, l.id) % lanes !== 0))
    .map((l) => l.id);
}

/** The schedule with the temporary in lanes at a loop; null where nothing deals it to lanes. */
export function placeInLanes(
  program: Program,
  schedule: Schedule,
  tensor: string,
  at: string | null,
): Schedule | null {
  const leaves = eachLeaf(schedule.root);
  const deal = placedDeal(program, leaves, tensor);
  if (deal === null) return null;
  const { dimension, lanes } = deal;
  const written = new Set(
    flatMap(leaves, (c) => loopsThroughLanes(program, c, tensor, dimension, lanes)),
  );
  const root = mapNode(schedule.root, (n) => {
    if (n.kind !== "band" || !n.loops.some((l) => written.has(l.id))) return n;
    const loops = n.loops.map((l) => (written.has(l.id) ? { ...l, on: "unroll" as const } : l));
    return { ...n, loops };
  });
  const added: Place = { target: { kind: "tensor", tensor }, space: "lanes", at, fold: null };
  return place({ ...schedule, root }, added);
}
