/** The ways in which lanes may load for each other what all of them need alike. */
import { flatMap } from "../../../support/flat-map.ts";
import { variable } from "../../affine.ts";
import { domainConstraints } from "../../domain.ts";
import { bounds } from "../../integer-set/bounds.ts";
import type { Statement } from "../../program.ts";
import type { Schedule } from "../../schedule.ts";
import type { Group } from "../group/group.ts";
import type { GroupShape } from "./map-group.ts";
import { type SpreadOver, spreadCandidates } from "./spread-operands.ts";

/** Of so many steps, one is few. */
const manySteps = 16;

/**
 * Whether few steps of the loops on the host have instances of a statement, as one that begins a
 * recurrence: text that is written out for it costs more in the first call than it saves in all.
 */
export function isRare({ domain }: Statement, { host }: Pick<Group, "host">): boolean {
  let [mine, all] = [1, 1];
  for (const { id, extent } of host) {
    const range = bounds(domainConstraints(domain), variable(id));
    if (range !== "empty") mine *= Math.min(extent, range.hi - range.lo + 1);
    all *= extent;
  }
  return mine * manySteps <= all;
}

/** A shape with so many steps of some statements written out. */
export function withSteps(shape: GroupShape, ids: Iterable<string>, steps: number): GroupShape {
  return { ...shape, unrolls: new Map([...ids].map((id) => [id, steps])) };
}

/** The statements whose operands lanes can load for each other so; those that are rarely executed are left out. */
export function spreadStatements(
  group: Group,
  shape: GroupShape,
  build: (shape: GroupShape) => Schedule,
  lanes: number,
  over: SpreadOver,
): ReadonlySet<string> {
  const ids = group.statements.map((s) => s.id);
  const steps = over === "steps" ? lanes : 1;
  const rare = new Set(flatMap(group.statements, (s) => (isRare(s, group) ? [s.id] : [])));
  const found = spreadCandidates(group.program, build(withSteps(shape, ids, steps)), lanes, over);
  return new Set([...found].filter((id) => !rare.has(id)));
}
