/**
 * Forms of fusion, each at awkward sizes, under the defaults, `fuse: none`, `fuse: all` and random
 * answers, in all executions; and which of them the defaults take together.
 */

import { afterAll, describe, expect, it, test } from "vitest";
import type { Step } from "../../src/codegen/plan.ts";
import { compile } from "../../src/compile.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import type { PolicyName } from "../../src/support/mapping-file.ts";
import { given } from "../support/given.ts";
import { describeFailure, prepareCase } from "./differential.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import { type Way, waysFor } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

interface Form {
  readonly name: string;
  readonly source: string;
  readonly sizes: readonly Readonly<Record<string, number>>[];
  /** Dispatches of the first sizes: apart, and by default on software adapters. */
  readonly dispatches: readonly [number, number];
}

const rows = [
  { R: 64, D: 37 },
  { R: 1, D: 1 },
  { R: 17, D: 5 },
  { R: 3, D: 64 },
];

const forms: readonly Form[] = [
  {
    name: "a producer into its consumers",
    source: `def f(float(R, D) x) -> (y, z) {
      t(r, d) = x(r, d) * 2.0 + 1.0
      y(r, d) = t(r, d) - x(r, d)
      z(d, r) = t(r, d)
    }`,
    sizes: rows,
    dispatches: [3, 1],
  },
  {
    name: "bias, activation, residual and scale into a contraction",
    source: `def f(float(R, D) x, float(M, D) w, float(M) b, float(R, M) old, float s) -> (y) {
      h(r, m) +=! x(r, d) * w(m, d)
      h(r, m) = h(r, m) + b(m)
      a(r, m) = max(h(r, m), 0.0)
      y(r, m) = s * a(r, m) + old(r, m)
    }`,
    sizes: [
      { R: 33, D: 17, M: 29 },
      { R: 1, D: 1, M: 1 },
      { R: 5, D: 3, M: 64 },
    ],
    dispatches: [4, 1],
  },
  {
    name: "a cast into a contraction",
    source: `def f(int8(R, D) x, int8(M, D) w) -> (float(R, M) y) {
      h(r, m) +=! int32(x(r, d)) * int32(w(m, d))
      y(r, m) = float(h(r, m)) * 0.5
    }`,
    sizes: [
      { R: 9, D: 12, M: 7 },
      { R: 1, D: 1, M: 1 },
    ],
    dispatches: [2, 1],
  },
  {
    name: "softmax",
    source: `def f(float(R, D) x) -> (y) {
      top(r) max=! x(r, d)
      e(r, d) = exp(x(r, d) - top(r))
      sum(r) +=! e(r, d)
      y(r, d) = e(r, d) / sum(r)
    }`,
    sizes: rows,
    dispatches: [4, 1],
  },
  {
    name: "log-sum-exp over two dims",
    source: `def f(float(R, D, E) x) -> (y) {
      top(r) max=! x(r, d, e)
      sum(r) +=! exp(x(r, d, e) - top(r))
      y(r) = log(sum(r)) + top(r)
    }`,
    sizes: [
      { R: 64, D: 5, E: 7 },
      { R: 2, D: 1, E: 13 },
    ],
    dispatches: [3, 1],
  },
  {
    name: "layer normalisation from mean and mean of squares",
    source: `def f(float(R, D) x, float(D) g, float(D) b) -> (y) {
      mean(r) +=! x(r, d) / D
      square(r) +=! x(r, d) * x(r, d) / D
      y(r, d) = (x(r, d) - mean(r)) * rsqrt(square(r) - mean(r) * mean(r) + 1.0) * g(d) + b(d)
    }`,
    sizes: rows,
    dispatches: [3, 1],
  },
  {
    name: "cross entropy with its gradient",
    source: `def f(float(R, D) x, int(R) truth) -> (loss, gradient) {
      top(r) max=! x(r, d)
      sum(r) +=! exp(x(r, d) - top(r))
      p(r, d) = x(r, d) - top(r) - log(sum(r))
      loss(r) = -p(r, truth(r))
      gradient(r, d) = exp(p(r, d)) - (d == truth(r) ? 1.0 : 0.0)
    }`,
    sizes: rows,
    dispatches: [5, 1],
  },
  {
    name: "group normalisation",
    source: `def f(float(N, C, W) x, float(C) g) -> (y) {
      mean(n, k) +=! x(n, 2 * k + i, w) where k in 0:C / 2, i in 0:2
      square(n, k) +=! x(n, 2 * k + i, w) * x(n, 2 * k + i, w) where k in 0:C / 2, i in 0:2
      y(n, 2 * k + i, w) = (x(n, 2 * k + i, w) - mean(n, k)) * rsqrt(square(n, k) + 1.0) * g(2 * k + i)
          where k in 0:C / 2, i in 0:2
    }`,
    sizes: [
      { N: 5, C: 14, W: 11 },
      { N: 1, C: 2, W: 1 },
    ],
    dispatches: [3, 1],
  },
  {
    name: "attention",
    source: `def f(float(T, D) q, float(S, D) k, float(S, E) v) -> (o) {
      score(t, s) +=! q(t, d) * k(s, d)
      top(t) max=! score(t, s)
      e(t, s) = exp(score(t, s) - top(t))
      sum(t) +=! e(t, s)
      o(t, c) +=! e(t, s) * v(s, c)
      o(t, c) = o(t, c) / sum(t)
    }`,
    sizes: [
      { T: 37, S: 11, D: 5, E: 3 },
      { T: 1, S: 1, D: 1, E: 1 },
      { T: 3, S: 17, D: 2, E: 9 },
    ],
    dispatches: [6, 1],
  },
  {
    name: "independent maps of one domain",
    source: `def f(float(R, D) x, float(R, D) w) -> (y, z) {
      y(r, d) = x(r, d) + 1.0
      z(r, d) = w(r, d) * 2.0
    }`,
    sizes: rows,
    dispatches: [2, 1],
  },
  {
    name: "independent reductions of one domain",
    source: `def f(float(R, D) x, float(R, D) w) -> (y, z) { y(r) +=! x(r, d)  z(r) max=! w(r, d) }`,
    sizes: rows,
    dispatches: [2, 1],
  },
  {
    name: "two that belong together, with an independent one between",
    source: `def f(float(R, D) x, float(M) w) -> (y, z, total) {
      y(r, d) = x(r, d) + 1.0
      total +=! w(m)
      z(r, d) = y(r, d) * x(r, d)
    }`,
    sizes: [
      { R: 64, D: 37, M: 5 },
      { R: 1, D: 1, M: 1 },
      { R: 5, D: 7, M: 300 },
    ],
    dispatches: [3, 2],
  },
];

function count(steps: readonly Step[]): number {
  return steps.reduce((n, s) => {
    if (s.kind === "repeat") return n + s.extent * count(s.body);
    return n + (s.kind === "dispatch" ? 1 : 0);
  }, 0);
}

function dispatches(form: Form, options: PolicyName, profile = "swiftshader"): number {
  const [sizes = {}] = form.sizes;
  const compiled = compile(form.source, { sizes, profile, options });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  return count(compiled.plan.steps);
}

describe.each(forms)("$name", (form) => {
  const [apart, together] = form.dispatches;

  it.each(["swiftshader", "llvmpipe"])("is taken together by default on %s", (profile) => {
    expect(dispatches(form, "default", profile)).toBe(together);
  });

  it("is apart by the policy `apart`, and in no more kernels by `together`", () => {
    expect(dispatches(form, "apart")).toBe(apart);
    expect(dispatches(form, "together")).toBeLessThanOrEqual(together);
  });

  test.each(form.sizes.map((s) => [JSON.stringify(s), s] as const))(
    "means the same in all executions for %s",
    async (name, sizes) => {
      const inputSeed = form.name.length + Object.values(sizes).reduce((a, b) => a + b, 0);
      const tcCase = { name, source: form.source, sizes, population: "reals", inputSeed } as const;
      const preparation = prepareCase(tcCase);
      if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
      const tally = createTally();
      const mappings: readonly Way[] = [
        ...waysFor(inputSeed).slice(1),
        { kind: "options", options: given({}, "apart") },
        { kind: "options", options: given({}, "together") },
      ];
      const profiles = [inputSeed % 2 === 0 ? baselineProfile : runtime.profile];
      const executions = { profiles, runtime, tally, plans: null };
      const failures = await runPrepared(preparation.prepared, executions, mappings);
      expect(failures.map((failure) => describeFailure(tcCase, failure))).toEqual([]);
      expect(tally.compared).toBeGreaterThan(0);
    },
  );
});

describe("what must not be taken together", () => {
  it("is read and overwritten across invocations, in one place per workgroup or not", () => {
    const form: Form = {
      name: "",
      source: `def f(float(N) x) -> (y, x) { y(i) = x(N - 1 - i) where i in 0:N  x(i) = 2.0 * x(i) }`,
      sizes: [{ N: 1000 }],
      dispatches: [2, 2],
    };
    expect(dispatches(form, "default")).toBe(2);
    // One invocation can do both, one after the other.
    expect(dispatches(form, "together")).toBe(1);
  });
});
