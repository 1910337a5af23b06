import { diagnose } from "../../diagnostics/diagnostic.ts";
import { invariant } from "../../support/assert.ts";
import { type ScalarFunction, scalarFunction } from "../../support/scalar-functions.ts";
import { isFloat, type ScalarType } from "../../support/scalar-type.ts";
import type { Apply } from "../syntax/ast.ts";
import { builtin } from "./builtins.ts";
import type { Scope } from "./scope.ts";
import type { Typed } from "./typed.ts";
import { convert, promote, typedError } from "./types.ts";

/** These take floats although their integer forms exist under another name. */
const floatOnly: ReadonlySet<string> = new Set(["fabs", "fmin", "fmax"]);

/**
 * A call of a builtin function with its arguments converted; undefined when the name is none. `min` and `max` become operators, `select` a conditional.
 */
export function resolveCall(e: Apply, values: readonly Typed[], scope: Scope): Typed | undefined {
  const { name } = e.name;
  const found = builtin(name);
  if (found === undefined) return undefined;
  if (found.kind === "refused") {
    scope.report(diagnose("TC2016", { name }, e.name.span));
    return typedError(e.span);
  }
  const signature = scalarFunction(found.name);
  invariant(signature !== undefined, `builtin ${name} without a meaning`);
  if (values.length !== signature.arity) {
    const expected = signature.arity === 1 ? "1 argument" : `${signature.arity} arguments`;
    scope.report(diagnose("TC2005", { name, expected, found: values.length }, e.span));
    return typedError(e.span);
  }
  if (values.some((v) => v.type === "error")) return typedError(e.span);
  if (found.name === "select") return selectCall(e, values, scope);
  const common = argumentType(signature, values, floatOnly.has(name));
  const type = common === "float16" && !isExtremum(found.name) ? "float32" : common;
  const parts = values.map((v) => convert(v, type, scope.report));
  const [left, right] = parts;
  if (isExtremum(found.name) && left !== undefined && right !== undefined) {
    return { kind: "binary", operator: found.name, left, right, type, span: e.span };
  }
  const result: ScalarType = signature.result === "bool" ? "bool" : type;
  const call: Typed = {
    kind: "call",
    function: found.name,
    arguments: parts,
    type: result,
    span: e.span,
  };
  // Functions of float16 are computed in float32.
  return common === "float16" && result !== "bool" ? convert(call, common, scope.report) : call;
}

function isExtremum(name: string): name is "min" | "max" {
  return name === "min" || name === "max";
}

/** The common type of the arguments, which are converted to it; float16 also where floats are meant. */
function argumentType(
  signature: ScalarFunction,
  values: readonly Typed[],
  float: boolean,
): ScalarType {
  const [first, ...rest] = values;
  invariant(first !== undefined, "a function without arguments");
  let widest = first;
  for (const value of rest) {
    const type = promote(widest, value);
    if (type !== widest.type) widest = value.type === type ? value : widest;
  }
  const type = widest.type === "bool" || widest.type === "error" ? "int32" : widest.type;
  const wanted = float || signature.domain === "float";
  return wanted && !isFloat(type) ? "float32" : type;
}

/** `select(f, t, c)` is `c ? t : f`. */
function selectCall(e: Apply, values: readonly Typed[], scope: Scope): Typed {
  const [whenFalse, whenTrue, condition] = values;
  invariant(whenFalse && whenTrue && condition, "select takes three arguments");
  if (condition.type !== "bool") {
    const where = "the last argument of `select`";
    const found = condition.type;
    scope.report(diagnose("TC2008", { expected: "bool", found, where }, condition.span));
    return typedError(e.span);
  }
  const type = promote(whenTrue, whenFalse);
  if (type === "error") return typedError(e.span);
  return {
    kind: "select",
    condition,
    whenTrue: convert(whenTrue, type, scope.report),
    whenFalse: convert(whenFalse, type, scope.report),
    type,
    span: e.span,
  };
}
