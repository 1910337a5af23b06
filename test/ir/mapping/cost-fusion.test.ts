/** What the cost model says: only comparisons, which are what it is for. */
import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { axesOf } from "../../../src/ir/mapping/group/axes.ts";
import {
  costApart,
  costOfGroup,
  prefersInline,
  prefersJoin,
} from "../../../src/ir/mapping/policy/cost-fusion.ts";
import { costOfKernel, operationsOf, widthOf } from "../../../src/ir/mapping/policy/cost-kernel.ts";
import type { Program } from "../../../src/ir/program.ts";
import {
  type DeviceProfile,
  gpuProfile,
  llvmpipeProfile,
  namedProfiles,
  swiftshaderProfile,
} from "../../../src/support/device-profile.ts";

function lowered(source: string, sizes: Readonly<Record<string, number>>): Program {
  const result = lowerSource(source, { sizes });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result.program;
}

const host = new Set<string>();

/** How many times as long the whole program takes in one kernel as with one for each statement. */
function ratio(source: string, sizes: Record<string, number>, profile: DeviceProfile): number {
  const p = lowered(source, sizes);
  const group = { statements: p.statements, axes: axesOf(p.statements) };
  return costOfGroup(p, group, host, profile) / costApart(p, p.tree, host, profile);
}

const softmax = `def softmax(float(R, D) x) -> (y) {
  top(r) max=! x(r, d)
  e(r, d) = exp(x(r, d) - top(r))
  sum(r) +=! e(r, d)
  y(r, d) = e(r, d) / sum(r)
}`;
const gated = `def gated(float(M, K) x, float(N, K) v, float(L, N) w) -> (y) {
  a(m, n) +=! x(m, k) * v(n, k)
  y(m, l) +=! a(m, n) * w(l, n)
}`;
const maps = `def maps(float(N) a, float(N) b) -> (x, y) { x(i) = a(i) * 2.0  y(i) = b(i) + 1.0 }`;

describe("one kernel instead of several", () => {
  it("pays for a row-wise chain with rows enough, not with a single one", () => {
    for (const profile of [swiftshaderProfile, llvmpipeProfile]) {
      expect(ratio(softmax, { R: 512, D: 200 }, profile)).toBeLessThan(1);
      expect(ratio(softmax, { R: 1, D: 200_000 }, profile)).toBeGreaterThan(1);
    }
  });

  it("does not pay when a contraction loses its register tile, unless it is tiny", () => {
    expect(ratio(gated, { M: 512, K: 512, N: 512, L: 512 }, swiftshaderProfile)).toBeGreaterThan(1);
    expect(ratio(gated, { M: 512, K: 512, N: 512, L: 512 }, gpuProfile)).toBeGreaterThan(1);
    expect(ratio(gated, { M: 32, K: 2, N: 2, L: 2 }, swiftshaderProfile)).toBeLessThan(1);
  });

  it("saves a launch where statements are independent, the more the smaller they are", () => {
    const small = ratio(maps, { N: 64 }, llvmpipeProfile);
    const large = ratio(maps, { N: 1_000_000 }, llvmpipeProfile);
    expect(small).toBeLessThan(large);
    expect(large).toBeLessThan(1);
  });

  it("costs what the launch costs, at least, and more with more work", () => {
    const p = lowered(maps, { N: 64 });
    const q = { statements: p.statements, axes: axesOf(p.statements), team: 1, own: host, host };
    const small = costOfKernel(q, swiftshaderProfile);
    expect(small).toBeGreaterThan(swiftshaderProfile.costs.launch);
    const r = lowered(maps, { N: 6400 });
    const more = { ...q, statements: r.statements, axes: axesOf(r.statements) };
    expect(costOfKernel(more, swiftshaderProfile)).toBeGreaterThan(small);
  });

  it("leaves out what is kept in registers", () => {
    const source = `def f(float(N) a) -> (y) { t(i) = exp(a(i))  y(i) = t(i) + t(i) }`;
    const p = lowered(source, { N: 4096 });
    const q = { statements: p.statements, axes: axesOf(p.statements), team: 1, host };
    const kept = costOfKernel({ ...q, own: new Set(["t"]) }, llvmpipeProfile);
    const stored = costOfKernel({ ...q, own: new Set() }, llvmpipeProfile);
    expect(kept).toBeLessThan(stored);
  });

  it("counts what all of a team load alike as one request, in loops as well", () => {
    const source = `def f(float(N, T) a) -> (y) { y(n, 0) = a(n, 0) for t in 1:T { y(n, t) = a(n, t) + y(n, t - 1) } }`;
    const p = lowered(source, { N: 2 ** 16, T: 64 });
    const axes = axesOf(p.statements);
    const cost = (team: number): number =>
      costOfKernel({ statements: p.statements, axes, team, own: host, host }, gpuProfile);
    expect(cost(64)).toBeGreaterThan(cost(1));
    expect(cost(64)).toBeLessThan(8 * cost(1));
  });

  it("counts a loop on the host once for each step", () => {
    const source = `def f(float(N) a) -> (y) { for t in 0:10 { y(t, i) = a(i) where i in 0:N } }`;
    const p = lowered(source, { N: 64 });
    const inside = { statements: p.statements, axes: axesOf(p.statements) };
    const apart = costApart(p, p.tree, host, llvmpipeProfile);
    expect(apart).toBeGreaterThan(10 * llvmpipeProfile.costs.launch);
    expect(costOfGroup(p, inside, host, llvmpipeProfile)).toBeLessThan(apart);
  });
});

const elimination = `def elimination(float(N, N) A) -> (A) {
  for k in N {
    A(i, k) = A(i, k) / A(k, k) where i in k + 1:N
    A(i, j) -= A(i, k) * A(k, j) where i in k + 1:N, j in k + 1:N
  }
}`;

describe("loops on the host", () => {
  /** Nanoseconds of each step. */
  function step(source: string, profile: DeviceProfile): number {
    const p = lowered(source, { N: 256 });
    return costApart(p, p.tree, host, profile) / 256;
  }

  it("cost a launch for each statement of a step, as the family's figures say", () => {
    const { adreno = gpuProfile, nvidia = gpuProfile } = namedProfiles;
    expect(step(elimination, adreno)).toBeGreaterThan(2 * 20_000);
    expect(step(elimination, nvidia)).toBeGreaterThan(2 * 2000);
    expect(step(elimination, nvidia)).toBeLessThan(2 * 5000);
  });

  it("cost one launch of the profile where a step is one statement", () => {
    const scaled = `def scaled(float(N, N) A) -> (A) {
      for k in N { A(i, k) = A(i, k) / A(k, k) where i in k + 1:N }
    }`;
    const { adreno = gpuProfile } = namedProfiles;
    expect(step(scaled, adreno)).toBeGreaterThan(5000);
    expect(step(scaled, adreno)).toBeLessThan(6000);
  });

  it("cost one dispatch for each step on software adapters", () => {
    const { launch } = swiftshaderProfile.costs;
    const without = { ...swiftshaderProfile, costs: { ...swiftshaderProfile.costs, launch: 0 } };
    const added = step(elimination, swiftshaderProfile) - step(elimination, without);
    expect(added).toBeCloseTo(launch);
  });
});

describe("inlining", () => {
  const prefers = (source: string, sizes: Record<string, number>, profile: DeviceProfile) =>
    prefersInline(lowered(source, sizes), "t", profile);

  it("pays for what costs less than a load and a store", () => {
    const cheap = `def f(float(N) a) -> (y, z) { t(i) = a(i) + 1.0  y(i) = t(i) * 2.0  z(i) = t(i) }`;
    for (const profile of [swiftshaderProfile, llvmpipeProfile, gpuProfile]) {
      expect(prefers(cheap, { N: 100_000 }, profile)).toBe(true);
    }
  });

  it("does not pay for what is dear and read many times", () => {
    const dear = `def f(float(M, K) a, float(K, N) b) -> (y) {
      t(m, k) = exp(tanh(a(m, k)))
      y(m, n) +=! t(m, k) * b(k, n)
    }`;
    const sizes = { M: 256, K: 256, N: 256 };
    expect(prefers(dear, sizes, swiftshaderProfile)).toBe(false);
    expect(prefers(dear, { ...sizes, N: 1 }, swiftshaderProfile)).toBe(true);
  });
});

describe("joining loops", () => {
  it("pays unless the register tiles of both are too large together", () => {
    const [a, b] = lowered(
      `def f(float(M, K) x, float(K, N) v, float(K, N) w) -> (a, b) {
        a(m, n) +=! x(m, k) * v(k, n)
        b(m, n) +=! x(m, k) * w(k, n)
      }`,
      { M: 8, K: 8, N: 8 },
    ).statements;
    const [first, second] = [a === undefined ? [] : [a], b === undefined ? [] : [b]];
    expect(prefersJoin(first, second, 1, new Set())).toBe(true);
    expect(prefersJoin(first, second, 32, new Set())).toBe(true);
    expect(prefersJoin(first, second, 64, new Set())).toBe(false);
  });

  it("does not pay for sums of different steps, which are left out apart", () => {
    const [a, b, c] = lowered(
      `def f(float(B, K) h0, float(K, C) u) -> (a, h) {
        for t in 8 {
          if t == 0 { a(t, b, c) +=! h0(b, k) * u(k, c) }
          else { a(t, b, c) +=! h(t - 1, b, k) * u(k, c) }
          h(t, b, c) +=! a(t, b, k) * u(k, c)
        }
      }`,
      { B: 4, K: 4, C: 4 },
    ).statements.map((s) => [s]);
    const host = new Set(["t"]);
    expect(prefersJoin(a ?? [], b ?? [], 1, host)).toBe(false);
    expect(prefersJoin(b ?? [], c ?? [], 1, host)).toBe(true);
    expect(prefersJoin(a ?? [], b ?? [], 1, new Set())).toBe(true);
  });
});

describe("what the model knows of a device", () => {
  it("is how wide it is", () => {
    expect(widthOf(swiftshaderProfile)).toBe(8);
    expect(widthOf(gpuProfile)).toBe(32 * 64 * 8);
  });

  it("and that calls cost more than sums", () => {
    const [s] = lowered(`def f(float(N) a) -> (y) { y(i) = exp(a(i)) }`, { N: 4 }).statements;
    const [t] = lowered(`def f(float(N) a) -> (y) { y(i) = a(i) + a(i) }`, { N: 4 }).statements;
    const [call, sum] = [s, t].map((x) => operationsOf(x?.body ?? [], llvmpipeProfile));
    expect(call).toBeGreaterThan(10 * (sum ?? 0));
  });
});
