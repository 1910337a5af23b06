import { describe, expect, it } from "vitest";
import {
  type AlgebraicStep,
  algebraicCandidates,
  algebraicKinds,
  applyStep,
} from "../../../src/ir/algebraic/steps.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { type Random, seededRandom } from "../../../src/support/random.ts";
import { randomInputs, randomProgram } from "../support/random-program.ts";
import { difference, resultsOf } from "../support/same-results.ts";

type Inputs = Readonly<Record<string, Float64Array>>;
type Results = ReadonlyMap<string, readonly number[]>;

/** The program after a step; fails, with both programs, when it computes something else. */
function checked(p: Program, step: AlgebraicStep, before: Results, inputs: Inputs): Program {
  const result = applyStep(p, step);
  const fail = (...what: readonly unknown[]): never => {
    throw new Error([JSON.stringify(step), printProgram(p), ...what].join("\n"));
  };
  if (result.kind === "refused") return fail(result.reason);
  const { program } = result;
  const found = difference(before, program, inputs);
  const wrong = verifyProgram(program);
  if (found !== null || wrong.length > 0) fail(printProgram(program), found, JSON.stringify(wrong));
  return program;
}

/** A step of a kind that applies here, each kind equally likely. */
function drawStep(random: Random, p: Program): AlgebraicStep | undefined {
  const steps = algebraicCandidates(p).map((c) => random.pick(c.steps));
  if (steps.length === 0) return undefined;
  const kind = random.pick([...new Set(steps.map((s) => s.kind))]);
  return random.pick(steps.filter((s) => s.kind === kind));
}

/** Applies random steps one after the other, checking each; their kinds. */
function chain(seed: number, length: number): readonly AlgebraicStep["kind"][] {
  const random = seededRandom(seed);
  let p = randomProgram(seed);
  const inputs = randomInputs(p, seed);
  const before = resultsOf(p, inputs);
  const kinds: AlgebraicStep["kind"][] = [];
  while (before !== null && kinds.length < length) {
    const step = drawStep(random, p);
    if (step === undefined) break;
    p = checked(p, step, before, inputs);
    kinds.push(step.kind);
  }
  return kinds;
}

describe("algebraic rewrites of random programs", () => {
  it("keep the results, at every place where one applies", () => {
    const random = seededRandom(1);
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 180; seed++) {
      const p = randomProgram(seed);
      const inputs = randomInputs(p, seed);
      const before = resultsOf(p, inputs);
      if (before === null) continue;
      for (const { steps } of algebraicCandidates(p)) {
        const step = random.pick(steps);
        checked(p, step, before, inputs);
        counts.set(step.kind, (counts.get(step.kind) ?? 0) + 1);
      }
    }
    // Few programs have scatters without tables, prefix reductions, recurrences, or matrices in loops: tests of these
    // rewrites have them.
    for (const kind of algebraicKinds.filter(
      (k) => !["chain", "skew", "parts", "turn"].includes(k),
    )) {
      expect(counts.get(kind), kind).toBeGreaterThan(kind === "scan" || kind === "gather" ? 0 : 20);
    }
  }, 300_000);

  it("keep the results one after the other, and every pair of them meets", () => {
    const pairs = new Set<string>();
    for (let seed = 1000; seed < 1200; seed++) {
      const kinds = chain(seed, 6);
      for (const [n, b] of kinds.entries()) {
        for (const a of kinds.slice(0, n)) pairs.add(`${a} then ${b}`);
      }
    }
    // Few programs have a loop whose sums have fixed terms or weights, prefix reductions or recurrences that compose:
    // those of loops.test.ts, of scan-prefix.test.ts and of scan-chain.test.ts do.
    const rare: readonly string[] = [
      ...["gather", "terms", "history", "scan", "chain", "skew", "parts", "turn"],
    ];
    const usual = algebraicKinds.filter((kind) => !rare.includes(kind));
    const missing = usual
      .flatMap((a) => usual.map((b) => `${a} then ${b}`))
      .filter((pair) => !pairs.has(pair));
    // Nothing is dead after that, unless another rewrite makes it so: rare.
    expect(missing.filter((pair) => pair !== "dead then dead")).toEqual([]);
  }, 300_000);
});
