/** Tiles that are loaded while those before are computed: their text, and all three executions. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Kernel, KernelStatement } from "../../src/codegen/kernel.ts";
import { mapKernelStatements } from "../../src/codegen/rewrite-kernel.ts";
import { eachKernelStatement, visitOwnExpressions } from "../../src/codegen/walk-kernel.ts";
import { type Compiled, compile } from "../../src/compile.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import type { Prepared } from "../differential/differential.ts";
import { changeKernels } from "../differential/faults/inject.ts";
import type { Variant } from "../differential/variants.ts";
import {
  type Choices,
  everyOperand,
  executed,
  mappedBy,
  prepared,
  type Sizes,
  stagedPlaces,
} from "./support/staged.ts";
import { wgslFaults } from "./support/validate-wgsl.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

const product = "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";

const tiles: Choices = {
  "kernel0.p0.workgroup": 4,
  "kernel0.p0.thread": 2,
  "kernel0.p1.workgroup": 4,
  "kernel0.p1.thread": 4,
  "kernel0.points": "vector",
  "kernel0.r0.tile": 4,
};

const twoSlots: Choices = { "kernel0.operand0.slots": 2, "kernel0.operand1.slots": 2 };

type Loop = Extract<KernelStatement, { kind: "loop" }>;
type Body = readonly KernelStatement[];

function answerTo({ asked }: Variant, path: string): unknown {
  return asked.find(({ decision }) => decision.path === path)?.answer;
}

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
    const variant = await executed(whole, everyOperand({ ...tiles, ...twoSlots }), runtime);
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
    for (const slots of [{}, { "kernel0.operand1.slots": 2 }]) {
      const options = everyOperand({ ...tiles, ...slots, "kernel0.prefetch": true });
      const [loop] = tileLoops(await executed(whole, options, runtime));
      expect(stagesOf(loop?.body ?? [])).toEqual(["load", "compute", "wait", "store", "wait"]);
    }
  });

  it("is left as it was where nothing is to be loaded ahead", async () => {
    const options = everyOperand({ ...tiles, ...twoSlots, "kernel0.prefetch": false });
    const [loop] = tileLoops(await executed(whole, options, runtime));
    expect(loop?.extent).toBe(24 / 4);
    // Each value that is loaded is stored at once.
    expect(stagesOf(loop?.body ?? []).slice(-2)).toEqual(["wait", "compute"]);
  });

  it("is written out where there are two tiles", async () => {
    const options = everyOperand({ ...tiles, ...twoSlots, "kernel0.r0.tile": 8 });
    const given = prepared(product, { M: 16, K: 16, N: 16 });
    const variant = await executed(given, options, runtime);
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
    const answer = (choices: Choices): unknown =>
      answerTo(mappedBy(given, everyOperand(choices), baselineProfile), "kernel0.prefetch");
    expect(answer(tiles)).toBe(false);
    expect(answer({ ...tiles, "kernel0.operand1.slots": 2 })).toBe(true);
    expect(answer({ ...tiles, ...twoSlots, "kernel0.r0.tile": 23 })).toBeUndefined();
  });

  it("is repaired alone where an invocation copies too much to hold it", () => {
    const choices: Choices = {
      "kernel0.p0.workgroup": 1,
      "kernel0.p0.thread": 8,
      "kernel0.p1.workgroup": 1,
      "kernel0.p1.thread": 8,
      "kernel0.operand0.vector": 1,
      "kernel0.r0.tile": 16,
      "kernel0.prefetch": true,
    };
    const sizes = { M: 64, K: 64, N: 64 };
    const compiled = compile(product, {
      sizes,
      profile: baselineProfile,
      options: everyOperand(choices),
    });
    expect((compiled as Compiled).repairs).toEqual([
      { path: "kernel0.prefetch", asked: true, used: false },
    ]);
    const variant = mappedBy(prepared(product, sizes), everyOperand(choices), baselineProfile);
    expect(stagedPlaces(variant).length).toBe(2);
  });

  it("needs each of its barriers, as the interpreter of kernels finds out", () => {
    for (const choices of [twoSlots, { "kernel0.prefetch": true }]) {
      const options = everyOperand({ ...tiles, ...choices });
      const { plan } = mappedBy(given, options, baselineProfile);
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
  const drawn: Record<string, Choices[string]> = {
    "kernel0.fuse1": true,
    "loop0.on": "serial",
    "kernel0.blocked": random.chance(0.5),
    "kernel0.points": random.pick(["unroll", "vector"]),
    "kernel0.unroll": random.pick([1, 2, 4]),
    "kernel0.full": random.chance(0.5),
    "kernel0.prefetch": true,
  };
  for (let a = 0; a < 3; a++) {
    drawn[`kernel0.p${a}.workgroup`] = random.pick([1, 2, 4, 8]);
    drawn[`kernel0.p${a}.thread`] = random.pick([1, 2, 4]);
    drawn[`kernel0.r${a}.tile`] = random.pick([1, 2, 4, 8]);
    drawn[`kernel0.operand${a}.slots`] = random.pick([1, 2]);
    drawn[`kernel0.operand${a}.pad`] = random.pick([0, 1, 4]);
    drawn[`kernel0.operand${a}.vector`] = random.pick([1, 2, 4]);
  }
  return drawn;
}

describe.each(definitions)("%s, prefetched", (_, source, sizes) => {
  it("means the same whatever else is asked for", async () => {
    const random = seededRandom(20);
    const subjects = sizes.flatMap((given) => Array<Prepared>(6).fill(prepared(source, given)));
    let prefetched = 0;
    for (const subject of subjects) {
      const variant = await executed(subject, everyOperand(drawnChoices(random)), runtime);
      if (answerTo(variant, "kernel0.prefetch") === true) prefetched += 1;
      for (const { wgsl, kernel } of variant.plan.kernels) {
        expect(await wgslFaults(wgsl, kernel.name)).toEqual([]);
      }
    }
    expect(prefetched).toBeGreaterThan(2);
  });
});
