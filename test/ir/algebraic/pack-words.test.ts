import { expect, test } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { packWords } from "../../../src/ir/algebraic/pack-words.ts";
import { widenHalf } from "../../../src/ir/algebraic/widen-half.ts";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import { elementTypeOf, type Program } from "../../../src/ir/program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { type ElementType, elementCount } from "../../../src/support/scalar-type.ts";
import { anyType } from "../../types/programs.ts";

function programOf(source: string, sizes: Readonly<Record<string, number>> = {}): Program {
  const lowered = lowerSource(source, { sizes });
  if (!lowered.ok) throw new Error(JSON.stringify(lowered.diagnostics));
  return lowered.program;
}

function packed(source: string, sizes?: Readonly<Record<string, number>>): readonly string[] {
  const program = packWords(widenHalf(programOf(source, sizes)));
  expect(verifyProgram(program)).toEqual([]);
  return printProgram(program).split("\n").slice(1, -1);
}

test("rows of whole words are packed row by row", () => {
  expect(packed("def f(int8(3, 8) x) -> (int8(3, 8) y) { y(i, j) = x(i, j) }")).toEqual([
    "input int8 x(3, 8)",
    "output word y(3, 2) of int8 (3, 8)",
    "temporary int32 y_wide(3, 8)",
    "y: { i in 0..3, j in 0..8 } y_wide(i, j) = int8(x(i, j))",
    "y.pack: { i0 in 0..3, i1 in 0..2 } y(i0, i1) = <y_wide(i0, 4*i1), y_wide(i0, 4*i1 + 1), " +
      "y_wide(i0, 4*i1 + 2), y_wide(i0, 4*i1 + 3)>",
  ]);
});

test("the last word of a ragged tensor is filled with 0", () => {
  expect(packed("def f(uint16(3) x) -> (uint16(3) y) { y(i) = x(i) }").slice(-1)).toEqual([
    "y.pack: { i0 in 0..2 } y(i0) = <y_wide(2*i0), (-2*i0 + 1 >= 0 ? y_wide(2*i0 + 1) : 0)>",
  ]);
  expect(packed("def f(uint8 x) -> (uint8 y) { y = x }").slice(-1)).toEqual([
    "y.pack: { i0 in 0..1 } y(i0) = <y_wide(), 0, 0, 0>",
  ]);
});

test("rows that end within a word are numbered through", () => {
  expect(packed("def f(half(2, 3) x) -> (half(2, 3) y) { y(i, j) = x(i, j) }").slice(-1)).toEqual([
    "y.pack: { i0 in 0..3 ; q0.1 = (2*i0) / 3, q1.1 = (2*i0 + 1) / 3 } " +
      "y(i0) = <y_wide(q0.1, 2*i0 - 3*q0.1), y_wide(q1.1, 2*i0 - 3*q1.1 + 1)>",
  ]);
});

test("an in-place tensor is taken apart first", () => {
  expect(packed("def f(int16(4) x) -> (x) { x(i) += 1 }")).toEqual([
    "inout word x(2) of int16 (4)",
    "temporary int32 x_wide(4)",
    "x.unpack: { i0 in 0..4 ; q = (i0) / 2 } x_wide(i0) = (([i0 - 2*q] == 0) ? x(q) : x(q).1)",
    "x: { i in 0..4 } x_wide(i) = int16((x_wide(i) + 1))",
    "x.pack: { i0 in 0..2 } x(i0) = <x_wide(2*i0), x_wide(2*i0 + 1)>",
  ]);
});

test("without float16 of the device values are float32, and casts still round", () => {
  const source = "def f(half(2) h, float(2) x) -> (z) { z(i) = half(x(i)) * h(i) + float(h(i)) }";
  const [, , , statement] = printProgram(widenHalf(programOf(source))).split("\n");
  expect(statement).toBe("output float32 z(2)");
  expect(printProgram(widenHalf(programOf(source)))).toContain(
    "z(i) = ((float16(x(i)) * h(i)) + h(i))",
  );
});

test("a program without narrow elements stays as it is", () => {
  const program = programOf("def f(float(4) x) -> (y) { y(i) = x(i) }");
  expect(printProgram(packWords(widenHalf(program)))).toBe(printProgram(program));
});

const types: readonly ElementType[] = ["int8", "uint8", "int16", "uint16", "float16"];

test.each(types)("programs over %s compute the same in words", (type) => {
  const random = seededRandom(3);
  for (const { source, sizes } of anyType) {
    for (const given of sizes) {
      const program = programOf(source.replace(/\bT\b/g, type), given);
      const inputs = Object.fromEntries(
        program.tensors.map((t) => {
          const range = elementTypeOf(t) === "uint8" ? 256 : 120;
          const make = (): number => random.integer(0, range);
          return [t.name, Float64Array.from({ length: elementCount(t.shape) }, make)];
        }),
      );
      const rewritten = packWords(widenHalf(program));
      expect(verifyProgram(rewritten)).toEqual([]);
      const [before, after] = [interpret(program, inputs), interpret(rewritten, inputs)];
      expect(before.faults).toEqual([]);
      for (const [name, { data }] of before.tensors) {
        expect([...(after.tensors.get(name)?.data ?? [])], `${name}\n${source}`).toEqual([...data]);
      }
    }
  }
});
