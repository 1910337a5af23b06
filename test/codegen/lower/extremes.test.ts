import { expect, it } from "vitest";
import { generate } from "../../../src/codegen/generate.ts";
import { simpleMonoid } from "../../../src/ir/monoid.ts";
import { access, type Program } from "../../../src/ir/program.ts";
import type { ScheduleNode } from "../../../src/ir/schedule.ts";
import {
  baselineProfile,
  llvmpipeProfile,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";
import { leaf, nest, on } from "../../ir/legality/build-schedule.ts";
import { dim, f32, number, op, program, statement, tensor, v } from "../../support/programs.ts";
import { bodyOf, expectRight, runSchedule } from "../support/run-schedule.ts";

const [i, j] = [v("i"), v("j")];

/** The least of `max(x(i, j), 1)` over a row. */
function least(rows: number, columns: number): Program {
  return program(
    "least",
    [tensor("x", "input", [rows, columns]), tensor("y", "output", [rows])],
    [
      statement("s", {
        dims: [dim("i", 0, rows), dim("j", 0, columns)],
        write: ["y", i],
        reads: [access("x", i, j)],
        monoid: simpleMonoid("min", "float32"),
        over: ["j"],
        body: op("max", f32(0), number(1)),
      }),
    ],
  );
}

function rows(count: number, columns: number): ScheduleNode {
  return nest(
    [on("grid", "g", count)],
    leaf("s", { i: "g" }, "init"),
    nest([on("serial", "c", columns)], leaf("s", { i: "g", j: "c" }, "update")),
    leaf("s", { i: "g" }, "finish"),
  );
}

it.each([
  [1, 1],
  [5, 7],
])("extremes of floats are selected where that costs less: %d x %d", async (m, n) => {
  const p = least(m, n);
  for (const profile of [swiftshaderProfile, llvmpipeProfile]) {
    const text = bodyOf(await runSchedule(p, rows(m, n), [], profile)).join("\n");
    expect(text).toContain("select(side < side_1, side, side_1)");
    // The greater one: by the same comparison, with the left side first.
    expect(text).toMatch(/select\((\S+) < (\S+), \2, \1\)/);
    expect(text).not.toMatch(/\bm(?:in|ax)\(/);
  }
  const text = bodyOf(await runSchedule(p, rows(m, n), [], baselineProfile)).join("\n");
  expect(text).toMatch(/\bmin\(.*\bmax\(/);
  expect(text).not.toContain("select");
});

it("infinities and zeros of both signs are ordered as by the functions", () => {
  const p = least(4, 3);
  const schedule = { root: rows(4, 3), places: [] };
  const x = Float32Array.from([
    ...[Number.POSITIVE_INFINITY, 2, Number.NEGATIVE_INFINITY],
    ...[-0, 0, -0],
    ...[Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ...[3, 3, 2.5],
  ]);
  expectRight(p, generate(p, schedule, swiftshaderProfile), { x });
});
