import { describe, expect, it } from "vitest";
import { dependences } from "../../../src/ir/dependences/dependences.ts";
import { occurrencesOf } from "../../../src/ir/legality/occurrence.ts";
import { pairSet } from "../../../src/ir/legality/pair-set.ts";
import { reachOf } from "../../../src/ir/legality/reach.ts";
import type { ScheduleNode } from "../../../src/ir/schedule.ts";
import { defined } from "../../../src/support/assert.ts";
import { type Form, program, reads, statement, tensor } from "../dependences/build-program.ts";
import { leaf, nest, on, schedule } from "./build-schedule.ts";

/** The reach of y from its producer to a consumer that reads y at `read`. */
function reach(read: Form, tree: ScheduleNode): string {
  const a = statement("A", { dims: [["i", 32]], write: ["y", "i"] });
  const b = statement("B", { dims: [["i", 32]], write: ["z", "i"], reads: [reads("y", read)] });
  const p = program([tensor("y", [64], "temporary"), tensor("z", [32])], [a, b]);
  const occurrences = occurrencesOf(p, schedule(tree));
  const [source, sink] = occurrences.leaves;
  const d = defined(dependences(p)[0], "dependence");
  const pairs = pairSet(d.constraints, defined(source, "source"), defined(sink, "sink"));
  return reachOf(defined(pairs ?? undefined, "pairs"), occurrences);
}

describe("reach", () => {
  const lanes = nest(
    [on("grid", "g", 1), on("subgroup", "s", 8), on("lane", "l", 4)],
    leaf("A", { i: [4, "s", "l"] }),
    leaf("B", { i: [4, "s", "l"] }),
  );

  it("is a thread when both ends have the same local index", () => {
    expect(reach("i", lanes)).toBe("thread");
    const apart = nest(
      [on("grid", "g", 4)],
      nest([on("workgroup", "v", 8)], leaf("A", { i: [8, "g", "v"] })),
      nest([on("workgroup", "w", 2), on("lane", "x", 4)], leaf("B", { i: [8, "g", 4, "w", "x"] })),
    );
    expect(reach("i", apart)).toBe("thread");
  });

  it("is a subgroup when only the lane differs", () => {
    const turned = nest(
      [on("grid", "g", 1), on("subgroup", "s", 8), on("lane", "l", 4)],
      leaf("A", { i: [4, "s", "l"] }),
      leaf("B", { i: [4, "s", -1, "l", 3] }),
    );
    expect(reach("i", turned)).toBe("subgroup");
  });

  it("is a workgroup or the grid otherwise", () => {
    expect(reach([-1, "i", 31], lanes)).toBe("workgroup");
    const grid = nest([on("grid", "i", 32)], leaf("A", { i: "i" }), leaf("B", { i: "i" }));
    expect(reach([-1, "i", 31], grid)).toBe("grid");
    expect(reach("i", grid)).toBe("thread");
  });
});
