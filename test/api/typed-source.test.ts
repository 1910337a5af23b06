/**
 * What TypeScript knows of a literal source. The type checker is the test: `npm run typecheck` reads
 * this file, and fails where an error that is expected does not come.
 */
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Kernel, Kernels, KernelsOf } from "../../src/api/kernel.ts";
import type { SignaturesOf } from "../../src/api/typed-source.ts";
import { type ElementType, type HostTensors, interpret, type TensorData } from "../../src/index.ts";
import type { GpuTensor, Runtime, TensorOutputs } from "../../src/runtime.ts";

const matmul = `
# The product of two matrices: def none(int { ) -> (x) {
#! sizes M=2
def mm(float(M,K) A, float(K, N) B) -> (C) { # }
  C(m, n) +=! A(m, k) * B(k, n)
}`;

const several = `
def first(float16(N) h, int(N, M + (2 * N)) rows, int8(N) small, bool(N) mask, int S, float s)
  -> (y, float(N) z) {
  for t in N { if t == 0 { y(t) = s } else { y(t) = h(t) } }
  z(i) = s where i in 0:N
}
def second(
  uint16(4) x	# a tab before the comment
  , uint32 n
) -> (x) {}
def third() -> (int(3) q) { q(i) = 1 where i in 0:3 }`;

const matrix = { data: Float32Array.of(1, 2, 3, 4), shape: [2, 2] };

declare const runtime: Runtime;

/** Never run: only its types are checked. */
async function checkedOnly(text: string, tensor: GpuTensor, pass: GPUComputePassEncoder) {
  const { mm } = runtime.define(matmul);
  const result = await mm({ A: matrix, B: tensor });
  const { C } = result;
  expectTypeOf(C).toEqualTypeOf<GpuTensor>();
  // @ts-expect-error: a result of another name
  result.D;
  // @ts-expect-error: a definition of another name
  runtime.define(matmul).matmul;
  // @ts-expect-error: a misspelt tensor
  await mm({ A: matrix, b: matrix });
  // @ts-expect-error: a tensor is missing
  await mm({ A: matrix });
  // @ts-expect-error: a tensor too many
  await mm({ A: matrix, B: matrix, D: matrix });
  // @ts-expect-error: a number for a matrix
  await mm({ A: matrix, B: 3 });
  // @ts-expect-error: an array of another type
  await mm({ A: matrix, B: { data: Int32Array.of(1), shape: [1, 1] } });
  // @ts-expect-error: no shape
  await mm({ A: matrix, B: { data: matrix.data } });
  await mm({ A: [[1, 2]], B: Float32Array.of(1), C: matrix }, { outputs: { C: tensor } });
  await mm({ A: tensor, B: { buffer: tensor.buffer } }, { sizes: { K: 2 } });
  // @ts-expect-error: a size of another name
  await mm({ A: matrix, B: matrix }, { sizes: { Q: 2 } });
  // @ts-expect-error: a size of another name
  await mm.time({ A: matrix, B: matrix }, { sizes: { Q: 2 } });
  await mm.prepare({ M: 1, K: 2, N: 3 });
  await mm.prepare([{ M: 1, K: 2, N: 3 }, {}]);
  // @ts-expect-error: a size of another name
  await mm.prepare({ P: 1 });
  // @ts-expect-error: a size of another name
  await mm.prepare([{ M: 1, K: 2, N: 3 }, { P: 1 }]);
  // @ts-expect-error: a size that is no number
  await mm.prepare({ M: "1" });
  // @ts-expect-error: a misspelt result
  await mm({ A: matrix, B: matrix }, { outputs: { c: tensor } });
  await mm.time({ A: matrix, B: matrix }, { minMs: 1 });
  // @ts-expect-error: a misspelt tensor
  await mm.time({ A: matrix, b: matrix });
  mm.encode(pass, { A: tensor, B: tensor, C: tensor });
  // @ts-expect-error: a misspelt tensor
  mm.encode(pass, { A: tensor, B: tensor, c: tensor });
  // @ts-expect-error: the result is needed, too
  mm.encode(pass, { A: tensor, B: tensor });

  const { first, second, third } = runtime.define(several);
  const h = Float32Array.of(1);
  const rows = { data: Int32Array.of(1), shape: [1, 1] };
  const small = Int8Array.of(1);
  const mask = Uint32Array.of(1);
  const { y, z } = await first({ h, rows, small, mask, S: 2, s: 0.5 });
  expectTypeOf(y).toEqualTypeOf<GpuTensor>();
  expectTypeOf(z).toEqualTypeOf<GpuTensor<Float32Array>>();
  expectTypeOf(await y.read()).toEqualTypeOf<TensorData>();
  expectTypeOf(await z.transpose().slice(0).read()).toEqualTypeOf<Float32Array>();
  // @ts-expect-error: the elements of another type
  (await z.read()) satisfies Int32Array;
  // A tensor of any type is where its type does not matter.
  z satisfies GpuTensor;
  await first({ h, rows, small, mask, s: 0.5 });
  await first({ h: Uint16Array.of(0x3c00), rows, small, mask, s: 0.5 });
  // @ts-expect-error: bits of int32
  await first({ h: Int32Array.of(1), rows, small, mask, s: 0.5 });
  // @ts-expect-error: a scalar that is no integer is needed
  await first({ h, rows, small, mask, S: 2 });
  // @ts-expect-error: an array of another type
  await first({ h, rows, small: mask, mask, s: 0.5 });
  // Names in sums are sizes, and so are integers that a call may leave out.
  await first.prepare({ N: 4, M: 2, S: 1 });
  // @ts-expect-error: a number that is no integer is none
  await first.prepare({ s: 1 });
  await second.prepare({ n: 1 });
  // @ts-expect-error: it has no sizes
  await third.prepare({ N: 1 });
  const { x } = await second({ x: Uint16Array.of(1) });
  expectTypeOf(x).toEqualTypeOf<GpuTensor<Uint16Array>>();
  expectTypeOf(await third({})).toEqualTypeOf<{ readonly q: GpuTensor<Int32Array> }>();

  const bytes = runtime.tensor("int8", [4]);
  expectTypeOf(bytes).toEqualTypeOf<GpuTensor<Int8Array>>();
  expectTypeOf(await bytes.read()).toEqualTypeOf<Int8Array>();
  expectTypeOf(await bytes.view({ shape: [2, 2] }).read()).toEqualTypeOf<Int8Array>();
  expectTypeOf(await runtime.tensor("uint16", []).read()).toEqualTypeOf<Uint16Array>();
  expectTypeOf(await runtime.tensor("bool", [1]).read()).toEqualTypeOf<Uint32Array>();
  expectTypeOf(await runtime.tensor("float16", [1]).read()).toEqualTypeOf<Float32Array>();
  const dtype: ElementType = bytes.dtype;
  expectTypeOf(await runtime.tensor(dtype, [1]).read()).toEqualTypeOf<TensorData>();

  const { any } = runtime.define(text);
  await any?.({ whatever: 1 });
  const loose = await runtime.define(`${text}`)["mm"]?.({ A: matrix });
  expectTypeOf(loose).toEqualTypeOf<TensorOutputs | undefined>();
  const unread = runtime.define("def mm float(M) A -> C {}");
  expectTypeOf(unread).toEqualTypeOf<Kernels>();

  const kernels: Kernels = runtime.define(matmul);
  const kernel: Kernel = mm;
  return [kernels, kernel];
}

type Names<Source extends string> =
  SignaturesOf<Source> extends infer Heads extends readonly { readonly name: string }[]
    ? Heads[number]["name"]
    : null;

/** A text of some 5 kB: 60 definitions with a comment each. */
type Twice<Text extends string> = `${Text}${Text}`;
type Line = "  C(m, n) +=! A(m, k) * B(k, n) # the product of both, to be added up over k\n";
type Body = Twice<Twice<Twice<Twice<Twice<Line>>>>>;
type Long = `# head\ndef long(float(M, K) A, float(K, N) B) -> (C) {\n${Body}${Body}}\n`;
type Loops = Twice<Twice<Twice<Twice<Twice<Twice<"for t in T { { } }\n">>>>>>;
type Deep = `def deep(float(M) A) -> (C) {\n${Loops}}\ndef after(float x) -> (y) {}`;
type Wide =
  `def wide(${Twice<Twice<Twice<Twice<Twice<Twice<"float(M, (K + 1) * 2) A, int b, ">>>>>>}float c) -> (y) {}`;
type Blank<Line extends string> = Twice<Twice<Twice<Twice<Twice<Twice<Twice<Twice<Line>>>>>>>>;

describe("the types of a literal source", () => {
  it("tell the tensors of its definitions", () => {
    expect(checkedOnly).toBeTypeOf("function");
  });

  it("follow long texts", () => {
    expectTypeOf<Names<Long>>().toEqualTypeOf<"long">();
    expectTypeOf<Names<Deep>>().toEqualTypeOf<"deep" | "after">();
    expectTypeOf<Names<`${Long}${Deep}${Long}`>>().toEqualTypeOf<"long" | "deep" | "after">();
    expectTypeOf<Names<Wide>>().toEqualTypeOf<"wide">();
  });

  it("are loose where a text is too long to be read, and for what is no text of the language", () => {
    type Comments = Twice<Twice<Twice<Twice<Twice<Twice<Twice<Twice<Twice<Twice<"#\n">>>>>>>>>>;
    expectTypeOf<Names<`${Comments}def f() -> (y) {}`>>().toEqualTypeOf<null>();
    expectTypeOf<Names<`${Twice<Twice<Deep>>}`>>().toEqualTypeOf<"deep" | "after">();
    expectTypeOf<Names<string>>().toEqualTypeOf<null>();
    expectTypeOf<Names<`def ${string}() -> (y) {}`>>().toEqualTypeOf<null>();
    expectTypeOf<Names<"def f(double(N) x) -> (y) {}">>().toEqualTypeOf<null>();
    expectTypeOf<Names<"def f(float(N) x, ) -> (y) {}">>().toEqualTypeOf<null>();
    expectTypeOf<Names<"def f(float(N) x y) -> (y) {}">>().toEqualTypeOf<null>();
    expectTypeOf<Names<"def f(x) -> (y) {}">>().toEqualTypeOf<null>();
    expectTypeOf<Names<"def f() -> (y) {">>().toEqualTypeOf<null>();
    expectTypeOf<Names<"def (float x) -> (y) {}">>().toEqualTypeOf<null>();
    expectTypeOf<Names<"# def f() -> (y) {}">>().toEqualTypeOf<never>();
    expectTypeOf<KernelsOf<string>>().toEqualTypeOf<Kernels>();
    expectTypeOf<Names<`${Blank<"\n\n        ">}def f() -> (y) {}`>>().toEqualTypeOf<"f">();
    expectTypeOf<Names<`${Blank<"\t\t\t\t\n">}def f() -> (y) {}`>>().toEqualTypeOf<null>();
    expectTypeOf<Names<`def f() -> (y) {}${Blank<"\t\t\t\t\n">}`>>().toEqualTypeOf<null>();
  });

  it("say what interpret takes and gives", () => {
    const source = "def scale(int(N) x, int s) -> (y) { y(i) = s * x(i) }";
    const { y } = interpret(source, { x: Int32Array.of(1, 2), s: 3 });
    expectTypeOf(y.shape).toEqualTypeOf<readonly number[]>();
    expect(y.data).toEqual(Int32Array.of(3, 6));
    // @ts-expect-error: a misspelt tensor
    expect(() => interpret(source, { X: Int32Array.of(1), s: 3 })).toThrow("X");
    const two = `${source} def negate(float(N) x) -> (float(N) z) { z(i) = -x(i) }` as const;
    const { z } = interpret(two, { x: [1, 2] }, { def: "negate" });
    expectTypeOf(z.data).toExtend<Float32Array>();
    expect(z.data).toEqual(Float32Array.of(-1, -2));
    const open = (text: string): HostTensors => interpret(text, { x: [1, 2] }, { def: "negate" });
    expect(open(two)["z"]?.data).toEqual(Float32Array.of(-1, -2));
  });
});
