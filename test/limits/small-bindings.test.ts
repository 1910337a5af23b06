/** Mappings under which temporaries would be larger than what the device binds. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Compiled, type CompileRequest, compile } from "../../src/compile.ts";
import { findTensor } from "../../src/ir/program.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import {
  baselineProfile,
  type DeviceProfile,
  namedProfiles,
} from "../../src/support/device-profile.ts";
import { elementCount } from "../../src/support/scalar-type.ts";
import { storedBytes } from "../../src/support/words.ts";
import { describeFailure, prepareCase } from "../differential/differential.ts";
import { runPrepared } from "../differential/run-case.ts";
import { createTally } from "../differential/tally.ts";
import { waysFor } from "../differential/variants.ts";
import { given } from "../support/given.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

/** A device that binds as little as the tensors of the caller need. */
function binding(maxBindingBytes: number, like: DeviceProfile = baselineProfile): DeviceProfile {
  return { ...like, limits: { ...like.limits, maxBindingBytes } };
}

function compiled(source: string, request: CompileRequest): Compiled {
  const result = compile(source, request);
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
  return result;
}

/** Bytes of the largest temporary that is in a buffer. */
function largestTemporary({ plan }: Compiled): number {
  const temporaries = plan.buffers.filter((b) => b.role === "temporary");
  return Math.max(0, ...temporaries.map((b) => storedBytes(b.type, b.shape)));
}

const cumsum = `def cumsum(float(R, D) x) -> (y) {
  y(r, 0) = x(r, 0)
  for d in 1:D { y(r, d) = y(r, d - 1) + x(r, d) }
}`;
const sums = "def sums(float(N, M) x) -> (y) { y(i) +=! x(i, j) }";
const prefixes = "def prefixes(float(N) x) -> (y) { y(i) +=! x(j) where i in 0:N, j in 0:i + 1 }";
const rows = `def rows(float(N, M) x) -> (y) {
  m(n) max=! x(n, d)
  e(n, d) = exp(x(n, d) - m(n))
  z(n) +=! e(n, d)
  y(n, d) = e(n, d) / z(n)
}`;
const steps = `def steps(float(N) x) -> (y) {
  y(i) = x(i)
  for t in 0:5 { y(i) = 0.5 * y(i - 1) + 0.25 * y(i + 1) where i in 1:N - 1 }
}`;
const apart = `def apart(float(N) x) -> (y) {
  outer(i, j) = x(i) * x(j)
  y(i) +=! outer(i, j)
}`;
const windows = "def windows(float(N) x, float(K) w) -> (y) { y(i) +=! x(i + k) * w(k) }";

interface Case {
  readonly source: string;
  readonly sizes: Readonly<Record<string, number>>;
  /** Bytes that the device binds: what the largest tensor of the caller has. */
  readonly bytes: number;
}

const cases: readonly Case[] = [
  { source: cumsum, sizes: { R: 3, D: 17 }, bytes: 4 * 3 * 17 },
  { source: sums, sizes: { N: 13, M: 11 }, bytes: 4 * 13 * 11 },
  { source: prefixes, sizes: { N: 31 }, bytes: 4 * 31 },
  { source: rows, sizes: { N: 7, M: 13 }, bytes: 4 * 7 * 13 },
  { source: steps, sizes: { N: 19 }, bytes: 4 * 19 },
  { source: apart, sizes: { N: 23 }, bytes: 4 * 23 },
  { source: windows, sizes: { N: 29, K: 5 }, bytes: 4 * 29 },
  { source: sums, sizes: { N: 1, M: 1 }, bytes: 4 },
];

describe("an answer whose temporary the device cannot bind", () => {
  it("to `expand` of 16 rows of 65536 is repaired, and said to be", () => {
    const profile = namedProfiles["llvmpipe"] ?? baselineProfile;
    const options = given({
      "structure/statements/y#1/stage": true,
      "structure/statements/y#1.stage/expand/t0": true,
    });
    const request = { sizes: { R: 16, D: 65536 }, profile };
    const mapped = compiled(cumsum, { ...request, options });
    expect(mapped.repairs).toEqual([
      { path: "structure/statements/y#1.stage/expand/t0", asked: true, used: false },
    ]);
    expect(mapped.unusedChoices).toEqual([]);
    const plain = compiled(cumsum, {
      ...request,
      options: given({ "structure/statements/y#1/stage": true }),
    });
    expect(mapped.plan.kernels.map((k) => k.wgsl)).toEqual(plain.plan.kernels.map((k) => k.wgsl));
  });

  it("is legal where it can be bound", () => {
    const options = given({ "structure/statements/y/factor/r0": "strided 8" });
    const sizes = { N: 1024, M: 64 };
    const roomy = compiled(sums, { sizes, options });
    expect(roomy.repairs).toEqual([]);
    expect(findTensor(roomy.mapped.program, "y_part")?.shape).toEqual([1024, 8]);
    const least = binding(4 * 1024 * 64);
    expect(compiled(sums, { sizes, options, profile: least }).repairs).toEqual([]);
  });

  it("to `factor`, to `pack`, to `slots` is repaired", () => {
    const factor = given({ "structure/statements/y/factor/r0": "blocked 16" });
    const few = compiled(prefixes, { sizes: { N: 31 }, options: factor, profile: binding(124) });
    expect(few.repairs).toEqual([
      { path: "structure/statements/y/factor/r0", asked: "blocked 16", used: "no" },
    ]);
    const product = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
    const sizes = { M: 21, K: 21, N: 21 };
    const pack = given({ "structure/statements/C/pack/read1": true });
    const bytes = 4 * 21 * 21;
    const packed = compiled(product, { sizes, options: pack, profile: binding(bytes) });
    expect(packed.repairs).toEqual([
      { path: "structure/statements/C/pack/read1", asked: true, used: false },
    ]);
    const whole = binding(4 * 21 * 24);
    expect(compiled(product, { sizes, options: pack, profile: whole }).repairs).toEqual([]);
    const local = `def local(float(N) x) -> (y) {
      h(i) = x(i)
      for t in 0:5 { h(i) = h(N - 1 - i) + 1.0 }
      y(i) = h(i)
    }`;
    const slots = given({ "structure/statements/h#1/own": "3 slots" });
    const asked = { sizes: { N: 512 }, options: slots };
    const fits = (profile: DeviceProfile): readonly unknown[] =>
      compiled(local, { ...asked, profile }).repairs.map((r) => r.asked);
    expect(fits(binding(3 * 4 * 512))).toEqual([]);
    expect(fits(binding(3 * 4 * 512 - 1))).toEqual(["3 slots"]);
  });

  it("to a place in scratch storage, of which every workgroup has a slice, is repaired", () => {
    const shares = `def shares(float(N, M, K) x) -> (y) {
      e(n, d) +=! x(n, d, k)
      z(n) +=! e(n, d)
      y(n, d) = e(n, d) / z(n)
    }`;
    const options = given({
      "structure/statements/z/with": true,
      "structure/statements/y/with": true,
      "kernels/e/team": 4,
      "kernels/e/axes/0/workgroup": 1,
      "kernels/e/axes/0/points": 1,
      "kernels/e/inner": 4,
      "kernels/e/joins/e.q0 z.r0": false,
      "kernels/e/places/e": "scratch",
    });
    // A slice has 48 elements: 3 times 4 for each of the team.
    const repairsAt = (bytes: number): readonly unknown[] => {
      const request = { sizes: { N: 65, M: 40, K: 1 }, options, profile: binding(bytes) };
      const { repairs, unusedChoices } = compiled(shares, request);
      expect(unusedChoices).toEqual([]);
      return repairs.map((r) => [r.path, r.asked]);
    };
    expect(repairsAt(4 * 65 * 48)).toEqual([]);
    expect(repairsAt(4 * 65 * 48 - 1)).toEqual([["kernels/e/places/e", "scratch"]]);
  });

  it("to `inline` and `fuse`, of a temporary of the source, gives way to the defaults", () => {
    const request = { sizes: { N: 23 }, profile: binding(92) };
    const plain = compiled(apart, request);
    const inline = "structure/statements/outer/inline";
    const asked = [
      { options: given({ [inline]: false }), repaired: [inline] },
      { options: given({}, "apart"), repaired: [] },
    ];
    for (const { options, repaired } of asked) {
      const mapped = compiled(apart, { ...request, options });
      expect(mapped.repairs.map((r) => r.path)).toEqual(repaired);
      expect(mapped.unusedChoices).toEqual([]);
      expect(mapped.plan.kernels).toEqual(plain.plan.kernels);
    }
    expect(compiled(apart, { ...request, options: "naive" }).plan.kernels.length).toBe(1);
  });

  it("to `fuse`, of a temporary that cannot be inlined, gives way to all defaults", () => {
    const narrow = `def narrow(half(M, K) x, half(K, N) w) -> (half(M, N) y) {
      t(m, n) +=! float(x(m, k)) * w(k, n)
      y(m, n) = half(t(m, n))
    }`;
    const features = { ...baselineProfile.features, float16: true };
    const profile = { ...binding(2 * 64 * 64), features };
    const request = { sizes: { M: 64, K: 8, N: 64 }, profile };
    const plain = compiled(narrow, request);
    const choices = {
      "structure/statements/y/with": false,
      "kernels/y/unroll": 1,
      "kernels/none/unroll": 1,
    };
    const mapped = compiled(narrow, { ...request, options: given(choices) });
    expect(mapped.repairs).toEqual([
      { path: "structure/statements/y/with", asked: false, used: "t" },
    ]);
    expect(mapped.unusedChoices).toEqual(["kernels/y/unroll", "kernels/none/unroll"]);
    expect(mapped.options).toEqual(plain.options);
    expect(mapped.plan.kernels).toEqual(plain.plan.kernels);
  });

  it("that no options can help is refused as it was asked for", () => {
    const kept =
      "def kept(float(N) x) -> (y) { t(i, j) +=! x(i) * x(j) * x(k)  y(i) max=! t(i, j) }";
    const { ok, diagnostics } = compile(kept, { sizes: { N: 16384 }, options: "naive" });
    expect([ok, diagnostics.map((d) => d.code)]).toEqual([false, ["TC5002"]]);
  });
});

describe("each value of each decision, on a device that binds as much as the caller's tensors", () => {
  it.each(cases)("keeps to its limits: $source $sizes", ({ source, sizes, bytes }) => {
    for (const like of [baselineProfile, namedProfiles["llvmpipe"] ?? baselineProfile]) {
      const profile = binding(bytes, like);
      const { decisions } = compiled(source, { sizes, profile });
      const asked = decisions.filter(({ path }) => /^structure\/|\/places\//.test(path));
      for (const { path, values } of asked) {
        for (const value of values) {
          const options = given({ [path]: value });
          const mapped = compiled(source, { sizes, profile, options });
          expect(largestTemporary(mapped), `${path}: ${value}`).toBeLessThanOrEqual(bytes);
        }
      }
    }
  });
});

describe("random answers on a device that binds as much as the caller's tensors", () => {
  it.each(cases)("compute the same in three executions: $source $sizes", async (one) => {
    const { source, sizes, bytes } = one;
    const population = source === rows ? "reals" : "integers";
    const name = /def (\w+)/.exec(source)?.[1] ?? "?";
    const case_ = { name, source, sizes, population, inputSeed: 3 } as const;
    const prepared = prepareCase(case_);
    if (prepared.kind !== "prepared") throw new Error(JSON.stringify(prepared));
    const tally = createTally();
    const profiles = [binding(bytes)];
    const executions = { profiles, runtime, tally, plans: null };
    const mappings = [4, 5].flatMap((seed) => waysFor(seed).slice(1));
    const failures = await runPrepared(prepared.prepared, executions, mappings);
    expect(failures.map((f) => describeFailure(prepared.prepared.tcCase, f))).toEqual([]);
    expect(tally.compared).toBeGreaterThan(elementCount(Object.values(sizes)) > 1 ? 10 : 0);
  });
});
