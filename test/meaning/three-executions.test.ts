import { afterAll, beforeAll, expect, test } from "vitest";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { describeFailure } from "../differential/differential.ts";
import { runCase } from "../differential/run-case.ts";
import { createTally } from "../differential/tally.ts";
import { drawn } from "../support/sweep.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

/** Definitions with calls and `exists`, each with sizes among which are 1 and primes. */
const programs: readonly (readonly [
  title: string,
  source: string,
  sizes: readonly Readonly<Record<string, number>>[],
])[] = [
  [
    "a recurrent cell in a loop",
    `def cell(float(B, Ci) x, float(B, Co) h, float(Ci, Co) W, float(Co, Co) U) -> (g) {
  z(b, o) +=! W(i, o) * x(b, i)
  z(b, o) += U(p, o) * h(b, p)
  g(b, o) = clamp(z(b, o), -1.0, 1.0)
}
def rnn(float(T, B, Ci) x, float(B, Co) h0, float(Ci, Co) W, float(Co, Co) U) -> (h) {
  for t in T {
    if t == 0 { h(t) = cell(x(t), h0, W, U) } else { h(t) = cell(x(t), h(t - 1), W, U) }
  }
}`,
    [
      { T: 1, B: 1, Ci: 1, Co: 1 },
      { T: 4, B: 3, Ci: 5, Co: 7 },
    ],
  ],
  [
    "layers, one after the other, each with its own size",
    `def layer(float(M, K) a, float(K, N) w, float(N) b) -> (c) {
  c(m, n) +=! a(m, k) * w(k, n)
  c(m, n) = max(c(m, n) + b(n), 0.0)
}
def mlp(float(M, K) x, float(K, L) u, float(L) b, float(L, N) v, float(N) d) -> (y) {
  h = layer(x, u, b)
  y = layer(h, v, d)
}`,
    [
      { M: 1, K: 1, L: 1, N: 1 },
      { M: 17, K: 5, L: 33, N: 3 },
    ],
  ],
  [
    "a state that calls update in place",
    `def axpy(float(N) y, float(N) x, float a) -> (y) { y(i) += a * x(i) }
def both(float(M, N) y, float(N) x) -> (y) {
  for t in M { y(t) = axpy(y(t), x, 0.5) }
  for t in 1:M { y(t) = axpy(y(t), y(t - 1), 2.0) }
}`,
    [
      { M: 1, N: 1 },
      { M: 5, N: 67 },
    ],
  ],
  [
    "a target that is an argument, with elements left out",
    `def odd(float(N) a, int k) -> (float(N) b) {
  b(2 * i + 1) = a(N - 1 - i) + float(k) where exists a(2 * i + 1)
}
def many(float(N) x) -> (x) { for t in 3 { x = odd(x, t) } }`,
    [{ N: 2 }, { N: 13 }, { N: 64 }],
  ],
  [
    "two results of one call in slices, a scatter among them",
    `def count(int(N) a, float(M) like) -> (int32(M) h, total) {
  h(a(i)) +=! 1
  total +=! like(j) * float(h(j))
}
def rows(int(R, N) a, float(M) w) -> (h, s) { for r in R { (h(r), s(r)) = count(a(r), w) } }`,
    [
      { R: 1, N: 1, M: 1 },
      { R: 3, N: 31, M: 5 },
    ],
  ],
];

test.each(programs)("%s means the same in all three executions", async (name, source, all) => {
  const tally = createTally();
  const place = programs.findIndex(([title]) => title === name);
  const executions = {
    profiles: [baselineProfile, runtime.profile],
    runtime,
    tally,
    plans: drawn(4, null),
  };
  for (const [n, sizes] of all.entries()) {
    const population = n % 2 === 0 ? "integers" : "reals";
    const tcCase = { name, source, sizes, population, inputSeed: 11 * n + place } as const;
    const failures = await runCase(tcCase, executions);
    expect(failures.map((failure) => describeFailure(tcCase, failure))).toEqual([]);
  }
  expect(tally.refused).toBe(0);
  expect(tally.compared).toBeGreaterThan(0);
});
