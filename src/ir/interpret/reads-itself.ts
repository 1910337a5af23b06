import { flatMap } from "../../support/flat-map.ts";
import { isScatter, parallelDims, type Statement, sameIndex } from "../program.ts";

/** True when each dim that is not reduced is alone in a coordinate: no two write one element. */
function isOneToOne(statement: Statement): boolean {
  const alone = new Set(
    flatMap(statement.write.index, (i) =>
      i.kind === "affine" && i.affine.terms.length === 1
        ? i.affine.terms.map((t) => t.variable)
        : [],
    ),
  );
  const loops = new Set(statement.loops);
  return parallelDims(statement).every((name) => loops.has(name) || alone.has(name));
}

/**
 * True when a statement may read an element that another of its instances writes, so that its
 * writes must wait until it has read everything.
 */
export function mustBuffer(statement: Statement): boolean {
  const own = statement.reads.filter((r) => r.tensor === statement.write.tensor);
  if (own.length === 0) return false;
  if (isScatter(statement) || !isOneToOne(statement)) return true;
  return !own.every((r) => sameIndex(r.index, statement.write.index));
}
