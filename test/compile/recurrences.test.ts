import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Step } from "../../src/codegen/plan.ts";
import { compile } from "../../src/compile.ts";

const profiles = ["nvidia", "apple", "llvmpipe", "swiftshader"];

function example(name: string): string {
  return readFileSync(`examples/${name}.tc`, "utf8");
}

function prefix(op: string): string {
  return `def prefix(float(N, L) x) -> (y) { y(n, i) ${op} x(n, j) where i in 0:L, j in 0:i + 1 }`;
}

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

const layer = { T: 128, B: 16, I: 128, H: 128 };

const cases: readonly (readonly [string, string, Readonly<Record<string, number>>])[] = [
  ["elman T=128 B=16 C=128", example("elman"), { T: 128, B: 16, Ci: 128, Co: 128 }],
  ["lstm T=128 B=16 C=128", example("lstm"), layer],
  ["gru T=128 B=16 C=128", example("gru"), layer],
  ["qrnn T=128 B=16 C=128", example("qrnn"), layer],
  ["minGRU T=4096 B=16 C=128", minGru, { ...layer, T: 4096 }],
  ["moving average T=2^20", average, { T: 2 ** 20, B: 1 }],
  ["stacked lstm T=128 B=16 C=128", example("stacked_lstm"), layer],
  ["cumulative sum 16x65536", prefix("+=!"), { N: 16, L: 65536 }],
  ["cumulative sum 1x2^20", prefix("+=!"), { N: 1, L: 2 ** 20 }],
  ["running maximum 16x65536", prefix("max=!"), { N: 16, L: 65536 }],
  ["edit distance 512x512", example("edit_distance"), { P: 1, M: 512, N: 512 }],
];

function dispatches(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => {
    if (step.kind === "repeat") return sum + step.extent * dispatches(step.body);
    return sum + (step.kind === "dispatch" ? 1 : 0);
  }, 0);
}

function row(name: string, cells: readonly (string | number)[]): string {
  return [name.padEnd(32), ...cells.map((c) => String(c).padEnd(12))].join("").trimEnd();
}

test("recurrences and scans have these numbers of dispatches by default", async () => {
  const rows = cases.map(([name, source, sizes]) => {
    const counts = profiles.map((profile) => {
      const compiled = compile(source, { sizes, profile });
      if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
      return dispatches(compiled.plan.steps);
    });
    return row(name, counts);
  });
  const table = [row("", profiles), ...rows].join("\n");
  await expect(`${table}\n`).toMatchFileSnapshot("../golden/recurrences.txt");
}, 240_000);
