import { expect, it } from "vitest";
import { addConstant, constant } from "../../../src/ir/affine.ts";
import { type Expression, literal, read, select, state } from "../../../src/ir/expression.ts";
import { interpret, type NumericArray } from "../../../src/ir/interpret/interpret.ts";
import { type Monoid, simpleMonoid } from "../../../src/ir/monoid.ts";
import { access, type Program } from "../../../src/ir/program.ts";
import { seededRandom } from "../../../src/support/random.ts";
import {
  argmin,
  call,
  cumulativeSum,
  dim,
  everySecond,
  f32,
  factoredArgmax,
  factoredSum,
  leaf,
  loop,
  lu,
  matmul,
  number,
  op,
  opaque,
  paddedStencil,
  program,
  reverse,
  scatterAdd,
  softmax,
  statement,
  sum,
  tensor,
  v,
} from "../../support/programs.ts";

const random = seededRandom(7);

function randoms(length: number, scale = 1): Float32Array {
  return Float32Array.from({ length }, () => (random.next() * 2 - 1) * scale);
}

function outputOf(p: Program, inputs: Record<string, NumericArray>, name: string): number[] {
  const result = interpret(p, inputs);
  expect(result.faults).toEqual([]);
  expect(result.complete).toBe(true);
  const found = result.tensors.get(name);
  expect(found).toBeDefined();
  return [...(found?.data ?? [])];
}

function at(array: ArrayLike<number>, index: number): number {
  const value = array[index];
  if (value === undefined) throw new Error(`no element ${index}`);
  return value;
}

function range<T>(n: number, f: (i: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => f(i));
}

it("multiplies matrices", () => {
  const [m, n, depth] = [5, 4, 7];
  const [A, B] = [randoms(m * depth), randoms(depth * n)];
  const expected = range(m * n, (e) => {
    let total = 0;
    for (let k = 0; k < depth; k++) {
      total += at(A, Math.floor(e / n) * depth + k) * at(B, k * n + (e % n));
    }
    return total;
  });
  expect(outputOf(matmul(m, n, depth), { A, B }, "C")).toEqual(expected);
});

it("chains statements, as softmax does", () => {
  const [rows, columns] = [3, 6];
  const X = randoms(rows * columns, 5);
  const expected = range(rows, (r) => {
    const row = [...X.slice(r * columns, (r + 1) * columns)];
    const top = Math.max(...row);
    const powers = row.map((x) => Math.exp(x - top));
    const total = powers.reduce((a, b) => a + b, 0);
    return powers.map((p) => p / total);
  }).flat();
  expect(outputOf(softmax(rows, columns), { X }, "Y")).toEqual(expected);
});

it("reads a tensor as it was before the statement that also writes it", () => {
  expect(outputOf(reverse(5), { x: [1, 2, 3, 4, 5] }, "x")).toEqual([5, 4, 3, 2, 1]);
});

it("runs program loops in order, as LU in place needs", () => {
  const n = 6;
  const A = range(n * n, (e) => Math.fround(at(randoms(1), 0) + (e % (n + 1) === 0 ? n : 0)));
  const expected = [...A];
  for (let k = 0; k < n; k++) {
    for (let i = k + 1; i < n; i++) {
      const factor = at(expected, i * n + k) / at(expected, k * n + k);
      expected[i * n + k] = factor;
      for (let j = k + 1; j < n; j++) {
        expected[i * n + j] = at(expected, i * n + j) - factor * at(expected, k * n + j);
      }
    }
  }
  expect(outputOf(lu(n), { A }, "A")).toEqual(expected);
});

it("carries values from one iteration of a loop to the next", () => {
  expect(outputOf(cumulativeSum(5), { x: [1, 2, 3, 4, 5] }, "y")).toEqual([1, 3, 6, 10, 15]);
});

it("gives the smallest index to ties of an arg reduction and -1 to an empty one", () => {
  const inf = Number.POSITIVE_INFINITY;
  const x = [0, 0, 0, 0, 9, 0, 0, 0, inf, inf, 0, 0, 3, 1, 1, 0];
  expect(outputOf(argmin(4), { x }, "y")).toEqual([-1, 0, 0, 1]);
});

it("combines a scatter with what is there and drops what leaves the tensor", () => {
  const I = [1, -1, 1, 0, 3, 2];
  const D = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const G = [100, 200, 300, 400, 500, 600];
  expect(outputOf(scatterAdd(6, 2, 3), { I, D, G }, "G")).toEqual([107, 208, 306, 408, 511, 612]);
});

it("fills reads whose guard fails", () => {
  const result = outputOf(paddedStencil(4, 10), { x: [1, 2, 3, 4], w: [1, 10, 100] }, "y");
  expect(result).toEqual([10 + 10 + 200, 1 + 20 + 300, 2 + 30 + 400, 3 + 40 + 1000]);
});

it("computes quotients and skips what guards exclude, leaving 0", () => {
  expect(outputOf(everySecond(5), { x: [7, 8, 9] }, "y")).toEqual([7, 0, 8, 0, 9]);
});

it("stores unprojected states and combines them in a later statement", () => {
  const x = range(24, (e) => e * e);
  const rows = [0, 1].map((r) => x.slice(12 * r, 12 * r + 12));
  expect(outputOf(factoredSum(2, 3, 4), { x }, "y")).toEqual(
    rows.map((row) => row.reduce((a, b) => a + b)),
  );
  const shuffled = range(24, (e) => (e * 7) % 12);
  const best = [0, 1].map((r) => shuffled.slice(12 * r, 12 * r + 12).indexOf(11));
  expect(outputOf(factoredArgmax(2, 3, 4), { x: shuffled }, "y")).toEqual(best);
});

it("gives fill where a gather leaves the tensor", () => {
  const gather = program(
    "gather",
    [tensor("I", "input", [4], "int32"), tensor("x", "input", [3]), tensor("y", "output", [4])],
    [
      statement("g", {
        dims: [dim("i", 0, 4)],
        write: ["y", v("i")],
        reads: [
          access("I", v("i")),
          { tensor: "x", index: [opaque(read(0, "int32"))], guard: [], fill: -5 },
        ],
        body: f32(1),
      }),
    ],
  );
  expect(outputOf(gather, { I: [2, 3, -1, 0], x: [1, 2, 3] }, "y")).toEqual([3, -5, -5, 1]);
});

it("starts a reduction from its init and keeps elements that are not written", () => {
  const p = program(
    "row",
    [tensor("A", "input", [3, 3]), tensor("y", "inout", [4])],
    [
      statement("s", {
        dims: [dim("i", 0, 3), dim("k", 0, addConstant(v("i"), 1))],
        write: ["y", v("i")],
        reads: [access("A", v("i"), v("k")), access("y", v("i"))],
        monoid: sum,
        over: ["k"],
        init: [f32(1)],
        body: f32(0),
      }),
    ],
  );
  const A = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  expect(outputOf(p, { A, y: [10, 20, 30, 40] }, "y")).toEqual([11, 29, 54, 40]);
});

it("stores every element of a dim that a reduced dim bounds", () => {
  const p = program(
    "triangle",
    [tensor("A", "input", [3, 3]), tensor("y", "output", [4])],
    [
      statement("s", {
        dims: [dim("k", 0, 3), dim("i", 0, addConstant(v("k"), 1))],
        write: ["y", v("i")],
        reads: [access("A", v("k"), v("i"))],
        monoid: sum,
        over: ["k"],
        body: f32(0),
      }),
    ],
  );
  expect(outputOf(p, { A: [1, 9, 9, 2, 3, 9, 4, 5, 6] }, "y")).toEqual([7, 8, 6, 0]);
});

it("reduces with any monoid, by its expressions", () => {
  const value = (side: "left" | "right", c: number): Expression => state(side, c, "float32");
  /** The affine functions a·x + b under composition, projected to their value at 1. */
  const compose: Monoid = {
    name: "compose",
    state: ["float32", "float32"],
    identity: [number(1), number(0)],
    combine: [
      op("*", value("right", 0), value("left", 0)),
      op("+", op("*", value("right", 0), value("left", 1)), value("right", 1)),
    ],
    project: op("+", value("left", 0), value("left", 1)),
    exact: false,
    atomic: null,
    ordered: null,
  };
  const p = program(
    "compose",
    [tensor("a", "input", [3]), tensor("b", "input", [3]), tensor("y", "output", [1])],
    [
      statement("s", {
        dims: [dim("k", 0, 3)],
        write: ["y", 0],
        reads: [access("a", v("k")), access("b", v("k"))],
        monoid: compose,
        over: ["k"],
        body: [f32(0), f32(1)],
      }),
    ],
  );
  const x = ((1 * 2 + 1) * 3 + 5) * 4 + 7;
  expect(outputOf(p, { a: [2, 3, 4], b: [1, 5, 7] }, "y")).toEqual([x]);
});

it("wraps integers, divides toward minus infinity and by 0 to 0", () => {
  const [a, b] = [read(0, "int32"), read(1, "int32")];
  const operators = ["+", "-", "*", "floorDiv", "floorMod"] as const;
  const p = program(
    "integers",
    [
      tensor("a", "input", [5], "int32"),
      tensor("b", "input", [5], "int32"),
      tensor("y", "output", [5, 5], "int32"),
    ],
    operators.map((operator, row) =>
      statement(operator, {
        dims: [dim("i", 0, 5)],
        write: ["y", row, v("i")],
        reads: [access("a", v("i")), access("b", v("i"))],
        body: op(operator, a, b),
      }),
    ),
  );
  const least = -2147483648;
  const inputs = { a: [-7, 7, least, 5, 65537], b: [2, -2, -1, 0, 65537] };
  expect(outputOf(p, inputs, "y")).toEqual([
    ...[-5, 5, 2147483647, 5, 131074],
    ...[-9, 9, least + 1, 5, 0],
    ...[-14, -14, least, 0, 131073],
    ...[-4, -4, least, 0, 1],
    ...[1, -1, 0, 0, 0],
  ]);
});

it("casts floats to integers toward zero and saturating", () => {
  const p = program(
    "casts",
    [tensor("x", "input", [5]), tensor("y", "output", [2, 5], "int32")],
    (["int32", "uint32"] as const).map((type, row) =>
      statement(type, {
        dims: [dim("i", 0, 5)],
        write: ["y", row, v("i")],
        reads: [access("x", v("i"))],
        body: { kind: "cast", operand: f32(0), type },
      }),
    ),
  );
  const x = [-1.75, 1.75, 3e9, -3e9, Number.NaN];
  expect(outputOf(p, { x }, "y")).toEqual([
    ...[-1, 1, 2147483647, -2147483648, 0],
    ...[0, 1, 3e9, 0, 0],
  ]);
});

it("selects, negates and calls functions", () => {
  const body = select(op("<", f32(0), number(0)), call("abs", f32(0)), call("exp", f32(0)));
  const p = program(
    "functions",
    [tensor("x", "input", [2]), tensor("y", "output", [2])],
    [
      statement("s", {
        dims: [dim("i", 0, 2)],
        write: ["y", v("i")],
        reads: [access("x", v("i"))],
        body: { kind: "unary", operator: "negate", operand: body, type: "float32" },
      }),
    ],
  );
  expect(outputOf(p, { x: [-3, 2] }, "y")).toEqual([-3, -Math.exp(2)]);
});

it("buffers a scatter that reads the tensor it combines into", () => {
  const p = program(
    "histogram",
    [tensor("x", "inout", [4], "int32")],
    [
      statement("s", {
        dims: [dim("i", 0, 4)],
        write: ["x", opaque(read(0, "int32"))],
        reads: [access("x", v("i"))],
        monoid: simpleMonoid("+", "int32"),
        over: ["i"],
        body: literal(1, "int32"),
      }),
    ],
  );
  expect(outputOf(p, { x: [1, 2, 1, 9] }, "x")).toEqual([1, 4, 2, 9]);
});

it("reports missing inputs and wrong lengths and computes nothing", () => {
  const result = interpret(matmul(2, 2, 2), { A: [1, 2, 3] });
  expect(result.faults).toEqual(["input A has 3 elements instead of 4", "input B is missing"]);
  expect(result.tensors.size).toBe(0);
});

it("stops when its budget ends", () => {
  const inputs = { A: randoms(400), B: randoms(400) };
  expect(interpret(matmul(20, 20, 20), inputs, { maxPoints: 1000 }).complete).toBe(false);
  expect(interpret(matmul(20, 20, 20), inputs, { maxPoints: 10000 }).complete).toBe(true);
});

it("returns temporaries on request only", () => {
  const inputs = { x: range(24, (e) => e) };
  expect(interpret(factoredSum(2, 3, 4), inputs).tensors.has("P")).toBe(false);
  const all = interpret(factoredSum(2, 3, 4), inputs, { temporaries: true });
  expect([...(all.tensors.get("P")?.data ?? [])].slice(0, 3)).toEqual([6, 22, 38]);
});

it("takes the bounds of program loops from outer ones", () => {
  const p = program(
    "loops",
    [tensor("y", "output", [6], "int32")],
    [
      statement("s", {
        dims: [dim("t", 0, 3), dim("u", v("t"), 3)],
        loops: ["t", "u"],
        write: ["y", addConstant(v("t"), 3)],
        reads: [access("y", addConstant(v("t"), 3))],
        body: op("+", read(0, "int32"), literal(1, "int32")),
      }),
    ],
    [loop("t", 0, 3, loop("u", v("t"), constant(3), leaf("s")))],
  );
  expect(outputOf(p, {}, "y")).toEqual([0, 0, 0, 3, 2, 1]);
});
