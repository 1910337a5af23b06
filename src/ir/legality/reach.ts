import { flatMap } from "../../support/flat-map.ts";
import { addConstant, nonnegative, scale, subtract, variable } from "../affine.ts";
import type { Occurrences } from "./occurrence.ts";
import { difference, mayDiffer, mayHold, type PairSet, threadAt } from "./pair-set.ts";

/** The smallest group of invocations of a dispatch that holds both ends of a pair. */
export type Reach = "thread" | "subgroup" | "workgroup" | "grid";

/** True unless both ends of every pair are proved to be executed by the same invocation. */
export function crossesThreads(pairs: PairSet, occurrences: Occurrences): boolean {
  const size = occurrences.workgroupSizes[pairs.sink.kernel] ?? 1;
  if (size <= 1) return false;
  const { strides } = occurrences;
  const apart = subtract(threadAt(pairs, "b", strides), threadAt(pairs, "a", strides));
  return mayDiffer(pairs, apart);
}

/** True unless both ends are proved to have the same quotient of local index and lane count. */
function crossesSubgroups(pairs: PairSet, occurrences: Occurrences, lanes: number): boolean {
  const { strides } = occurrences;
  const quotient = (side: "a" | "b"): string => `${side}.@subgroup`;
  const rows = flatMap(["a", "b"] as const, (side) => {
    const rest = subtract(threadAt(pairs, side, strides), scale(variable(quotient(side)), lanes));
    return [nonnegative(rest), nonnegative(addConstant(scale(rest, -1), lanes - 1))];
  });
  const apart = subtract(variable(quotient("b")), variable(quotient("a")));
  return (
    mayHold(pairs, [...rows, nonnegative(addConstant(apart, -1))]) ||
    mayHold(pairs, [...rows, nonnegative(addConstant(scale(apart, -1), -1))])
  );
}

/**
 * The reach of pairs within one dispatch: "grid" if some pair may be in two workgroups, "workgroup"
 * or "subgroup" if in two invocations, "thread" otherwise. A subgroup is a block of invocations as
 * many as the lane loops around a leaf have iterations, if there are lane loops.
 */
export function reachOf(pairs: PairSet, occurrences: Occurrences): Reach {
  if (pairs.shared.some((l) => l.on === "grid" && mayDiffer(pairs, difference(l)))) return "grid";
  if (!crossesThreads(pairs, occurrences)) return "thread";
  const lanes = occurrences.lanes[pairs.sink.kernel] ?? 1;
  if (lanes <= 1 || crossesSubgroups(pairs, occurrences, lanes)) return "workgroup";
  return "subgroup";
}
