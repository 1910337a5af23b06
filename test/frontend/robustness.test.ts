import { expect, test } from "vitest";
import { format } from "../../src/frontend/format/format.ts";
import { parse } from "../../src/frontend/syntax/parse.ts";
import { sourceFaults } from "./mutations/source-faults.ts";

const head = "#! sizes N=4\ndef f(float(N) a) -> (b) {\n";

function body(text: string): string {
  return `${head}  ${text}\n}\n`;
}

const texts: Readonly<Record<string, string>> = {
  nothing: "",
  blanks: " \n\t\r\n ",
  "a byte order mark": `\ufeff${body("b(i) = a(i)")}`,
  "Windows lines": body("b(i) = a(i)\n  c(i) = b(i) $ 2").replaceAll("\n", "\r\n"),
  "old Macintosh lines": body("b(i) = a(i) $").replaceAll("\n", "\r"),
  zeros: "\0".repeat(1000),
  "every byte": Array.from({ length: 256 }, (_, n) => String.fromCharCode(n)).join(""),
  "a picture": `\u0089PNG\r\n\u001a\n${"\u00ff\u0000\u0010JFIF".repeat(2000)}`,
  "lone surrogates": body("b(i) = a(i) + \ud800\udc00 \udfff \ud8ff"),
  "turned text": body("b(i) = \u202ea(i)\u202c # \u2066"),
  "a line of a megabyte": body(`b(i) = a(i)${" ".repeat(1_000_000)}+ nothing`),
  "a comment of a megabyte": body(`b(i) = a(i) # ${"x".repeat(1_000_000)}`),
  semicolons: body(";".repeat(200_000)),
  brackets: body("[".repeat(100_000)),
  "bracketed indices": body(`b${"[i]".repeat(10_000)} = a(i)`),
  slashes: body("b(i) = a(i // ".repeat(10_000)),
  "a megabyte of comments": body("/* ".repeat(300_000)),
  "bad characters": body("\u00a7 ".repeat(50_000)),
  "thousands of mistakes": body("b(i) = x\n".repeat(4_000)),
  "ten thousand parentheses": body(`b(i) = ${"(".repeat(10_000)}a(i)${")".repeat(10_000)}`),
  "ten thousand open parentheses": body(`b(i) = ${"(".repeat(10_000)}`),
  "ten thousand closing parentheses": body(`b(i) = a(i)${")".repeat(10_000)}`),
  "ten thousand braces": body(`${"for t in N { ".repeat(10_000)}b(0) = 1`),
  "ten thousand closing braces": body("}".repeat(10_000)),
  "ten thousand signs": body(`b(i) = ${"-".repeat(10_000)}a(i)`),
  "ten thousand negations": body(`b(i) = ${"!".repeat(10_000)}(a(i) > 0) ? 1 : 0`),
  "ten thousand choices": body(`b(i) = ${"a(i) > 0 ? 1 : ".repeat(10_000)}2`),
  "ten thousand casts": body(`b(i) = ${"float(".repeat(10_000)}a(i)${")".repeat(10_000)}`),
  "ten thousand gathers": body(`b(i) = ${"a(".repeat(10_000)}i${")".repeat(10_000)}`),
  "ten thousand else ifs": body(`${"if 1 == 2 { b(0) = 1 } else ".repeat(10_000)}{ b(0) = 2 }`),
  "ninety parentheses that nobody closes": body(`b(i) = ${"(".repeat(90)}float`),
  "a hundred parentheses with mistakes": body(
    `b(i) = ${"(1 + ".repeat(98)} def ${")".repeat(50)} = where ${"(".repeat(40)}`,
  ),
  "twenty thousand statements": body("b(i) = a(i)\n".repeat(20_000)),
  "four thousand definitions": "def f(float(N) a) -> (b) { b(i) = a(i) }\n".repeat(4_000),
  "a name of fifty thousand letters": body(`${"x".repeat(50_000)}(i) = ${"y".repeat(50_000)}(i)`),
  "many near names": body(
    `${Array.from({ length: 2000 }, (_, n) => `name_${n}(i) = a(i)`).join("\n")} b(i) = nmae_7`,
  ),
  "a number of fifty thousand digits": body(`b(i) = ${"9".repeat(50_000)} * a(i)`),
  "words that a sign separates":
    "def f(float(N) a)->(b){b(i)=1 where i in 0:3;c(i)=2;b(i)=a(i)<=>f(a)where i in 0:3}",
  "a choice at the end of a range": body("b(i) +=! 1 where i in 0:N > 3 ? 2 : 1"),
  "an index beyond int32": body("b(i) +=! float(k % N) where k in 0:2147483647 + N"),
  "fixes that meet": body("b(i) = a(i) where i in !0..3"),
  "a thousand parameters": `def f(${"float(N) a, ".repeat(1000)}float s) -> (b) { b = s }`,
  "a thousand dimensions": body(`b(${"i, ".repeat(1000)}i) = a(i)`),
  "a thousand indices": body(
    `b(i) +=! a(i) * ${Array.from({ length: 1000 }, (_, n) => `pad(a(i${n}))`).join(" * ")}`,
  ),
  "a directive of a megabyte": `#! sizes ${"N=1 ".repeat(250_000)}\n${body("b(i) = a(i)")}`,
  "ten thousand lets": body(
    `b(i) = x0 where ${Array.from({ length: 10_000 }, (_, n) => `x${n} = x${n + 1}`).join(", ")}`,
  ),
  "calls that double": [
    "def f0(float(N) a) -> (b) { b(i) = a(i) }",
    ...Array.from(
      { length: 30 },
      (_, n) => `def f${n + 1}(float(N) a) -> (b) {\n  c = f${n}(a)\n  b = f${n}(c)\n}`,
    ),
  ].join("\n"),
  "lets that double": body(
    `b(i) = x0 where ${Array.from({ length: 30 }, (_, n) => `x${n} = x${n + 1} + x${n + 1}`).join(", ")}, x60 = a(i)`,
  ),
};

test.each(Object.entries(texts))(
  "%s: an answer in seconds",
  (_name, source) => {
    expect(sourceFaults(source, 50)).toEqual([]);
  },
  60_000,
);

test("a byte order mark and the ends of lines change nothing", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const source = `\ufeff${body("b(i) = a(i)")}`.replaceAll("\n", end);
    expect(parse(source).diagnostics).toEqual([]);
    expect(format(format(source))).toBe(format(source));
  }
});
