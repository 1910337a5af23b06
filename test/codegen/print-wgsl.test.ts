import { expect, test } from "vitest";
import type { KernelExpression as E, Kernel } from "../../src/codegen/kernel.ts";
import { printWgsl } from "../../src/codegen/print-wgsl/print-wgsl.ts";
import { scalarLiteral } from "../../src/codegen/print-wgsl/wgsl-literals.ts";
import { wgslNames } from "../../src/codegen/print-wgsl/wgsl-names.ts";
import { verifyKernel } from "../../src/codegen/verify-kernel/verify-kernel.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { seededRandom } from "../../src/support/random.ts";
import { scalarFunctions } from "../../src/support/scalar-functions.ts";
import {
  assign,
  barrier,
  builtin,
  call,
  declare,
  f,
  groupX,
  i,
  kernelOf,
  load,
  local,
  loop,
  memory,
  op,
  storage,
  store,
  tiledMatmul,
  typed,
  u,
  variable,
  when,
} from "./support/kernels.ts";
import { randomExpressionKernel } from "./support/random-expression.ts";
import { wgslFaults } from "./support/validate-wgsl.ts";

/** The text of a kernel, which the verifier and Tint must both accept. */
async function acceptedText(
  kernel: Kernel,
  stepIndices: "immediate" | "table" = "table",
): Promise<string> {
  expect(verifyKernel(kernel, baselineProfile)).toEqual([]);
  const { wgsl, entryPoint } = printWgsl(kernel, stepIndices);
  expect(await wgslFaults(wgsl, entryPoint), wgsl).toEqual([]);
  return wgsl;
}

/** The text of an expression, where it is stored in `out`. */
async function textOf(e: E): Promise<string> {
  const arrays = [
    storage("narrow", 64, "read"),
    storage("wide", 64, "read", { width: 4 }),
    storage("whole", 64, "read", { scalar: "int32" }),
    storage("wholes", 256, "read", { scalar: "int32", width: 4 }),
    storage("count", 64, "read", { scalar: "uint32" }),
    storage("out", e.type.width, "read_write", e.type),
  ];
  const kernel = kernelOf(arrays, [declare("base", op(groupX, "*", u(8))), store("out", u(0), e)]);
  const text = await acceptedText(kernel);
  return /out\[0u\] = (.*);/.exec(text)?.[1] ?? text;
}

test("a tiled matmul prints with literal bounds and index arithmetic on the ids", async () => {
  const kernel = tiledMatmul(16);
  expect(await acceptedText(kernel)).toMatchInlineSnapshot(`
    "@group(0) @binding(0) var<storage, read> A: array<f32, 256>;
    @group(0) @binding(1) var<storage, read> B: array<f32, 256>;
    @group(0) @binding(2) var<storage, read_write> C: array<f32, 256>;
    var<workgroup> sa: array<f32, 64>;
    var<workgroup> sb: array<f32, 64>;

    @compute @workgroup_size(64)
    fn matmul(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
      let workgroup_x = min(workgroup_id.x, 1u);
      let workgroup_y = min(workgroup_id.y, 1u);
      let row = workgroup_y * 8u + local_index / 8u;
      let column = workgroup_x * 8u + local_index % 8u;
      var acc: f32 = 0.0f;
      for (var ko = 0u; ko < 2u; ko++) {
        sa[local_index] = A[row * 16u + (ko * 8u + local_index % 8u)];
        sb[local_index] = B[(ko * 8u + local_index / 8u) * 16u + column];
        workgroupBarrier();
        for (var ki = 0u; ki < 8u; ki++) {
          acc = acc + sa[local_index / 8u * 8u + ki] * sb[ki * 8u + local_index % 8u];
        }
        workgroupBarrier();
      }
      C[row * 16u + column] = acc;
    }
    "
  `);
  expect(printWgsl(kernel, "table").bindings).toEqual([
    { buffer: "A", access: "read" },
    { buffer: "B", access: "read" },
    { buffer: "C", access: "read_write" },
  ]);
});

test.each([
  ["a literal", u(12), "wide[3u]"],
  ["a multiple of the width", op(local, "*", u(4)), "wide[local_index]"],
  [
    "a sum",
    op(op(local, "*", u(16)), "+", op(groupX, "*", u(4))),
    "wide[local_index * 4u + workgroup_x]",
  ],
  ["a multiple and a literal", op(op(local, "*", u(4)), "+", u(8)), "wide[local_index + 2u]"],
  ["a known multiple", op(variable("base"), "+", u(4)), "wide[base / 4u + 1u]"],
  ["a negative literal", op(op(local, "*", u(4)), "+", u(2 ** 32 - 4)), "wide[local_index - 1u]"],
  ["a difference", op(op(local, "*", u(8)), "-", u(4)), "wide[local_index * 2u - 1u]"],
  ["a remainder", op(op(local, "*", u(4)), "%", u(32)), "wide[local_index % 8u]"],
  ["a clamp", op(op(local, "*", u(4)), "min", u(60)), "wide[min(local_index, 15u)]"],
  ["anything else", op(local, "+", groupX), "wide[(local_index + workgroup_x) / 4u]"],
])("the index of a wide load is divided: %s", async (_, index, expected) => {
  expect(await textOf(load("wide", index, "float32", 4))).toBe(expected);
});

test.each([
  ["a literal component", op(op(local, "*", u(4)), "+", u(6)), "wide[local_index + 1u].z"],
  ["a negative literal", op(op(local, "*", u(4)), "-", u(1)), "wide[local_index - 1u].w"],
  ["a computed component", local, "wide[local_index / 4u][local_index % 4u]"],
])("a scalar of a wide array is taken out: %s", async (_, index, expected) => {
  expect(await textOf(load("wide", index))).toBe(expected);
});

test.each([
  ["overflow", op(i(2147483647), "+", i(1)), "i32(-2147483648)"],
  ["division by zero", op(f(1), "/", f(0)), "tc_inf"],
  ["a function outside its domain", call("sqrt", [f(-1)]), "tc_nan"],
  ["a vector", op(f(3e38, 4), "*", f(-10, 4)), "vec4<f32>(-tc_inf)"],
  ["rounding", op(f(0.1), "+", f(0.2)), "0.3f"],
])("constants are folded, since WGSL would refuse them: %s", async (_, e, expected) => {
  const text = await textOf(e);
  expect(text).toBe(expected === "0.3f" ? scalarLiteral(0.1 + 0.2, "float32") : expected);
});

test("operators keep their precedence", async () => {
  const x = load("narrow", local);
  const y = load("narrow", groupX);
  expect(await textOf(op(op(x, "+", y), "*", op(x, "-", op(y, "-", x))))).toBe(
    "(narrow[local_index] + narrow[workgroup_x]) * (narrow[local_index] - (narrow[workgroup_x] - narrow[local_index]))",
  );
  expect(
    await textOf(op(op(op(x, "<", y), "and", op(x, ">", f(1))), "or", op(x, "==", f(-2)))),
  ).toBe(
    "u32(((narrow[local_index] < narrow[workgroup_x]) & (narrow[local_index] > 1.0f)) | (narrow[local_index] == -2.0f))",
  );
});

test("a division by powers of two is a shift, the remainder the lowest bits", async () => {
  const x = load("whole", local, "int32");
  const n = load("count", local, "uint32");
  expect(await textOf(op(x, "floorDiv", i(4)))).toBe("whole[local_index] >> 2u");
  expect(await textOf(op(x, "floorMod", i(4)))).toBe("whole[local_index] & 3i");
  expect(await textOf(op(n, "floorDiv", u(2 ** 31)))).toBe("count[local_index] >> 31u");
  expect(await textOf(op(n, "floorMod", u(2 ** 31)))).toBe("count[local_index] & 2147483647u");
  expect(
    await textOf(op(op(op(x, "+", i(1)), "floorDiv", i(2)), "*", op(x, "floorMod", i(8)))),
  ).toBe("((whole[local_index] + 1i) >> 1u) * (whole[local_index] & 7i)");
  const four = load("wholes", op(local, "*", u(4)), "int32", 4);
  const vector = (...parts: readonly number[]): E => {
    return { kind: "vector", components: parts.map(i), type: typed("int32", 4) };
  };
  expect(await textOf(op(four, "floorDiv", vector(1, 2, 4, 2 ** 30)))).toBe(
    "wholes[local_index] >> vec4<u32>(0u, 1u, 2u, 30u)",
  );
  expect(await textOf(op(four, "floorMod", vector(8, 8, 8, 8)))).toBe(
    "wholes[local_index] & vec4<i32>(7i)",
  );
  for (const divisor of [i(3), i(0), i(-4), i(-(2 ** 31)), x]) {
    expect(await textOf(op(x, "floorDiv", divisor))).toMatch(/^tc_floorDiv\(/);
  }
  expect(await textOf(op(four, "floorMod", vector(8, 8, 8, 3)))).toMatch(/^tc_floorMod_?4\(/);
  expect(await textOf(op(load("narrow", local), "floorMod", f(4)))).toMatch(/^tc_floatMod\(/);
});

test("float literals have the shortest decimal that comes back", () => {
  const random = seededRandom(7);
  const words = new Uint32Array(1);
  const floats = new Float32Array(words.buffer);
  for (let n = 0; n < 5000; n++) {
    words[0] = random.integer(0, 2 ** 32);
    const value = floats[0] ?? 0;
    if (!Number.isFinite(value)) continue;
    expect(Math.fround(Number(scalarLiteral(value, "float32").replace("f", "")))).toBe(value);
  }
  expect(scalarLiteral(0.1, "float32")).toBe("0.1f");
  expect(scalarLiteral(1e21, "float32")).toBe("1e21f");
  expect(scalarLiteral(-0, "float32")).toBe("-0.0f");
});

test.each(Object.keys(scalarFunctions))(
  "%s prints for every type and width it takes",
  async (name) => {
    const known = scalarFunctions[name];
    const scalars = { float: ["float32"], number: ["float32", "int32", "uint32"] } as const;
    const domain = known?.domain === "float" ? scalars.float : scalars.number;
    for (const scalar of domain) {
      for (const width of [1, 2, 4] as const) {
        const x = load("x", u(0), scalar, width);
        const condition = load("c", u(0), "bool", width);
        const parts = Array.from({ length: known?.arity ?? 0 }, (_, n) =>
          name === "select" && n === 2 ? condition : x,
        );
        const result = known?.result === "bool" ? typed("bool", width) : x.type;
        await acceptedText(
          kernelOf(
            [
              storage("x", width, "read", { scalar, width }),
              storage("c", width, "read", { scalar: "bool", width }),
              storage("out", width, "read_write", result),
            ],
            [store("out", u(0), call(name, parts, result))],
          ),
        );
      }
    }
  },
);

test("random expressions of every kind are accepted by the verifier and by Tint", async () => {
  const kinds = new Set<string>();
  for (let seed = 0; seed < 300; seed++) {
    const kernel = randomExpressionKernel(seededRandom(seed), 4, {
      exact: false,
      halves: seed % 2 === 1,
    });
    const text = await acceptedText(kernel);
    for (const kind of text.match(/\btc_\w+/g) ?? []) kinds.add(kind);
  }
  expect([...kinds].length).toBeGreaterThan(25);
});

const hostile =
  `alias break var fn array loop for if switch texture f32 vec4 vec4f min max select true
 self workgroup storage workgroup_id workgroup_x workgroup_z local_index tc_inf tc_steps tc_step_0 tc_pow tc_at tc_value _ __
 _x 0x 9 u32 main kernel atomicAdd bitcast exp workgroupBarrier NULL override struct xyzw bool hidden
 ptr sampler enable requires`
    .split(/\s+/)
    .concat(["ä", "u00e4", "äß", "变量", "", "a b", "a-b", "a_1", "a", "😀", "v_", "v__x", "w h"]);

test("any name is safe, as array, variable and kernel, and different names stay different", async () => {
  const names = [...new Set(hostile)];
  const given = wgslNames();
  const spaces = ["array", "variable", "kernel"] as const;
  const out = spaces.flatMap((space) => names.map((name) => given.of(space, name)));
  expect(new Set(out).size).toBe(3 * names.length);
  for (let at = 0; at < names.length; at++) {
    const [a = "a", b = "b"] = [names[at], names[(at + 1) % names.length]];
    const kernel = kernelOf(
      [
        storage("x", 4, "read"),
        storage(a, 4),
        memory(b, "workgroup", 4),
        memory("p", "private", 2),
      ],
      [
        declare(a, load("x", local)),
        store(b, local, variable(a, "float32")),
        barrier(),
        loop(b, 2, [store("p", variable(b), call("pow", [load(b, local), f(Infinity)]))]),
        store(a, local, load("p", u(1))),
      ],
      { name: a, workgroupSize: 4, steps: [b] },
    );
    await acceptedText(kernel);
  }
});

test("atomics of every type and operator are accepted", async () => {
  const cases = [
    ["float32", ["+", "*", "min", "max"]],
    ["int32", ["+", "*", "min", "max"]],
    ["uint32", ["+", "*", "min", "max"]],
    ["bool", ["and", "or"]],
  ] as const;
  for (const [scalar, operators] of cases) {
    for (const space of ["storage", "workgroup"] as const) {
      const array =
        space === "storage"
          ? storage("x", 4, "read_write", { scalar, atomic: true })
          : memory("x", "workgroup", 4, { scalar, atomic: true });
      const value: E = { kind: "literal", value: 1, type: typed(scalar) };
      const body = operators.map(
        (operator) => ({ kind: "atomic", operator, array: "x", index: local, value }) as const,
      );
      const text = await acceptedText(
        kernelOf(
          [array, storage("out", 4, "read_write", { scalar })],
          [store("x", local, value), ...body, store("out", local, load("x", local, scalar))],
          { workgroupSize: 4 },
        ),
      );
      expect(text.includes("atomicCompareExchangeWeak")).toBe(scalar !== "bool");
    }
  }
});

test("wide accesses of private and workgroup scalars are taken apart", async () => {
  const kernel = kernelOf(
    [
      storage("x", 16, "read", { width: 4 }),
      storage("out", 16, "read_write", { width: 4 }),
      memory("s", "workgroup", 16),
      memory("p", "private", 8, { scalar: "bool" }),
      memory("q", "private", 8, { width: 4 }),
    ],
    [
      declare("at", op(local, "*", u(4))),
      store("s", variable("at"), load("x", variable("at"), "float32", 4)),
      store("p", u(2), op(load("s", variable("at"), "float32", 4), "<", f(1, 4))),
      store("q", u(0), load("s", variable("at"), "float32", 4)),
      loop("j", 4, [store("q", op(variable("j"), "+", u(4)), load("q", variable("j")))]),
      when(load("p", u(3), "bool"), [store("out", variable("at"), load("q", u(4), "float32", 4))]),
    ],
    { workgroupSize: 4 },
  );
  const text = await acceptedText(kernel);
  expect(text).toContain("out[at / 4u] = q[1u];");
});

test.each(["immediate", "table"] as const)("step slots come as %s", async (stepIndices) => {
  const slot = (n: number): E => ({ kind: "step", slot: n, type: typed("uint32") });
  const kernel = kernelOf(
    [storage("out", 8, "read_write", { scalar: "uint32" })],
    [declare("t", slot(1)), store("out", op(slot(0), "+", local), variable("t"))],
    { workgroupSize: 4, steps: ["i", "t"] },
  );
  const text = await acceptedText(kernel, stepIndices);
  const expected = {
    immediate: "var<immediate> tc_steps: TcSteps;",
    table: "@group(0) @binding(2) var<uniform> tc_step_1: u32;",
  };
  expect(text).toContain(expected[stepIndices]);
});

test("mutable variables, ids in all dimensions and storage barriers are accepted", async () => {
  const id = op(op(builtin("workgroup-y"), "+", builtin("workgroup-z")), "+", groupX);
  await acceptedText(
    kernelOf(
      [storage("out", 64)],
      [
        declare("v", f(0, 2), true),
        assign("v", op(variable("v", "float32", 2), "+", f(-1, 2))),
        barrier("both"),
        when(
          op(id, "==", u(0)),
          [store("out", u(0), f(1))],
          [
            store("out", u(1), {
              kind: "component",
              vector: variable("v", "float32", 2),
              index: 1,
              type: typed("float32"),
            }),
          ],
        ),
      ],
      { grid: [2, 2, 2] },
    ),
  );
});
