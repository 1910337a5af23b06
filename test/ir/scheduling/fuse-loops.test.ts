import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { joinLoops } from "../../../src/ir/mapping/build/join-loops.ts";
import { axesOf } from "../../../src/ir/mapping/group/axes.ts";
import { nestOf } from "../../../src/ir/mapping/group/nest.ts";
import type { Program } from "../../../src/ir/program.ts";
import { printSchedule, type ScheduleNode } from "../../../src/ir/schedule.ts";
import { fuseLoops, type LoopPair, loopPairs } from "../../../src/ir/scheduling/fuse-loops.ts";
import { leaf, nest, on } from "../legality/build-schedule.ts";

function text(node: ScheduleNode): readonly string[] {
  return printSchedule({ root: node, places: [] }).trimEnd().split("\n");
}

const two = nest(
  [on("grid", "i", 4)],
  leaf("S", { i: "i" }, "init"),
  nest([on("serial", "k", 9)], leaf("S", { i: "i", k: "k" }, "update")),
  leaf("S", { i: "i" }, "finish"),
  leaf("T", { i: "i" }, "init"),
  nest([on("serial", "m", 9)], leaf("T", { i: "i", k: [1, "m", 2] }, "update")),
  leaf("T", { i: "i" }, "finish"),
);

describe("fuseLoops", () => {
  it("runs two loops as one, what starts the second before and what ends the first after", () => {
    expect(loopPairs(two)).toEqual([{ first: "k", second: "m" }]);
    expect(text(fuseLoops(two, { first: "k", second: "m" }))).toEqual([
      "grid i in 0..4",
      "  sequence",
      "    S.init(i = i)",
      "    T.init(i = i)",
      "    serial k in 0..9",
      "      sequence",
      "        S.update(i = i, k = k)",
      "        T.update(i = i, k = k + 2)",
      "    S.finish(i = i)",
      "    T.finish(i = i)",
    ]);
  });

  it("fuses as many loops as have the same iterations, and leaves the others inside", () => {
    const node = nest(
      [],
      nest([on("serial", "a", 3), on("serial", "b", 5)], leaf("S", { i: "a", j: "b" })),
      nest([on("serial", "c", 3), on("serial", "d", 6)], leaf("T", { i: "c", j: "d" })),
    );
    expect(text(fuseLoops(node, { first: "a", second: "c" }))).toEqual([
      "serial a in 0..3",
      "  sequence",
      "    serial b in 0..5",
      "      S(i = a, j = b)",
      "    serial d in 0..6",
      "      T(i = a, j = d)",
    ]);
  });

  it("moves what the second loop is made of before both", () => {
    const node = nest(
      [],
      nest([on("serial", "a", 3)], leaf("S", { i: "a" })),
      leaf("U", {}),
      leaf("V", {}),
      nest([on("serial", "b", 3)], leaf("T", { i: "b" })),
    );
    const pair = { first: "a", second: "b" };
    expect(text(fuseLoops(node, pair, new Set(["V"])))).toEqual([
      "sequence",
      "  V()",
      "  serial a in 0..3",
      "    sequence",
      "      S(i = a)",
      "      T(i = a)",
      "  U()",
    ]);
  });

  it("finds no pair of different extents, levels or sequences, and none of one trip", () => {
    const loop = (id: string, extent: number, level: "serial" | "workgroup" = "serial") =>
      nest([on(level, id, extent)], leaf("S", { i: id }));
    expect(loopPairs(nest([], loop("a", 3), loop("b", 4)))).toEqual([]);
    expect(loopPairs(nest([], loop("a", 3), loop("b", 3, "workgroup")))).toEqual([]);
    expect(loopPairs(nest([], loop("a", 1), loop("b", 1)))).toEqual([]);
    expect(loopPairs(nest([on("serial", "a", 3)], loop("b", 3)))).toEqual([]);
  });

  it("leaves a tree without the pair as it is", () => {
    expect(fuseLoops(two, { first: "m", second: "k" })).toEqual(two);
    expect(fuseLoops(two, { first: "k", second: "z" })).toEqual(two);
  });
});

function lowered(source: string, sizes: Readonly<Record<string, number>>): Program {
  const result = lowerSource(source, { sizes });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result.program;
}

/** What is wrong with the nest of a whole program when these loops are joined. */
function faults(source: string, sizes: Record<string, number>, pair: LoopPair): readonly string[] {
  const p = lowered(source, sizes);
  const { node } = nestOf(p, p.tree, axesOf(p.statements), "k");
  const root = nest([on("grid", "one", 1)], joinLoops(p, node, [pair]));
  expect(root).not.toEqual(nest([on("grid", "one", 1)], node));
  return verifySchedule(p, { root, places: [] }).map((f) => f.kind);
}

describe("joining loops", () => {
  const sizes = { N: 3, D: 7 };

  it("of independent reductions is legal", () => {
    const source = `def f(float(N, D) x) -> (a, b) { a(n) +=! x(n, d)  b(n) +=! x(n, d) * x(n, d) }`;
    expect(faults(source, sizes, { first: "a.r0", second: "b.r0" })).toEqual([]);
  });

  it("of a map and the reduction of its values is legal", () => {
    const source = `def f(float(N, D) x) -> (y, z) { y(n, d) = exp(x(n, d))  z(n) +=! y(n, d) }`;
    expect(faults(source, sizes, { first: "y.q0", second: "z.r0" })).toEqual([]);
  });

  it("is refused when the second needs the whole of the first", () => {
    const source = `def f(float(N, D) x) -> (b) { a(n) +=! x(n, d)  b(n) +=! x(n, d) * a(n) }`;
    expect(faults(source, sizes, { first: "a.r0", second: "b.r0" })).toContain("order");
  });

  it("is refused when the second reads what the first writes in later iterations", () => {
    const source = `def f(float(N, D) x) -> (b) {
      a(n, d) = x(n, d)
      b(n, d) = a(n, D - 1 - d) where n in 0:N, d in 0:D
    }`;
    expect(faults(source, sizes, { first: "a.q0", second: "b.q0" })).toContain("order");
  });

  it("is refused when the second overwrites what the first still reads", () => {
    const source = `def f(float(N, D) x) -> (a, x) {
      a(n, d) = x(n, D - 1 - d) where n in 0:N, d in 0:D
      x(n, d) = 2.0 * x(n, d)
    }`;
    const p = lowered(source, sizes);
    const second = p.statements.at(-1)?.id ?? "";
    expect(faults(source, sizes, { first: "a.q0", second: `${second}.q0` })).toContain("order");
  });
});
