import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { convertElements } from "../../src/cli/convert-elements.ts";
import type { Outcome } from "../../src/cli/failure.ts";
import { type NpyArray, readNpy, writeNpy } from "../../src/cli/npy.ts";

/** A file as NumPy would write it, with any header and data. */
function file(
  header: string,
  data: Uint8Array | readonly number[],
  version: 1 | 2 | 3 = 1,
): Uint8Array {
  const text = new TextEncoder().encode(`${header}\n`);
  const length = version === 1 ? [text.length & 255, text.length >> 8] : lengthOf(text.length);
  return Uint8Array.from([0x93, ...Buffer.from("NUMPY"), version, 0, ...length, ...text, ...data]);
}

function lengthOf(n: number): number[] {
  return [n & 255, (n >> 8) & 255, (n >> 16) & 255, n >> 24];
}

function header(descr: string, shape: string, fortran = "False"): string {
  return `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }`;
}

function read(bytes: Uint8Array): NpyArray {
  return value(readNpy(bytes, "a.npy"));
}

function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

function message<T>(outcome: Outcome<T>): string {
  if (outcome.ok) throw new Error("expected a failure");
  expect(outcome.failure.next).not.toBe("");
  return outcome.failure.message;
}

describe("reading .npy", () => {
  test("a file that numpy.save wrote, byte by byte", () => {
    // numpy.save("a.npy", numpy.arange(6, dtype=">i2").reshape((2, 3), order="F")), NumPy 2.4.6
    const bytes = Buffer.from(
      "k05VTVBZAQB2AHsnZGVzY3InOiAnPmkyJywgJ2ZvcnRyYW5fb3JkZXInOiBUcnVlLCAnc2hhcGUnOiAoMiwgMyksIH0g" +
        "ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAABAAIAAwAEAAU=",
      "base64",
    );
    expect(read(bytes)).toEqual({
      shape: [2, 3],
      type: "i2",
      values: Int16Array.of(0, 2, 4, 1, 3, 5),
    });
  });

  test("every version of the header", () => {
    for (const version of [1, 2, 3] as const) {
      const bytes = file(header("|u1", "(3,)"), [7, 8, 9], version);
      expect(read(bytes)).toEqual({ shape: [3], type: "u1", values: Uint8Array.of(7, 8, 9) });
    }
  });

  test("no dimensions, and Python 2's long shapes", () => {
    expect(read(file(header("<f4", "()"), [0, 0, 128, 63])).shape).toEqual([]);
    expect(read(file(header("|i1", "(2L,)"), [255, 1])).values).toEqual(Int8Array.of(-1, 1));
  });

  test("64-bit integers and 16-bit floats become numbers", () => {
    const big = new Uint8Array(BigInt64Array.of(-5n, 2n ** 40n).buffer);
    expect(read(file(header("<i8", "(2,)"), big)).values).toEqual(Float64Array.of(-5, 2 ** 40));
    const half = new Uint8Array(Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7c00, 0x7e00).buffer);
    const expected = Float32Array.of(1, -2, 2 ** -24, Infinity, NaN);
    expect(read(file(header("<f2", "(5,)"), half)).values).toEqual(expected);
  });

  test("Fortran order of three dimensions", () => {
    const values = Uint8Array.from({ length: 24 }, (_, n) => n);
    const array = read(file(header("|u1", "(2, 3, 4)", "True"), values));
    for (let i = 0; i < 2; i++) {
      for (let j = 0; j < 3; j++) {
        for (let k = 0; k < 4; k++) {
          expect(array.values[(i * 3 + j) * 4 + k]).toBe(i + 2 * j + 6 * k);
        }
      }
    }
  });

  test("an unaligned slice of a larger buffer", () => {
    const bytes = writeNpy("float32", [2], Float32Array.of(1.5, -2));
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    expect(read(shifted.subarray(3)).values).toEqual(Float32Array.of(1.5, -2));
  });

  test("says what is wrong with a file", () => {
    expect(message(readNpy(Uint8Array.of(1, 2, 3), "a.npy"))).toBe("a.npy is not a .npy file");
    const short = file(header("<f4", "(2, 3)"), [0, 0, 0, 0]);
    expect(message(readNpy(short, "a.npy"))).toBe(
      "a.npy is damaged: its shape (2, 3) needs 24 bytes, it has 4",
    );
    expect(message(readNpy(short.subarray(0, 20), "a.npy"))).toContain("header is incomplete");
    const complex = file(header("<c8", "(1,)"), new Uint8Array(8));
    expect(message(readNpy(complex, "a.npy"))).toContain("type <c8");
    expect(message(readNpy(file("{'shape': }", []), "a.npy"))).toContain("not understood");
  });
});

describe("writing .npy", () => {
  test("the data starts at a multiple of 64 bytes, after a line end", () => {
    const bytes = writeNpy("int32", [1, 2], Int32Array.of(1, -1));
    expect((bytes.length - 8) % 64).toBe(0);
    expect(bytes[bytes.length - 9]).toBe(10);
    expect(new TextDecoder().decode(bytes.subarray(10, 70))).toContain("'shape': (1, 2), }");
  });

  test("what was written is read back", () => {
    const tensors = fc.oneof(
      fc.record({ type: fc.constant("float32" as const), data: fc.float32Array({ maxLength: 9 }) }),
      fc.record({ type: fc.constant("int32" as const), data: fc.int32Array({ maxLength: 9 }) }),
      fc.record({ type: fc.constant("uint32" as const), data: fc.uint32Array({ maxLength: 9 }) }),
      fc.record({
        type: fc.constant("bool" as const),
        data: fc.uint32Array({ maxLength: 9, max: 1 }),
      }),
    );
    fc.assert(
      fc.property(tensors, ({ type, data }) => {
        const array = read(writeNpy(type, [data.length, 1], data));
        expect(array.shape).toEqual([data.length, 1]);
        expect(value(convertElements(array, type, "a.npy"))).toEqual({ data, note: null });
      }),
      { seed: 1 },
    );
  });
});

describe("conversion to the type of a tensor", () => {
  const doubles = (...values: number[]): NpyArray => ({
    shape: [1, values.length],
    type: "f8",
    values: Float64Array.from(values),
  });

  test("float64 to float32 tells how many values were rounded", () => {
    expect(value(convertElements(doubles(0.5, 0.1), "float32", "a.npy"))).toEqual({
      data: Float32Array.of(0.5, 0.1),
      note: "a.npy: float64 converted to float32, 1 of 2 values rounded",
    });
  });

  test("infinities and NaN stay what they are, overflow is a failure", () => {
    const kept = value(convertElements(doubles(Infinity, NaN), "float32", "a.npy"));
    expect(kept.data).toEqual(Float32Array.of(Infinity, NaN));
    expect(message(convertElements(doubles(1, 1e300), "float32", "a.npy"))).toBe(
      "a.npy holds 1e+300 at [0, 1], which is not a float32",
    );
  });

  test("integers must be whole and in range", () => {
    const at = (v: number): Outcome<unknown> => convertElements(doubles(v), "int32", "a.npy");
    expect(at(2 ** 31 - 1).ok).toBe(true);
    expect(message(at(2 ** 31))).toContain("2147483648 at [0, 0], which is not an int32");
    expect(message(at(1.5))).toContain("1.5");
    expect(message(convertElements(doubles(-1), "uint32", "a.npy"))).toContain("-1");
    expect(message(convertElements(doubles(2), "bool", "a.npy"))).toContain("a bool");
  });

  test("int64 to int32 is noted", () => {
    const array: NpyArray = { shape: [1], type: "i8", values: Float64Array.of(3) };
    expect(value(convertElements(array, "int32", "a.npy")).note).toBe(
      "a.npy: int64 converted to int32, exactly",
    );
  });
});

describe("narrow types", () => {
  test.each([
    ["int8", "|i1", Int8Array.of(-128, 0, 127)],
    ["uint8", "|u1", Uint8Array.of(0, 1, 255)],
    ["int16", "<i2", Int16Array.of(-32768, 0, 32767)],
    ["uint16", "<u2", Uint16Array.of(0, 1, 65535)],
    ["float16", "<f2", Float32Array.of(0.5, -65504, 2 ** -24)],
  ] as const)("%s is written as %s, and read again as it was", (type, descr, data) => {
    const bytes = writeNpy(type, [3], data);
    expect(new TextDecoder().decode(bytes.subarray(10, 40))).toContain(`'descr': '${descr}'`);
    expect(bytes.length % 64).toBe((3 * Number(descr.slice(2))) % 64);
    const array = read(bytes);
    expect(array.type).toBe(descr.slice(1));
    expect(value(convertElements(array, type, "a.npy"))).toEqual({ data, note: null });
  });

  test("values that do not fit are refused, those that lose digits are told of", () => {
    const floats: NpyArray = { shape: [2], type: "f4", values: Float32Array.of(0.1, 1) };
    expect(value(convertElements(floats, "float16", "a.npy"))).toEqual({
      data: Float32Array.of(0.0999755859375, 1),
      note: "a.npy: float32 converted to float16, 1 of 2 values rounded",
    });
    const large: NpyArray = { shape: [1], type: "f4", values: Float32Array.of(1e6) };
    expect(message(convertElements(large, "float16", "a.npy"))).toBe(
      "a.npy holds 1000000 at [0], which is not a float16",
    );
    const wide: NpyArray = { shape: [2], type: "i4", values: Int32Array.of(1, 128) };
    expect(message(convertElements(wide, "int8", "a.npy"))).toBe(
      "a.npy holds 128 at [1], which is not an int8",
    );
  });
});
