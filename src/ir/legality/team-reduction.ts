/**
 * Team reductions: those whose update stands inside of local loops that only reduced dims use. Each
 * invocation of a team then adds up a part of its own, and the parts are combined before `finish`.
 *
 * ```
 * S.init(n)                         all of the team: the first from `init`, others from the identity
 * workgroup t in 0..T, serial o     each its part
 *   S.update(n, k = T*o + t)
 *                                   the states of the team combined, for all of it
 * S.finish(n)
 * ```
 */
import { flatMap } from "../../support/flat-map.ts";
import type { Program, Statement } from "../program.ts";
import { type Fault, fault } from "./fault.ts";
import { leavesOf, type Occurrence, type Occurrences, sharedLoops } from "./occurrence.ts";
import { partLoops } from "./part-loops.ts";
import { isPlainAccumulator } from "./plain-accumulator.ts";

/** How the parts of a reduction are combined. */
export interface TeamReduction {
  /** Invocations that hold the same element in the end: a block of consecutive ones. */
  readonly team: number;
  /** Only the first so many of a team may have parts. */
  readonly parts: number;
  /** The lanes of the lane loop among those that deal the parts; 1 without one. */
  readonly lanes: number;
  /** It happens again and again in one invocation. */
  readonly repeated: boolean;
}

/** What the loops of an update in `occurrences` say of its statement; undefined for no team. */
export function teamReductionOf(
  statement: Statement,
  { leaves, strides }: Pick<Occurrences, "leaves" | "strides">,
): TeamReduction | undefined {
  const own = leaves.filter((o) => o.statement === statement);
  const update = own.find((o) => o.leaf.phase === "update");
  const finish = own.find((o) => o.leaf.phase === "finish");
  if (update === undefined || finish === undefined) return undefined;
  const dealt = partLoops(update);
  if (dealt.length === 0) return undefined;
  const serial = finish.loops.filter((l) => l.on === "serial" && l.extent > 1);
  return {
    team: finish.team,
    parts: dealt.reduce((last, l) => last + (l.extent - 1) * (strides.get(l.id) ?? 0), 0) + 1,
    lanes: dealt.find((l) => l.on === "lane")?.extent ?? 1,
    repeated: serial.length > 0,
  };
}

/** Reductions over local loops that are no team reductions, or whose parts cannot be combined. */
export function teamFaults(program: Program, occurrences: Occurrences): readonly Fault[] {
  return flatMap(program.statements, (statement) => {
    const own = leavesOf(statement.id, occurrences);
    const updates = own.filter((o) => o.leaf.phase === "update");
    if (!updates.some((o) => partLoops(o).length > 0)) return [];
    const finish = own.find((o) => o.leaf.phase === "finish");
    const text = `the parts of ${statement.id}`;
    const faults = (why: string): readonly Fault[] => [
      fault("structure", [statement.id], `${text} ${why}`),
    ];
    if (!isPlainAccumulator(statement, occurrences)) return faults("are not of one element each");
    if (finish?.uniform !== true) return faults("are combined where not every invocation comes");
    const kernels = new Set(updates.map((o) => o.kernel));
    const beside = occurrences.leaves.filter((o) => kernels.has(o.kernel));
    if (beside.some((o) => o.loops.some((l) => l.on === "fragment"))) {
      return faults("are in a kernel with fragments");
    }
    if (updates.some((o) => o.team > 1)) return faults("are each in several invocations");
    return updates.every((o) => areInTeam(o, finish)) ? [] : faults("are not those of one team");
  });
}

/** Whether all loops that deal the parts are inside of those around `finish`. */
function areInTeam(update: Occurrence, finish: Occurrence): boolean {
  const outside = new Set(sharedLoops(update, finish).map((l) => l.id));
  return partLoops(update).every((l) => !outside.has(l.id));
}
