import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { copyOfRead } from "../../../src/ir/algebraic/copy-read.ts";
import { findStatement, type Program, type Tensor } from "../../../src/ir/program.ts";
import {
  type CopiedRow,
  copyPitch,
  copyRun,
  type RunLength,
} from "../../../src/ir/scheduling/copy-run.ts";

interface Request {
  readonly source: string;
  readonly sizes: Readonly<Record<string, number>>;
  /** The coefficient of the loop that moves the rows, their first element, and their length. */
  readonly row: readonly [number, number, number];
  readonly most?: RunLength;
  /** How the tensor that is copied differs from a plain one. */
  readonly tensor?: Partial<Tensor>;
  /** What the rows of the copy are rounded up to a multiple of, and the elements between them. */
  readonly pitch?: number;
  readonly pad?: number;
}

/** How many neighbours of the first read of a program's only statement are copied at once. */
function runOf(request: Request): RunLength {
  const { source, sizes, row, most = 4, tensor = {}, pitch = 1, pad = 0 } = request;
  const result = lowerSource(source, { sizes });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  const statement = result.program.statements[0]?.id ?? "";
  const copied = copyOfRead(result.program, { statement, read: 0, pitch });
  if (typeof copied === "string") throw new Error(copied);
  const [first, ...others] = copied.program.tensors;
  if (first === undefined) throw new Error("no tensor");
  const program: Program = { ...copied.program, tensors: [{ ...first, ...tensor }, ...others] };
  const copy = findStatement(program, copied.copy);
  if (copy === undefined) throw new Error("no copy");
  const [coefficient, constant, extent] = row;
  const base: CopiedRow["base"] = { terms: [{ variable: "tile", coefficient }], constant };
  return copyRun(program, copy, { base, extent }, most, pad);
}

const product = "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const even: Request = { source: product, sizes: { M: 3, K: 24, N: 5 }, row: [8, 0, 8] };

const odd: Request = { ...even, sizes: { M: 3, K: 23, N: 5 } };

/** Reads of a row of 24 elements. */
function reading(read: string, range: string): Request {
  const source = `def f(float(N) x, float(K) w) -> (y) { y(i) +=! ${read} * w(k) where i in ${range} }`;
  return { source, sizes: { N: 24, K: 4 }, row: [8, 0, 8] };
}

describe("copyRun", () => {
  it.each<readonly [string, Request, RunLength]>([
    ["four where rows, tiles and their starts are made of fours", even, 4],
    ["no more than is asked for", { ...even, most: 2 }, 2],
    ["one where one is asked for", { ...even, most: 1 }, 1],
    ["two where tiles are pairs apart", { ...even, row: [6, 0, 8] }, 2],
    ["two where tiles begin at a pair", { ...even, row: [8, 2, 8] }, 2],
    ["two where tiles are pairs long", { ...even, row: [8, 0, 6] }, 2],
    ["one where tiles begin anywhere", { ...even, row: [8, -1, 8] }, 1],
    ["one where tiles are one apart", { ...even, row: [1, 0, 8] }, 1],
    ["two in rows of pairs", { ...even, sizes: { M: 3, K: 26, N: 5 } }, 2],
    ["one in rows of a prime length", odd, 1],
    ["four where the copy rounds these up", { ...odd, pitch: 4 }, 4],
    ["no two of these", { ...odd, pitch: 4, most: 2 }, 1],
    ["four with whole vectors between them", { ...odd, pitch: 4, pad: 4 }, 4],
    ["one with one element between them", { ...odd, pitch: 4, pad: 1 }, 1],
    ["one of these from anywhere", { ...odd, pitch: 4, row: [8, 1, 8] }, 1],
    ["one in rows of one element", { ...even, sizes: { M: 3, K: 1, N: 5 }, row: [1, 0, 1] }, 1],
    ["one where every other element is read", reading("x(2 * i)", "0:12"), 1],
    ["four of the copy where the first element is left out", reading("x(i + 1)", "0:20"), 4],
    ["one where that is a row of few", reading("x(i + 1)", "0:12"), 1],
    ["one where there is a border", reading("pad(x(i + k - 4))", "0:N"), 1],
    ["four beside that", reading("x(i + 4)", "0:20"), 4],
  ])("takes %s", (_, request, length) => {
    expect(runOf(request)).toBe(length);
  });

  const view = (strides: readonly number[], offsetMultiple: 1 | 2 | 4 | null): Partial<Tensor> => ({
    layout: { strides, offsetMultiple },
  });

  it.each<readonly [string, Partial<Tensor>, RunLength]>([
    ["four of a view with rows of fours", view([32, 1], 4), 4],
    ["four of a view from the start of its memory", view([32, 1], null), 4],
    ["four of the copy of a view that begins at a pair", view([32, 1], 2), 4],
    ["four of the copy of a view that begins anywhere", view([32, 1], 1), 4],
    ["four of the copy of a view with rows of pairs", view([26, 1], 4), 4],
    ["one of a transposed view", view([1, 32], 4), 1],
    ["one of a view that runs backwards", view([32, -1], 4), 1],
    ["one of a view that repeats its elements", view([32, 0], 4), 1],
    ["four of the copy of what shares words", { stored: "float16" }, 4],
    ["one of truth values", { components: ["bool"] }, 1],
  ])("takes %s", (_, tensor, length) => {
    expect(runOf({ ...even, tensor })).toBe(length);
  });
});

describe("copyPitch", () => {
  it.each<readonly [string, readonly [number, RunLength, number], number]>([
    ["rounds rows up that are no whole vectors", [509, 4, 0], 4],
    ["with whole vectors between them", [509, 4, 4], 4],
    ["leaves rows of whole vectors", [512, 4, 0], 1],
    ["leaves short rows", [15, 4, 0], 1],
    ["leaves rows with one element between them", [509, 4, 1], 1],
    ["leaves rows where no four are stored at once", [509, 2, 0], 1],
  ])("%s", (_, [row, most, pad], pitch) => {
    expect(copyPitch(row, most, pad)).toBe(pitch);
  });
});
