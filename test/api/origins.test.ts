import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { originsOf } from "../../src/api/origins.ts";
import { printStage } from "../../src/api/print-stage.ts";
import type { Origin } from "../../src/codegen/origin.ts";
import { type Compiled, type CompileRequest, compile } from "../../src/compile.ts";
import { planData } from "../../src/emit/plan-data.ts";
import { printSchedule } from "../../src/ir/schedule.ts";
import { given } from "../support/given.ts";

function compiled(source: string, request: CompileRequest): Compiled {
  const result = compile(source, request);
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
  return result;
}

const unitRows = `def unit_rows(float(N, D) x, float epsilon) -> (y) {
  norm(n) +=! x(n, d) * x(n, d)
  norm(n) += epsilon
  y(n, d) = x(n, d) * rsqrt(norm(n))
}
`;

/** The tour of ARCHITECTURE.md: parts of sums, and a map. */
const tour: CompileRequest = {
  sizes: { N: 24, D: 256 },
  options: given(
    {
      "structure/statements/norm#1/merge": true,
      "structure/statements/norm#1/factor/r0": "strided 32",
      "structure/statements/norm#1.combine/with": true,
      "structure/statements/y/with": true,
      "kernels/norm#1.part/team": 32,
      "kernels/norm#1.part/places/norm": "private",
      "kernels/norm#1.part/places/norm_part": "workgroup",
    },
    "plain",
  ),
};

/** The text of a line that has some words in it, and what it comes from, as words of the source. */
function told(
  source: string,
  text: string,
  origins: readonly Origin[],
  words: string,
): readonly string[] {
  const line = text.split("\n").findIndex((l) => l.includes(words));
  expect(line, words).toBeGreaterThanOrEqual(0);
  return (origins[line] ?? []).map((part) => {
    const spans = part.spans.map(({ start, end }) => source.slice(start, end));
    const over = part.kind === "loop" ? ` over ${part.indices.join(", ")}` : "";
    return `${part.kind}${over} of ${part.statement}: ${spans.join(" | ")}`;
  });
}

describe("the origins of a text", () => {
  const result = compiled(unitRows, tour);
  const { schedule, kernels } = originsOf(result);
  const [kernel] = result.plan.kernels;
  const [origins] = kernels;
  if (kernel === undefined || origins === undefined) throw new Error("no kernel");
  const wgsl = (words: string): readonly string[] =>
    told(unitRows, kernel.wgsl, origins.lines, words);

  test("say of each line of WGSL which access, sum or loop it is of", () => {
    expect(origins.lines).toHaveLength(kernel.wgsl.split("\n").length - 1);
    const sum = "norm(n) += epsilon | norm(n) +=! x(n, d) * x(n, d)";
    expect(wgsl("let x_value = ")).toEqual(["read of norm#1.part: x(n, d) | x(n, d)"]);
    expect(wgsl("for (var norm_1_part_r0")).toEqual([`loop over d of norm#1.part: ${sum}`]);
    expect(wgsl("acc_norm_1_part_0 = acc")).toEqual([`state of norm#1.part: ${sum}`]);
    expect(wgsl("let epsilon_value")).toEqual(["read of norm#1.combine: epsilon"]);
    // Partial sums are no access of the source: they serve the statement.
    expect(wgsl("let norm_part_value")).toEqual([`read of norm#1.combine: ${sum}`]);
    expect(wgsl("for (var norm_1_combine_r0")).toEqual([`loop over d of norm#1.combine: ${sum}`]);
    expect(wgsl("y[base_2] = ")).toEqual(["write of y: y(n, d)"]);
    expect(wgsl("let workgroup_x")).toHaveLength(3);
    expect(wgsl("@compute")).toEqual([]);
  });

  test("say of names which indices they count", () => {
    expect(origins.indices).toEqual({
      workgroup_x: ["n"],
      local_index: ["d"],
      base: ["n", "d"],
      norm_1_part_r0: ["d"],
      norm_1_combine_r0: ["d"],
      y_q0_turn: ["d"],
      base_2: ["n", "d"],
    });
  });

  test("say it of the lines of the schedule and of kernel IR", () => {
    const scheduled = printSchedule(result.mapped.schedule);
    expect(schedule).toHaveLength(scheduled.split("\n").length - 1);
    const ofSchedule = (words: string): readonly string[] =>
      told(unitRows, scheduled, schedule, words);
    expect(ofSchedule("serial y.q0.turn")[0]).toMatch(/^loop over d of y: y\(n, d\) = /);
    expect(ofSchedule("y(n = ")).toEqual([
      "write of y: y(n, d)",
      "read of y: x(n, d)",
      "read of y: norm(n)",
    ]);
    const printed = printStage({ stage: "kernel", kernels: [kernel] });
    expect(origins.kernelLines).toHaveLength(printed.split("\n").length - 1);
    expect(told(unitRows, printed, origins.kernelLines, "let x_value_1")).toEqual([
      "read of y: x(n, d)",
    ]);
  });

  test("are in the plan as data", () => {
    const [data] = planData(result.plan).kernels;
    const { parts, lines, indices } = data?.origins ?? { parts: [], lines: [], indices: {} };
    expect(lines.map((line) => line.map((n) => parts[n]))).toEqual(origins.lines);
    expect(indices).toEqual(origins.indices);
  });
});

describe("what becomes one", () => {
  const pair = `def pair(float(N) a) -> (b, c) {
  b(i) = a(i) + 1.0
  c(j) = a(j) * 2.0
}
`;

  test("is of both", () => {
    const { plan, mapped } = compiled(pair, { sizes: { N: 64 } });
    expect(plan.kernels).toHaveLength(1);
    const [origins] = originsOf({ plan, mapped }).kernels;
    const wgsl = plan.kernels[0]?.wgsl ?? "";
    expect(wgsl.match(/ a\[/g)).toHaveLength(1);
    expect(told(pair, wgsl, origins?.lines ?? [], " a[")).toEqual([
      "read of b: a(i)",
      "read of c: a(j)",
    ]);
    expect(Object.values(origins?.indices ?? {})).toContainEqual(["i", "j"]);
  });

  test("is of all elements of a vector", () => {
    const source = `def near(float(N) a) -> (b) {
  b(i) = a(4 * i) + a(4 * i + 1) * a(4 * i + 2) - a(4 * i + 3) where i in 0:8
}
`;
    const { plan, mapped } = compiled(source, { sizes: { N: 32 } });
    const [origins] = originsOf({ plan, mapped }).kernels;
    const wgsl = plan.kernels[0]?.wgsl ?? "";
    expect(wgsl).toContain("array<vec4<f32>, 8>");
    expect(told(source, wgsl, origins?.lines ?? [], "a_wide")).toEqual(
      ["a(4 * i)", "a(4 * i + 1)", "a(4 * i + 2)", "a(4 * i + 3)"].map((a) => `read of b: ${a}`),
    );
  });

  test("is of what it serves where a rewrite made it", () => {
    const source = readFileSync("examples/matmul.tc", "utf8");
    const options = given({ "kernels/$0/operands/$0.read0/stage": "workgroup" });
    const sizes = { M: 64, K: 256, N: 64 };
    const { plan, mapped, repairs, unusedChoices } = compiled(source, { options, sizes });
    expect([...repairs, ...unusedChoices]).toEqual([]);
    const copies = originsOf({ plan, mapped }).kernels.flatMap((k) =>
      k.lines.flat().filter((part) => part.statement.includes(".A")),
    );
    const texts = copies.flatMap((part) => part.spans.map((s) => source.slice(s.start, s.end)));
    expect(texts).toContain("A(m, k)");
    expect(copies.some((p) => p.kind === "loop" && p.indices.includes("k"))).toBe(true);
  });
});
