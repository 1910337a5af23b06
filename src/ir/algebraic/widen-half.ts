import type { ScalarType } from "../../support/scalar-type.ts";
import { cast, type Expression, mapExpression } from "../expression.ts";
import type { Monoid } from "../monoid.ts";
import type { Program, Statement, Tensor } from "../program.ts";
import { mapStatementExpressions } from "./substitute-statement.ts";

function widenType(type: ScalarType): ScalarType {
  return type === "float16" ? "float32" : type;
}

/** A node over operands that are float32 already where they were float16. */
function widenNode(node: Expression): Expression | undefined {
  if (node.kind === "cast") {
    if (node.type === "float16") return cast(cast(node.operand, "float32"), "float32", "float16");
    return node.narrow === undefined && node.operand.type === node.type ? node.operand : undefined;
  }
  return node.type === "float16" ? { ...node, type: "float32" } : undefined;
}

function widenExpression(e: Expression): Expression {
  return mapExpression(e, widenNode);
}

function widenMonoid(monoid: Monoid): Monoid {
  return {
    ...monoid,
    state: monoid.state.map(widenType),
    identity: monoid.identity.map(widenExpression),
    combine: monoid.combine.map(widenExpression),
    project: widenExpression(monoid.project),
    ordered: monoid.ordered && {
      ...monoid.ordered,
      combine: monoid.ordered.combine.map(widenExpression),
      none: widenExpression(monoid.ordered.none),
      project: widenExpression(monoid.ordered.project),
    },
  };
}

function widenStatement(s: Statement): Statement {
  const { reduction } = s;
  const monoid =
    reduction === null
      ? s
      : { ...s, reduction: { ...reduction, monoid: widenMonoid(reduction.monoid) } };
  return mapStatementExpressions(monoid, widenExpression);
}

function widenTensor(t: Tensor): Tensor {
  if (!t.components.includes("float16")) return t;
  const wide = { ...t, components: t.components.map(widenType) };
  return t.role === "temporary" ? wide : { ...wide, stored: "float16" };
}

/**
 * Purpose: computes with float32 where the device has no float16.
 *
 * ```
 * float16 y(i) = float16(x(i) * float32(h(i)))  -->  y(i) = x(i) * h(i) rounded to float16
 * ```
 * Requires: float16 values come from casts, reads and arithmetic.
 *
 * Ensures: no type of the program is float16; tensors of the caller are stored as they were; casts
 * to float16 still round. Other results do not: the program may be more exact than it was.
 */
export function widenHalf(program: Program): Program {
  return {
    ...program,
    tensors: program.tensors.map(widenTensor),
    statements: program.statements.map(widenStatement),
  };
}
