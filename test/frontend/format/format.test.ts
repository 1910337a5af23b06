import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "../../../src/frontend/syntax/parse.ts";
import { format } from "../../../src/index.ts";
import { bareTree } from "../bare-tree.ts";

/** The formatted body of a definition whose body is given. */
function body(statements: string): string {
  const lines = format(`def f() -> (y) {\n${statements}\n}`).split("\n");
  expect(lines[0]).toBe("def f() -> (y) {");
  expect(lines.slice(-2)).toEqual(["}", ""]);
  return lines
    .slice(1, -2)
    .map((line) => line.replace(/^ {2}/, ""))
    .join("\n");
}

const examples = readdirSync("examples").filter((name) => name.endsWith(".tc"));

test.each(examples)(
  "%s formats to a text of the same tree and comments, once and for all",
  (name) => {
    const source = readFileSync(`examples/${name}`, "utf8");
    const formatted = format(source);
    expect(parse(formatted).diagnostics).toEqual([]);
    expect(bareTree(parse(formatted).module)).toEqual(bareTree(parse(source).module));
    expect(format(formatted)).toBe(formatted);
    const comments = (text: string): readonly string[] => text.match(/#.*/g) ?? [];
    expect(comments(formatted)).toEqual(comments(source));
    for (const line of formatted.split("\n")) {
      if (!line.includes("#")) expect(line.length).toBeLessThanOrEqual(100);
    }
  },
);

test("spaces stand around operators and after commas, and nowhere else", () => {
  const source = `def   mm(float(M,K)A,float( K , N ) B)->(C){C(m,n)+=!A(m,k)*B(k,n)}`;
  expect(format(source)).toBe(
    [
      "def mm(float(M, K) A, float(K, N) B) -> (C) {",
      "  C(m, n) +=! A(m, k) * B(k, n)",
      "}",
      "",
    ].join("\n"),
  );
  expect(body("y( i )=- a(i)+! b - -2<3 where i in 0 : N-1,k=i *2 , exists a (k)")).toBe(
    "y(i) = -a(i) + !b - -2 < 3 where i in 0:N - 1, k = i * 2, exists a(k)",
  );
  expect(body("( a , b(i) )=g ( x,1 )")).toBe("(a, b(i)) = g(x, 1)");
  expect(body("y(i)=T .0?pad( x(i) ,1.0 ):int8 (x(i))")).toBe(
    "y(i) = T.0 ? pad(x(i), 1.0) : int8(x(i))",
  );
});

test("loops and branches stand on lines of their own", () => {
  expect(body("for t in T { if t==0 { y(t)=1 } else if t<3 {y(t)=2} else {} }")).toBe(
    ["for t in T {", "  if t == 0 {", "    y(t) = 1", "  } else if t < 3 {"].join("\n") +
      ["", "    y(t) = 2", "  } else {}", "}"].join("\n"),
  );
  expect(body("for t in reversed( 0:T ){}")).toBe("for t in reversed(0:T) {}");
});

test("numbers keep their spelling", () => {
  expect(body("y = 0x1F + 3E5 + .5 + 1. + 1e-5")).toBe("y = 0x1F + 3E5 + .5 + 1. + 1e-5");
});

test("parentheses go where they say nothing, and stay where they are needed or help", () => {
  expect(body("y = ((a + b))")).toBe("y = a + b");
  expect(body("y = (a) + ((b(i))) - (3)")).toBe("y = a + b(i) - 3");
  expect(body("y = f((a + b), (c))")).toBe("y = f(a + b, c)");
  expect(body("y = (a + b) * c - ((a * b))")).toBe("y = (a + b) * c - (a * b)");
  expect(body("y = (a < b) ? (c) : (a ? b : c)")).toBe("y = (a < b) ? c : (a ? b : c)");
  expect(body("y = -(-(a)) - (-b)")).toBe("y = -(-a) - (-b)");
  expect(body("y(i) = 1 where i in (0):(a ? 1 : 2)")).toBe("y(i) = 1 where i in 0:(a ? 1 : 2)");
  expect(body("if (t == 0) { y = (1) }")).toBe("if t == 0 {\n  y = 1\n}");
});

const long = "aaaaaaaaaaaaaaaaaaaaaaaa(i, j) * bbbbbbbbbbbbbbbbbbbbbbbb(j, k)";

test("what is longer than 100 columns is broken at its outermost operators", () => {
  expect(body(`y(i) +=! ${long} + cccccccccccccccccc(i) - 1.0`)).toBe(
    [`y(i) +=! ${long}`, "    + cccccccccccccccccc(i)", "    - 1.0"].join("\n"),
  );
  expect(body(`y(i) +=! ${long} where i in 0:N, j in 0:M, k in 0:i`)).toBe(
    [`y(i) +=! ${long}`, "    where i in 0:N, j in 0:M, k in 0:i"].join("\n"),
  );
  expect(body(`y(i) = (${long} - c(i)) * (${long} + d(i))`)).toBe(
    [`y(i) = (${long} - c(i))`, `    * (${long} + d(i))`].join("\n"),
  );
  expect(body(`y(i) = fmin(${long}, ${long})`)).toBe(
    ["y(i) = fmin(", `  ${long},`, `  ${long}`, ")"].join("\n"),
  );
  expect(body(`y(i) = a < b ? ${long} : c < d ? ${long} : 3`)).toBe(
    [`y(i) = a < b ? ${long}`, `    : c < d ? ${long}`, "    : 3"].join("\n"),
  );
  const ranges = "where a in 0:AAAAAAAAAAAAAAAAAAAAAAAA, b in 0:BBBBBBBBBBBBBBBBBBBBBBBBBBBBB";
  expect(body(`y(i) = 1 ${ranges}, c in 0:CCCCCCCCCCCCCCCCCCCCCCCCC`)).toBe(
    [
      "y(i) = 1",
      "    where a in 0:AAAAAAAAAAAAAAAAAAAAAAAA,",
      "          b in 0:BBBBBBBBBBBBBBBBBBBBBBBBBBBBB,",
      "          c in 0:CCCCCCCCCCCCCCCCCCCCCCCCC",
    ].join("\n"),
  );
});

test("a long head has a parameter a line", () => {
  const parameters = ["image", "weight", "bias"].map(
    (name) => `float(${"N, ".repeat(8)}N) ${name}`,
  );
  const source = `def conv2d(${parameters.join(", ")}) -> (out) {}`;
  expect(format(source)).toBe(
    `def conv2d(\n${parameters.map((p) => `  ${p}`).join(",\n")}\n) -> (out) {}\n`,
  );
});

test("the results of a long head have a line of their own before its parameters do", () => {
  const parameters = ["image", "weight", "bias"].map((name) => `float(N, N, N, N, N) ${name}`);
  const head = `def convolution(${parameters.join(", ")})`;
  const results = "(first_result, second_result)";
  expect(format(`# about it\n${head} -> ${results} {}`)).toBe(
    `# about it\n${head}\n    -> ${results} {}\n`,
  );
});

test("comments stay with what they are written at", () => {
  const source = [
    "# about the file",
    "",
    "",
    "",
    "#!sizes N=4   ",
    "def f(float(N) x, # the input",
    "      # the scale",
    "      float s) -> (y) { # go",
    "",
    "    # first",
    "  y(i) = x(i)+ # one",
    "     s         # two",
    "",
    "",
    "  # between",
    "  if s == 1 { y(i) += 1 } # then",
    "  else { y(i) += 2",
    "  # last",
    "  }",
    "",
    "}",
    "# about g",
    "def g() -> (q) {",
    "}   # end",
  ].join("\n");
  const expected = [
    "# about the file",
    "",
    "#!sizes N=4",
    "def f(",
    "  float(N) x, # the input",
    "  # the scale",
    "  float s",
    ") -> (y) { # go",
    "  # first",
    "  y(i) = x(i) # one",
    "      + s # two",
    "",
    "  # between",
    "  if s == 1 {",
    "    y(i) += 1",
    "  } # then",
    "  else {",
    "    y(i) += 2",
    "    # last",
    "  }",
    "}",
    "",
    "# about g",
    "def g() -> (q) {} # end",
    "",
  ].join("\n");
  expect(format(source)).toBe(expected);
  expect(format(expected)).toBe(expected);
});

test("TC's clause that has no meaning stays", () => {
  expect(body("y(i) = x(i) <=>foo( a,-1,b - 1 , T.0 )")).toBe(
    "y(i) = x(i) <=> foo(a, -1, b - 1, T.0)",
  );
  expect(body("y(i) = x(i) where i in 0:3 <=> foo")).toBe("y(i) = x(i) where i in 0:3 <=> foo");
});

test("line ends are newlines, of which one is at the end", () => {
  expect(format("def f() -> (y) {\r\n  # a\r\n  y = 1\r\n\r\n\r\n}\r\n\r\n")).toBe(
    "def f() -> (y) {\n  # a\n  y = 1\n}\n",
  );
  expect(format("")).toBe("");
  expect(format(" \n\n")).toBe("");
  expect(format("\n\n# only\n\n\n# comments")).toBe("# only\n\n# comments\n");
});

test("a text with syntax errors comes back as it is", () => {
  for (const source of [
    "def f( {",
    "def f() -> (y) {  y = 1 +  }",
    "  é  ",
    "def f()->(y){y=3.0f}",
  ]) {
    expect(format(source)).toBe(source);
  }
});
