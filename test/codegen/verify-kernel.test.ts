import { expect, test } from "vitest";
import type {
  KernelExpression as E,
  Kernel,
  KernelArray,
  KernelStatement as S,
} from "../../src/codegen/kernel.ts";
import { printWgsl } from "../../src/codegen/print-wgsl/print-wgsl.ts";
import { verifyKernel } from "../../src/codegen/verify-kernel/verify-kernel.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import {
  assign,
  barrier,
  builtin,
  call,
  cast,
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
  select,
  storage,
  store,
  tiledMatmul,
  typed,
  u,
  variable,
  when,
} from "./support/kernels.ts";
import { wgslFaults } from "./support/validate-wgsl.ts";

const arrays: readonly KernelArray[] = [
  storage("x", 64, "read"),
  storage("wide", 64, "read_write", { width: 4 }),
  storage("out", 64),
  storage("ints", 64, "read_write", { scalar: "int32" }),
  storage("sum", 4, "read_write", { atomic: true }),
  memory("s", "workgroup", 64),
  memory("p", "private", 8),
];
const faults = (kernel: Kernel): readonly string[] => verifyKernel(kernel, baselineProfile);
const faultsOf = (...body: readonly S[]): readonly string[] =>
  faults(kernelOf(arrays, body, { workgroupSize: 64 }));
const x = load("x", local);

test("a good kernel has no faults", () => {
  expect(faults(tiledMatmul(64))).toEqual([]);
});

const h: E = { kind: "literal", value: 1, type: typed("float16") };
const wrongType = (e: E): E => ({ ...e, type: typed("int32") });
const wrong: readonly (readonly [string, E, string])[] = [
  ["a literal out of range", { ...i(1), value: 2 ** 31 } as E, "literal 2147483648 is no int32"],
  ["a fractional integer", { ...u(1), value: 0.5 } as E, "literal 0.5 is no uint32"],
  ["an undeclared name", variable("y"), "y is not declared here"],
  ["a builtin of a wrong type", wrongType(local), "local-index is int32, not uint32"],
  [
    "a step slot that is not there",
    { kind: "step", slot: 0, type: typed("uint32") },
    "no step slot 0",
  ],
  ["an unknown array", load("q", local), "load of unknown array q"],
  ["a float index", load("x", f(1)), "index is no uint32"],
  ["a load of a wrong type", load("x", local, "int32"), "load of x is int32, not float32"],
  [
    "a wide load of scalars",
    load("x", local, "float32", 4),
    "load of width 4 on x, which is declared with 1",
  ],
  [
    "a load of another width",
    load("wide", local, "float32", 2),
    "load of width 2 on wide, which is declared with 4",
  ],
  ["operands of two types", op(x, "+", i(1)), "+ of float32 and int32"],
  ["operands of two widths", op(x, "+", f(1, 2)), "+ of float32 and float32x2"],
  ["an operator that the type lacks", op(f(1), "floorDiv", x), "floorDiv of float32"],
  ["a logical operator of numbers", op(i(1), "and", i(1)), "and of int32"],
  ["division of int32", op(i(1), "/", i(1)), "/ of int32"],
  ["index division by a value", op(local, "/", groupX), "/ by what is no positive literal"],
  ["index remainder by zero", op(local, "%", u(0)), "% by what is no positive literal"],
  [
    "a comparison that is no bool",
    { ...op(x, "<", x), type: typed("float32") } as E,
    "< is float32, not bool",
  ],
  ["a sum of a wrong type", wrongType(op(x, "+", x)), "+ is int32, not float32"],
  [
    "not of a number",
    { kind: "unary", operator: "not", operand: x, type: x.type },
    "not of float32",
  ],
  ["a condition that is no bool", select(x, x, x), "condition is float32"],
  [
    "sides of two types",
    select(op(x, "<", x), x, i(1)),
    "select's second side is int32, not float32",
  ],
  ["an unknown function", call("airy", [x]), "unknown function airy"],
  ["too few arguments", call("pow", [x]), "pow takes 2 arguments, not 1"],
  ["a float function of integers", call("sqrt", [i(1)]), "sqrt of int32"],
  ["arguments of two types", call("max", [x, i(1)]), "argument 1 of max is int32, not float32"],
  ["isnan that is no bool", call("isnan", [x]), "isnan is float32, not bool"],
  [
    "a cast to another width",
    { ...cast(x, "int32"), type: typed("int32", 2) } as E,
    "cast is int32x2, not int32",
  ],
  [
    "too few components",
    { kind: "vector", components: [x, x], type: typed("float32", 4) },
    "2 components in a vector of width 4",
  ],
  [
    "a component that is not there",
    { kind: "component", vector: f(1, 2), index: 2, type: x.type },
    "component 2 of a value of width 2",
  ],
  [
    "a word of too few parts",
    { kind: "pack", element: "int8", parts: [i(1), i(2)], type: typed("uint32") },
    "2 parts in a word of 4",
  ],
  [
    "a word of parts of another type",
    { kind: "pack", element: "uint16", parts: [u(1), i(2)], type: typed("uint32") },
    "part is int32, not uint32",
  ],
  [
    "a part of what is no word",
    { kind: "unpack", element: "float16", word: x, position: u(0), type: x.type },
    "word is float32, not uint32",
  ],
  [
    "a part as another type",
    { kind: "unpack", element: "int16", word: local, position: u(0), type: x.type },
    "unpack is float32, not int32",
  ],
  [
    "a narrow cast to another type",
    { kind: "cast", operand: x, narrow: "int8", type: typed("uint32") },
    "cast is uint32, not int32",
  ],
  ["a function of float16", call("abs", [h]), "abs of float16"],
];

test.each(wrong)("expressions: %s", (_, e, fault) => {
  const body = when(op(local, "<", u(1)), [declare("v", e)]);
  expect(faultsOf(body)).toContain(`k: body[0].then[0]: ${fault}`);
});

test.each([
  ["a name that is taken", [declare("v", x), declare("v", x)], "body[1]: v is declared already"],
  [
    "a name that hides another",
    [declare("v", x), loop("v", 2, [])],
    "body[1]: v is declared already",
  ],
  ["an unknown name", [assign("v", x)], "body[0]: assignment to v, not declared here"],
  [
    "an immutable name",
    [declare("v", x), assign("v", x)],
    "body[1]: assignment to v, which is immutable",
  ],
  [
    "a loop variable",
    [loop("j", 2, [assign("j", u(0))])],
    "body[0].j[0]: assignment to j, which is immutable",
  ],
  [
    "another type",
    [declare("v", x, true), assign("v", i(1))],
    "body[1]: v takes float32, not int32",
  ],
  [
    "a name out of scope",
    [when(op(local, "<", u(1)), [declare("v", x)]), store("out", local, variable("v", "float32"))],
    "body[1]: v is not declared here",
  ],
  ["a store to what is read", [store("x", local, f(1))], "body[0]: store to x, which is read"],
  ["a store to nothing", [store("q", local, f(1))], "body[0]: store to unknown array q"],
  [
    "a store of another type",
    [store("out", local, i(1))],
    "body[0]: store to out takes float32, not int32",
  ],
  [
    "a scalar store to vectors",
    [store("wide", local, f(1))],
    "body[0]: store of width 1 on wide, which is declared with 4",
  ],
  [
    "a wide store to scalars",
    [store("out", local, f(1, 4))],
    "body[0]: store of width 4 on out, which is declared with 1",
  ],
  ["a condition that is no bool", [when(local, [])], "body[0]: if takes bool, not uint32"],
  [
    "a loop without end",
    [loop("j", Number.POSITIVE_INFINITY, [])],
    "body[0]: extent Infinity of loop j",
  ],
  [
    "the end of a loop that is no index",
    [loop("j", 4, [], i(1))],
    "body[0]: the end of a loop is no uint32",
  ],
  [
    "the end of a loop in what may change",
    [declare("v", u(1), true), loop("j", 4, [assign("v", u(2))], variable("v"))],
    "body[1]: the end of a loop reads what may change",
  ],
  [
    "the end of a loop in its own variable",
    [loop("j", 4, [], variable("j"))],
    "body[0]: j is not declared here",
  ],
  [
    "the end of a loop that invocations do not share",
    [loop("j", 4, [], local)],
    "body[0]: the end of loop j is not uniform",
  ],
  [
    "an atomic update of plain memory",
    [{ kind: "atomic", operator: "+", array: "out", index: local, value: f(1) }],
    "body[0]: atomic update of out, which is not atomic",
  ],
  [
    "a logical atomic on floats",
    [{ kind: "atomic", operator: "and", array: "sum", index: local, value: f(1) }],
    "body[0]: atomic and of float32",
  ],
] as readonly (readonly [string, readonly S[], string])[])("statements: %s", (_, body, fault) => {
  expect(faultsOf(...body)).toEqual([`k: ${fault}`]);
});

test("names may be used again in scopes apart", () => {
  expect(faultsOf(loop("j", 2, [declare("v", x)]), loop("j", 3, [declare("v", local)]))).toEqual(
    [],
  );
});

test("wide accesses of workgroup and private scalars are good", () => {
  const wide = load("s", op(local, "*", u(4)), "float32", 4);
  expect(faultsOf(store("p", u(4), wide), store("s", u(0), load("p", u(0), "float32", 2)))).toEqual(
    [],
  );
});

test("a literal that wrapped must be written as the uint32 that it is", () => {
  expect(faultsOf(declare("v", op(local, "+", u(-1))))).toHaveLength(1);
  expect(faultsOf(declare("v", op(local, "+", u(2 ** 32 - 1))))).toEqual([]);
});

const flag = storage("flag", 4, "read", { scalar: "uint32" });
const mutableFlag = { ...flag, access: "read_write" } as const;
const condition = (e: E): E => op(e, "<", u(1));
const under = (e: E): readonly S[] => [when(condition(e), [barrier()])];
const barriers: readonly (readonly [string, boolean, KernelArray, readonly S[]])[] = [
  ["a workgroup id", true, flag, under(builtin("workgroup-y"))],
  ["the local index", false, flag, under(local)],
  ["read-only storage", true, flag, under(load("flag", groupX, "uint32"))],
  ["read-only storage at a varying index", false, flag, under(load("flag", local, "uint32"))],
  ["storage that can be written", false, mutableFlag, under(load("flag", u(0), "uint32"))],
  [
    "workgroup memory",
    false,
    { ...memory("flag", "workgroup", 4), scalar: "uint32" },
    under(load("flag", u(0), "uint32")),
  ],
  ["a step index", true, flag, under({ kind: "step", slot: 0, type: typed("uint32") })],
  ["a varying name", false, flag, [declare("v", local), ...under(variable("v"))]],
  ["a uniform name", true, flag, [declare("v", groupX), ...under(variable("v"))]],
  ["a loop variable", true, flag, [loop("j", 4, under(variable("j")))]],
  ["a loop that ends at a workgroup id", true, flag, [loop("j", 4, [barrier()], groupX)]],
  [
    "a loop inside a varying branch",
    false,
    flag,
    [when(condition(local), [loop("j", 4, [barrier()])])],
  ],
  [
    "a variable that is set in a varying branch",
    false,
    flag,
    [
      declare("v", u(0), true),
      when(condition(local), [assign("v", u(1))]),
      ...under(variable("v")),
    ],
  ],
  [
    "a variable that is set later in a loop",
    false,
    flag,
    [declare("v", u(0), true), loop("j", 2, [...under(variable("v")), assign("v", local)])],
  ],
  [
    "a variable that is set uniformly",
    true,
    flag,
    [
      declare("v", u(0), true),
      when(condition(groupX), [assign("v", u(1))]),
      ...under(variable("v")),
    ],
  ],
  [
    "the flow after a varying branch",
    true,
    flag,
    [when(condition(local), [store("out", local, u(1))]), barrier()],
  ],
];

test.each(barriers)(
  "a barrier that depends on %s: the verifier and Tint agree",
  async (_, good, array, body) => {
    const out = storage("out", 64, "read_write", { scalar: "uint32" });
    const kernel = kernelOf([array, out], body, { workgroupSize: 64, steps: ["t"] });
    const uniformity = faults(kernel);
    expect(uniformity.length === 0).toBe(good);
    const { wgsl, entryPoint } = printWgsl(kernel, "table");
    const tint = await wgslFaults(wgsl, entryPoint);
    expect(tint.length === 0).toBe(good);
    if (!good) {
      expect(uniformity.join()).toContain("barrier under control flow that is not uniform");
      expect(tint.join()).toContain("uniform control flow");
    }
  },
);

test.each([
  [
    "workgroup size",
    { workgroupSize: 512 },
    [],
    "invocations in a workgroup: 512, limit 256 (maxComputeInvocationsPerWorkgroup)",
  ],
  ["no invocations", { workgroupSize: 0 }, [], "workgroup size 0"],
  [
    "grid",
    { grid: [65536, 1, 1] as const },
    [],
    "workgroups in a dimension: 65536, limit 65535 (maxComputeWorkgroupsPerDimension)",
  ],
  ["an empty grid", { grid: [1, 0, 1] as const }, [], "grid [1, 0, 1]"],
  [
    "workgroup bytes",
    {},
    [memory("s", "workgroup", 4095), memory("s2", "workgroup", 4)],
    "bytes of workgroup memory: 16400, limit 16384 (maxComputeWorkgroupStorageSize)",
  ],
  [
    "private bytes",
    {},
    [memory("p", "private", 2049)],
    "bytes of private arrays: 8208, limit 8192",
  ],
  [
    "storage buffers",
    {},
    Array.from({ length: 9 }, (_, n) => storage(`x${n}`, 1)),
    "storage buffers: 9, limit 8 (maxStorageBuffersPerShaderStage)",
  ],
  [
    "binding size",
    {},
    [storage("x", 33554433)],
    "bytes of x: 134217732, limit 134217728 (maxStorageBufferBindingSize)",
  ],
  ["step slots", { steps: [..."abcdefghi"] }, [], "step slots: 9, limit 8"],
  ["a length", {}, [storage("x", 6, "read", { width: 4 })], "length 6 of x is no multiple of 4"],
  ["an empty array", {}, [storage("x", 0)], "array x has length 0"],
  [
    "a read-only atomic",
    {},
    [storage("x", 4, "read", { atomic: true })],
    "atomic array x is private, wide or read",
  ],
  [
    "workgroup memory that is read",
    {},
    [memory("s", "workgroup", 4, { access: "read" })],
    "workgroup array s is read",
  ],
  ["two arrays of one name", {}, [storage("x", 4), memory("x", "private", 4)], "two arrays are x"],
  [
    "a buffer bound in two ways",
    {},
    [storage("x", 4), storage("y", 4, "read", { buffer: "x" })],
    "x and y are one buffer with different access",
  ],
] as readonly (readonly [string, Partial<Kernel>, readonly KernelArray[], string])[])(
  "limits and arrays: %s",
  (_, options, own, fault) => {
    expect(faults(kernelOf(own, [], options))).toEqual([`k: ${fault}`]);
  },
);
