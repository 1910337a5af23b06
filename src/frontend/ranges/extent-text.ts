import { flatMap } from "../../support/flat-map.ts";
import type { Symbols } from "../names/symbols.ts";
import { eachTyped, type StatementIndex, type Typed, type TypedStatement } from "../names/typed.ts";
import { printExpression } from "../syntax/print-ast.ts";
import { eachAccess, eachExisting } from "./accesses.ts";

/** What a user writes for the size of a dimension: as it is declared, or `T.0`. */
export function extentText(tensor: string, dimension: number, { tensors }: Symbols): string {
  const declared = tensors.get(tensor)?.dimensions?.[dimension];
  return declared === undefined ? `${tensor}.${dimension}` : printExpression(declared);
}

/**
 * The range that an index has where it is used alone, or most nearly so, in a read: `0:N`. With
 * `0:N` for an index that no read uses.
 */
export function rangeText(
  statement: TypedStatement,
  index: StatementIndex,
  symbols: Symbols,
): string {
  const uses = flatMap([...eachAccess(statement), ...eachExisting(statement)], ({ access }) =>
    flatMap(access.indices, (e, dimension) => {
      const nodes = eachTyped(e);
      const used = nodes.some((node) => node.kind === "index" && node.name === index.name);
      return used ? [{ tensor: access.tensor, dimension, distance: nodes.length }] : [];
    }),
  );
  const [nearest] = uses.sort((a, b) => a.distance - b.distance);
  const upper =
    nearest === undefined ? "N" : extentText(nearest.tensor, nearest.dimension, symbols);
  return `0:${upper}`;
}

/** True for an index alone. */
export function isBare(e: Typed, name: string): boolean {
  return e.kind === "index" && e.name === name;
}
