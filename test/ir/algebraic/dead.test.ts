import { describe, expect, it } from "vitest";
import { deadStatements, removeDead } from "../../../src/ir/algebraic/dead.ts";
import { loop, program, reads, run, statement, tensor } from "../dependences/build-program.ts";
import { applied, lines, reason } from "./rewrites.ts";

const one = [["i", 8]] as const;
const tensors = [
  tensor("A", [8], "input"),
  tensor("T", [8], "temporary"),
  tensor("U", [8], "temporary"),
  tensor("C", [8]),
];
const inLoop = { loops: ["t"], dims: [["t", 3] as const, ...one] };
const p = program(
  tensors,
  [
    statement("P", { ...inLoop, write: ["T", "i"], reads: [reads("U", "i")] }),
    statement("Q", { ...inLoop, write: ["U", "i"], reads: [reads("T", "i")] }),
    statement("R", { dims: one, write: ["C", "i"], reads: [reads("A", "i")] }),
  ],
  [loop("t", 3, run("P"), run("Q")), run("R")],
);

describe("removeDead", () => {
  it("removes statements that only read each other, their loop and their tensors", () => {
    expect(deadStatements(p)).toEqual(["P", "Q"]);
    const q = applied(removeDead(p));
    expect(lines(q)).toEqual(["R: { i in 0..8 } C(i) = (0 + A(i))"]);
    expect(q.tree).toEqual([run("R")]);
    expect(q.tensors.map((t) => t.name)).toEqual(["A", "C"]);
    expect(reason(removeDead(q))).toBe("everything is used");
  });

  it("keeps what a result is made of, through any number of temporaries", () => {
    const chain = statement("R", { dims: one, write: ["C", "i"], reads: [reads("U", "i")] });
    const q = { ...p, statements: p.statements.map((s) => (s.id === "R" ? chain : s)) };
    expect(deadStatements(q)).toEqual([]);
    expect(reason(removeDead(q))).toBe("everything is used");
  });

  it("removes a temporary that nothing touches", () => {
    const q = program([...tensors.slice(0, 2), ...tensors.slice(3)], p.statements.slice(2));
    expect(applied(removeDead(q)).tensors.map((t) => t.name)).toEqual(["A", "C"]);
  });
});
