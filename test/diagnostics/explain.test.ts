import { expect, test } from "vitest";
import { check } from "../../src/api/check.ts";
import { compile } from "../../src/compile.ts";
import { type Code, problemTexts } from "../../src/diagnostics/codes.ts";
import {
  diagnosticCodes,
  explain,
  explanationPages,
  explanationsDocument,
} from "../../src/diagnostics/explain.ts";
import type { Example, Page } from "../../src/diagnostics/explanations/page.ts";

const pages = Object.entries(explanationPages) as readonly (readonly [Code, Page])[];

function codesOf(example: Example): readonly string[] {
  const { source, request } =
    typeof example === "string" ? { source: example, request: {} } : example;
  // A file may be checked without saying which definition is meant.
  const several = source.split(/^def /m).length > 2;
  const { diagnostics } = several ? check(source) : compile(source, request);
  return diagnostics.map((d) => d.code);
}

test("every code has a page, and every page a code", () => {
  expect(pages.map(([code]) => code).sort()).toEqual(Object.keys(problemTexts).sort());
});

test.each(pages)("%s: its bad example raises it and nothing else", (code, page) => {
  expect(codesOf(page.bad)).toEqual([code]);
});

test.each(pages)("%s: its good example raises nothing", (_code, page) => {
  expect(codesOf(page.good)).toEqual([]);
});

test.each(pages)(
  "%s: its page says more than the message, in lines of a document",
  (code, page) => {
    expect(page.text.length).toBeGreaterThan(60);
    expect(page.text.split("\n").filter((line) => line.length > 110)).toEqual([]);
    expect(explain(code)?.markdown).toContain(page.text);
  },
);

test("docs/diagnostics.md is what the pages print; `vitest run test/diagnostics -u` writes it", async () => {
  await expect(explanationsDocument()).toMatchFileSnapshot("../../docs/diagnostics.md");
});

test("explain finds codes in any case, and nothing else", () => {
  const page = explain("TC4001");
  expect(page?.title).toBe("TC4001: reduction without an operator");
  expect(page?.markdown).toMatch(/```tc\n[^`]*C\(m, n\) = A/);
  expect(explain(" tc4001\n")).toEqual(page);
  expect(explain("TC2019")?.title).toBe("TC2019: unused parameter (warning)");
  for (const unknown of ["", "TC", "TC9999", "toString", "constructor"]) {
    expect(explain(unknown)).toBeNull();
  }
});

test("codes are in order", () => {
  expect(diagnosticCodes).toEqual([...diagnosticCodes].sort());
  expect(diagnosticCodes).toContain("TC2001");
});
