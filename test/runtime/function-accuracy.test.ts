/**
 * Every function over the whole range of float32, in three executions, against references that share
 * nothing with src/, and held to the table in docs/language.md.
 */
import { afterAll, describe, expect, test } from "vitest";
import { functionError } from "../../src/ir/interpret/function-errors.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { defined } from "../../src/support/assert.ts";
import { seededRandom } from "../../src/support/random.ts";
import { scalarFunction, scalarFunctions } from "../../src/support/scalar-functions.ts";
import { documentedFunctions, type Row, ulpOf } from "../support/functions/document.ts";
import {
  type Arguments,
  binaryPoints,
  ternaryPoints,
  unaryPoints,
} from "../support/functions/points.ts";
import { functionReferences } from "../support/functions/references.ts";
import { runFunction } from "../support/functions/run-function.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

const rows = documentedFunctions();
const floatRows = rows.filter(({ name }) => !["isnan", "isinf", "select"].includes(name));
const greatest = 3.4028234663852886e38;
const leastNormal = 2 ** -126;

function pointsFor(arity: number): Arguments {
  if (arity === 1) return unaryPoints(1, 30);
  return arity === 2 ? binaryPoints(2, 2500) : ternaryPoints(3, 2000);
}

/** The argument, and what a device may take it for: small ones for 0, a zero for one of any sign. */
function asTaken(x: number): readonly number[] {
  return Math.abs(x) < leastNormal ? [x, x * 0, -x * 0] : [x];
}

/** The tuples that a device may take the arguments for. */
function tuplesAsTaken(tuple: readonly number[]): readonly (readonly number[])[] {
  let all: readonly (readonly number[])[] = [[]];
  for (const x of tuple) all = all.flatMap((front) => asTaken(x).map((y) => [...front, y]));
  return all;
}

/** How much of its bound the error of a value uses; at most 1 is right. */
function fractionOfBound(row: Row, tuple: readonly number[], reference: number, v: number): number {
  const [x = 0, y = 0] = tuple;
  if (Number.isNaN(reference)) return Number.isNaN(v) || row.devices ? 0 : Infinity;
  if (v === reference) return 0;
  const error = Math.abs(v - reference);
  const bound = row.bound(x, y, reference);
  // A value between the greatest float and infinity, or less than the bound below it.
  if (Math.abs(reference) + bound > greatest && v === Math.sign(reference) * Infinity) return 0;
  if (error <= leastNormal || bound === Infinity) return 0;
  return Math.abs(reference) === Infinity || Number.isNaN(v) ? Infinity : error / bound;
}

/** True for values that rounding leaves alone. */
function isHeld(v: number): boolean {
  return v === 0 || (Math.fround(v) === v && Math.abs(v) >= leastNormal);
}

function leastFraction(row: Row, tuple: readonly number[], v: number): number {
  const reference = defined(functionReferences[row.name], `reference of ${row.name}`);
  const candidates = tuplesAsTaken(tuple).map((taken) => {
    const [x = 0, y = 0, z = 0] = taken;
    return fractionOfBound(row, taken, reference(x, y, z), v);
  });
  return Math.min(...candidates);
}

function tupleAt(points: Arguments, n: number): readonly number[] {
  return points.map((part) => part[n] ?? 0);
}

/** Nothing is promised of a device's own function at an infinity. */
function isPromised(row: Row, tuple: readonly number[]): boolean {
  return !row.devices || tuple.every(Number.isFinite);
}

function worstOf(row: Row, points: Arguments, values: ArrayLike<number>): string[] {
  const wrong: string[] = [];
  for (let n = 0; n < (points[0]?.length ?? 0) && wrong.length < 10; n++) {
    const tuple = tupleAt(points, n);
    const v = values[n] ?? 0;
    if (!isPromised(row, tuple) || leastFraction(row, tuple, v) <= 1) continue;
    wrong.push(`${row.name}(${tuple.join(", ")}) = ${v}`);
  }
  return wrong;
}

test("the table has every function once, with its number of arguments, and no other", () => {
  const table = rows.map(({ name, arity }) => [name, arity]);
  const known = Object.entries(scalarFunctions).map(([name, f]) => [name, f.arity]);
  expect(table.toSorted()).toEqual(known.toSorted());
});

describe.each(floatRows.map((row) => [row.name, row] as const))("%s", (name, row) => {
  const points = pointsFor(row.arity);

  test("is as accurate as the table says, over the whole range", async () => {
    const { device, interpreted } = await runFunction(runtime, name, points);
    expect(worstOf(row, points, device)).toEqual([]);
    expect(worstOf({ ...row, bound: (_x, _y, v) => ulpOf(v) }, points, interpreted)).toEqual([]);
  });

  test("means in float64 what the reference means", () => {
    const { evaluate } = defined(scalarFunction(name), name);
    const exactly = row.exact ? 0 : 2 ** -28;
    const near = {
      ...row,
      bound: (_x: number, _y: number, v: number) => exactly * Math.abs(v) + 1e-13,
    };
    const values = Array.from({ length: points[0]?.length ?? 0 }, (_, n) => {
      const [x = 0, y = 0, z = 0] = tupleAt(points, n);
      return evaluate(x, y, z);
    });
    expect(worstOf(near, points, values)).toEqual([]);
  });

  test("has the limits of the table at infinity", async () => {
    for (const { arguments: tuple, value } of row.limits) {
      const { device, interpreted } = await runFunction(
        runtime,
        name,
        tuple.map((x) => [x]),
      );
      const expected = Math.fround(value) + 0;
      const found = [device, interpreted].map((values) => (values[0] ?? 0) + 0);
      expect(found, `${name}(${tuple.join(", ")})`).toEqual([expected, expected]);
    }
  });

  test("has in the interpreter's bounds the error that the table says", () => {
    const error = functionError(name);
    const { evaluate } = defined(scalarFunction(name), name);
    for (let n = 0; n < (points[0]?.length ?? 0); n += 7) {
      const tuple = tupleAt(points, n);
      const [x = 0, y = 0, z = 0] = tuple;
      const v = evaluate(x, y, z);
      const bound = row.bound(x, y, v);
      // Zeros have signs that devices may lose; the interpreter allows for that.
      if (!tuple.every((part) => Number.isFinite(part) && part !== 0)) continue;
      if (!(Math.abs(v) + bound < greatest / 2)) continue;
      const counted = error(v, x, 0, y, 0, z, 0);
      if (counted === Infinity) continue;
      const place = `${name}(${tuple.join(", ")})`;
      if (!isHeld(v)) expect(counted + leastNormal, place).toBeGreaterThan(bound * (1 - 1e-9));
      expect(counted, place).toBeLessThanOrEqual(4.5 * bound + 2 * leastNormal);
    }
  });
});

/** Floats with all kinds of bits, NaNs among them. */
function anyBits(): Float32Array {
  const random = seededRandom(9);
  const words = Uint32Array.from({ length: 4096 }, () => random.integer(0, 2 ** 32));
  words.set([
    0x7f800000, 0xff800000, 0x7f800001, 0xffffffff, 0x7fc00000, 0x7f7fffff, 0, 0x80000000,
  ]);
  for (let n = 8; n < 2048; n++) words[n] = (words[n] ?? 0) | 0x7f800000;
  return new Float32Array(words.buffer);
}

test.each(["isnan", "isinf"])("%s tests the bits, in vectors too", async (name) => {
  const x = anyBits();
  const expected = Array.from(x, (a) => functionReferences[name]?.(a, 0, 0));
  expect(new Set(expected).size).toBe(2);
  for (const width of [1, 2, 4] as const) {
    const { device, interpreted } = await runFunction(
      runtime,
      name,
      [x],
      ["float32"],
      "bool",
      width,
    );
    expect([...Array.from(device)]).toEqual(expected);
    expect([...Array.from(interpreted)]).toEqual(expected);
  }
});

test("select takes its second argument where its third is true", async () => {
  const no = Float32Array.from({ length: 256 }, (_, n) => n);
  const yes = no.map((x) => -x - 1);
  const test = Uint32Array.from(no, (x) => (x % 3) & 1);
  const expected = Array.from(no, (x, n) => (test[n] === 1 ? yes[n] : x));
  const types = ["float32", "float32", "bool"] as const;
  const { device, interpreted } = await runFunction(runtime, "select", [no, yes, test], types);
  expect([Array.from(device), Array.from(interpreted)]).toEqual([expected, expected]);
});

test.each(floatRows.map(({ name, arity }) => [name, arity] as const))(
  "%s does the same to vectors as to scalars",
  async (name, arity) => {
    const points = (arity === 1 ? unaryPoints(4, 2) : binaryPoints(4, 60)).map((x) =>
      x.slice(-1024),
    );
    const all = arity === 3 ? [...points, points[0] ?? new Float32Array()] : points;
    const { device: scalars } = await runFunction(runtime, name, all);
    for (const width of [2, 4] as const) {
      const { device } = await runFunction(runtime, name, all, undefined, "float32", width);
      expect(Array.from(device)).toEqual(Array.from(scalars));
    }
  },
);

describe.each(["int32", "uint32"] as const)("on %s", (type) => {
  const bits = type === "int32" ? BigInt.asIntN : BigInt.asUintN;
  const values = [
    0,
    1,
    2,
    7,
    -1,
    -2,
    -7,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 31 + 1,
    2 ** 32 - 1,
    -(2 ** 31),
  ];
  const all = values.map((x) => Number(bits(32, BigInt(x))));
  const triples = all.flatMap((x) => all.flatMap((y) => all.map((z) => [x, y, z] as const)));

  test.each(["abs", "sign", "min", "max", "clamp", "relu"])(
    "%s is exact and wraps",
    async (name) => {
      const arity = scalarFunction(name)?.arity ?? 0;
      const reference = defined(functionReferences[name], name);
      const parts = [0, 1, 2].slice(0, arity).map((n) => triples.map((t) => t[n] ?? 0));
      const types = parts.map(() => type);
      const expected = triples.map(([x, y, z]) => Number(bits(32, BigInt(reference(x, y, z)))));
      for (const width of [1, 4] as const) {
        const found = await runFunction(runtime, name, parts, types, type, width);
        expect(Array.from(found.device).slice(0, triples.length)).toEqual(expected);
        expect(Array.from(found.interpreted).slice(0, triples.length)).toEqual(expected);
      }
    },
  );
});
