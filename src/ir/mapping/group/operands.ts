/** Reads that a kernel may have copies of in workgroup memory. */
import { flatMap } from "../../../support/flat-map.ts";
import { remember } from "../../../support/remember.ts";
import { copyableReads } from "../../algebraic/copy-read.ts";
import { phaseReads } from "../../phase-reads.ts";
import { isScatter, type Statement } from "../../program.ts";
import { isTurned } from "./footprints.ts";
import type { Group } from "./group.ts";

/** The most operands of a kernel that may be staged. */
const mostOperands = 4;

/** A read that may be staged, with those that share its footprint. */
export interface Operand {
  /** In mappings, for example `C.read1`. */
  readonly name: string;
  readonly statement: Statement;
  readonly read: number;
}

/** Whether a read moves with the dims alone, so that a tile of them has a footprint. */
function movesWithDims(s: Statement, read: number): boolean {
  const dims = new Set(s.domain.dims.map((d) => d.name));
  return (s.reads[read]?.index ?? []).every(
    (i) => i.kind === "affine" && i.affine.terms.every((t) => dims.has(t.variable)),
  );
}

/** Whether a reduction begins with a read: before the loops in which copies are made. */
function isOfStart(s: Statement, read: number): boolean {
  return s.reduction !== null && phaseReads(s, "init").has(s.reads[read]?.tensor ?? "");
}

/** Reads of what the kernel does not write that can be copied, and how often elements are used. */
const copyable: (group: Group) => readonly (Operand & { readonly reuse: number })[] = remember(
  ({ program, statements }: Group) => {
    const written = new Set(statements.map((s) => s.write.tensor));
    return flatMap(
      statements.filter((s) => !isScatter(s)),
      (statement) =>
        copyableReads(program, statement)
          .filter(({ read }) => !written.has(statement.reads[read]?.tensor ?? ""))
          .filter(({ read }) => movesWithDims(statement, read) && !isOfStart(statement, read))
          .map(({ read, reuse }) => ({
            name: `${statement.id}.read${read}`,
            statement,
            read,
            reuse,
          })),
    );
  },
);

/**
 * Reads by which elements are used again, or across rows where neighbours lie along the axis
 * `innermost` of `axes`.
 */
export function operandsOf(
  group: Group,
  axes: Group["axes"],
  innermost: number,
): readonly Operand[] {
  return copyable(group)
    .filter(
      ({ statement, read, reuse }) => reuse >= 2 || isTurned(statement, read, axes, innermost),
    )
    .slice(0, mostOperands);
}
