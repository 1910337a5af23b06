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

function call(how: Exchange, value: string): string {
  switch (how.kind) {
    case "broadcast":
      return `subgroupBroadcast(${value}, ${how.lane}u)`;
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
  const result = isBool ? `${call(s.how, `u32(${value})`)} != 0u` : call(s.how, value);
  context.multiples.delete(s.name);
  return [`${indent}let ${name} = ${result};`];
}
