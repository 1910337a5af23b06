/** WGSL text of what the lanes of a subgroup give each other. */
import type { Exchange, KernelStatement } from "../kernel.ts";
import { type PrintContext, printWgslExpression } from "./print-expression.ts";

const reductions = {
  "+": "subgroupAdd",
  "*": "subgroupMul",
  min: "subgroupMin",
  max: "subgroupMax",
  and: "subgroupAll",
  or: "subgroupAny",
} as const;

/** A lane that is counted has another function: WGSL has broadcasts from constant lanes alone. */
function call(how: Exchange, value: string, context: PrintContext): string {
  switch (how.kind) {
    case "broadcast": {
      const name = how.lane.kind === "literal" ? "subgroupBroadcast" : "subgroupShuffle";
      return `${name}(${value}, ${printWgslExpression(how.lane, context)})`;
    }
    case "shuffle":
      return `subgroupShuffleXor(${value}, ${how.mask}u)`;
    case "reduce":
      return `${reductions[how.operator]}(${value})`;
  }
}

/** The lines of an exchange; WGSL has no bools in broadcasts and shuffles, so they go as numbers. */
export function printExchange(
  s: KernelStatement & { kind: "exchange" },
  indent: string,
  context: PrintContext,
): readonly string[] {
  const name = context.names.of("variable", s.name);
  const value = printWgslExpression(s.value, context);
  const isBool = s.type.scalar === "bool" && s.how.kind !== "reduce";
  const given = isBool ? `u32(${value})` : value;
  const got = call(s.how, given, context);
  const result = isBool ? `${got} != 0u` : got;
  context.multiples.delete(s.name);
  return [`${indent}let ${name} = ${result};`];
}
