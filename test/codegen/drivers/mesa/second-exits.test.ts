import { expect, test } from "vitest";
import { secondExits } from "../../../../src/codegen/drivers/mesa/second-exits.ts";
import type { Kernel, KernelStatement as S } from "../../../../src/codegen/kernel.ts";
import { printKernel } from "../../../../src/codegen/print-kernel.ts";
import { verifyKernel } from "../../../../src/codegen/verify-kernel/verify-kernel.ts";
import { compile } from "../../../../src/compile.ts";
import { baselineProfile } from "../../../../src/support/device-profile.ts";
import {
  assign,
  declare,
  f,
  groupX,
  kernelOf,
  load,
  loop,
  op,
  storage,
  store,
  u,
  variable,
} from "../../support/kernels.ts";

const wide = (n: number): string => `v${n}`;
const vector = (name: string) => variable(name, "float32", 4);
const add = (name: string): S => assign(name, op(vector(name), "+", load("x", u(0), "float32", 4)));

function kernelWith(body: readonly S[], workgroups = 8): Kernel {
  const wideArrays = [storage("x", 64, "read"), storage("y", 64)].map((a) => ({
    ...a,
    width: 4 as const,
  }));
  return kernelOf(wideArrays, body, { workgroupSize: 1, grid: [workgroups, 1, 1] });
}

/** The heads of the loops of a kernel after the pass. */
function heads(kernel: Kernel): readonly string[] {
  const changed = secondExits(kernel, 33);
  expect(verifyKernel(changed, baselineProfile)).toEqual([]);
  return printKernel(changed)
    .split("\n")
    .filter((line) => line.includes("loop "))
    .map((line) => line.trim());
}

const sumOf = (extent: number): readonly S[] => [
  declare("v0", f(0, 4), true),
  loop("k", extent, [add("v0")]),
  store("y", op(groupX, "*", u(4)), vector("v0")),
];

test("a long loop that carries a vector has an exit that is never taken", () => {
  expect(heads(kernelWith(sumOf(64)))).toEqual([
    "loop k in 0..64 to 64u + workgroup-x / 2147483648u",
  ]);
});

test("a loop that Mesa writes out stays as it is, unless it carries many vectors", () => {
  expect(heads(kernelWith(sumOf(33)))).toEqual(["loop k in 0..33"]);
  expect(heads(kernelWith(sumOf(34)))[0]).toContain(" to 34u");
  const names = Array.from({ length: 32 }, (_, n) => wide(n));
  const many = (extent: number): readonly S[] => [
    ...names.map((name) => declare(name, f(0, 4), true)),
    loop("k", extent, names.map(add)),
  ];
  expect(heads(kernelWith(many(3)))).toEqual(["loop k in 0..3"]);
  expect(heads(kernelWith(many(4)))[0]).toContain(" to 4u");
});

test("loops that carry scalars, or vectors of one iteration alone, stay", () => {
  const scalar = variable("s", "float32");
  const body = [
    declare("s", f(0), true),
    loop("k", 64, [assign("s", op(scalar, "+", f(1)))]),
    loop("j", 64, [declare("v0", f(0, 4), true), add("v0"), store("y", u(0), vector("v0"))]),
  ];
  expect(heads(kernelWith(body))).toEqual(["loop k in 0..64", "loop j in 0..64"]);
});

test("of loops in each other the one that computes the vectors has the exit", () => {
  const body = [declare("v0", f(0, 4), true), loop("k", 64, [loop("j", 64, [add("v0")])])];
  expect(heads(kernelWith(body))).toEqual([
    "loop k in 0..64",
    "loop j in 0..64 to 64u + workgroup-x / 2147483648u",
  ]);
});

test("a loop that ends before its extent has two exits already", () => {
  const [declared, sum, stored] = sumOf(64);
  const body = [declared, { ...sum, end: groupX }, stored] as readonly S[];
  expect(heads(kernelWith(body))).toEqual(["loop k in 0..64 to workgroup-x"]);
});

test("in a kernel of one workgroup nothing is hidden", () => {
  expect(heads(kernelWith(sumOf(64), 1))).toEqual(["loop k in 0..64"]);
});

const source = "def f(float(M,K) A, float(K,N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const shapes = { A: [64, 64], B: [64, 64] };

test.for([
  ["llvmpipe", 1],
  ["swiftshader", 0],
  ["gpu", 0],
] as const)("on %s a product has %s loops with a second exit", ([profile, exits]) => {
  const result = compile(source, { shapes, profile });
  const text = result.ok ? (result.plan.kernels[0]?.wgsl ?? "") : "";
  expect(text).toContain("for (");
  expect(text.split("{ break; }").length - 1).toBe(exits);
});
