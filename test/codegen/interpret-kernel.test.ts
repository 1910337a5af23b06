import { expect, test } from "vitest";
import type { Fault } from "../../src/codegen/interpret-kernel/fault.ts";
import { interpretKernel } from "../../src/codegen/interpret-kernel/interpret-kernel.ts";
import {
  type BufferMemory,
  initialisedMemory,
  poisonedMemory,
} from "../../src/codegen/interpret-kernel/memory.ts";
import type {
  KernelExpression as E,
  Kernel,
  KernelStatement as S,
} from "../../src/codegen/kernel.ts";
import { seededRandom } from "../../src/support/random.ts";
import { allocate, type TensorData } from "../../src/support/scalar-type.ts";
import {
  assign,
  barrier,
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

/** Memory for a kernel: the given data, everything else poisoned. */
function memoryFor(kernel: Kernel, given: Record<string, TensorData>): Map<string, BufferMemory> {
  const arrays = kernel.arrays.filter((a) => a.space === "storage");
  return new Map(
    arrays.map((a) => {
      const data = given[a.id];
      if (data !== undefined) return [a.id, initialisedMemory(data, true)] as const;
      return [a.id, poisonedMemory(allocate(a.scalar, a.length), true)] as const;
    }),
  );
}

/** Runs a kernel; gives its faults and the data of its buffers. */
function run(
  kernel: Kernel,
  given: Record<string, TensorData> = {},
  steps: readonly number[] = [],
): { faults: readonly Fault[]; data: (id: string) => number[] } {
  const buffers = memoryFor(kernel, given);
  const faults = interpretKernel(kernel, buffers, steps);
  return { faults, data: (id) => [...(buffers.get(id)?.data ?? [])] };
}

/** The value of an expression, as one invocation stores it. */
function resultOf(e: E, given: Record<string, TensorData> = {}): number {
  const inputs = Object.entries(given).map(([id, data]) =>
    storage(id, data.length, "read", {
      scalar: data instanceof Float32Array ? "float32" : "int32",
    }),
  );
  const out = storage("out", e.type.width, "read_write", e.type);
  const { faults, data } = run(kernelOf([...inputs, out], [store("out", u(0), e)]), given);
  expect(faults).toEqual([]);
  return data("out")[0] as number;
}

const kinds = (faults: readonly Fault[]): readonly string[] => faults.map((fault) => fault.kind);

function randomIntegers(seed: number, n: number): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length: n }, () => random.integer(-4, 5));
}

function matmul(A: Float32Array, B: Float32Array, n: number): Float32Array {
  const C = new Float32Array(n * n);
  for (let y = 0; y < n; y++) {
    for (let k = 0; k < n; k++) {
      for (let x = 0; x < n; x++) {
        C[y * n + x] = (C[y * n + x] ?? 0) + (A[y * n + k] ?? 0) * (B[k * n + x] ?? 0);
      }
    }
  }
  return C;
}

const A = randomIntegers(1, 1024);
const B = randomIntegers(2, 1024);

test("a tiled matmul with staging and barriers is right and without fault", () => {
  const { faults, data } = run(tiledMatmul(32), { A, B });
  expect(faults).toEqual([]);
  expect(data("C")).toEqual([...matmul(A, B, 32)]);
});

test.each([
  ["first", 2],
  ["second", 4],
])("dropping the %s barrier of the tiled matmul is a race", (_, place) => {
  const kernel = tiledMatmul(32, (body) => body.filter((_statement, n) => n !== place));
  const { faults } = run(kernel, { A, B });
  expect(kinds(faults)).toContain("race");
  expect(faults.find((fault) => fault.kind === "race")?.array).toMatch(/^s[ab]$/);
});

test("a barrier for storage does not order workgroup memory", () => {
  const kernel = tiledMatmul(32, (body) =>
    body.map((s) => (s.kind === "barrier" ? barrier("storage") : s)),
  );
  expect(kinds(run(kernel, { A, B }).faults)).toContain("race");
});

test("leaving out the store of a staged tile is a use of uninitialised memory", () => {
  const kernel = tiledMatmul(32, (body) => body.slice(1));
  const { faults } = run(kernel, { A, B });
  expect(kinds(faults)).toEqual(["uninitialised"]);
  expect(faults[0]?.path).toBe("body[4]");
});

test("workgroups begin with poisoned workgroup memory", () => {
  const first = op(groupX, "==", u(0));
  const kernel = kernelOf(
    [storage("out", 2), memory("shared", "workgroup", 1)],
    [when(first, [store("shared", u(0), f(1))]), store("out", groupX, load("shared", u(0)))],
    { grid: [2, 1, 1] },
  );
  expect(kinds(run(kernel).faults)).toEqual(["uninitialised"]);
});

test("a guard that is too wide is out of bounds, and the store is dropped", () => {
  const at = op(op(groupX, "*", u(4)), "+", local);
  const guarded = (limit: number): Kernel =>
    kernelOf(
      [storage("x", 6, "read"), storage("out", 6)],
      [
        declare("at", at),
        when(op(variable("at"), "<", u(limit)), [
          store("out", variable("at"), load("x", variable("at"))),
        ]),
      ],
      { workgroupSize: 4, grid: [2, 1, 1] },
    );
  const x = Float32Array.from([1, 2, 3, 4, 5, 6]);
  const good = run(guarded(6), { x });
  expect(good.faults).toEqual([]);
  expect(good.data("out")).toEqual([1, 2, 3, 4, 5, 6]);
  const bad = run(guarded(7), { x });
  expect(kinds(bad.faults)).toEqual(["out-of-bounds", "out-of-bounds"]);
  expect(bad.faults[0]?.message).toBe(
    "k: load of x[6], which has 6 elements, invocation 2 of workgroup (1, 0, 0), at body[1].then[0]",
  );
  expect(bad.data("out")).toEqual([1, 2, 3, 4, 5, 6]);
});

test("an index that wrapped below zero is out of bounds", () => {
  const index = op(u(0), "-", op(local, "+", u(1)));
  const kernel = kernelOf(
    [storage("x", 4, "read"), storage("out", 1)],
    [store("out", u(0), load("x", index))],
  );
  const { faults } = run(kernel, { x: new Float32Array(4) });
  expect(faults[0]?.message).toContain("x[4294967295], which has 4 elements");
});

test("two workgroups that write one word of storage race, also with equal values", () => {
  const kernel = kernelOf([storage("out", 1)], [store("out", u(0), f(1))], { grid: [2, 1, 1] });
  const { faults } = run(kernel);
  expect(kinds(faults)).toEqual(["race"]);
  expect(faults[0]?.message).toContain("touched by workgroup 0");
});

test("a word that one workgroup writes and another reads is a race, after a barrier too", () => {
  const kernel = kernelOf(
    [storage("x", 2), storage("out", 2)],
    [
      store("x", groupX, f(1)),
      barrier("both"),
      store("out", groupX, load("x", op(u(1), "-", groupX))),
    ],
    { grid: [2, 1, 1] },
  );
  const { faults } = run(kernel, { x: new Float32Array(2) });
  expect(kinds(faults)).toEqual(["race", "race"]);
});

test("many may read a word that is then written after a barrier", () => {
  const kernel = kernelOf(
    [storage("x", 1), storage("out", 4)],
    [
      store("out", local, load("x", u(0))),
      barrier("storage"),
      when(op(local, "==", u(3)), [store("x", u(0), f(5))]),
    ],
    { workgroupSize: 4 },
  );
  const { faults, data } = run(kernel, { x: Float32Array.from([2]) });
  expect(faults).toEqual([]);
  expect(data("out")).toEqual([2, 2, 2, 2]);
  const without = { ...kernel, body: kernel.body.filter((s) => s.kind !== "barrier") };
  expect(run(without, { x: Float32Array.from([2]) }).faults[0]?.message).toContain(
    "more than one invocation",
  );
});

test("atomic updates of one word are no race and add up", () => {
  const kernel = kernelOf(
    [storage("sum", 1, "read_write", { scalar: "int32", atomic: true })],
    [
      {
        kind: "atomic",
        operator: "+",
        array: "sum",
        index: u(0),
        value: cast(local, "int32"),
      },
    ],
    { workgroupSize: 8, grid: [3, 1, 1] },
  );
  const { faults, data } = run(kernel, { sum: Int32Array.from([100]) });
  expect(faults).toEqual([]);
  expect(data("sum")).toEqual([100 + 3 * 28]);
});

test("poison that a select throws away is no fault, but one that it takes is", () => {
  const kernel = (limit: number): Kernel =>
    kernelOf(
      [storage("out", 4), memory("tile", "workgroup", 4)],
      [
        when(op(local, "<", u(2)), [store("tile", local, f(1))]),
        declare("x", load("tile", local)),
        store("out", local, select(op(local, "<", u(limit)), variable("x", "float32"), f(0))),
      ],
      { workgroupSize: 4 },
    );
  const good = run(kernel(2));
  expect(good.faults).toEqual([]);
  expect(good.data("out")).toEqual([1, 1, 0, 0]);
  const bad = run(kernel(3));
  expect(kinds(bad.faults)).toEqual(["uninitialised"]);
  expect(bad.faults[0]?.message).toContain("a value stored in out depends on an uninitialised");
});

test("a branch and an index that depend on poison are faults", () => {
  const kernel = kernelOf(
    [storage("out", 1), memory("p", "private", 2, { scalar: "uint32" })],
    [
      when(op(load("p", u(0), "uint32"), "<", u(1)), [store("out", u(0), f(1))]),
      store("p", load("p", u(1), "uint32"), u(1)),
    ],
  );
  const { faults } = run(kernel);
  expect(kinds(faults).filter((kind) => kind === "uninitialised")).toHaveLength(2);
});

test("invocations that disagree about a condition around a barrier diverge", () => {
  const kernel = kernelOf(
    [storage("out", 4)],
    [when(op(local, "<", u(2)), [barrier()]), store("out", local, f(0))],
    { workgroupSize: 4 },
  );
  expect(kinds(run(kernel).faults)).toEqual(["divergence"]);
});

test("a loop ends before its extent where it says so, with barriers inside or without", () => {
  const count = (name: string, end: E, inside: readonly S[]): readonly S[] => [
    declare(name, f(0), true),
    loop(`${name}.k`, 4, [assign(name, op(variable(name, "float32"), "+", f(1))), ...inside], end),
  ];
  const kernel = kernelOf(
    [storage("out", 6)],
    [
      ...count("a", groupX, []),
      ...count("b", groupX, [barrier()]),
      ...count("c", op(groupX, "+", u(9)), [barrier()]),
      ...["a", "b", "c"].map((name, n) => {
        return store("out", op(op(groupX, "*", u(3)), "+", u(n)), variable(name, "float32"));
      }),
    ],
    { grid: [2, 1, 1] },
  );
  const { faults, data } = run(kernel);
  expect(faults).toEqual([]);
  expect(data("out")).toEqual([0, 0, 4, 1, 1, 4]);
});

test("invocations that disagree about the end of a loop around a barrier diverge", () => {
  const kernel = kernelOf([], [loop("k", 4, [barrier()], local)], { workgroupSize: 2 });
  expect(kinds(run(kernel).faults)).toEqual(["divergence"]);
});

test("private arrays belong to an invocation and live across barriers", () => {
  const kernel = kernelOf(
    [storage("out", 8), memory("p", "private", 2)],
    [
      loop("j", 2, [store("p", variable("j"), cast(op(local, "+", variable("j")), "float32"))]),
      barrier(),
      loop("j", 2, [
        store("out", op(op(local, "*", u(2)), "+", variable("j")), load("p", variable("j"))),
      ]),
    ],
    { workgroupSize: 4 },
  );
  const { faults, data } = run(kernel);
  expect(faults).toEqual([]);
  expect(data("out")).toEqual([0, 1, 1, 2, 2, 3, 3, 4]);
});

test("vectors are loaded, computed and stored by component, and a vector may use itself", () => {
  const v = variable("v", "float32", 4);
  const component = (vector: E, index: number): E => ({
    kind: "component",
    vector,
    index,
    type: typed("float32"),
  });
  const kernel = kernelOf(
    [
      storage("x", 8, "read", { width: 4 }),
      storage("out", 8, "read_write", { width: 4 }),
      storage("one", 1),
    ],
    [
      declare("v", load("x", op(local, "*", u(4)), "float32", 4), true),
      assign("v", {
        kind: "vector",
        components: [component(v, 3), component(v, 2), component(v, 1), component(v, 0)],
        type: typed("float32", 4),
      }),
      store("out", op(local, "*", u(4)), op(v, "+", f(1, 4))),
      when(op(local, "==", u(0)), [store("one", u(0), load("x", u(6)))]),
    ],
    { workgroupSize: 2 },
  );
  const { faults, data } = run(kernel, { x: Float32Array.from([1, 2, 3, 4, 5, 6, 7, 8]) });
  expect(faults).toEqual([]);
  expect(data("out")).toEqual([5, 4, 3, 2, 9, 8, 7, 6]);
  expect(data("one")).toEqual([7]);
});

test("a wide load beyond the end or inside a vector is a fault", () => {
  const at = (index: E): readonly string[] =>
    kinds(
      run(
        kernelOf(
          [storage("x", 8, "read", { width: 4 }), storage("out", 4, "read_write", { width: 4 })],
          [store("out", u(0), load("x", index, "float32", 4))],
        ),
        { x: new Float32Array(8) },
      ).faults,
    );
  expect(at(op(local, "+", u(4)))).toEqual([]);
  expect(at(op(local, "+", u(2)))).toEqual(["misaligned"]);
  expect(at(op(local, "+", u(8)))).toContain("out-of-bounds");
});

test("steps and workgroup ids reach the kernel", () => {
  const step: E = { kind: "step", slot: 1, type: typed("uint32") };
  const kernel = kernelOf(
    [storage("out", 3, "read_write", { scalar: "uint32" })],
    [store("out", groupX, op(op(groupX, "*", u(10)), "+", step))],
    { grid: [3, 1, 1], steps: ["s", "t"] },
  );
  expect(run(kernel, {}, [5, 7]).data("out")).toEqual([7, 17, 27]);
});

test.each([
  ["floorDiv", -7, 2, -4],
  ["floorDiv", 7, -2, -4],
  ["floorDiv", 5, 0, 0],
  ["floorDiv", -2147483648, -1, -2147483648],
  ["floorMod", -7, 2, 1],
  ["floorMod", 7, -2, -1],
  ["floorMod", 5, 0, 0],
  ["floorMod", -2147483648, -1, 0],
  ["+", 2147483647, 1, -2147483648],
  ["*", 65536, 65537, 65536],
  ["-", -2147483648, 1, 2147483647],
  ["min", -3, 2, -3],
] as const)("int32: %s of %i and %i is %i", (operator, a, b, expected) => {
  expect(resultOf(op(i(a), operator, i(b)))).toBe(expected);
});

test("uint32 wraps and divides without a sign", () => {
  expect(resultOf(op(u(0), "-", u(1)))).toBe(4294967295);
  expect(resultOf(op(u(4294967295), "*", u(4294967295)))).toBe(1);
  expect(resultOf(op(u(4294967295), "/", u(2)))).toBe(2147483647);
  expect(resultOf(op(u(7), "floorDiv", u(0)))).toBe(0);
});

test("casts go toward zero and saturate", () => {
  expect(resultOf(cast(f(-2.9), "int32"))).toBe(-2);
  expect(resultOf(cast(f(3e9), "int32"))).toBe(2147483647);
  expect(resultOf(cast(f(-3e9), "int32"))).toBe(-2147483648);
  expect(resultOf(cast(f(-1), "uint32"))).toBe(0);
  expect(resultOf(cast(f(1e20), "uint32"))).toBe(4294967295);
  expect(resultOf(cast(i(-1), "uint32"))).toBe(4294967295);
  expect(resultOf(cast(f(0.5), "bool"))).toBe(1);
  expect(resultOf(cast(i(16777217), "float32"))).toBe(16777216);
  expect(Object.is(resultOf(cast(cast(f(-0.5), "int32"), "float32")), 0)).toBe(true);
});

test("float32 is rounded after every operation", () => {
  expect(resultOf(op(f(16777216), "+", f(1)))).toBe(16777216);
  expect(resultOf(op(f(0.1), "+", f(0.2)))).toBe(Math.fround(Math.fround(0.1) + Math.fround(0.2)));
  expect(resultOf(op(f(-5.5), "floorMod", f(2)))).toBe(0.5);
  expect(resultOf(call("exp", [f(1)]))).toBe(Math.fround(Math.E));
  expect(resultOf(load("x", u(0), "int32"), { x: Int32Array.from([-5]) })).toBe(-5);
});

test("the detector can be switched off", () => {
  const kernel = kernelOf([storage("out", 1)], [store("out", u(0), f(1))], { grid: [2, 1, 1] });
  expect(interpretKernel(kernel, memoryFor(kernel, {}), [], { races: false })).toEqual([]);
});

test("faults are capped, and repetitions are counted", () => {
  const body = [0, 1, 2].map((n) => store("out", u(9 + n), f(1)));
  const kernel = kernelOf([storage("out", 1)], body, { workgroupSize: 4 });
  const faults = interpretKernel(kernel, memoryFor(kernel, {}), [], { faultLimit: 2 });
  expect(faults.map((fault) => fault.count)).toEqual([4, 4]);
});

const bytes = (values: readonly E[]): E => ({
  kind: "pack",
  element: "int8",
  parts: values,
  type: typed("uint32"),
});

test("parts of words are read and written where they are", () => {
  const words = typed("uint32");
  const part = (n: E): E => ({
    kind: "unpack",
    element: "int8",
    word: load("x", local, "uint32"),
    position: n,
    type: typed("int32"),
  });
  const kernel = kernelOf(
    [storage("x", 2, "read", words), storage("y", 2, "read_write", words)],
    [store("y", local, bytes([part(u(3)), part(u(2)), part(local), op(part(u(0)), "+", i(1))]))],
    { workgroupSize: 2 },
  );
  const { faults, data } = run(kernel, { x: Uint32Array.of(0x80ff7f01, 0x04030201) });
  expect(faults).toEqual([]);
  expect(data("y")).toEqual([0x0201ff80, 0x02020304]);
});

test("two invocations that write one word of narrow elements race", () => {
  const kernel = kernelOf(
    [storage("y", 2, "read_write", typed("uint32"))],
    [store("y", op(local, "/", u(2)), bytes([i(1), i(2), i(3), i(4)]))],
    { workgroupSize: 4 },
  );
  expect(kinds(run(kernel).faults)).toContain("race");
});

test("a word with a part that nothing wrote is poison", () => {
  const words = typed("uint32");
  const poison = memory("p", "private", 1, typed("int32"));
  const kernel = kernelOf(
    [storage("y", 1, "read_write", words), poison],
    [store("y", u(0), bytes([i(1), load("p", u(0), "int32"), i(3), i(4)]))],
  );
  expect(kinds(run(kernel).faults)).toEqual(["uninitialised"]);
});
