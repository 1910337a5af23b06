/** Statements that write narrow integers or float16: wide arithmetic, and one narrowing at the end. */

import { temporary } from "../../ir/algebraic/rewrite.ts";
import { cast, type Expression, read } from "../../ir/expression.ts";
import type { Monoid } from "../../ir/monoid.ts";
import type { Statement, Tensor } from "../../ir/program.ts";
import { defined } from "../../support/assert.ts";
import { computedAs, type ElementType, isNarrowInteger } from "../../support/scalar-type.ts";
import { everyElement } from "./lower-scatter.ts";
import { freshTensor, type Lowering } from "./lowering.ts";

/** A value of the computed type as the element that it is stored as. */
export function storedAs(element: ElementType, value: Expression): Expression {
  const type = computedAs(element);
  return isNarrowInteger(element) ? cast(value, type, element) : cast(value, type);
}

/** A monoid whose states become elements of that type in the end. */
export function projectedAs(monoid: Monoid, element: ElementType): Monoid {
  return { ...monoid, project: storedAs(element, monoid.project) };
}

/**
 * The value of a float16 expression, or of one that is converted from it, in float32: its sums,
 * products and choices are computed there, other expressions stay what they are.
 */
export function widened(e: Expression): Expression {
  const type = "float32";
  if (e.kind === "cast" && e.type === type && e.operand.type === "float16") {
    return e.narrow === undefined ? widened(e.operand) : e;
  }
  if (e.type !== "float16") return e;
  switch (e.kind) {
    case "literal":
      return { ...e, type };
    case "unary":
      return { ...e, operand: widened(e.operand), type };
    case "binary":
      return { ...e, left: widened(e.left), right: widened(e.right), type };
    case "select":
      return { ...e, whenTrue: widened(e.whenTrue), whenFalse: widened(e.whenFalse), type };
    default:
      return cast(e, type);
  }
}

/** Makes statements that assign every element of a tensor from those of another. */
function convertAll(
  around: Statement,
  from: Tensor,
  to: Tensor,
  change: (e: Expression) => Expression,
  state: Lowering,
): Statement {
  const { index, statement } = everyElement(around, from, to.name, state);
  const type = defined(from.components[0], "type of", from.name);
  return statement([{ tensor: from.name, index, guard: [], fill: 0 }], change(read(0, type)));
}

/**
 * A scatter into a tensor of narrow elements: narrow integers wrap after all of it; float16 is
 * combined in a copy of float32. `lowerWide` makes the statements of the scatter itself.
 */
export function narrowScatter(
  scatter: Statement,
  element: ElementType,
  state: Lowering,
  lowerWide: (scatter: Statement) => readonly Statement[],
): readonly Statement[] {
  const { tensor: name } = scatter.write;
  const target = defined(
    state.tensors.find((t) => t.name === name),
    "tensor",
    name,
  );
  const store = (e: Expression): Expression => storedAs(element, e);
  if (isNarrowInteger(element)) {
    return [...lowerWide(scatter), convertAll(scatter, target, target, store, state)];
  }
  if (element !== "float16") return lowerWide(scatter);
  const wide = temporary(freshTensor(state, `${name}_sum`), { ...target, components: ["float32"] });
  state.tensors.push(wide);
  const fill = convertAll(scatter, target, wide, widened, state);
  const inner = lowerWide({ ...scatter, write: { ...scatter.write, tensor: wide.name } });
  return [fill, ...inner, convertAll(scatter, wide, target, store, state)];
}
