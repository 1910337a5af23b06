import { expect, test } from "vitest";
import { interpret } from "../../src/api/interpret.ts";
import type { CheckedExpression } from "../../src/frontend/checked.ts";
import { printChecked } from "./print-checked.ts";
import { checkedOf, codesOf, statementsOf } from "./support.ts";

const head = "#! sizes N=4\ndef f(float(N) x, int(N) k, uint32(N) u, bool(N) b, float s) -> (o)";

/** The type of `o` after `o(i) = value`. */
function typeOf(value: string): string | undefined {
  const { tensors } = checkedOf(`${head} { o(i) = ${value} where i in 0:N }`);
  return tensors.find((t) => t.name === "o")?.type;
}

/** The right side of `o(i) = value`, as it is printed. */
function printed(value: string): string {
  const text = printChecked(checkedOf(`${head} { o(i) = ${value} where i in 0:N }`));
  return / = (.*)\n/.exec(text)?.[1] ?? "";
}

test("float beats int, signed beats unsigned, everything beats bool", () => {
  expect(typeOf("x(i) + k(i)")).toBe("float32");
  expect(typeOf("k(i) + u(i)")).toBe("int32");
  expect(typeOf("u(i) * u(i)")).toBe("uint32");
  expect(typeOf("b(i) + b(i)")).toBe("int32");
  expect(typeOf("b(i) * x(i)")).toBe("float32");
  expect(typeOf("b(i) && k(i) > 0")).toBe("bool");
  expect(typeOf("b(i) ? k(i) : 2.5")).toBe("float32");
  expect(typeOf("i")).toBe("int32");
});

test("literals adapt to their operand, sizes do not", () => {
  expect(printed("x(i) * 2")).toBe("(x(i) * 2)");
  expect(typeOf("u(i) + 1")).toBe("uint32");
  expect(typeOf("u(i) + 3000000000")).toBe("uint32");
  expect(typeOf("u(i) + -1")).toBe("int32");
  expect(typeOf("u(i) + N")).toBe("int32");
  expect(typeOf("-2147483648")).toBe("int32");
  expect(codesOf(`${head} { o(i) = 2147483648 where i in 0:N }`)).toContain("TC1004");
  expect(printed("x(i) / N")).toBe("(x(i) / 4)");
});

test("division and remainder follow the type", () => {
  expect(printed("k(i) / 2")).toBe("(k(i) floorDiv 2)");
  expect(printed("x(i) / 2")).toBe("(x(i) / 2)");
  expect(printed("x(i) % 2")).toBe("(x(i) floorMod 2)");
  expect(printed("(7 / 2) * k(i)")).toBe("(3 * k(i))");
  expect(printed("k(i) / 2.0")).toBe("(float32(k(i)) / 2)");
});

test("functions take and give what they say", () => {
  expect(typeOf("exp(k(i))")).toBe("float32");
  expect(typeOf("max(k(i), 0)")).toBe("int32");
  expect(typeOf("fmax(k(i), 0)")).toBe("float32");
  expect(typeOf("abs(u(i))")).toBe("uint32");
  expect(typeOf("isnan(x(i))")).toBe("bool");
  expect(printed("select(0.0, x(i), b(i))")).toBe("(b(i) ? x(i) : 0)");
  expect(typeOf("int32(x(i))")).toBe("int32");
  expect(printed("float(3)")).toBe("3");
});

test("a tensor has the promotion of all that is written to it, also in circles", () => {
  const { tensors } = checkedOf(`#! sizes N=4
    def f(int(N) k, float(N) x) -> (o, best, any) {
      for t in N {
        h(t, i) = t == 0 ? k(i) : h(t - 1, i)
        h(t, i) = x(i) + h(t, i)
      }
      o(i) = h(0, i)
      best argmin=! x(i)
      any ||=! x(i) > 0.0
    }`);
  const types = new Map(tensors.map((t) => [t.name, t.type]));
  expect(types.get("h")).toBe("float32");
  expect(types.get("o")).toBe("float32");
  expect(types.get("best")).toBe("int32");
  expect(types.get("any")).toBe("bool");
});

test("ints are stored in floats, floats in ints only with a cast", () => {
  const codes = (value: string): readonly string[] =>
    codesOf(`#! sizes N=4
      def f(float(N) x, int(N) k) -> (float(N) p, int(N) q) {
        p(i) = x(i) + k(i)
        q(i) = ${value}
      }`);
  expect(codes("k(i)")).toEqual([]);
  expect(codes("int(x(i))")).toEqual([]);
  expect(codes("x(i)")).toEqual(["TC2007"]);
  expect(codes("2.0 * k(i)")).toEqual(["TC2007"]);
  expect(codes("k(i) > 0")).toEqual([]);
});

test("statement indices hide loops, loops hide parameters", () => {
  const statements = statementsOf(`#! sizes N=4
    def f(float(N) x) -> (o) {
      for i in N { o(i) = x(i) }
      for r in N { p(j) +=! x(r) where r in 0:2, j in 0:1 }
    }`);
  expect(statements[0]?.dims).toEqual([]);
  expect(statements[1]?.dims.map((d) => [d.name, d.source, d.reduced])).toEqual([
    ["j", "j", false],
    ["r_", "r", true],
  ]);
});

test("loops of the same name get different ones", () => {
  const { body } = checkedOf(`#! sizes N=4
    def f(float(N) x) -> (o, p) {
      for t in N { o(t) = x(t) }
      for t in N { p(t) = x(t) }
    }`);
  expect(body.map((node) => (node.kind === "loop" ? node.name : ""))).toEqual(["t", "t_"]);
});

test("lets stand for their value on both sides", () => {
  const [statement] = statementsOf(`#! sizes N=4
    def f(float(N) x) -> (o) { o(k) = y * y where k = 2 * i + 1, y = x(i) }`);
  expect(statement?.dims.map((d) => [d.name, d.reduced])).toEqual([["i", false]]);
  expect(statement?.left).toEqual([
    {
      kind: "affine",
      affine: { terms: [{ variable: "i", coefficient: 2 }], constant: 1 },
    },
  ]);
});

test("in-place updates are recognised by their first write", () => {
  const roles = (body: string, results = "(o)"): readonly string[] =>
    checkedOf(`#! sizes N=4\ndef f(float(N) x) -> ${results} { ${body} }`).tensors.map(
      (t) => t.role,
    );
  expect(roles("o(i) = x(i)")).toEqual(["input", "output"]);
  expect(roles("o(i) += x(i)")).toEqual(["input", "inout"]);
  expect(roles("x(i) = x(3 - i)", "(x)")).toEqual(["inout"]);
  expect(roles("t(i) = x(i) o(i) = t(i)")).toEqual(["input", "output", "temporary"]);
});

test("`-=` adds the negative, `/=` divides what is there", () => {
  const text = printChecked(
    checkedOf("#! sizes N=4\ndef f(float(N) x) -> (x) { x(i) -= x(i) x(i) /= 2 }"),
  );
  expect(text).toContain("x(i) += -x(i)");
  expect(text).toContain("x(i) = (x(i) / 2)");
});

test("integer index arithmetic in a value is a coordinate", () => {
  const [statement] = statementsOf(`${head} { o(i) = (i / 2 + 3 * i) * k(i) }`);
  const value = statement?.value as Extract<CheckedExpression, { kind: "binary" }>;
  expect(value.left.kind).toBe("coordinate");
  expect(statement?.quotients.length).toBe(1);
});

test("any name is a name", () => {
  const source = `#! sizes array=4
    def var(float(array) fn) -> (texture) { texture(loop) = fn(loop) + _x(loop)
    } `.replace(" + _x(loop)", "");
  expect(checkedOf(source).tensors.map((t) => t.name)).toEqual(["fn", "texture"]);
});

test("builtin functions may be shadowed", () => {
  const source = "#! sizes N=4\ndef f(float(N) exp) -> (o) { o(i) = exp(i) }";
  expect(statementsOf(source)[0]?.value.kind).toBe("access");
});

test("sums and products of bools are integers, and need a cast to be stored as bools", () => {
  const bools = "#! sizes N=4\ndef f(bool(N) p)";
  const typeOf = (operator: string): string | undefined =>
    checkedOf(`${bools} -> (o) { o() ${operator} p(i) }`).tensors.find((t) => t.name === "o")?.type;
  expect(["+=!", "*=!", "max=!", "||=!"].map(typeOf)).toEqual(["int32", "int32", "bool", "bool"]);
  expect(codesOf(`${bools} -> (bool o) { o() +=! p(i) }`)).toEqual(["TC2007"]);
});

test("the largest of bools is whether one is true, the smallest whether all are", () => {
  const source = `#! sizes N=3 M=2
def f(bool(N, M) p) -> (bool(N) most, bool(N) least, int(N) number) {
  most(i) max=! p(i, j)
  least(i) min=! p(i, j)
  number(i) max=! p(i, j)
}`;
  const p = { data: new Uint32Array([0, 0, 0, 1, 1, 1]), shape: [3, 2] };
  const { most, least, number } = interpret(source, { p });
  expect([most, least, number].map((t) => Array.from(t.data, Number))).toEqual([
    [0, 1, 1],
    [0, 0, 1],
    [0, 1, 1],
  ]);
});

test("an index is known before the access that makes it", () => {
  expect(statementsOf(`${head} { o() +=! i * k(i) }`)[0]?.dims.map((d) => d.name)).toEqual(["i"]);
  expect(codesOf(`${head} { o() +=! j * k(i) }`)).toContain("TC2001");
});

test("a compile-time parameter may be given by `#! input`", () => {
  const source =
    "#! sizes N=9\n#! input x=arange S=2\ndef f(float(N) x, int S) -> (y) { y(i) = x(S * i) }";
  expect(checkedOf(source).sizes).toEqual([
    { name: "N", value: 9 },
    { name: "S", value: 2 },
  ]);
  const sizeOf = (options: Parameters<typeof checkedOf>[1]): number | undefined =>
    checkedOf(source, options).sizes.find((s) => s.name === "S")?.value;
  expect(sizeOf({ sizes: { S: 3 } })).toBe(3);
  expect(codesOf(source.replace("S=2", "S=1.5"))).toEqual(["TC2013"]);
});
