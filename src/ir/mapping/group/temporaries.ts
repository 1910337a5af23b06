/** The temporaries of a kernel: how much of each belongs to a point, and how much an invocation may keep. */
import { flatMap } from "../../../support/flat-map.ts";
import { boundingBox } from "../../domain.ts";
import { findTensor, indexVariables, type Program, type Statement } from "../../program.ts";
import type { Axis } from "./axes.ts";

/** The most elements that a temporary may have in private memory, of an invocation. */
export const privateElements = 64;

/** The most bytes that all temporaries of a kernel may have there: half of what WGSL promises. */
export const privateBytes = 4096;

/** Elements of a temporary for each point of the axes, at most: those of the dims that are no axes, nor on the host. */
export function elementsOfPoint(
  program: Program,
  statements: readonly Statement[],
  axes: readonly Axis[],
  host: ReadonlySet<string>,
  tensor: string,
): number {
  const parts = findTensor(program, tensor)?.components.length ?? 1;
  const own = statements
    .filter((s) => s.write.tensor === tensor)
    .map((s) => {
      const taken = new Set([...host, ...axes.map((axis) => axis.dims.get(s.id) ?? "")]);
      const box = boundingBox(s.domain);
      const dims = new Set(flatMap(s.write.index, (i) => [...indexVariables(s, i)]));
      return [...dims]
        .filter((d) => !taken.has(d))
        .reduce((product, d) => {
          const { lo, hi } = box.get(d) ?? { lo: 0, hi: 0 };
          return product * Math.max(1, hi - lo + 1);
        }, 1);
    });
  return parts * Math.max(1, ...own);
}
