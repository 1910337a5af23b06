import { expect, test } from "vitest";
import { cases as measured } from "../../bench/cases/cases.js";
import type { Step } from "../../src/codegen/plan.ts";
import { type CompileRequest, compile } from "../../src/compile.ts";

const profiles = ["gpu", "nvidia", "llvmpipe", "swiftshader"];

const average = `def average(float(T, B) x) -> (y) {
  for t in T {
    if t == 0 { y(t, b) = x(t, b) } else { y(t, b) = 0.9 * y(t - 1, b) + 0.1 * x(t, b) }
  }
}`;

const minGru = `def min_gru(float(T, B, I) x, float(B, H) s, float(H, I) w, float(H, I) u) -> (s, hidden) {
  for t in T {
    z(b, h) +=! w(h, i) * x(t, b, i)
    z(b, h) = sigmoid(z(b, h))
    n(b, h) +=! u(h, i) * x(t, b, i)
    s(b, h) = s(b, h) + z(b, h) * (n(b, h) - s(b, h))
    hidden(t, b, h) = s(b, h)
  }
}`;

/** The recurrent cases of the benchmark, and two more. */
const cases: readonly (readonly [string, string, CompileRequest])[] = [
  ...measured.flatMap(({ name, source, inputs, group }) =>
    group === "recurrent" ? [[name, source, { shapes: inputs }] as const] : [],
  ),
  ["minGRU T=4096 B=16 C=128", minGru, { sizes: { T: 4096, B: 16, I: 128, H: 128 } }],
  ["moving average T=2^20", average, { sizes: { T: 2 ** 20, B: 1 } }],
];

function dispatches(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => {
    if (step.kind === "repeat") return sum + step.extent * dispatches(step.body);
    return sum + (step.kind === "dispatch" ? 1 : 0);
  }, 0);
}

function row(name: string, cells: readonly (string | number)[]): string {
  return [name.padEnd(36), ...cells.map((c) => String(c).padEnd(12))].join("").trimEnd();
}

test("recurrences and scans have these numbers of dispatches by default", async () => {
  const rows = cases.map(([name, source, request]) => {
    const counts = profiles.map((profile) => {
      const compiled = compile(source, { ...request, profile });
      if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
      return dispatches(compiled.plan.steps);
    });
    return row(name, counts);
  });
  const table = [row("", profiles), ...rows].join("\n");
  await expect(`${table}\n`).toMatchFileSnapshot("../golden/recurrences.txt");
}, 240_000);
