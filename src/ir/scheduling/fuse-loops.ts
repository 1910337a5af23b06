/**
 * Purpose: runs two loops of one sequence as one (loop fusion).
 *
 * Requires: that no dependence is turned around (checked by verifySchedule). Ensures: the same
 * instances; what stands between the two runs before both, or after both, as asked.
 *
 * ```
 * sequence                          sequence
 *   S.init(i)                         S.init(i)
 *   serial k in 0..K                  T.init(i)
 *     S.update(i, k)                  serial k in 0..K
 *   S.finish(i)               -->       S.update(i, k)
 *   T.init(i)                           T.update(i, k)
 *   serial m in 0..K                  S.finish(i)
 *     T.update(i, m)                  T.finish(i)
 *   T.finish(i)
 * ```
 */
import { flatMap } from "../../support/flat-map.ts";
import { variable } from "../affine.ts";
import { type Band, band, eachLeaf, type ScheduleNode, sequence } from "../schedule.ts";
import { mapNode, rebind } from "./map-node.ts";

/** Two loops, each the outermost of a band; the bands are children of one sequence. */
export interface LoopPair {
  /** The loop that stays. */
  readonly first: string;
  /** The loop whose body joins it. */
  readonly second: string;
}

/** How many loops of two bands, from the outside, have the same iterations. */
function commonLoops(a: Band, b: Band): number {
  let n = 0;
  for (; n < Math.min(a.loops.length, b.loops.length); n++) {
    const [x, y] = [a.loops[n], b.loops[n]];
    if (x?.on !== "serial" || y?.on !== "serial" || x.extent !== y.extent) break;
  }
  return n;
}

/** The pairs among the bands of one sequence, the closest first. */
function pairsOf(children: readonly ScheduleNode[]): readonly LoopPair[] {
  const bands = children.filter((c): c is Band => c.kind === "band");
  return flatMap(bands, (b, at) =>
    flatMap(bands.slice(0, at).reverse(), (a) => {
      const [first, second] = [a.loops[0], b.loops[0]];
      if (first === undefined || second === undefined || first.extent <= 1) return [];
      return commonLoops(a, b) === 0 ? [] : [{ first: first.id, second: second.id }];
    }),
  );
}

/** The bands of all sequences that can be one loop, as far as their loops go. */
export function loopPairs(node: ScheduleNode): readonly LoopPair[] {
  const pairs: LoopPair[] = [];
  mapNode(node, (n) => {
    if (n.kind === "sequence") pairs.push(...pairsOf(n.children));
    return n;
  });
  return pairs;
}

/** Both bands as one: the loops that they have in common, once, around what is left of each. */
function fuseBands(a: Band, b: Band): ScheduleNode {
  const common = commonLoops(a, b);
  const names = new Map(b.loops.slice(0, common).map((l, n) => [l.id, a.loops[n]?.id ?? l.id]));
  const renamed = mapNode(b.child, (n) => {
    if (n.kind !== "leaf") return n;
    return rebind(n, (l) => {
      const name = names.get(l);
      return name === undefined ? undefined : variable(name);
    });
  });
  const rest = [band(a.loops.slice(common), a.child), band(b.loops.slice(common), renamed)];
  return band(a.loops.slice(0, common), sequence(rest));
}

function statementsOf(node: ScheduleNode): readonly string[] {
  return eachLeaf(node).map((c) => c.leaf.statement);
}

/**
 * Fuses a pair of {@link loopPairs}; other nodes come back as they are. Of what stands between the
 * two, the leaves of the statements in `ahead` and of the second loop's own run before both, the
 * others after both.
 */
export function fuseLoops(
  node: ScheduleNode,
  { first, second }: LoopPair,
  ahead: ReadonlySet<string> = new Set(),
): ScheduleNode {
  const startsWith = (n: ScheduleNode, id: string): boolean =>
    n.kind === "band" && n.loops[0]?.id === id;
  return mapNode(node, (n) => {
    if (n.kind !== "sequence") return n;
    const [i, j] = [first, second].map((id) => n.children.findIndex((c) => startsWith(c, id)));
    const [a, b] = [n.children[i ?? -1], n.children[j ?? -1]];
    if (i === undefined || j === undefined || i >= j) return n;
    if (a?.kind !== "band" || b?.kind !== "band" || commonLoops(a, b) === 0) return n;
    const own = new Set([...statementsOf(b), ...ahead]);
    const between = n.children.slice(i + 1, j);
    const isAhead = (c: ScheduleNode): boolean => statementsOf(c).every((s) => own.has(s));
    return sequence([
      ...n.children.slice(0, i),
      ...between.filter(isAhead),
      fuseBands(a, b),
      ...between.filter((c) => !isAhead(c)),
      ...n.children.slice(j + 1),
    ]);
  });
}
