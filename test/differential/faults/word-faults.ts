/** Mistakes in elements of 8 and 16 bits: their places in words, signs, wrapping, rounding. */
import { literalOf } from "../../../src/codegen/build.ts";
import type { KernelExpression } from "../../../src/codegen/kernel.ts";
import type { NarrowType } from "../../../src/support/scalar-type.ts";
import { type CompilerFault, expressionFault } from "./inject.ts";

type Unpack = Extract<KernelExpression, { kind: "unpack" }>;
type Pack = Extract<KernelExpression, { kind: "pack" }>;

function unpackFault(name: string, change: (e: Unpack) => KernelExpression | null): CompilerFault {
  return expressionFault(name, (e) => (e.kind === "unpack" ? (change(e) ?? undefined) : undefined));
}

function packFault(name: string, change: (e: Pack) => KernelExpression | null): CompilerFault {
  return expressionFault(name, (e) => (e.kind === "pack" ? (change(e) ?? undefined) : undefined));
}

/** Values read as those of another type of as many bits. */
function readAs(name: string, from: NarrowType, to: NarrowType): CompilerFault {
  return unpackFault(name, (e) => (e.element === from ? { ...e, element: to } : null));
}

/** Casts without their narrowing to a type. */
function castFault(name: string, types: readonly NarrowType[]): CompilerFault {
  return expressionFault(name, (e) => {
    if (e.kind !== "cast" || e.narrow === undefined || !types.includes(e.narrow)) return undefined;
    const { operand, type } = e;
    return { kind: "cast", operand, type };
  });
}

/** Mistakes in words and narrow values. */
export const wordFaults: readonly CompilerFault[] = [
  unpackFault("all elements from the first part of a word", (e) => {
    return { ...e, position: literalOf(0, e.position.type) };
  }),
  unpackFault("elements of words from whole words", (e) => {
    return e.type.scalar === "uint32" ? e.word : null;
  }),
  packFault("parts of words backwards", (e) => ({ ...e, parts: e.parts.toReversed() })),
  packFault("last parts of words missing", (e) => {
    const [last] = e.parts.slice(-1);
    if (last === undefined) return null;
    return { ...e, parts: [...e.parts.slice(0, -1), literalOf(0, last.type)] };
  }),
  packFault("first part in all parts of words", (e) => {
    const [first] = e.parts;
    return first === undefined ? null : { ...e, parts: e.parts.map(() => first) };
  }),
  readAs("int8 read without its sign", "int8", "uint8"),
  readAs("int16 read without its sign", "int16", "uint16"),
  readAs("uint8 read with a sign", "uint8", "int8"),
  readAs("uint16 read with a sign", "uint16", "int16"),
  castFault("bytes that do not wrap", ["int8", "uint8"]),
  castFault("integers of 16 bits that do not wrap", ["int16", "uint16"]),
  // That they round shows in test/types: the reference leaves it to its error bounds.
  expressionFault("conversions to float16 missing", (e) => {
    const converts = e.kind === "cast" && (e.narrow ?? e.type.scalar) === "float16";
    return converts ? literalOf(1, e.type) : undefined;
  }),
];
