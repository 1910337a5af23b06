import { addConstant, type Constraint, nonnegative, scale } from "../affine.ts";
import { isEmpty } from "./is-empty.ts";

/** True only if it is proved that `constraint` holds at every integer point of the set. */
export function implies(constraints: readonly Constraint[], constraint: Constraint): boolean {
  const { affine } = constraint;
  const below = nonnegative(addConstant(scale(affine, -1), -1));
  if (isEmpty([...constraints, below]) !== "empty") return false;
  if (constraint.kind === "nonnegative") return true;
  return isEmpty([...constraints, nonnegative(addConstant(affine, -1))]) === "empty";
}
