import { describe, expect, test } from "vitest";
import { passesOf, printPasses } from "../../src/api/passes.ts";
import { printKernel } from "../../src/codegen/print-kernel.ts";
import { kernelPasses } from "../../src/codegen/simplify/passes.ts";
import { type Compiled, compile } from "../../src/compile.ts";

function compiled(profile: string): Compiled {
  const result = compile(
    `def normed(float(N, D) x, float s) -> (y) {
  norm(n) +=! x(n, d) * x(n, d)
  norm(n) += s
  y(n, d) = x(n, d) * rsqrt(norm(n))
}
`,
    { sizes: { N: 24, D: 256 }, profile },
  );
  if (!result.ok) throw new Error("it compiles");
  return result;
}

describe("the passes of a compilation", () => {
  test("come in the order of their list, for each kernel, and end with the kernel of the plan", () => {
    const result = compiled("llvmpipe");
    const [rewrite, ...others] = passesOf(result, "llvmpipe");
    expect(rewrite?.pass.name).toBe("rewrite");
    const names = ["lower", ...kernelPasses.map((pass) => pass.name)];
    expect(others.map((run) => run.pass.name)).toEqual(result.plan.kernels.flatMap(() => names));
    for (const { kernel } of result.plan.kernels) {
      const runs = others.filter((run) => run.of === kernel.name);
      expect(`${runs.at(-1)?.after.join("\n")}\n`).toBe(printKernel(kernel));
      for (const [n, run] of runs.entries()) {
        if (n > 0) expect(run.before).toBe(runs[n - 1]?.after);
      }
    }
  });

  test("are printed with what they changed, and what they did not", () => {
    const text = printPasses(passesOf(compiled("baseline"), "baseline"));
    expect(text).toContain("normed\n  rewrite               -2 +1, ");
    expect(text).toMatch(/normed_0\n {2}lower {17}\d+ lines\n/);
    expect(text).toMatch(/ {2}align-loops {11}-\n/);
    expect(text).toMatch(/ {2}promote-private {7}-\d+ \+\d+, \d+ lines\n {6}- /);
    expect(text).toContain("      + var acc.norm#1.0: float32 = ");
  });

  test("show the first lines of a large change, of both sides", () => {
    const lines = (of: string): readonly string[] =>
      Array.from({ length: 20 }, (_, n) => `${of}${n}`);
    const pass = { name: "p", does: "", why: "" };
    const of = "k";
    expect(printPasses([{ of, pass, before: lines("a"), after: lines("b") }])).toBe(
      `k\n  ${"p".padEnd(22)}-20 +20, 20 lines\n${lines("a")
        .slice(0, 6)
        .map((l) => `      - ${l}\n`)
        .join("")}${lines("b")
        .slice(0, 6)
        .map((l) => `      + ${l}\n`)
        .join("")}      and 28 more\n`,
    );
    const moved = [{ of, pass, before: ["a", "  b"], after: ["b", "  a"] }];
    expect(printPasses(moved)).toBe(`k\n  ${"p".padEnd(22)}-\n`);
    const few = [{ of, pass, before: lines("a"), after: [...lines("a").slice(2), "c"] }];
    expect(printPasses(few)).toContain("-2 +1, 19 lines\n      - a0\n      - a1\n      + c\n");
  });
});
