/**
 * Loops with statements at several depths: in one dispatch, and step by step, the same in all executions.
 */
import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { defined } from "../../src/support/assert.ts";
import { type DeviceProfile, namedProfiles } from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";
import { describeFailure, prepareCase } from "./differential.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import type { Way } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

const nvidia = defined(namedProfiles["nvidia"], "profile", "nvidia");

const example = (name: string): string => readFileSync(`examples/${name}.tc`, "utf8");

/** Columns from left to right, each waiting for all before it. */
const cholesky = `def cholesky(float(N, N) A) -> (A) {
  A(i, i) = A(i, i) + 4 * N
  for j in N {
    for k in 0:j { A(i, j) -= A(i, k) * A(j, k) where i in j:N }
    A(j, j) = sqrt(A(j, j))
    A(i, j) = A(i, j) / A(j, j) where i in j + 1:N
  }
}`;

/** Rows made perpendicular to all before them, one after the other. */
const gramSchmidt = `def gram_schmidt(float(N, M) V) -> (V) {
  V(n, n) = V(n, n) + 4.0 where n in 0:N
  for k in N {
    norm() +=! V(k, m) * V(k, m)
    V(k, m) = V(k, m) * rsqrt(norm()) where m in 0:M
    for i in k + 1:N {
      dot() +=! V(k, m) * V(i, m)
      V(i, m) -= dot() * V(k, m) where m in 0:M
    }
  }
}`;

/** A stack of layers whose number is a size, in every step of time. */
const layers = `def layers(float(T, B, H) x, float(L, H, H) w) -> (h, y) {
  h(l, b, j) = 0.0 where l in 0:L, b in 0:B, j in 0:H
  for t in T {
    top(b, j) = x(t, b, j)
    for l in L {
      z(b, j) +=! w(l, j, k) * (top(b, k) + h(l, b, k))
      h(l, b, j) = tanh(z(b, j))
      top(b, j) = h(l, b, j)
    }
    y(t, b, j) = top(b, j)
  }
}`;

/** Sizes for what is executed, and for what is compiled alone. */
const nests = [
  ["lu", example("lu"), { N: 7 }, { N: 24 }],
  ["triangular_solve", example("triangular_solve"), { N: 6, M: 5 }, { N: 24, M: 9 }],
  ["cholesky", cholesky, { N: 6 }, { N: 24 }],
  ["gram_schmidt", gramSchmidt, { N: 4, M: 6 }, { N: 16, M: 64 }],
  ["layers", layers, { T: 3, L: 3, B: 2, H: 5 }, { T: 32, L: 3, B: 4, H: 64 }],
] as const;

/** Where loops run, those around others first. */
const names = ["t", "k", "j", "i", "l"];

function loopsOn(on: string): Way {
  const choices = names.map((name) => [`structure/loops/${name}/on`, on] as const);
  return { kind: "options", options: given(Object.fromEntries(choices)) };
}

test.each(nests)(
  "%s is the same in one dispatch, in dispatches for each step, and under random schedules",
  async (name, source, sizes) => {
    const made = prepareCase({ name, source, sizes, population: "reals", inputSeed: 6 });
    if (made.kind !== "prepared") throw new Error(JSON.stringify(made));
    const runs: readonly (readonly [DeviceProfile, readonly Way[]])[] = [
      [nvidia, [{ kind: "options", options: given() }, loopsOn("host"), loopsOn("serial")]],
      [runtime.profile, [{ kind: "random", seed: 3, share: 0.7 }]],
    ];
    for (const [profile, ways] of runs) {
      const executions = { profiles: [profile], runtime, tally: createTally(), plans: null };
      const failures = await runPrepared(made.prepared, executions, ways);
      expect(failures.map((f) => describeFailure(made.prepared.tcCase, f))).toEqual([]);
    }
  },
  120_000,
);

test.each(nests)("all loops of %s are in one dispatch on a GPU", (name, source, _small, sizes) => {
  const compiled = compile(source, { sizes, profile: "nvidia" });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  expect([name, compiled.plan.steps.some((s) => s.kind === "repeat")]).toEqual([name, false]);
  // What stands before the loop may have one of its own.
  expect(compiled.plan.kernels.length).toBeLessThanOrEqual(2);
});
