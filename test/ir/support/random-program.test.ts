import { expect, it } from "vitest";
import { isConstant } from "../../../src/ir/affine.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import { isScatter, type Program, type Statement } from "../../../src/ir/program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { randomInputs, randomProgram } from "./random-program.ts";

/** The language features of a statement. */
function* featuresOf(s: Statement): Generator<string> {
  const { dims, guards, quotients } = s.domain;
  if (s.reduction !== null) yield `${s.reduction.monoid.name} of ${s.reduction.monoid.state[0]}`;
  if (s.reduction?.init) yield "init";
  if (isScatter(s)) yield "scatter";
  if (s.loops.length > 1) yield "nested loops";
  if (guards.some((g) => g.kind === "zero")) yield "equality guard";
  if (guards.some((g) => g.kind === "nonnegative")) yield "guard";
  if (quotients.length > 0) yield "quotient";
  if (dims.some((d) => !isConstant(d.lower) || !isConstant(d.upper))) yield "triangle";
  if (s.reads.some((a) => a.guard.length > 0)) yield "padding";
  if (s.reads.some((a) => a.index.some((i) => i.kind === "opaque"))) yield "gather";
  if (s.reads.some((a) => a.tensor === s.write.tensor)) yield "in place";
}

function* programFeatures(p: Program): Generator<string> {
  for (const s of p.statements) yield* featuresOf(s);
  for (const t of p.tensors) if (t.role === "temporary") yield `temporary ${t.components[0]}`;
}

it("makes programs without faults, with every feature", () => {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 400; seed++) {
    const p = randomProgram(seed);
    for (const f of new Set(programFeatures(p))) counts.set(f, (counts.get(f) ?? 0) + 1);
    expect(verifyProgram(p), printProgram(p)).toEqual([]);
    const result = interpret(p, randomInputs(p, seed));
    expect([result.faults, result.complete]).toEqual([[], true]);
  }
  const rare = [...counts].filter(([, n]) => n < 5);
  expect(rare).toEqual([]);
  expect([...counts.keys()].sort()).toEqual([
    ...["all of bool", "any of bool", "argmax of float32", "argmax of int32"],
    ...["argmin of float32", "argmin of int32", "equality guard", "gather", "guard", "in place"],
    ...["init", "max of float32", "max of int32", "min of float32", "min of int32"],
    ...["nested loops", "padding", "product of int32", "quotient", "scatter", "sum of float32"],
    ...["sum of int32", "temporary bool", "temporary float32", "temporary int32", "triangle"],
  ]);
});

it("makes the same program from the same seed", () => {
  expect(randomProgram(5)).toEqual(randomProgram(5));
  expect(randomProgram(5)).not.toEqual(randomProgram(6));
});
