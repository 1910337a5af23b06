/** Reductions whose parts invocations of a team have: which schedules mean something. */
import { describe, expect, it } from "vitest";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import type { Schedule, ScheduleNode } from "../../../src/ir/schedule.ts";
import { matmul, program, statement, tensor } from "../dependences/build-program.ts";
import { leaf, nest, on, schedule } from "./build-schedule.ts";

const p = matmul(8, 4, 16);
const i = [1, "io"] as const;

function messages(s: Schedule): readonly string[] {
  return verifySchedule(p, s).map((f) => f.message);
}

/** One element for each workgroup, with an update of its own. */
function element(update: ScheduleNode, more: readonly ReturnType<typeof on>[] = []): Schedule {
  return schedule(
    nest(
      [on("grid", "io", 8), on("grid", "jo", 4), ...more],
      leaf("S", { i, j: "jo" }, "init"),
      update,
      leaf("S", { i, j: "jo" }, "finish"),
    ),
  );
}

const update = (k: Parameters<typeof leaf>[1][string]): ReturnType<typeof leaf> =>
  leaf("S", { i, j: "jo", k }, "update");

describe("a reduction dealt to a team", () => {
  it("is legal on every local level, beside serial loops", () => {
    for (const level of ["workgroup", "subgroup", "lane"] as const) {
      const dealt = nest([on(level, "kt", 4), on("serial", "ko", 4)], update([4, "ko", "kt"]));
      expect(messages(element(dealt))).toEqual([]);
    }
  });

  it("may be dealt by two loops, one in the other", () => {
    const dealt = nest([on("subgroup", "ko", 4), on("lane", "kt", 4)], update([4, "ko", "kt"]));
    expect(messages(element(dealt))).toEqual([]);
  });

  it("may count beyond the end of its dim", () => {
    const dealt = nest([on("workgroup", "kt", 32)], update("kt"));
    expect(messages(element(dealt))).toEqual([]);
  });

  it("may have a team for each of several rows in a workgroup", () => {
    const rows = [1, "io"] as const;
    const node = nest(
      [on("grid", "jo", 4), on("workgroup", "io", 8)],
      leaf("S", { i: rows, j: "jo" }, "init"),
      nest([on("workgroup", "kt", 16)], leaf("S", { i: rows, j: "jo", k: "kt" }, "update")),
      leaf("S", { i: rows, j: "jo" }, "finish"),
    );
    expect(messages(schedule(node))).toEqual([]);
  });

  it("must not leave out or repeat what it adds", () => {
    const short = nest([on("workgroup", "kt", 15)], update("kt"));
    expect(messages(element(short)).join()).toContain("leaves instances out");
    const twice = nest([on("workgroup", "kt", 16), on("serial", "ko", 2)], update("kt"));
    expect(messages(element(twice)).join()).toContain("more than once");
    const overlapping = nest(
      [on("workgroup", "kt", 16), on("serial", "ko", 5)],
      update([4, "ko", "kt"]),
    );
    expect(messages(element(overlapping)).join()).toContain("more than once");
  });

  it("is refused where others of the team would add the same", () => {
    const wide = nest(
      [on("workgroup", "kt", 4), on("serial", "ko", 4)],
      nest([], update([4, "ko", "kt"]), nest([on("workgroup", "x", 3)], leaf("T", { a: "x" }))),
    );
    const other = statement("T", { dims: [["a", 3]], write: ["z", "a"], reads: [] });
    const both = program([...p.tensors, tensor("z", [3])], [...p.statements, other]);
    const faults = verifySchedule(both, element(wide)).map((f) => f.message);
    expect(faults.join()).toContain("are each in several invocations");
  });

  it("is refused where not every invocation comes to its end", () => {
    const node = nest(
      [on("grid", "jo", 4)],
      nest(
        [on("workgroup", "io", 8)],
        leaf("S", { i, j: "jo" }, "init"),
        nest([on("workgroup", "kt", 16)], update("kt")),
        leaf("S", { i, j: "jo" }, "finish"),
      ),
      nest([on("workgroup", "x", 200)], leaf("T", { a: "x" })),
    );
    const other = statement("T", { dims: [["a", 200]], write: ["z", "a"], reads: [] });
    const both = program([...p.tensors, tensor("z", [200])], [...p.statements, other]);
    const faults = verifySchedule(both, schedule(node)).map((f) => f.message);
    expect(faults.join()).toContain("where not every invocation comes");
  });

  it("is refused with the end inside of the loop that deals it", () => {
    const inside = nest(
      [on("grid", "io", 8), on("grid", "jo", 4), on("workgroup", "kt", 16)],
      leaf("S", { i, j: "jo" }, "init"),
      update("kt"),
      leaf("S", { i, j: "jo" }, "finish"),
    );
    expect(messages(schedule(inside)).join()).toContain("are not those of one team");
  });

  it("is refused beside local loops over its elements that are not around all of it", () => {
    const node = nest(
      [on("grid", "io", 8)],
      nest([on("workgroup", "j0", 4)], leaf("S", { i, j: "j0" }, "init")),
      nest(
        [on("workgroup", "j1", 4), on("workgroup", "kt", 16)],
        leaf("S", { i, j: "j1", k: "kt" }, "update"),
      ),
      nest([on("workgroup", "j2", 4)], leaf("S", { i, j: "j2" }, "finish")),
    );
    expect(messages(schedule(node)).join()).toContain("are not of one element each");
  });

  it("is refused where a loop deals elements, too", () => {
    const skewed = nest(
      [on("workgroup", "kt", 16)],
      leaf("S", { i, j: [1, "kt"], k: "kt" }, "update"),
    );
    expect(messages(element(skewed)).join()).toContain("reduces over workgroup loop kt");
  });

  it("is refused over components of a vector and over the grid", () => {
    const vector = nest([on("serial", "ko", 4), on("vector", "kt", 4)], update([4, "ko", "kt"]));
    expect(messages(element(vector)).join()).toContain("reduces over vector loop kt");
    const grid = nest(
      [on("grid", "io", 8), on("grid", "jo", 4), on("grid", "kg", 16)],
      leaf("S", { i, j: "jo" }, "init"),
      update("kg"),
      leaf("S", { i, j: "jo" }, "finish"),
    );
    expect(messages(schedule(grid)).join()).toContain("reduces over grid loop kg");
  });
});
