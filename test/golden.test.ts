/**
 * Goldens: the schedule, kernels and WGSL of some definitions, under pinned options and profiles.
 *
 * `NAME.options.json` answers every decision, so that a new default changes nothing here; what the
 * defaults are is a golden of its own, `defaults.txt`. `npx vitest run test/golden.test.ts -u`
 * writes the texts anew; where `CI` is set a missing text fails.
 */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { printStage } from "../src/api/print-stage.ts";
import { interpretPlan } from "../src/codegen/interpret-kernel/interpret-plan.ts";
import { printPlan } from "../src/codegen/print-plan.ts";
import { verifyKernel } from "../src/codegen/verify-kernel/verify-kernel.ts";
import { type Compiled, type CompileRequest, compile, lowerSource } from "../src/compile.ts";
import { interpret } from "../src/ir/interpret/interpret.ts";
import { verifySchedule } from "../src/ir/legality/verify-schedule.ts";
import { mapProgram } from "../src/ir/mapping/map-program.ts";
import { pathsOf } from "../src/ir/mapping/mapping.ts";
import { printSchedule } from "../src/ir/schedule.ts";
import { defined } from "../src/support/assert.ts";
import { namedProfiles } from "../src/support/device-profile.ts";
import type { Choice, Mapping } from "../src/support/mapping-file.ts";
import { seededRandom } from "../src/support/random.ts";
import { allocate, elementCount, type TensorData } from "../src/support/scalar-type.ts";
import { wgslFaults } from "./codegen/support/validate-wgsl.ts";

interface Case {
  readonly source: string;
  readonly profile: string;
  readonly sizes: Readonly<Record<string, number>>;
}

function example(name: string): string {
  return readFileSync(`examples/${name}.tc`, "utf8");
}

const cases: Readonly<Record<string, Case>> = {
  /** Register tiles, vectors, two trips written out. */
  matmul: { source: example("matmul"), profile: "baseline", sizes: { M: 16, K: 6, N: 16 } },
  /** One operand spread over the lanes of a subgroup, the last step of the sum in part. */
  "matmul-lanes": {
    source: example("matmul"),
    profile: "swiftshader",
    sizes: { M: 4, K: 18, N: 32 },
  },
  /** The same with the steps of the lanes counted by a loop. */
  "matmul-counted-lanes": {
    source: example("matmul"),
    profile: "swiftshader",
    sizes: { M: 4, K: 18, N: 32 },
  },
  /** The lanes load for the points of each other, two steps at once. */
  "matmul-point-lanes": {
    source: example("matmul"),
    profile: "swiftshader",
    sizes: { M: 4, K: 18, N: 32 },
  },
  /** A subgroup for each row, partial results in its lanes, no barrier. */
  "softmax-lanes": { source: example("softmax"), profile: "swiftshader", sizes: { N: 3, D: 10 } },
  /** A row for each of two teams, their parts combined by a tree. */
  "softmax-tree": { source: example("softmax"), profile: "baseline", sizes: { N: 5, D: 48 } },
  /** Two subgroups for each row, one value of each through workgroup memory. */
  "softmax-subgroups": {
    source: example("softmax"),
    profile: "swiftshader",
    sizes: { N: 3, D: 22 },
  },
  /** Workgroups in bands of two rows of tiles, the last band of one. */
  "matmul-bands": { source: example("matmul"), profile: "baseline", sizes: { M: 20, K: 3, N: 12 } },
  /** Operands through workgroup memory, the rows of one padded; partial tiles of each dim. */
  "matmul-staged": {
    source: example("matmul"),
    profile: "gpu",
    sizes: { M: 12, K: 10, N: 20 },
  },
  /** Two tiles of each operand at once, the next one loaded before one is computed. */
  "matmul-prefetched": {
    source: example("matmul"),
    profile: "gpu",
    sizes: { M: 12, K: 22, N: 20 },
  },
  /** Operands through workgroup memory, in a text of their own for workgroups with full tiles. */
  "matmul-full-tiles": {
    source: example("matmul"),
    profile: "gpu",
    sizes: { M: 20, K: 10, N: 36 },
  },
  /**
   * Tiles that invocations compute one after the other, those along one axis inside of the tiles of the
   * sum: an operand is copied once for all of them; subgroups are blocks of 4 by 8.
   */
  "matmul-levels": {
    source: example("matmul"),
    profile: "gpu",
    sizes: { M: 32, K: 12, N: 64 },
  },
  /** An operand copied to rows of whole vectors. */
  "matmul-packed": {
    source: example("matmul"),
    profile: "llvmpipe",
    sizes: { M: 8, K: 5, N: 13 },
  },
  /** Padding and strides; the bias is the start of the sum. */
  conv2d: {
    source: example("conv2d"),
    profile: "baseline",
    sizes: { N: 1, C: 2, H: 7, W: 8, O: 2, KH: 3, KW: 3, S: 2, P: 1 },
  },
  /** One workgroup per row, values through workgroup memory. */
  softmax: { source: example("softmax"), profile: "baseline", sizes: { N: 3, D: 10 } },
  /** Two kernels. */
  layernorm: { source: example("layernorm"), profile: "llvmpipe", sizes: { N: 6, D: 8 } },
  /** Five statements in one kernel. */
  attention: {
    source: example("attention"),
    profile: "baseline",
    sizes: { H: 1, Q: 4, K: 6, D: 4, E: 4 },
  },
  /** Partial states of several components. */
  argmax: { source: example("argmax"), profile: "baseline", sizes: { N: 3, D: 22 } },
  /** The block of four that has the largest element, the last one of two, then the element in it. */
  "argmax-blocks": { source: example("argmax"), profile: "swiftshader", sizes: { N: 3, D: 22 } },
  /** Atomic additions. */
  "scatter-add": {
    source: example("scatter_add"),
    profile: "baseline",
    sizes: { V: 5, B: 6, D: 4 },
  },
  /** In place, a dispatch per step. */
  lu: { source: example("lu"), profile: "swiftshader", sizes: { N: 6 } },
  /** The loop in the kernel, with a barrier for each step. */
  "elman-serial": {
    source: example("elman"),
    profile: "baseline",
    sizes: { T: 4, B: 3, Ci: 2, Co: 4 },
  },
  /** The same on the host. */
  "elman-host": {
    source: example("elman"),
    profile: "baseline",
    sizes: { T: 4, B: 3, Ci: 2, Co: 4 },
  },
  /** A triangle; points a workgroup apart, lanes of subgroups. */
  cumsum: { source: example("cumsum"), profile: "baseline", sizes: { N: 3, L: 12 } },
  /** A double buffer over a loop, read afterwards. */
  state: {
    source: readFileSync("test/golden/state.tc", "utf8"),
    profile: "baseline",
    sizes: { N: 6, T: 5 },
  },
};

function optionsOf(name: string): Mapping {
  return JSON.parse(readFileSync(`test/golden/${name}.options.json`, "utf8")) as Mapping;
}

function compiled(source: string, request: CompileRequest): Compiled {
  const result = compile(source, request);
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
  return result;
}

/** Numbers in [0, 1) for every tensor that the caller supplies, small integers for integers. */
function inputsOf({ program }: Compiled): Record<string, TensorData> {
  const random = seededRandom(1);
  const inputs: Record<string, TensorData> = {};
  for (const t of program.tensors) {
    if (t.role !== "input" && t.role !== "inout") continue;
    const data = allocate(t.components[0] ?? "float32", elementCount(t.shape));
    const isFloat = t.components[0] === "float32";
    inputs[t.name] = data.map(() => (isFloat ? random.next() : random.integer(0, 5)));
  }
  return inputs;
}

/** Where the plan and the reference differ by more than rounding, and what went wrong. */
function differences(result: Compiled): readonly string[] {
  const inputs = inputsOf(result);
  const { outputs, faults } = interpretPlan(result.plan, inputs);
  const { tensors } = interpret(result.program, inputs, { bounds: true });
  const found = faults.map((f) => f.message);
  for (const [name, { data, bound }] of tensors) {
    for (const [n, x] of data.entries()) {
      const got = outputs[name]?.[n] ?? Number.NaN;
      if (!(Math.abs(got - x) <= (bound?.[n] ?? 0))) found.push(`${name}[${n}]: ${got}, not ${x}`);
    }
  }
  return found;
}

describe.each(Object.entries(cases))("%s", (name, { source, profile, sizes }) => {
  const options = optionsOf(name);
  const texts = new Map<string, string>();
  const result = compiled(source, {
    sizes,
    profile,
    options,
    onStage: (made) => texts.set(made.stage, printStage(made)),
  });

  it("says everything that is chosen, and nothing else", () => {
    const said = pathsOf(options);
    const open = result.decisions.filter((d) => said.get(d.path) !== d.value);
    expect(open.map((d) => `add ${d.path}: ${JSON.stringify(d.value)}`)).toEqual([]);
    expect(options.policy).toBe("plain");
    expect(result.repairs).toEqual([]);
    expect(result.unusedChoices).toEqual([]);
    expect(result.diagnostics).toEqual([]);
  });

  it("keeps its schedule, kernels and text", async () => {
    const file = (kind: string): string => `./golden/${name}.${kind}`;
    const schedule = printSchedule(result.mapped.schedule);
    await expect(schedule).toMatchFileSnapshot(file("schedule.txt"));
    await expect(printPlan(result.plan)).toMatchFileSnapshot(file("kernel.txt"));
    await expect(texts.get("wgsl")).toMatchFileSnapshot(file("wgsl"));
  });

  it("is legal, valid and right", async () => {
    const { program, schedule } = result.mapped;
    expect(verifySchedule(program, schedule)).toEqual([]);
    const limits = defined(namedProfiles[profile], profile);
    for (const { kernel, wgsl, entryPoint } of result.plan.kernels) {
      expect(verifyKernel(kernel, limits)).toEqual([]);
      expect(await wgslFaults(wgsl, entryPoint)).toEqual([]);
    }
    expect(differences(result)).toEqual([]);
  });
});

/** Long sums with few results, that would leave most of a GPU idle, and some that would not. */
const longSums: Readonly<Record<string, Pick<Case, "source" | "sizes">>> = {
  "a product with few elements": {
    source: "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }",
    sizes: { M: 64, K: 16384, N: 64 },
  },
  "a product with few elements, bias and activation": {
    source: `def f(float(M, K) a, float(N, K) b, float(N) d) -> (y) {
      c(m, n) +=! a(m, k) * b(n, k)
      y(m, n) = fmax(c(m, n) + d(n), 0.0)
    }`,
    sizes: { M: 61, K: 8191, N: 67 },
  },
  "a shorter one": {
    source: "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }",
    sizes: { M: 64, K: 1024, N: 64 },
  },
  "a product with many elements": {
    source: "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }",
    sizes: { M: 1024, K: 4096, N: 1024 },
  },
  "a row by a matrix": {
    source: "def f(float(K) x, float(K, N) b) -> (y) { y(n) +=! x(k) * b(k, n) }",
    sizes: { K: 4096, N: 1024 },
  },
  "a matrix by a column": {
    source: "def f(float(M, K) a, float(K) x) -> (y) { y(m) +=! a(m, k) * x(k) }",
    sizes: { M: 1024, K: 4096 },
  },
  "a sum of columns": {
    source: "def f(float(K, N) b) -> (y) { y(n) +=! b(k, n) }",
    sizes: { K: 4096, N: 1024 },
  },
  "a total": {
    source: "def f(float(K) x) -> (y) { y +=! x(k) }",
    sizes: { K: 4194304 },
  },
};

/** Rows of equal answers in one line: `path  answer` for all profiles, or one column each. */
function tableOf(name: string, { source, sizes }: Partial<Case>): string {
  const profiles = Object.keys(namedProfiles);
  const answers = new Map<string, (Choice | undefined)[]>();
  const lowered = lowerSource(source ?? example(name), sizes === undefined ? {} : { sizes });
  if (!lowered.ok) throw new Error(`${name}: ${lowered.diagnostics.map((d) => d.message)}`);
  for (const [column, profileName] of profiles.entries()) {
    const profile = defined(namedProfiles[profileName], profileName);
    for (const d of mapProgram(lowered.program, profile, { version: 2 }).decisions) {
      const row = answers.get(d.path) ?? profiles.map(() => undefined);
      row[column] = d.value;
      answers.set(d.path, row);
    }
  }
  const trivial = (row: readonly (Choice | undefined)[]): boolean =>
    row.every((x) => x === undefined || x === "no" || x === false || x === 1);
  const cell = (x: Choice | undefined): string => `${String(x ?? "-").padEnd(11)} `;
  const rows = [...answers]
    .filter(([, row]) => !trivial(row))
    .map(([path, row]) => `  ${path.padEnd(48)}${row.map(cell).join("")}`.trimEnd());
  return [name, ...rows].join("\n");
}

/** The answers of all profiles, with a note and the profiles' names. */
function defaultsOf(tables: readonly string[]): string {
  const profiles = Object.keys(namedProfiles).map((p) => p.padEnd(12));
  const head = `${"".padEnd(26)}${profiles.join("")}`.trimEnd();
  const note = "Rows of answers that are all `no`, `false` or 1 are left out; `-` was not asked.";
  return `${[note, "", head, ...tables].join("\n")}\n`;
}

describe("the defaults", () => {
  it("of long sums fill a GPU", async () => {
    const tables = Object.entries(longSums).map(([name, one]) => tableOf(name, one));
    await expect(defaultsOf(tables)).toMatchFileSnapshot("./golden/defaults-sums.txt");
  });

  it("of the examples are these, for each profile", async () => {
    const names = readdirSync("examples")
      .filter((f) => f.endsWith(".tc"))
      .map((f) => f.slice(0, -3))
      .sort();
    const table = defaultsOf(names.map((name) => tableOf(name, {})));
    await expect(table).toMatchFileSnapshot("./golden/defaults.txt");
  }, 600_000);
});
