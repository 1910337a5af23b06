/** Tiles that are loaded while those before are computed: their text, and all three executions. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Kernel, KernelStatement } from "../../src/codegen/kernel.ts";
import { mapKernelStatements } from "../../src/codegen/rewrite-kernel.ts";
import { eachKernelStatement, visitOwnExpressions } from "../../src/codegen/walk-kernel.ts";
import { type Compiled, compile } from "../../src/compile.ts";
import { boundPath } from "../../src/ir/mapping/canonical-names.ts";
import type { Group } from "../../src/ir/mapping/group/group.ts";
import type { KernelMapping } from "../../src/ir/mapping/kernel-mapping.ts";
import { mapWith } from "../../src/ir/mapping/map-program.ts";
import { pathsOf } from "../../src/ir/mapping/mapping.ts";
import { policyOf } from "../../src/ir/mapping/policy/policies.ts";
import { preferredSharing } from "../../src/ir/mapping/policy/sharing-policy.ts";
import { turnKnobs } from "../../src/ir/mapping/space/kernel-space.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import type { Prepared } from "../differential/differential.ts";
import { changeKernels } from "../differential/faults/inject.ts";
import type { Variant } from "../differential/variants.ts";
import { drawn } from "../support/sweep.ts";
import {
  type Choices,
  everyOperand,
  executed,
  expectTaken,
  mappedBy,
  prepared,
  type Sizes,
  stagedPlaces,
  valuesAt,
} from "./support/staged.ts";
import { wgslFaults } from "./support/validate-wgsl.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

const product = "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";

const tiles: Choices = {
  "kernels/$0/axes/0/workgroup": 4,
  "kernels/$0/axes/0/points": 2,
  "kernels/$0/axes/1/workgroup": 4,
  "kernels/$0/axes/1/points": 4,
  "kernels/$0/points": "vector",
  "kernels/$0/reduced/0/0": 4,
};

/** Two places for each operand, and the next tile loaded ahead. */
const twoSlots: Choices = {
  "kernels/$0/prefetch": true,
  "kernels/$0/operands/$0.read0/slots": 2,
  "kernels/$0/operands/$0.read1/slots": 2,
};

type Loop = Extract<KernelStatement, { kind: "loop" }>;
type Body = readonly KernelStatement[];

function kernelOf(variant: Pick<Variant, "plan">): Kernel {
  const [only] = variant.plan.kernels;
  if (only === undefined) throw new Error("no kernel");
  return only.kernel;
}

function tileLoops(variant: Variant): readonly Loop[] {
  return eachKernelStatement(kernelOf(variant).body).filter(
    (s): s is Loop => s.kind === "loop" && s.variable.includes(".tile"),
  );
}

/** The arrays that statements, with those inside them, load and store. */
function touched(body: Body, what: "loads" | "stores"): ReadonlySet<string> {
  const arrays = new Set<string>();
  for (const s of eachKernelStatement(body)) {
    if (what === "stores" && s.kind === "store") arrays.add(s.array);
    if (what === "stores") continue;
    visitOwnExpressions(s, (e) => {
      if (e.kind === "load") arrays.add(e.array);
    });
  }
  return arrays;
}

/** What a body does in which order: loads of operands, loads of copies, stores of copies, barriers. */
function stagesOf(body: Body): readonly string[] {
  const stages: string[] = [];
  for (const s of body) {
    const loads = touched([s], "loads");
    if (s.kind === "barrier") stages.push("wait");
    if (loads.has("A") || loads.has("B")) stages.push("load");
    if (loads.has("A_copy") || loads.has("B_copy")) stages.push("compute");
    if (touched([s], "stores").size > 0) stages.push("store");
  }
  return stages.filter((stage, n) => stage !== stages[n - 1]);
}

describe("the loop over tiles", () => {
  const whole = prepared(product, { M: 16, K: 24, N: 16 });

  it("loads a tile before it computes the one before, and waits once for each", async () => {
    const choices = { ...tiles, ...twoSlots };
    const variant = await executed(whole, everyOperand(choices), runtime);
    expectTaken(whole, variant, choices);
    const [loop, more] = tileLoops(variant);
    expect(more).toBeUndefined();
    expect(loop?.extent).toBe(24 / 4 - 1);
    expect(stagesOf(loop?.body ?? [])).toEqual(["load", "compute", "store", "wait"]);
    // The last tile is computed behind the loop, where nothing is copied.
    const { body } = kernelOf(variant);
    const behind = body.slice(body.indexOf(loop as Loop) + 1);
    expect([...touched(behind, "stores")]).toEqual(["C"]);
    expect(stagesOf(behind)).toEqual(["compute", "store"]);
    expect(stagedPlaces(variant).map((p) => p.fold?.slots)).toEqual([2, 2]);
  });

  it("waits twice where a tile takes the place of the one before", async () => {
    for (const slots of [{}, { "kernels/$0/operands/$0.read1/slots": 2 }]) {
      const choices = { ...tiles, ...slots, "kernels/$0/prefetch": true };
      const variant = await executed(whole, everyOperand(choices), runtime);
      expectTaken(whole, variant, choices);
      const [loop] = tileLoops(variant);
      expect(stagesOf(loop?.body ?? [])).toEqual(["load", "compute", "wait", "store", "wait"]);
    }
  });

  it("is left as it was where nothing is to be loaded ahead", async () => {
    const choices = { ...tiles, ...twoSlots, "kernels/$0/prefetch": false };
    const variant = await executed(whole, everyOperand(choices), runtime);
    expectTaken(whole, variant, choices);
    const [loop] = tileLoops(variant);
    expect(loop?.extent).toBe(24 / 4);
    // Each value that is loaded is stored at once.
    expect(stagesOf(loop?.body ?? []).slice(-2)).toEqual(["wait", "compute"]);
  });

  it("is written out where there are two tiles", async () => {
    const choices = { ...tiles, ...twoSlots, "kernels/$0/reduced/0/0": 8 };
    const given = prepared(product, { M: 16, K: 16, N: 16 });
    const variant = await executed(given, everyOperand(choices), runtime);
    expectTaken(given, variant, choices);
    expect(tileLoops(variant)).toEqual([]);
    const stages = stagesOf(kernelOf(variant).body);
    expect(stages.slice(stages.indexOf("wait"))).toEqual([
      "wait",
      ...["load", "compute", "store", "wait"],
      ...["compute", "store"],
    ]);
  });

  it("has literal bounds, and no clamp where tiles are full", () => {
    const { plan } = mappedBy(whole, everyOperand({ ...tiles, ...twoSlots }), baselineProfile);
    const [{ wgsl } = { wgsl: "" }] = plan.kernels;
    const inLoop = wgsl.slice(wgsl.indexOf("for ("));
    expect(inLoop).toMatch(/for \(var \w+ = 0u; \w+ < 5u; \w+\+\+\)/);
    expect(inLoop).not.toContain("min(");
    expect(inLoop).not.toContain("select(");
  });
});

describe("prefetching", () => {
  const given = prepared(product, { M: 19, K: 23, N: 21 });

  it("is the default where an operand has two slots, and not asked about a single tile", () => {
    /** The preference where everything else is as given. */
    const answer = (choices: Choices): unknown => {
      const mapping = everyOperand(choices);
      const known = new Map(
        [...pathsOf(mapping)].map(([path, v]) => [boundPath(given.program, path), v]),
      );
      const plain = policyOf("plain", baselineProfile);
      let asked: unknown;
      const kernel = (group: Group): KernelMapping =>
        turnKnobs(group, baselineProfile, plain.kernel(group), (knob, mapping) => {
          const question = { group, profile: baselineProfile, mapping, mayStage: true } as const;
          if (knob.path !== "prefetch") return known.get(`kernels/C/${knob.path}`) ?? knob.value;
          asked = preferredSharing(knob, { ...question, joining: "usual", mayBeLegal: () => true });
          return knob.value;
        });
      mapWith(given.program, baselineProfile, new Map(), { ...plain, kernel });
      return asked;
    };
    expect(answer(tiles)).toBe(false);
    expect(answer({ ...tiles, "kernels/$0/operands/$0.read1/slots": 2 })).toBe(true);
    expect(answer({ ...tiles, ...twoSlots, "kernels/$0/reduced/0/0": "whole" })).toBeUndefined();
  });

  it("is not offered where an invocation copies too much to hold it", () => {
    const choices: Choices = {
      "kernels/$0/axes/0/workgroup": 1,
      "kernels/$0/axes/0/points": 8,
      "kernels/$0/axes/1/workgroup": 1,
      "kernels/$0/axes/1/points": 8,
      "kernels/$0/operands/$0.read0/vector": 1,
      "kernels/$0/reduced/0/0": 16,
    };
    const asked = { ...choices, "kernels/$0/prefetch": true };
    const sizes = { M: 64, K: 64, N: 64 };
    const compiled = compile(product, {
      sizes,
      profile: baselineProfile,
      options: everyOperand(asked),
    });
    expect((compiled as Compiled).repairs).toEqual([]);
    expect((compiled as Compiled).unusedChoices).toContain("kernels/C/prefetch");
    const subject = prepared(product, sizes);
    const variant = mappedBy(subject, everyOperand(asked), baselineProfile);
    expectTaken(subject, variant, choices);
    expect(stagedPlaces(variant).length).toBe(2);
  });

  it("needs each of its barriers, as the interpreter of kernels finds out", () => {
    for (const choices of [twoSlots, { "kernels/$0/prefetch": true }]) {
      const variant = mappedBy(given, everyOperand({ ...tiles, ...choices }), baselineProfile);
      expectTaken(given, variant, { ...tiles, ...choices });
      const { plan } = variant;
      const barriers = eachKernelStatement(kernelOf({ plan }).body).filter(
        (s) => s.kind === "barrier",
      );
      expect(barriers.length).toBeGreaterThan(1);
      for (const n of barriers.keys()) {
        let at = 0;
        const faulty = changeKernels(plan, (kernel) => {
          const body = mapKernelStatements(kernel.body, (s) =>
            s.kind === "barrier" && at++ === n ? [] : [s],
          );
          return { ...kernel, body };
        });
        const { faults } = interpretPlan(faulty ?? plan, given.inputs);
        // What is behind the last tile is waited for by nobody.
        const isLast = n === barriers.length - 1 && choices !== twoSlots;
        expect(faults.length > 0, `without barrier ${n}`).toBe(!isLast);
      }
      expect(interpretPlan(plan, given.inputs).faults).toEqual([]);
    }
  });
});

/** Definitions whose copies are strided, haloed, padded, of several reduced dims, or of several readers. */
const definitions: readonly (readonly [string, string, readonly Sizes[]])[] = [
  [
    "a product",
    product,
    [
      { M: 1, K: 1, N: 1 },
      { M: 19, K: 31, N: 13 },
      { M: 16, K: 32, N: 32 },
    ],
  ],
  [
    "a product of halves and bytes",
    "def f(half(M, K) A, int8(K, N) B) -> (C) { C(m, n) +=! A(m, k) * float(B(k, n)) }",
    [{ M: 11, K: 29, N: 14 }],
  ],
  [
    "a convolution with a border and strides",
    `def f(float(C, H, W) x, float(O, C, R, S) w) -> (y) {
      y(o, i, j) +=! pad(x(c, 2 * i + r - 1, 2 * j + s - 1)) * w(o, c, r, s)
        where i in 0:(H + 1) / 2, j in 0:(W + 1) / 2
    }`,
    [{ C: 5, H: 7, W: 9, O: 3, R: 3, S: 3 }],
  ],
  [
    "windows that overlap",
    `def f(float(C, H) x, float(O, C, R) w) -> (y) {
      y(o, i) +=! x(c, i + 2 * r) * w(o, c, r) where i in 0:H - 2 * R + 2
    }`,
    [{ C: 7, H: 23, O: 3, R: 3 }],
  ],
  [
    "the best of each row and column",
    "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) argmax=! A(m, k) * B(k, n) }",
    [{ M: 7, K: 37, N: 11 }],
  ],
  [
    "a triangle with an epilogue",
    `def f(float(M, M) A, float(M, N) B, float(N) b) -> (C) {
      C(m, n) +=! A(m, k) * B(k, n) where k in 0:m + 1
      C(m, n) = fmax(C(m, n) + b(n), 0.0)
    }`,
    [{ M: 17, N: 7 }],
  ],
  [
    "two products in one kernel",
    `def f(float(M, K) A, float(K, N) B, float(L, N) D, float(M, L) E) -> (C, F) {
      C(m, n) +=! A(m, k) * B(k, n)
      F(m, n) +=! E(m, l) * D(l, n)
    }`,
    [{ M: 9, K: 13, N: 11, L: 19 }],
  ],
  [
    "a product in each step of a recurrence",
    `def f(float(T, B, K) x, float(K, K) W) -> (h) {
      for t in 0:T { h(t, b, k) +=! x(t, b, j) * W(j, k) }
    }`,
    [{ T: 3, B: 5, K: 11 }],
  ],
];

/** Any tiles, orders and copies. */
function drawnChoices(random: Random): Choices {
  const choices: Record<string, Choices[string]> = {
    "structure/statements/$1/with": true,
    "structure/statements/$0#1/with": true,
    "structure/loops/$t0/on": "serial",
    "kernels/$0/blocked": random.chance(0.5),
    "kernels/$0/points": random.pick(["unroll", "vector"]),
    "kernels/$0/unroll": random.pick([1, 2, 4]),
    "kernels/$0/full": random.chance(0.5),
    "kernels/$0/prefetch": true,
  };
  for (let a = 0; a < 3; a++) {
    choices[`kernels/$0/axes/${a}/workgroup`] = random.pick([1, 2, 4, 8]);
    choices[`kernels/$0/axes/${a}/points`] = random.pick([1, 2, 4]);
    choices[`kernels/$0/reduced/${a}/0`] = random.pick([1, 2, 4, 8]);
    choices[`kernels/$0/operands/$0.read${a}/slots`] = random.pick([1, 2]);
    choices[`kernels/$0/operands/$0.read${a}/pad`] = random.pick([0, 1, 4]);
    choices[`kernels/$0/operands/$0.read${a}/vector`] = random.pick([1, 2, 4]);
  }
  return choices;
}

describe.each(definitions)("%s, prefetched", (_, source, sizes) => {
  it("means the same whatever else is asked for", async () => {
    const random = seededRandom(20);
    const subjects = sizes.flatMap((given) =>
      Array<Prepared>(drawn(3, 6)).fill(prepared(source, given)),
    );
    let prefetched = 0;
    for (const subject of subjects) {
      const variant = await executed(subject, everyOperand(drawnChoices(random)), runtime);
      if (valuesAt(subject, variant, "kernels/$0/prefetch").includes(true)) prefetched += 1;
      for (const { wgsl, kernel } of variant.plan.kernels) {
        expect(await wgslFaults(wgsl, kernel.name)).toEqual([]);
      }
    }
    expect(prefetched).toBeGreaterThan(drawn(0, 2));
  });
});
