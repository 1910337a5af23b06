import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/ir/affine.ts";
import { type Values, valuesOf } from "../../../src/ir/dependences/values.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program, ProgramNode } from "../../../src/ir/program.ts";
import { loop, program, reads, run, statement, tensor } from "./build-program.ts";
import { randomProgram } from "./random-program.ts";

/** Runs a program, following both the true last writers and the values, and compares them. */
function follow(p: Program, values: Values): void {
  const text = printProgram(p);
  const truth = new Map<string, number>();
  const held = new Map<string, number | undefined>();
  let now = 0;
  const execute = (id: string): void => {
    const tensorName = p.statements.find((s) => s.id === id)?.write.tensor ?? "";
    for (const [name, value] of values.before.get(id) ?? []) {
      expect(held.get(value), `${name} before ${id}\n${text}`).toBe(truth.get(name));
    }
    now += 1;
    truth.set(tensorName, now);
    held.set(values.defined.get(id) ?? "", now);
  };
  const iterate = (
    node: ProgramNode & { kind: "loop" },
    env: ReadonlyMap<string, number>,
  ): void => {
    const phis = values.values.flatMap((v) =>
      v.origin.kind === "phi" && v.origin.loop === node.name
        ? [{ ...v, carried: v.origin.carried }]
        : [],
    );
    for (const phi of phis) held.set(phi.id, held.get(phi.prev ?? ""));
    const at = (name: string): number => env.get(name) ?? 0;
    for (let i = evaluate(node.lower, at); i < evaluate(node.upper, at); i++) {
      visit(node.body, new Map(env).set(node.name, i));
      for (const phi of phis) held.set(phi.id, held.get(phi.carried));
    }
  };
  const visit = (nodes: readonly ProgramNode[], env: ReadonlyMap<string, number>): void => {
    for (const node of nodes) {
      if (node.kind === "statement") execute(node.statement);
      else iterate(node, env);
    }
  };
  visit(p.tree, new Map());
  for (const [name, id] of values.final) expect(held.get(id), text).toBe(truth.get(name));
}

describe("values", () => {
  it("name the last write before each statement, on random programs", () => {
    for (let seed = 0; seed < 300; seed++) {
      const p = randomProgram(seed);
      follow(p, valuesOf(p));
    }
  });

  it("of a recurrence go through a phi", () => {
    const step = statement("S", {
      loops: ["t"],
      dims: [
        ["t", 5],
        ["i", 4],
      ],
      write: ["x", "i"],
      reads: [reads("x", "i")],
    });
    const p = program([tensor("x", [4], "inout")], [step], [loop("t", 5, run("S"))]);
    expect(valuesOf(p).values).toEqual([
      { id: "x@0", tensor: "x", origin: { kind: "start" }, prev: null, loops: [] },
      {
        id: "x@1",
        tensor: "x",
        origin: { kind: "phi", loop: "t", carried: "x@2" },
        prev: "x@0",
        loops: ["t"],
      },
      {
        id: "x@2",
        tensor: "x",
        origin: { kind: "statement", statement: "S" },
        prev: "x@1",
        loops: ["t"],
      },
    ]);
    expect(valuesOf(p).final.get("x")).toBe("x@1");
  });
});
