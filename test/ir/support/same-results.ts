/** Compares what two programs compute. */
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import type { Program } from "../../../src/ir/program.ts";

/** The contents of the caller's tensors afterwards; null when a number is not small and finite. */
export function resultsOf(
  program: Program,
  inputs: Readonly<Record<string, Float64Array>>,
): ReadonlyMap<string, readonly number[]> | null {
  const result = interpret(program, inputs, { temporaries: true });
  const all = new Map([...result.tensors].map(([name, t]) => [name, [...t.data]]));
  for (const values of all.values()) {
    if (values.some((v) => !(Math.abs(v) < 2 ** 50))) return null;
  }
  return new Map([...all].filter(([name]) => isVisible(program, name)));
}

function isVisible(program: Program, name: string): boolean {
  return program.tensors.some((t) => t.name === name && t.role !== "temporary");
}

/** Where the results of two programs differ; null when they are equal. -0 equals 0. */
export function difference(
  before: ReadonlyMap<string, readonly number[]>,
  after: Program,
  inputs: Readonly<Record<string, Float64Array>>,
): string | null {
  const { tensors } = interpret(after, inputs);
  for (const [name, expected] of before) {
    const got = tensors.get(name)?.data ?? [];
    for (const [n, value] of expected.entries()) {
      if (value !== got[n]) return `${name}[${n}] is ${got[n]} instead of ${value}`;
    }
  }
  return null;
}
