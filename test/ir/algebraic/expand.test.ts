import { describe, expect, it } from "vitest";
import { constant, lessThan } from "../../../src/ir/affine.ts";
import { expandCandidates, expandTemporary } from "../../../src/ir/algebraic/expand.ts";
import type { Program, Statement } from "../../../src/ir/program.ts";
import {
  affine,
  loop,
  program,
  reads,
  run,
  type StatementSpec,
  statement,
  tensor,
} from "../dependences/build-program.ts";
import { applied, lines, reason } from "./rewrites.ts";

const tensors = [tensor("A", [6, 8], "input"), tensor("T", [8], "temporary"), tensor("C", [6, 8])];
const dims = [
  ["t", 1, 6],
  ["i", 8],
] as const;
const produce: StatementSpec = {
  loops: ["t"],
  dims,
  write: ["T", "i"],
  reads: [reads("A", "t", "i")],
};
const consume: StatementSpec = {
  loops: ["t"],
  dims,
  write: ["C", "t", "i"],
  reads: [reads("T", [7, -1, "i"])],
};
const target = { tensor: "T", loop: "t" };

function looped(...statements: readonly Statement[]): Program {
  const body = statements.map((s) => run(s.id));
  const tree = [{ ...loop("t", 6, ...body), lower: constant(1) }];
  return program(tensors, statements, tree);
}

describe("expandTemporary", () => {
  it("gives each iteration a copy, numbered from the loop's first value", () => {
    const p = applied(
      expandTemporary(looped(statement("P", produce), statement("R", consume)), target),
    );
    expect(lines(p)).toEqual([
      "P: { t in 1..6, i in 0..8 } T(t - 1, i) = (0 + A(t, i))",
      "R: { t in 1..6, i in 0..8 } C(t, i) = (0 + T(t - 1, -i + 7))",
    ]);
    expect(p.tensors.find((t) => t.name === "T")?.shape).toEqual([5, 8]);
  });

  it("refuses what an earlier iteration may have written", () => {
    const refusal = "an iteration may read what an earlier one wrote";
    const late = looped(statement("R", consume), statement("P", produce));
    expect(reason(expandTemporary(late, target))).toBe(refusal);
    const part = { ...produce, dims: [dims[0], ["i", 7]] as const };
    expect(
      reason(expandTemporary(looped(statement("P", part), statement("R", consume)), target)),
    ).toBe(refusal);
    const sometimes = { ...produce, guards: [lessThan(affine("t"), constant(4))] };
    expect(
      reason(expandTemporary(looped(statement("P", sometimes), statement("R", consume)), target)),
    ).toBe(refusal);
    const scatter = statement("S", {
      ...produce,
      dims: [...dims, ["k", 8]],
      write: ["T", "k"],
      sum: ["k"],
    });
    expect(reason(expandTemporary(looped(scatter), target))).toBe(refusal);
    expect(expandTemporary(looped(statement("P", produce), scatter), target).kind).toBe(
      "rewritten",
    );
  });

  it("refuses tensors of the caller and those that the loop does not enclose", () => {
    const p = looped(statement("P", produce), statement("R", consume));
    expect(reason(expandTemporary(p, { ...target, tensor: "C" }))).toBe("it is no temporary");
    expect(reason(expandTemporary(p, { ...target, loop: "u" }))).toBe("no such loop");
    const after = statement("Q", { dims: [["i", 8]], write: ["T", "i"] });
    const more = { ...p, statements: [...p.statements, after], tree: [...p.tree, run("Q")] };
    expect(reason(expandTemporary(more, target))).toBe("it is used outside the loop");
  });

  it("names candidates after the first writer and the loop", () => {
    const p = looped(statement("P", produce), statement("R", consume));
    expect(expandCandidates(p)).toEqual([{ path: "P/expand/t0", ...target }]);
  });
});
