/** A rewrite applied wherever it is offered, for tests. */
import { expect } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import type { Rewrite } from "../../../src/ir/algebraic/rewrite.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { difference, resultsOf } from "../support/same-results.ts";
import { applied } from "./rewrites.ts";

export type Sizes = Readonly<Record<string, number>>;

/** The program of a text without mistakes. */
export function lowered(source: string, sizes: Sizes): Program {
  const result = lowerSource(source, { sizes });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result.program;
}

function inputsOf(program: Program): Readonly<Record<string, Float64Array>> {
  const given = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  return Object.fromEntries(
    given.map(({ name, shape }, n) => {
      const length = shape.reduce((product, extent) => product * extent, 1);
      return [name, Float64Array.from({ length }, (_, i) => (((i + n) * 5) % 7) - 3)];
    }),
  );
}

/** Applies a rewrite until it has no candidates; every step is well-formed and computes the same. */
export function appliedAll<Candidate>(
  before: Program,
  candidates: (program: Program) => readonly Candidate[],
  rewrite: (program: Program, candidate: Candidate) => Rewrite,
): Program {
  const inputs = inputsOf(before);
  const results = resultsOf(before, inputs) ?? new Map<string, readonly number[]>();
  expect(results.size).toBeGreaterThan(0);
  let program = before;
  for (let [c] = candidates(program); c !== undefined; [c] = candidates(program)) {
    program = applied(rewrite(program, c));
    expect(verifyProgram(program), printProgram(program)).toEqual([]);
    expect(difference(results, program, inputs), printProgram(program)).toBeNull();
  }
  return program;
}
