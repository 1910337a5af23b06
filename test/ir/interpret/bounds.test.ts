import { describe, expect, it } from "vitest";
import { addConstant, nonnegative } from "../../../src/ir/affine.ts";
import { type Expression, read, select } from "../../../src/ir/expression.ts";
import { functionError } from "../../../src/ir/interpret/function-errors.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { judge } from "../../../src/ir/interpret/judge.ts";
import { simpleMonoid } from "../../../src/ir/monoid.ts";
import { access, type Program } from "../../../src/ir/program.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { scalarFunctions } from "../../../src/support/scalar-functions.ts";
import { elementCount, type TensorData } from "../../../src/support/scalar-type.ts";
import { evaluateFloat32 } from "../../support/float32-evaluator.ts";
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
import { byBounds } from "../support/by-bounds.ts";

type Inputs = Record<string, Float32Array | Int32Array>;

function inputsOf(p: Program, seed: number, draw: (random: () => number) => number): Inputs {
  const random = seededRandom(seed);
  const inputs: Inputs = {};
  for (const { name, role, components, shape } of p.tensors) {
    if (role !== "input" && role !== "inout") continue;
    const length = elementCount(shape);
    inputs[name] =
      components[0] === "int32"
        ? Int32Array.from({ length }, () => random.integer(-2, 8))
        : Float32Array.from({ length }, () => draw(random.next));
  }
  return inputs;
}

function typed(p: Program, outputs: Record<string, number[]>): Record<string, TensorData> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, data]) => {
      const type = p.tensors.find((t) => t.name === name)?.components[0];
      return [name, type === "int32" ? Int32Array.from(data) : Float32Array.from(data)];
    }),
  );
}

function elementwise(name: string, body: Expression): Program {
  return program(
    name,
    [tensor("x", "input", [40]), tensor("z", "input", [40]), tensor("y", "output", [40])],
    [
      statement("y", {
        dims: [dim("i", 0, 40)],
        write: ["y", v("i")],
        reads: [access("x", v("i")), access("z", v("i"))],
        body,
      }),
    ],
  );
}

/** h(t) = tanh(Σ W h(t-1) + x(t)): errors grow from step to step. */
function recurrence(steps: number, width: number): Program {
  const [t, i, k] = [v("t"), v("i"), v("k")];
  const before = {
    ...access("h", addConstant(t, -1), k),
    guard: [nonnegative(addConstant(t, -1))],
  };
  return program(
    "recurrence",
    [
      tensor("x", "input", [steps, width]),
      tensor("W", "input", [width, width]),
      tensor("h", "output", [steps, width]),
    ],
    [
      statement("sum", {
        dims: [dim("t", 0, steps), dim("i", 0, width), dim("k", 0, width)],
        loops: ["t"],
        write: ["h", t, i],
        reads: [before, access("W", i, k), access("x", t, i)],
        monoid: sum,
        over: ["k"],
        init: [f32(2)],
        body: op("*", f32(0), f32(1)),
      }),
      statement("tanh", {
        dims: [dim("t", 0, steps), dim("i", 0, width)],
        loops: ["t"],
        write: ["h", t, i],
        reads: [access("h", t, i)],
        body: call("tanh", f32(0)),
      }),
    ],
    [loop("t", 0, steps, leaf("sum"), leaf("tanh"))],
  );
}

/** Row means and variances, then (x - mean) / sqrt(variance + ε). */
function layernorm(rows: number, columns: number): Program {
  const [i, j] = [v("i"), v("j")];
  const all = [dim("i", 0, rows), dim("j", 0, columns)];
  const share = number(1 / columns);
  const centred = op("-", f32(0), f32(1));
  const reads = [access("x", i, j), access("m", i), access("s", i)];
  const over = { dims: all, reads, monoid: sum, over: ["j"] };
  return program(
    "layernorm",
    [
      tensor("x", "input", [rows, columns]),
      tensor("m", "temporary", [rows]),
      tensor("s", "temporary", [rows]),
      tensor("y", "output", [rows, columns]),
    ],
    [
      statement("m", { ...over, write: ["m", i], body: op("*", f32(0), share) }),
      statement("s", {
        ...over,
        write: ["s", i],
        body: op("*", op("*", centred, centred), share),
      }),
      statement("y", {
        dims: all,
        write: ["y", i, j],
        reads,
        body: op("*", centred, call("rsqrt", op("+", f32(2), number(1e-5)))),
      }),
    ],
  );
}

const aboveZero = op("+", call("abs", f32(0)), number(0.01));

/** An argument of a function of one argument, where it is defined and smooth. */
function argumentOf(name: string): Expression {
  if (["asin", "acos", "atanh"].includes(name)) return op("*", f32(0), number(0.3));
  if (name === "acosh") return op("+", call("abs", f32(0)), number(1.01));
  const positive = ["sqrt", "rsqrt", "tgamma", "lgamma", "log", "log2", "log10", "log1p"];
  return positive.includes(name) ? aboveZero : f32(0);
}

const programs: readonly Program[] = [
  matmul(4, 3, 40),
  softmax(3, 17),
  reverse(9),
  lu(7),
  cumulativeSum(50),
  argmin(9),
  scatterAdd(60, 2, 6),
  paddedStencil(12, 0.5),
  everySecond(9),
  factoredSum(3, 5, 8),
  factoredArgmax(3, 4, 5),
  recurrence(12, 5),
  layernorm(3, 16),
  ...Object.entries(scalarFunctions)
    .filter(([, f]) => f.arity === 1 && f.result === "same")
    .map(([name]) => elementwise(name, call(name, argumentOf(name)))),
  ...["hypot", "atan2", "fdim", "fmod", "remainder", "copysign"].map((name) =>
    elementwise(`${name}OfProducts`, call(name, op("*", f32(0), number(0.7)), f32(1))),
  ),
  elementwise("positive", call("pow", call("exp", f32(0)), f32(1))),
  elementwise("integerPower", call("pow", f32(0), number(3))),
  elementwise("inversePower", call("pow", op("*", f32(0), f32(1)), number(-2))),
  elementwise("logarithms", call("log", op("+", op("*", f32(0), f32(0)), number(0.1)))),
  elementwise("cancellation", op("-", op("*", f32(0), f32(1)), op("*", f32(1), number(0.7)))),
  elementwise("remainder", op("floorMod", f32(0), f32(1))),
  elementwise("fused", call("fma", f32(0), f32(1), number(0.3))),
  elementwise("choice", select(op("<", f32(0), f32(1)), f32(0), call("exp", f32(1)))),
  elementwise("extremes", op("max", op("min", f32(0), f32(1)), op("*", f32(0), f32(1)))),
  elementwise("clamp", call("clamp", op("*", f32(0), f32(1)), number(-0.5), number(1))),
  elementwise("steps", call("floor", op("*", f32(0), number(3.3)))),
];

function worst(p: Program, seeds: number, draw: (random: () => number) => number): number {
  let fraction = 0;
  for (let seed = 0; seed < seeds; seed++) {
    const inputs = inputsOf(p, seed, draw);
    const reference = interpret(p, inputs, { bounds: true });
    expect(reference.faults).toEqual([]);
    const actual = typed(p, evaluateFloat32(p, inputs, seededRandom(seed + 99)));
    const result = judge(byBounds(p, reference), actual);
    expect(result.wrong).toEqual([]);
    expect(result.decision).not.toBe("wrong");
    expect(result.ambiguous * 4).toBeLessThan(result.compared);
    fraction = Math.max(fraction, result.worst);
  }
  return fraction;
}

describe("the error bound holds for float32 in any order", () => {
  /** Programs that only move data are exact, and use nothing of a bound that is 0. */
  const exact = ["reverse", "everySecond", "argmin", "factoredArgmax", "abs", "sign", "ceil"];
  exact.push("floor", "trunc", "round", "relu", "logb", "steps");
  it.each(programs.map((p) => [p.name, p] as const))("%s", (name, p) => {
    const fraction = worst(p, 12, (random) => Math.fround((random() * 2 - 1) * 3));
    if (exact.includes(name)) expect(fraction).toBe(0);
    else expect(fraction).toBeGreaterThan(1e-3);
  });
});

it("finds results on small integers exact, so that every bound is 0", () => {
  const integral = [
    matmul(4, 3, 40),
    cumulativeSum(50),
    scatterAdd(60, 2, 6),
    factoredSum(3, 5, 8),
  ];
  for (const p of [...integral, paddedStencil(12, 3)]) {
    const inputs = inputsOf(p, 1, (random) => Math.floor(random() * 17) - 8);
    const reference = interpret(p, inputs, { bounds: true });
    for (const { bound } of reference.tensors.values()) {
      expect(bound?.every((b) => b === 0)).toBe(true);
    }
    const actual = typed(p, evaluateFloat32(p, inputs, seededRandom(5)));
    expect(judge(byBounds(p, reference), actual).worst).toBe(0);
    expect(judge(byBounds(p, interpret(p, inputs)), actual).worst).toBe(0);
  }
});

it("is 4·2⁻²⁴·(length + depth)·Σ|terms| for a plain reduction", () => {
  const p = matmul(1, 1, 30);
  const inputs = inputsOf(p, 3, (random) => Math.fround(random() - 0.5));
  const { A, B } = inputs;
  const bound = interpret(p, inputs, { bounds: true }).tensors.get("C")?.bound?.[0];
  const size = Array.from(A ?? []).reduce((s, a, k) => s + Math.abs(a * (B?.[k] ?? 0)), 0);
  expect(bound).toBeCloseTo(4 * 2 ** -24 * (30 + 1) * size, 15);
  expect(bound).toBeGreaterThan(0);
});

it("counts decisions that rounding may turn", () => {
  const sums = program(
    "sums",
    [
      tensor("x", "input", [3, 4]),
      tensor("s", "temporary", [3]),
      tensor("y", "output", [3], "int32"),
    ],
    [
      statement("s", {
        dims: [dim("i", 0, 3), dim("j", 0, 4)],
        write: ["s", v("i")],
        reads: [access("x", v("i"), v("j"))],
        monoid: sum,
        over: ["j"],
        body: f32(0),
      }),
      statement("y", {
        dims: [dim("i", 0, 3)],
        write: ["y", v("i")],
        reads: [access("s", v("i"))],
        body: { kind: "cast", operand: f32(0), type: "int32" },
      }),
    ],
  );
  const x = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 2, 3, 4];
  const reference = interpret(sums, { x }, { bounds: true });
  expect([...(reference.tensors.get("y")?.bound ?? [])]).toEqual([Infinity, 0, 0]);
  expect(reference.ambiguous).toBe(1);
});

it("lets a clear winner end the doubt about an arg reduction", () => {
  const p = argminOfSquares();
  const [a, b] = [Math.fround(0.1), Math.fround(0.3)];
  const doubt = interpret(p, { x: [b, a, a] }, { bounds: true });
  expect(doubt.ambiguous).toBe(1);
  const clear = interpret(p, { x: [a, a, 0] }, { bounds: true });
  expect(clear.ambiguous).toBe(0);
  expect([...(clear.tensors.get("y")?.data ?? [])]).toEqual([2]);
});

function argminOfSquares(): Program {
  const base = factoredArgmax(1, 1, 3);
  const squares = base.statements.map((s) =>
    s.id === "p" ? { ...s, body: [negativeSquare(), ...s.body.slice(1)] } : s,
  );
  return { ...base, statements: squares };
}

function negativeSquare(): Expression {
  return op("-", number(0), op("*", f32(0), f32(0)));
}

it("loses all bounds of a scatter whose index rounding may change", () => {
  const p = program(
    "astray",
    [tensor("x", "input", [2]), tensor("y", "output", [3], "int32")],
    [
      statement("s", {
        dims: [dim("i", 0, 2)],
        write: ["y", opaque({ kind: "cast", operand: op("*", f32(0), number(10)), type: "int32" })],
        reads: [access("x", v("i"))],
        monoid: simpleMonoid("+", "int32"),
        over: ["i"],
        body: { kind: "literal", value: 1, type: "int32" },
      }),
    ],
  );
  expect(interpret(p, { x: [0.1, 0.15] }, { bounds: true }).ambiguous).toBe(3);
  expect(interpret(p, { x: [0.11, 0.15] }, { bounds: true }).ambiguous).toBe(0);
});

it("knows nothing of a gather whose index rounding may change", () => {
  const index: Expression = { kind: "cast", operand: op("*", f32(0), number(10)), type: "int32" };
  const p = program(
    "gather",
    [tensor("x", "input", [2]), tensor("z", "input", [3]), tensor("y", "output", [2])],
    [
      statement("s", {
        dims: [dim("i", 0, 2)],
        write: ["y", v("i")],
        reads: [access("x", v("i")), { tensor: "z", index: [opaque(index)], guard: [], fill: 0 }],
        body: read(1, "float32"),
      }),
    ],
  );
  const reference = interpret(p, { x: [0.1, 0.15], z: [5, 6, 7] }, { bounds: true });
  expect([...(reference.tensors.get("y")?.bound ?? [])]).toEqual([Infinity, 0]);
});

it("keeps masked rows known: infinities are exact", () => {
  const p = softmax(1, 4);
  const X = [0.3, Number.NEGATIVE_INFINITY, 0.7, Number.NEGATIVE_INFINITY];
  const reference = interpret(p, { X }, { bounds: true });
  expect(reference.ambiguous).toBe(0);
  expect(reference.tensors.get("Y")?.data[1]).toBe(0);
});

it("has an error for every builtin function", () => {
  for (const name of Object.keys(scalarFunctions))
    expect(functionError(name)).toBeTypeOf("function");
});

describe("a comparison with the reference", () => {
  const p = matmul(1, 2, 2);
  const inputs = { A: [0.1, 0.2], B: [0.3, 0.4, 0.5, 0.6] };
  const reference = interpret(p, inputs, { bounds: true });
  const [first = 0, second = 0] = reference.tensors.get("C")?.data ?? [];

  it("names the elements that are off", () => {
    const result = judge(byBounds(p, reference), { C: Float32Array.of(first, second + 1e-3) });
    expect(result.decision).toBe("wrong");
    expect(result.wrong.map((m) => m.element)).toEqual([1]);
  });

  it("refuses NaN, missing outputs and wrong lengths", () => {
    const nan = judge(byBounds(p, reference), { C: Float32Array.of(first, Number.NaN) });
    expect(nan.worst).toBe(Infinity);
    expect(judge(byBounds(p, reference), {}).faults).toEqual(["the result lacks C"]);
    const short = judge(byBounds(p, reference), { C: Float32Array.of(first) });
    expect(short.decision).toBe("wrong");
  });

  it("demands equal bits without bounds", () => {
    const exact = interpret(matmul(1, 1, 2), { A: [1, 2], B: [3, 4] });
    const same = judge(byBounds(matmul(1, 1, 2), exact), { C: Float32Array.of(11) });
    expect(same.decision).toBe("right");
    const off = judge(byBounds(matmul(1, 1, 2), exact), { C: Float32Array.of(11.000001) });
    expect(off.worst).toBe(Infinity);
  });
});
