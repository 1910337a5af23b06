/** WGSL text of indivisible updates: WGSL's own for integers and bools, otherwise a retried exchange. */
import { defined, invariant } from "../../support/assert.ts";
import type { KernelArray, KernelStatement } from "../kernel.ts";
import { type PrintContext, printElement, printWgslExpression } from "./print-expression.ts";

type Atomic = KernelStatement & { kind: "atomic" };

function nativeAtomic(operator: Atomic["operator"], array: KernelArray): string | undefined {
  if (array.scalar === "float32") return undefined;
  const names = { "+": "Add", "*": undefined, min: "Min", max: "Max", and: "And", or: "Or" };
  return names[operator];
}

/** The new value from `old` and `tc_value`, both of the array's type. */
function update(operator: Atomic["operator"], old: string): string {
  invariant(operator !== "and" && operator !== "or", "logical atomics are native");
  if (operator === "min" || operator === "max") return `${operator}(${old}, tc_value)`;
  return `${old} ${operator} tc_value`;
}

/** The lines of an atomic statement; the array's words are i32 for int32 and u32 otherwise. */
export function printAtomic(s: Atomic, indent: string, context: PrintContext): readonly string[] {
  const array = defined(context.arrays.get(s.array), "array", s.array);
  const value = printWgslExpression(s.value, context);
  const native = nativeAtomic(s.operator, array);
  if (native !== undefined) {
    const element = printElement(array, s.index, 1, context);
    const word = array.scalar === "bool" ? `u32(${value})` : value;
    return [`${indent}atomic${native}(&${element}, ${word});`];
  }
  const float = array.scalar === "float32";
  const old = float ? "bitcast<f32>(tc_old)" : "tc_old";
  const next = update(s.operator, old);
  const element = `${context.names.of("array", array.id)}[tc_at]`;
  return [
    "{",
    `  let tc_at = ${printWgslExpression(s.index, context)};`,
    `  let tc_value = ${value};`,
    `  var tc_old = atomicLoad(&${element});`,
    "  loop {",
    `    let tc_new = ${float ? `bitcast<u32>(${next})` : next};`,
    `    let tc_result = atomicCompareExchangeWeak(&${element}, tc_old, tc_new);`,
    "    if (tc_result.exchanged) { break; }",
    "    tc_old = tc_result.old_value;",
    "  }",
    "}",
  ].map((line) => indent + line);
}
