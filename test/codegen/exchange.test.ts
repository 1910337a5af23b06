/** What the lanes of subgroups give each other: interpreted, verified, printed, and on the device. */
import { afterAll, describe, expect, it } from "vitest";
import { interpretKernel } from "../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { initialisedMemory, poisonedMemory } from "../../src/codegen/interpret-kernel/memory.ts";
import type {
  KernelExpression as E,
  Exchange,
  Kernel,
  KernelStatement as S,
} from "../../src/codegen/kernel.ts";
import type { Plan } from "../../src/codegen/plan.ts";
import { printKernel } from "../../src/codegen/print-kernel.ts";
import { printWgsl } from "../../src/codegen/print-wgsl/print-wgsl.ts";
import { verifyKernel } from "../../src/codegen/verify-kernel/verify-kernel.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { baselineProfile, type DeviceProfile } from "../../src/support/device-profile.ts";
import { allocate, type ScalarType } from "../../src/support/scalar-type.ts";
import { askedSizes, askingFor } from "../support/asking-profile.ts";
import {
  builtin,
  cast,
  declare,
  exchange,
  f,
  i,
  kernelOf,
  load,
  local,
  loop,
  memory,
  op,
  storage,
  store,
  u,
  variable,
  when,
} from "./support/kernels.ts";
import { wgslFaults } from "./support/validate-wgsl.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** The lanes of the device at hand: every software adapter has subgroups of one size. */
const lanes = runtime.profile.lanes;

function subgroups(size: number): DeviceProfile {
  const features = { ...baselineProfile.features, subgroups: true };
  return { ...baselineProfile, features, lanes: size, subgroups: { min: size, max: size } };
}

const x = load("x", local);
const laneNumber: E = cast(builtin("lane"), "float32");

/** `out[i]` = what invocation `i` of `2 * size` gets of `value`. */
function exchangeKernel(
  how: Exchange,
  size: number,
  scalar: ScalarType,
  value: E = load("x", local, scalar),
): Kernel {
  const n = 2 * size;
  const arrays = [storage("x", n, "read", { scalar }), storage("out", n, "read_write", { scalar })];
  const got = variable("got", scalar);
  const body = [exchange("got", value, how), store("out", local, got)];
  return kernelOf(arrays, body, { workgroupSize: n, subgroupSize: size });
}

const combinations = {
  "+": (a: number, b: number): number => a + b,
  "*": (a: number, b: number): number => a * b,
  min: Math.min,
  max: Math.max,
  and: (a: number, b: number): number => a & b,
  or: (a: number, b: number): number => a | b,
};

function taken(how: Exchange, group: readonly number[], lane: number): number | undefined {
  if (how.kind === "broadcast") return group[how.lane.kind === "literal" ? how.lane.value : 0];
  if (how.kind === "shuffle") return group[lane ^ how.mask];
  const combine = combinations[how.operator];
  return group.reduce((a, b) => combine(a, b));
}

/** What each lane of two subgroups gets of the numbers. */
function expected(how: Exchange, size: number, x: readonly number[]): readonly number[] {
  return x.map((_, n) => {
    const first = n - (n % size);
    return taken(how, x.slice(first, first + size), n % size) ?? Number.NaN;
  });
}

const numbers = (count: number): number[] =>
  Array.from({ length: count }, (_, n) => ((n * 5) % 7) - 3);

const reductions = (["+", "*", "min", "max"] as const).map(
  (operator): Exchange => ({ kind: "reduce", operator }),
);
const hows = (size: number): readonly Exchange[] => [
  { kind: "broadcast", lane: u(0) },
  { kind: "broadcast", lane: u(size - 1) },
  { kind: "shuffle", mask: 1 },
  { kind: "shuffle", mask: size / 2 },
  ...reductions,
];

function interpreted(kernel: Kernel, given: readonly number[], scalar: ScalarType): number[] {
  const data = allocate(scalar, given.length);
  data.set(given);
  const buffers = new Map([
    ["x", initialisedMemory(data, true)],
    ["out", poisonedMemory(allocate(scalar, given.length), true)],
  ]);
  expect(interpretKernel(kernel, buffers, []).map((fault) => fault.message)).toEqual([]);
  return [...(buffers.get("out")?.data ?? [])];
}

async function onDevice(kernel: Kernel, given: readonly number[], scalar: ScalarType) {
  const { length } = given;
  const common = { type: scalar, shape: [length], live: [0, 0] as const };
  const plan: Plan = {
    name: "k",
    buffers: [
      { id: "x", name: "x", role: "input", ...common },
      { id: "out", name: "out", role: "output", ...common },
    ],
    kernels: [{ kernel, ...printWgsl(kernel, "table") }],
    steps: [{ kind: "dispatch", kernel: 0 }],
    stepIndices: "table",
  };
  using loaded = await runtime.load(plan);
  const data = allocate(scalar, length);
  data.set(given);
  const { out } = await loaded.run({ x: data });
  return [...((await out?.read()) ?? [])];
}

describe("an exchange", () => {
  it.each(["float32", "int32", "uint32"] as const)(
    "gives each lane what it should, interpreted and on the device, of %s",
    async (scalar) => {
      const given = numbers(2 * lanes).map((n) => (scalar === "uint32" ? Math.abs(n) : n));
      for (const how of hows(lanes)) {
        const kernel = exchangeKernel(how, lanes, scalar);
        const wanted = expected(how, lanes, given);
        expect(verifyKernel(kernel, runtime.profile)).toEqual([]);
        expect(interpreted(kernel, given, scalar), JSON.stringify(how)).toEqual(wanted);
        expect(await onDevice(kernel, given, scalar), JSON.stringify(how)).toEqual(wanted);
      }
    },
  );

  it("gives bools", async () => {
    const given = numbers(2 * lanes);
    const positive = op(load("x", local, "int32"), ">", i(-3));
    const all: readonly Exchange[] = [
      { kind: "broadcast", lane: u(1) },
      { kind: "shuffle", mask: 1 },
      { kind: "reduce", operator: "and" },
      { kind: "reduce", operator: "or" },
    ];
    for (const how of all) {
      const { arrays, ...rest } = exchangeKernel(how, lanes, "int32");
      const got = variable("got", "bool");
      const body = [exchange("got", positive, how), store("out", local, cast(got, "int32"))];
      const kernel = { ...rest, arrays, body };
      const wanted = expected(
        how,
        lanes,
        given.map((n) => (n > -3 ? 1 : 0)),
      );
      expect(interpreted(kernel, given, "int32"), JSON.stringify(how)).toEqual(wanted);
      expect(await onDevice(kernel, given, "int32"), JSON.stringify(how)).toEqual(wanted);
    }
  });

  it("gives vectors, in loops, and knows the lane", async () => {
    const arrays = [storage("x", 16, "read", { width: 2 }), storage("out", 16)];
    const pair = load("x", op(builtin("lane"), "*", u(2)), "float32", 2);
    const part = (index: number): E => ({
      kind: "component",
      vector: variable("got", "float32", 2),
      index,
      type: f(0).type,
    });
    const body = [
      declare("sum", f(0), true),
      loop("k", 3, [
        exchange("got", pair, { kind: "broadcast", lane: u(1) }),
        { kind: "assign", name: "sum", value: op(variable("sum", "float32"), "+", part(1)) },
      ]),
      store("out", local, op(variable("sum", "float32"), "+", laneNumber)),
    ] as const;
    const kernel = kernelOf(arrays, body, { workgroupSize: 8, subgroupSize: 4 });
    expect(verifyKernel(kernel, subgroups(4))).toEqual([]);
    const given = Array.from({ length: 16 }, (_, n) => n);
    expect(interpreted(kernel, given, "float32").slice(0, 8)).toEqual([
      9, 10, 11, 12, 9, 10, 11, 12,
    ]);
    expect(await wgslFaults(printWgsl(kernel, "table").wgsl, "k")).toEqual([]);
  });

  it("takes from a lane that a loop counts", async () => {
    // `out[i]` = the sum of what the lanes of its subgroup give, each times its number.
    const counted = (scalar: "float32" | "bool"): Kernel => {
      const given = scalar === "bool" ? op(x, ">", f(0)) : x;
      const got = variable("got", scalar);
      const number = cast(variable("k"), "float32");
      const one = scalar === "bool" ? cast(got, "float32") : got;
      const total = op(variable("sum", "float32"), "+", op(one, "*", number));
      const body = [
        declare("sum", f(0), true),
        loop("k", lanes, [
          exchange("got", given, { kind: "broadcast", lane: variable("k") }),
          { kind: "assign", name: "sum", value: total },
        ]),
        store("out", local, variable("sum", "float32")),
      ] as const;
      const { arrays, ...rest } = exchangeKernel(
        { kind: "broadcast", lane: u(0) },
        lanes,
        "float32",
      );
      return { ...rest, arrays, body };
    };
    const given = numbers(2 * lanes);
    for (const scalar of ["float32", "bool"] as const) {
      const kernel = counted(scalar);
      const wanted = given.map((_, n) => {
        const first = n - (n % lanes);
        const group = given.slice(first, first + lanes);
        return group.reduce((sum, v, k) => sum + k * (scalar === "bool" ? Number(v > 0) : v), 0);
      });
      expect(verifyKernel(kernel, runtime.profile)).toEqual([]);
      expect(interpreted(kernel, given, "float32")).toEqual(wanted);
      expect(await onDevice(kernel, given, "float32")).toEqual(wanted);
      expect(printWgsl(kernel, "table").wgsl).toContain("subgroupShuffle(");
      expect(printKernel(kernel)).toContain("= broadcast lane k of ");
    }
  });

  it("of what is not there, or has no value, is poison", () => {
    const how = { kind: "broadcast", lane: u(3) } as const;
    const missing = { ...exchangeKernel(how, 4, "float32"), workgroupSize: 7 };
    const p = load("p", u(0));
    const unwritten: Kernel = {
      ...exchangeKernel(how, 4, "float32", p),
      arrays: [storage("out", 8), memory("p", "private", 1)],
    };
    const beyond = exchangeKernel(
      { kind: "broadcast", lane: builtin("workgroup-x") },
      4,
      "float32",
    );
    const many: Kernel = { ...beyond, grid: [5, 1, 1] };
    const some: Kernel = {
      ...unwritten,
      body: [when(op(local, "<", u(3)), [store("p", u(0), f(1))]), ...unwritten.body],
    };
    for (const kernel of [missing, unwritten, some, many]) {
      const buffers = new Map([
        ["x", initialisedMemory(allocate("float32", 8), true)],
        ["out", poisonedMemory(allocate("float32", 8), true)],
      ]);
      const kinds = interpretKernel(kernel, buffers, []).map((fault) => fault.kind);
      expect(kinds).toContain("uninitialised");
    }
  });

  it("is text that names its lanes", () => {
    const kernel = exchangeKernel({ kind: "broadcast", lane: u(1) }, 4, "float32");
    expect(printKernel(kernel)).toBe(
      [
        "kernel k: 8 x [1, 1, 1] subgroups 4",
        "  read storage x: float32[8] = buffer x",
        "  read_write storage out: float32[8] = buffer out",
        "  let got: float32 = broadcast lane 1u of x[local-index]",
        "  out[local-index] = got",
        "",
      ].join("\n"),
    );
    const { wgsl } = printWgsl(kernel, "table");
    expect(wgsl).toMatch(/^enable subgroups;\n/);
    expect(wgsl).toContain("let got = subgroupBroadcast(x[local_index], 1u);");
  });
});

describe("a kernel that asks for a size", () => {
  const asking = (how: Exchange, size: number): Kernel => ({
    ...exchangeKernel(how, size, "float32"),
    asksForSize: true,
  });

  it.each(askedSizes)("of %d has subgroups of that, in text that Tint takes", async (size) => {
    const given = numbers(2 * size);
    const profile = askingFor(size, baselineProfile);
    // SwiftShader may be asked for the one size that it has.
    const runs = size === lanes && runtime.device.features.has("subgroup-size-control");
    for (const how of hows(size)) {
      const kernel = asking(how, size);
      // The product of many is not exact.
      if (how.kind === "reduce" && how.operator === "*" && size > 8) continue;
      const wanted = expected(how, size, given);
      expect(verifyKernel(kernel, profile)).toEqual([]);
      expect(interpreted(kernel, given, "float32"), JSON.stringify(how)).toEqual(wanted);
      expect(await wgslFaults(printWgsl(kernel, "table").wgsl, "k")).toEqual([]);
      if (runs) expect(await onDevice(kernel, given, "float32")).toEqual(wanted);
    }
  });

  it("says so", () => {
    const kernel = asking({ kind: "shuffle", mask: 1 }, 16);
    expect(printKernel(kernel)).toMatch(/^kernel k: 32 x \[1, 1, 1\] subgroups 16 asked for\n/);
    const { wgsl } = printWgsl(kernel, "table");
    expect(wgsl).toMatch(/^enable subgroups;\nenable subgroup_size_control;\n/);
    expect(wgsl).toContain("@compute @workgroup_size(32) @subgroup_size(16)\nfn k(");
  });

  it("is refused by devices with other sizes, one size, or none to ask for", async () => {
    const kernel = asking({ kind: "shuffle", mask: 1 }, 16);
    const on = (change: Partial<DeviceProfile>): readonly string[] =>
      verifyKernel(kernel, { ...askingFor(16, baselineProfile), ...change });
    expect(on({})).toEqual([]);
    const several = ["k: subgroups of 16, on this device of 8 to 32"];
    expect(on({ subgroups: { min: 8, max: 32 } })).toEqual(several);
    expect(on({ subgroups: { min: 8, max: 32, width: 32 } })).toEqual(several);
    const beyond = { min: 4, max: 8, width: 16 };
    expect(on({ subgroups: beyond })).toEqual(["k: subgroups of 16, on this device of 4 to 8"]);
    expect(on({ subgroups: { min: 16, max: 16 } })).toEqual([
      "k: subgroups of 16, on this device of 16 to 16",
    ]);
    expect(on({ subgroups: null })).toEqual(["k: no subgroups on this device"]);
    // And one that does not ask, by a device that has several.
    const { asksForSize: _, ...silent } = kernel;
    expect(verifyKernel(silent, askingFor(16, baselineProfile))).toEqual([
      "k: subgroups of 16, on this device of 8 to 32",
    ]);
    const { subgroupSize: __, ...sizeless } = asking({ kind: "shuffle", mask: 1 }, 16);
    expect(verifyKernel({ ...sizeless, body: [] }, baselineProfile)).toEqual([
      "k: no subgroups to ask for",
    ]);
  });

  it("has whole subgroups of a power of two, or Tint refuses it as the verifier does", async () => {
    const bad: readonly (readonly [number, number, string])[] = [
      [16, 24, "k: workgroup size 24 is no multiple of 16"],
      [24, 48, "k: subgroups of 24, on this device of 12 to 48"],
    ];
    for (const [size, workgroupSize, fault] of bad) {
      const kernel = { ...asking({ kind: "shuffle", mask: 1 }, size), workgroupSize };
      expect(verifyKernel(kernel, askingFor(size, baselineProfile))).toContain(fault);
      expect(await wgslFaults(printWgsl(kernel, "table").wgsl, "k")).not.toEqual([]);
    }
  });
});

describe("the verifier", () => {
  const good = exchangeKernel({ kind: "broadcast", lane: u(1) }, 4, "float32");
  const varied = (body: readonly S[]): Kernel => ({ ...good, body });
  const b = (value: E = x): S => exchange("got", value, { kind: "broadcast", lane: u(1) });

  it("refuses exchanges where not every invocation comes, as Tint does", async () => {
    const under: readonly (readonly S[])[] = [
      [when(op(local, "<", u(3)), [b()])],
      [when(op(builtin("lane"), "<", u(3)), [b()])],
      [
        b(),
        when(op(variable("got", "float32"), "<", f(1)), [
          exchange("more", x, { kind: "shuffle", mask: 1 }),
        ]),
      ],
      [when(op(load("out", u(0)), "<", f(1)), [b()])],
    ];
    for (const body of under) {
      const kernel = varied(body);
      const found = verifyKernel(kernel, subgroups(4));
      expect(found.join()).toContain("exchange under control flow that is not uniform");
      expect(await wgslFaults(printWgsl(kernel, "table").wgsl, "k")).not.toEqual([]);
    }
    const uniform = varied([
      loop("k", 2, [when(op(variable("k"), "<", u(1)), [b()])]),
      when(op(builtin("workgroup-x"), "<", u(1)), [b()]),
    ]);
    expect(verifyKernel(uniform, subgroups(4))).toEqual([]);
    expect(await wgslFaults(printWgsl(uniform, "table").wgsl, "k")).toEqual([]);
  });

  it("refuses devices without subgroups, or with others", () => {
    expect(verifyKernel(good, subgroups(4))).toEqual([]);
    expect(verifyKernel(good, baselineProfile)).toEqual(["k: no subgroups on this device"]);
    expect(verifyKernel(good, subgroups(8))).toEqual([
      "k: subgroups of 4, on this device of 8 to 8",
    ]);
    const ranged = { ...subgroups(4), subgroups: { min: 4, max: 8 } };
    expect(verifyKernel(good, ranged)).toEqual(["k: subgroups of 4, on this device of 4 to 8"]);
    expect(verifyKernel({ ...good, workgroupSize: 6 }, subgroups(4))).toEqual([
      "k: workgroup size 6 is no multiple of 4",
    ]);
  });

  it.each([
    [
      "a lane beyond the subgroup",
      [exchange("got", x, { kind: "broadcast", lane: u(4) })],
      "lane 4u in a subgroup of 4",
    ],
    [
      "a mask that moves nothing",
      [exchange("got", x, { kind: "shuffle", mask: 0 })],
      "mask 0 in a subgroup of 4",
    ],
    [
      "an operator that the type lacks",
      [exchange("got", x, { kind: "reduce", operator: "and" })],
      "reduce and of float32",
    ],
    ["a value of another type", [{ ...b(), type: i(0).type } as S], "got takes int32, not float32"],
    [
      "a lane that a loop counts beyond the subgroup",
      [loop("k", 5, [exchange("got", x, { kind: "broadcast", lane: variable("k") })])],
      "lane k in a subgroup of 4",
    ],
    [
      "a lane that nothing bounds",
      [exchange("got", x, { kind: "broadcast", lane: load("x", u(0), "uint32") })],
      "lane x[0u] in a subgroup of 4",
    ],
    [
      "a lane that is no index",
      [exchange("got", x, { kind: "broadcast", lane: i(1) })],
      "lane is no uint32",
    ],
    [
      "a lane that is another for each",
      [exchange("got", x, { kind: "broadcast", lane: op(builtin("lane"), "%", u(2)) })],
      "a lane that gives is not the same for all that take",
    ],
    ["a name twice", [b(), b()], "got is declared already"],
  ] as const)("refuses %s", (_, body, fault) => {
    expect(verifyKernel(varied(body), subgroups(4)).join()).toContain(fault);
  });

  it("refuses lanes in a kernel that does not say how many", () => {
    const { subgroupSize: _, ...without } = varied([b(), store("out", builtin("lane"), x)]);
    expect(verifyKernel(without, subgroups(4))).toEqual([
      "k: body[0]: exchange in a kernel without subgroups",
      "k: body[1]: lane in a kernel without subgroups",
    ]);
  });
});
