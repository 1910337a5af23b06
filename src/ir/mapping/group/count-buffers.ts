import { flatMap } from "../../../support/flat-map.ts";
import { findTensor, type Program, type Statement, tensorsOf } from "../../program.ts";
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
  let count = 0;
  for (const name of names) {
    const tensor = findTensor(program, name);
    if (tensor !== undefined) count += tensor.unpacked === undefined ? tensor.components.length : 1;
  }
  return count;
}
