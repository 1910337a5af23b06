import type { Report } from "../../diagnostics/diagnostic.ts";
import type { Interval } from "../../ir/affine.ts";
import type { Symbols } from "../names/symbols.ts";
import type { TypedNode, TypedStatement } from "../names/typed.ts";
import type { AffineContext } from "./affine-of.ts";
import type { StatementRanges } from "./infer-statement.ts";

/** The ranges of a definition. */
export interface InferredRanges {
  /** Statements that never run, or that a mistake affects, are absent. */
  readonly statements: ReadonlyMap<TypedStatement, StatementRanges>;
  /** The final shapes; tensors that a mistake affects may be absent. */
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** Per dimension the interval that the writes of a tensor cover at most; null: unknown. */
  readonly written: ReadonlyMap<string, readonly (Interval | null)[]>;
  /** What each statement writes of its target, in the order of the text. */
  readonly reaches: ReadonlyMap<TypedStatement, readonly (Interval | null)[]>;
  /** The sizes of inlined definitions. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Loops and `if`s as they are with the sizes that tensors have there. */
  readonly frozen: ReadonlyMap<TypedNode, TypedNode>;
}

/** What inference knows so far. */
export interface InferenceState {
  readonly symbols: Symbols;
  readonly statements: Map<TypedStatement, StatementRanges>;
  readonly shapes: Map<string, readonly number[]>;
  readonly written: Map<string, readonly (Interval | null)[]>;
  /** What each statement wrote of its target when it was visited last. */
  readonly reaches: Map<TypedStatement, readonly (Interval | null)[]>;
  readonly sizes: Map<string, number>;
  /** Shapes that are declared, here or in an inlined definition. */
  readonly declared: Map<string, readonly number[]>;
  readonly frozen: Map<TypedNode, TypedNode>;
  /** Tensors that may be read here. */
  readonly readable: Set<string>;
  /** Tensors that a mistake affects. */
  readonly tainted: Set<string>;
  /** What a round may do: wait for shapes that a later round knows, or take every fallback. */
  readonly patient: boolean;
  readonly report: Report;
}

/** What affine analysis needs outside of a statement. */
export function contextOf(
  { shapes, sizes }: Pick<InferredRanges, "shapes" | "sizes">,
  taken: ReadonlySet<string>,
): AffineContext {
  const shapeOf = (name: string): readonly number[] | undefined => shapes.get(name);
  return { quotients: [], shapeOf, sizeOf: (name) => sizes.get(name), taken };
}
