import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { check } from "../../src/api/check.ts";
import { type Code, problemTexts } from "../../src/diagnostics/codes.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";
import { type AnalyseOptions, analyse } from "../../src/frontend/analyse.ts";

const folder = new URL(".", import.meta.url);
const cases = readdirSync(folder).filter((name) => name.endsWith(".tc"));

/** All definitions where a first line `# check` says so, else the only one. */
function diagnosticsOf(source: string): readonly Diagnostic[] {
  const whole = /^# check$/m.test(source);
  return (whole ? check(source) : analyse(source, optionsOf(source))).diagnostics;
}

/** A first line `# options: {...}` holds what the command line would have said. */
function optionsOf(source: string): AnalyseOptions {
  const match = /^# options: (.*)$/m.exec(source);
  return match === null ? {} : JSON.parse(match[1] ?? "{}");
}

test.each(cases)("%s is refused or warned of as its text says", async (name) => {
  const source = readFileSync(new URL(name, folder), "utf8");
  const diagnostics = diagnosticsOf(source);
  const [code] = name.split("-");
  expect(diagnostics.map((d) => d.code)).toContain(code);
  const text = renderDiagnostics(diagnostics, { source, file: name });
  await expect(text).toMatchFileSnapshot(`./${name.replace(/\.tc$/, ".txt")}`);
});

test("every code of the front end (TC1xxx to TC4xxx) has a case", () => {
  const covered = new Set(cases.map((name) => name.split("-")[0]));
  const codes = (Object.keys(problemTexts) as Code[]).filter((code) => /^TC[1-4]/.test(code));
  expect(codes.filter((code) => !covered.has(code))).toEqual([]);
});
