/** Where a tensor with an element for each point that a statement writes has that of a point. */
import { type Affine, addConstant, variable } from "../affine.ts";
import { boundingBox } from "../domain.ts";
import { type Access, access, parallelDims, type Statement } from "../program.ts";

/** The dims that number the elements: those that are neither reduced nor loops around the statement. */
function elementDims(s: Statement): readonly string[] {
  return parallelDims(s).filter((d) => !s.loops.includes(d));
}

/** How many elements there are along each dim that numbers them; 0 or less where there are none. */
export function elementShape(s: Statement): readonly number[] {
  const box = boundingBox(s.domain);
  return elementDims(s).map((d) => {
    const { lo, hi } = box.get(d) ?? { lo: 0, hi: -1 };
    return hi - lo + 1;
  });
}

/** Where the element of a point is along each dim that numbers them. */
export function elementIndex(s: Statement): readonly Affine[] {
  const box = boundingBox(s.domain);
  return elementDims(s).map((d) => addConstant(variable(d), -(box.get(d)?.lo ?? 0)));
}

/** The element of a point. */
export function elementAccess(s: Statement, tensor: string): Access {
  return access(tensor, ...elementIndex(s));
}
