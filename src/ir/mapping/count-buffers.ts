import { flatMap } from "../../support/flat-map.ts";
import type { Program, Statement } from "../program.ts";

/** Storage buffers that a kernel of these statements binds when none of its tensors is placed. */
export function countBuffers(program: Program, statements: readonly Statement[]): number {
  return countTensors(
    program,
    new Set(flatMap(statements, (s) => [s.write.tensor, ...s.reads.map((r) => r.tensor)])),
  );
}

/** The storage buffers of some tensors: one for each component. */
export function countTensors(program: Program, names: ReadonlySet<string>): number {
  return program.tensors
    .filter((t) => names.has(t.name))
    .reduce((sum, t) => sum + (t.unpacked === undefined ? t.components.length : 1), 0);
}
