import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";
import { parse } from "../../src/frontend/syntax/parse.ts";
import { printModule } from "../../src/frontend/syntax/print-ast.ts";
import { arbitraryModule } from "./arbitrary-ast.ts";

/** The tree without spans. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !/[sS]pan$/.test(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, bare(inner)]));
}

const examples = readdirSync("examples").filter((name) => name.endsWith(".tc"));

test("there are at least the ten programs", () => {
  expect(examples.length).toBeGreaterThanOrEqual(10);
});

test.each(examples)("%s prints to text that parses to the same tree", (name) => {
  const source = readFileSync(`examples/${name}`, "utf8");
  const parsed = parse(source);
  expect(renderDiagnostics(parsed.diagnostics, { source })).toBe("");
  expect(parsed.module.definitions.length).toBeGreaterThan(0);
  const again = parse(printModule(parsed.module));
  expect(again.diagnostics).toEqual([]);
  expect(bare(again.module)).toEqual(bare(parsed.module));
});

test("printing and parsing any tree gives the same tree", () => {
  fc.assert(
    fc.property(arbitraryModule, (module) => {
      const source = printModule(module);
      const parsed = parse(source);
      expect(renderDiagnostics(parsed.diagnostics, { source })).toBe("");
      expect(bare(parsed.module)).toEqual(bare(module));
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("no text makes the parser throw", () => {
  const words = fc.constantFrom(
    ..."def f ( ) -> { } , : ? = += +=! ! - + * / < && || 1 2.5 .0 x A float where in exists for if else reversed pad min inf #! # \n <=> ; é".split(
      " ",
    ),
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), (parts) => {
      const source = parts.join(" ");
      const { diagnostics } = parse(source);
      for (const d of diagnostics) {
        expect(d.span.start).toBeGreaterThanOrEqual(0);
        expect(d.span.end).toBeLessThanOrEqual(source.length);
      }
      renderDiagnostics(diagnostics, { source });
    }),
    { seed: 2, numRuns: 1000 },
  );
});

test("spans cover exactly the text of their nodes", () => {
  const source = "def f(float(N) a) -> (b) { b(i) = 2.0 * (a(i) + a.0) where i in 0:N }";
  const text = ({ start, end }: { start: number; end: number }) => source.slice(start, end);
  const [definition] = parse(source).module.definitions;
  const [statement] = definition?.body ?? [];
  if (statement?.kind !== "assign" || statement.value.kind !== "binary") throw new Error("shape");
  expect(text(statement.span)).toBe("b(i) = 2.0 * (a(i) + a.0) where i in 0:N");
  expect(text(statement.target.span)).toBe("b(i)");
  expect(text(statement.operatorSpan)).toBe("=");
  expect(text(statement.value.right.span)).toBe("a(i) + a.0");
  expect(text(statement.clauses[0]?.span ?? statement.span)).toBe("i in 0:N");
});

test("a statement begins where parentheses are assigned to", () => {
  const body = (text: string) => {
    const { module, diagnostics } = parse(`def f(float s) -> (a) { ${text} }`);
    expect(diagnostics).toEqual([]);
    return module.definitions[0]?.body.map((s) => s.kind);
  };
  expect(body("a = s b(i) = 1 c = 2")).toEqual(["assign", "assign", "assign"]);
  expect(body("a = s (b, c) = g(s)")).toEqual(["assign", "call"]);
});

test("an element has no dimensions", () => {
  const codes = (value: string) =>
    parse(`def f(float(N) x) -> (a) { a = ${value} }`).diagnostics.map((d) => d.code);
  expect(codes("x.0 + x .0")).toEqual([]);
  expect(codes("x(0).0")).toEqual(["TC1001"]);
});

test("recovery keeps the definitions after a broken one", () => {
  const { module, diagnostics } = parse(
    "def f(float(N) a) -> (b) {\n  b(i) = a(i) +\n}\ndef g(float(N) a) -> (b) { b(i) = a(i) }",
  );
  expect(diagnostics.map((d) => d.code)).toEqual(["TC1001"]);
  expect(module.definitions.map((d) => d.name.name)).toContain("g");
});

test("chains and nests up to the limit parse, beyond it they are refused", () => {
  const nest = (n: number) => `def f(float s) -> (a) { a = ${"(".repeat(n)}s${")".repeat(n)} }`;
  expect(parse(nest(90)).diagnostics).toEqual([]);
  expect(parse(nest(10_000)).diagnostics.map((d) => d.code)).toEqual(["TC1005"]);
  const chain = (n: number) => `def f(float s) -> (a) { a = s${" + s".repeat(n)} }`;
  expect(parse(chain(900)).diagnostics).toEqual([]);
  expect(parse(chain(100_000)).diagnostics.map((d) => d.code)).toEqual(["TC1005"]);
  const elses = "if s == 1 { a = s } else ".repeat(400);
  expect(parse(`def f(float s) -> (a) { ${elses} { a = 0 } }`).diagnostics).toEqual([]);
});
