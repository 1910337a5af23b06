import { flatMap } from "../../../support/flat-map.ts";
import { type Program, type Statement, tensorsOf } from "../../program.ts";
import type { Place } from "../../schedule.ts";

/**
 * Storage buffers that a kernel of these statements binds when none of its tensors is placed, but those
 * that are said to need none.
 */
export function countBuffers(
  program: Program,
  statements: readonly Statement[],
  unbound: Iterable<string> = [],
): number {
  const names = flatMap(statements, tensorsOf);
  const bound = new Set(names);
  for (const name of unbound) bound.delete(name);
  return countTensors(program, bound);
}

/** The tensors that need no buffer in these places. */
export function unboundBy(places: readonly Place[]): readonly string[] {
  return flatMap(places, ({ target, space }) => {
    const hasBuffer = space === "storage" || space === "scratch";
    return target.kind === "tensor" && !hasBuffer ? [target.tensor] : [];
  });
}

/** The storage buffers of some tensors: one for each component. */
export function countTensors(program: Program, names: ReadonlySet<string>): number {
  return program.tensors
    .filter((t) => names.has(t.name))
    .reduce((sum, t) => sum + (t.unpacked === undefined ? t.components.length : 1), 0);
}
