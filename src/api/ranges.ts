import type { Span } from "../diagnostics/span.ts";
import { analysePrepared, type ReadSource, sourceFor } from "../frontend/analyse.ts";
import type { CheckedNode } from "../frontend/checked.ts";
import { type Affine, printAffine } from "../ir/affine.ts";
import { checkOptions, checkSizes, type OptionNames } from "../support/check-call-shape.ts";
import { optionKinds } from "../support/option-kinds.ts";

/** Whose ranges to infer; the same as for `compile`. */
export interface RangesRequest {
  /** The definition; may be left out when the source has one. */
  readonly def?: string;
  /** Sizes and compile-time parameters by name; they win over shapes, those over `#! sizes`. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** Shapes of inputs by name. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
}

/** The range of an index as text, half-open: `lower <= name < upper`. */
export interface IndexRange {
  /** As it is written. */
  readonly name: string;
  /** A number, or an expression of the indices around it. */
  readonly lower: string;
  readonly upper: string;
  /** Where the statement, or the head of the loop, says it first. */
  readonly span: Span;
  /** `loop`: of a `for` around the statement; `reduced`: summed over, or combined otherwise. */
  readonly role: "loop" | "parallel" | "reduced";
}

/** The ranges that one statement's indices have. */
export interface StatementRanges {
  /** The statement. */
  readonly span: Span;
  /** The tensor that it writes. */
  readonly target: string;
  /** Loops outermost first, then the statement's own indices. */
  readonly indices: readonly IndexRange[];
}

const requestNames: OptionNames<RangesRequest> = {
  def: optionKinds.def,
  sizes: true,
  shapes: optionKinds.shapes,
};

/**
 * The ranges of all indices, as inferred, by statement in the order of the text. A statement that
 * conditions split into cases is listed for each case. Nothing for a source with errors. Never throws
 * on bad source.
 */
export function ranges(
  source: string | ReadSource,
  request: RangesRequest = {},
): readonly StatementRanges[] {
  const prepared = sourceFor("ranges", source);
  checkOptions("ranges", request, requestNames);
  checkSizes("ranges", request.sizes);
  const { def, sizes, shapes } = request;
  const { checked } = analysePrepared(prepared, {
    ...(def === undefined ? {} : { definition: def }),
    ...(sizes === undefined ? {} : { sizes }),
    ...(shapes === undefined ? {} : { shapes }),
  });
  return checked === undefined ? [] : rangesOf(checked.body, [], new Map());
}

/** `written` tells how a loop or dim is written, by its unique name. */
function rangesOf(
  nodes: readonly CheckedNode[],
  loops: readonly IndexRange[],
  written: ReadonlyMap<string, string>,
): readonly StatementRanges[] {
  return nodes.flatMap((node) => {
    if (node.kind === "loop") {
      const names = new Map([...written, [node.name, node.source]]);
      return rangesOf(node.body, [...loops, rangeOf(node, "loop", names)], names);
    }
    const names = new Map([...written, ...node.dims.map((d) => [d.name, d.source] as const)]);
    const own = node.dims.map((dim) => rangeOf(dim, dim.reduced ? "reduced" : "parallel", names));
    return [{ span: node.span, target: node.target, indices: [...loops, ...own] }];
  });
}

function rangeOf(
  { source, lower, upper, span }: Bounded,
  role: IndexRange["role"],
  written: ReadonlyMap<string, string>,
): IndexRange {
  return {
    name: source,
    lower: affineText(lower, written),
    upper: affineText(upper, written),
    span,
    role,
  };
}

interface Bounded {
  readonly source: string;
  readonly lower: Affine;
  readonly upper: Affine;
  readonly span: Span;
}

function affineText({ terms, constant }: Affine, written: ReadonlyMap<string, string>): string {
  const renamed = terms.map((t) => ({ ...t, variable: written.get(t.variable) ?? t.variable }));
  return printAffine({ terms: renamed, constant });
}
