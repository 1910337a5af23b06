import { expect, test } from "vitest";
import { check } from "../../src/api/check.ts";
import { outline } from "../../src/api/outline.ts";
import { lowerSource } from "../../src/compile.ts";
import { printProgram } from "../../src/ir/print-program.ts";
import { checkedOf, codesOf, statementsOf } from "./support.ts";

const cell = `def cell(float(B, C) x, float(B, C) h, float(C, C) W) -> (hn) {
  g(b, c) +=! W(c, k) * h(b, k)
  hn(b, c) = g(b, c) + x(b, c)
}
`;

const net = `${cell}def net(float(T, B, C) x, float(B, C) h0, float(C, C) W) -> (h) {
  h(0) = cell(x(0), h0, W)
  for t in 1:T { h(t) = cell(x(t), h(t - 1), W) }
}
`;

const sizes = { T: 3, B: 2, C: 5 };

function programOf(source: string, given: Readonly<Record<string, number>>): string {
  const lowered = lowerSource(source, { sizes: given });
  return lowered.ok ? printProgram(lowered.program) : "refused";
}

test("slices are views: neither arguments nor results are copied", () => {
  expect(programOf(net, sizes)).toBe(`program net
size T = 3
size B = 2
size C = 5
input float32 x(3, 2, 5)
input float32 h0(2, 5)
input float32 W(5, 5)
output float32 h(3, 2, 5)
temporary float32 cell_g(2, 5)
temporary float32 cell_g_2(2, 5)
cell_g: { b in 0..2, c in 0..5, k in 0..5 } cell_g(b, c) = sum[k] (W(c, k) * h0(b, k))
h: { b in 0..2, c in 0..5 } h(0, b, c) = (cell_g(b, c) + x(0, b, c))
for t in 1..3
  cell_g_2: { t in 1..3, b in 0..2, c in 0..5, k in 0..5 } cell_g_2(b, c) = sum[k] (W(c, k) * h(t - 1, b, k))
  h#1: { t in 1..3, b in 0..2, c in 0..5 } h(t, b, c) = (cell_g_2(b, c) + x(t, b, c))
`);
});

test("a target that is an argument is made in a temporary and copied", () => {
  const source = `def roll(float(N) a) -> (b) { b(i) = a(N - 1 - i) }
def main(float(N) x) -> (x) { x = roll(x) }`;
  expect(statementsOf(source, { sizes: { N: 4 } }).map((s) => s.target)).toEqual(["roll_b", "x"]);
});

test("results in a loop are cleared only where the call leaves elements out", () => {
  const call = (body: string): string => `def part(float(N) a) -> (float(N) b) { ${body} }
def main(float(M, N) x) -> (y) { for m in M { y = part(x(m)) } }`;
  const targets = (body: string): readonly string[] =>
    statementsOf(call(body), { sizes: { M: 2, N: 4 } }).map((s) => s.target);
  expect(targets("b(i) = a(i)")).toEqual(["y"]);
  expect(targets("b(i) max=! a(i) + a(j)")).toEqual(["y"]);
  expect(targets("b(i) = a(i) where i in 1:N")).toEqual(["y", "y"]);
  expect(targets("b(0) = a(0)")).toEqual(["y", "y"]);
  expect(targets("for k in N { b(k) = a(k) }")).toEqual(["y", "y"]);
});

test("names of a call that are taken get a number", () => {
  const source = `def f(float(N) a) -> (b) {
  g(i) = a(i)
  for t in N { b(t) = g(t) }
}
def main(float(N) x) -> (b, f_g, f_t) {
  f_g(i) = x(i)
  for f_t in N { f_t(f_t) = x(f_t) }
  b = f(x)
}`;
  const { tensors, body } = checkedOf(source, { sizes: { N: 3 }, definition: "main" });
  expect(tensors.map((t) => t.name)).toEqual(["x", "b", "f_g", "f_t", "f_g_2"]);
  expect(body.flatMap((n) => (n.kind === "loop" ? [n.name] : []))).toEqual(["f_t", "f_t_2"]);
});

test("a tensor hides the definition of its name", () => {
  const source = `def f(float(N) a) -> (b) { b(i) = a(i) }
def main(float(N) x) -> (y) {
  f(i) = x(i)
  y(i) = f(i)
}`;
  expect(codesOf(source, { sizes: { N: 3 }, definition: "main" })).toEqual([]);
});

test("the definition that no other calls is taken", () => {
  expect(checkedOf(net, { sizes }).name).toBe("net");
  expect(checkedOf(net, { sizes: { B: 2, C: 5 }, definition: "cell" }).name).toBe("cell");
  const two = `${net}def other(float(N) a) -> (b) { b(i) = a(i) }`;
  expect(codesOf(two, { sizes })).toEqual(["TC2015"]);
});

test("a check of all definitions does not ask for the sizes of those that are called", () => {
  const renamed = net.replace(
    "float(T, B, C) x, float(B, C) h0, float(C, C) W",
    "float(T, P, Q) x, float(P, Q) h0, float(Q, Q) W",
  );
  expect(check(renamed, { sizes: { T: 3, P: 2, Q: 5 } }).diagnostics).toEqual([]);
  expect(check(renamed).diagnostics.map((d) => d.message)).toEqual([
    "no value given for `T`, `P`, `Q`",
  ]);
});

test("a mistake in a definition is told once, however often it is called", () => {
  const source = `def f(float(N) a) -> (b) { b(i) = a(i) + nothing }
def main(float(N) x) -> (y, z) {
  y = f(x)
  z = f(y)
}`;
  expect(check(source, { sizes: { N: 3 } }).diagnostics.map((d) => d.code)).toEqual(["TC2001"]);
});

test("an unused parameter of a definition, and one that is only passed on", () => {
  const source = `def f(float(N) a, float(N) unused) -> (b) { b(i) = a(i) }
def main(float(N) x, float(N) z) -> (y) { y = f(x, z) }`;
  const found = check(source, { sizes: { N: 3 } }).diagnostics;
  expect(found.map((d) => d.message)).toEqual(["the parameter `unused` is never used"]);
});

test("an integer that only a call needs when compiling is given like a size", () => {
  const source = `def every(float(N) a, int s, int c) -> (b) { b(i) = a(s * i) + c }
def main(float(N) x, int step, int add) -> (y) { y = every(x, step, add) }`;
  expect(outline(source).definitions.map((d) => d.parameters)).toEqual([["s"], ["step"]]);
  const { tensors } = checkedOf(source, { sizes: { N: 9, step: 2 } });
  expect(tensors.map((t) => t.name)).toEqual(["x", "add", "y"]);
  expect(tensors.find((t) => t.name === "y")?.shape).toEqual([5]);
});

test.each([
  ["b = f(a, a)", ["TC2005"]],
  ["(b, c) = f(a)", ["TC2025"]],
  ["b = f(2.0 * a(0))", ["TC2026"]],
  ["b = f(nothing)", ["TC2001"]],
  ["b = f(a(0))", ["TC2026"]],
  ["b = f(a(0, 0))", ["TC2006"]],
  ["b = f(c)", ["TC3008"]],
  ["b(i) = f(a)", ["TC2030"]],
  ["b += f(a)", ["TC2024"]],
  ["b = f(a) where i in 0:2", ["TC2024"]],
  ["b = g(a)", ["TC2004"]],
  ["(b) = g(a)", ["TC2015"]],
  ["b = f(f(a))", ["TC2024"]],
  ["a = f(a)", ["TC2017"]],
  ["for t in N { b(t) = f(a) }", []],
  ["for t in N { b(t - 1) = f(a) }", ["TC3005"]],
  ["for t in N { b(t) = f(b(t)) }", ["TC3012"]],
])("a call, right or wrong: `%s`", (body, codes) => {
  const source = `def f(float(K) x) -> (y) { y(i) = x(i) }
def main(float(N) a) -> (b) {
  ${body}
  ${body.includes("c)") ? "c(i) = a(i)" : ""}
}`;
  const found = codesOf(source, { sizes: { N: 3 }, definition: "main" });
  expect(found.filter((code) => code !== "TC2019" && code !== "TC2018")).toEqual(codes);
});
