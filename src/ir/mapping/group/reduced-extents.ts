/** How many points the reduced dims of a statement have. */
import { boundingBox } from "../../domain.ts";
import { reducedDims, type Statement } from "../../program.ts";

/** The extents of a statement's reduced dims, from the outside. */
export function reducedExtents(statement: Statement): readonly number[] {
  const box = boundingBox(statement.domain);
  return reducedDims(statement).map((d) => {
    const range = box.get(d);
    return range === undefined ? 0 : range.hi - range.lo + 1;
  });
}

/** The extent of the innermost reduced dim of a statement that has several points; null for none. */
export function innermostReduced(statement: Statement): number | null {
  const extents = reducedExtents(statement);
  return extents.filter((n) => n > 1).at(-1) ?? extents.at(-1) ?? null;
}
