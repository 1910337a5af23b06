import type { Typed, TypedNode } from "../names/typed.ts";
import { typedLiteral } from "../names/types.ts";

/** The shapes of tensors as far as they are written. */
type Shapes = ReadonlyMap<string, readonly number[]>;

type Block = Extract<TypedNode, { readonly kind: "loop" | "if" }>;

/**
 * A loop or an `if` with the sizes of tensors in its bounds or conditions replaced by what they are
 * at this place: statements after it may make the tensors larger, and must not change what runs.
 */
export function freezeExtents<B extends Block>(node: B, shapes: Shapes): B;
export function freezeExtents(node: Block, shapes: Shapes): Block {
  if (node.kind === "loop") {
    return { ...node, lower: freeze(node.lower, shapes), upper: freeze(node.upper, shapes) };
  }
  const branches = node.branches.map((b) => ({ ...b, condition: freeze(b.condition, shapes) }));
  return { ...node, branches };
}

function freeze(e: Typed, shapes: Shapes): Typed {
  switch (e.kind) {
    case "extent": {
      const value = shapes.get(e.tensor)?.[e.dimension];
      return value === undefined ? e : typedLiteral(value, "int32", e.span);
    }
    case "unary":
    case "cast":
      return { ...e, operand: freeze(e.operand, shapes) };
    case "binary":
      return { ...e, left: freeze(e.left, shapes), right: freeze(e.right, shapes) };
    case "select":
      return {
        ...e,
        condition: freeze(e.condition, shapes),
        whenTrue: freeze(e.whenTrue, shapes),
        whenFalse: freeze(e.whenFalse, shapes),
      };
    case "call":
      return { ...e, arguments: e.arguments.map((a) => freeze(a, shapes)) };
    case "access":
      return { ...e, indices: e.indices.map((i) => freeze(i, shapes)) };
    case "literal":
    case "index":
    case "size":
    case "error":
      return e;
  }
}
