import { expect, test } from "vitest";
import { diagnose, hasErrors, sortDiagnostics } from "../../src/diagnostics/diagnostic.ts";
import { lineStarts, positionAt } from "../../src/diagnostics/position.ts";
import { diagnosticRecord } from "../../src/diagnostics/render/record.ts";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";

const source = "first\n\tsecond = x\r\nthird";
const at = source.indexOf("x");
const unknown = diagnose(
  "TC2001",
  { name: "x", suggestion: "y" },
  { start: at, end: at + 1 },
  { labels: [{ span: { start: 0, end: 5 }, text: "from here" }] },
);

test("positions count lines and columns from 1", () => {
  const starts = lineStarts(source);
  expect(starts).toEqual([0, 6, 19]);
  expect(positionAt(starts, 0)).toEqual({ line: 1, column: 1 });
  expect(positionAt(starts, at)).toEqual({ line: 2, column: 11 });
  expect(positionAt(starts, source.length)).toEqual({ line: 3, column: 6 });
});

test("text shows the lines, carets below what is meant, labels and help", () => {
  expect(renderDiagnostics([unknown], { source, file: "a.tc" })).toBe(
    [
      "a.tc:2:11: error[TC2001]: unknown name `x`",
      "  |",
      "1 | first",
      "  | ----- from here",
      "2 |     second = x",
      "  |              ^",
      "  = help: did you mean `y`?",
      "",
    ].join("\n"),
  );
});

test("of long lines only the part about the mark is shown", () => {
  const long = `${"a ".repeat(300)}x${" b".repeat(300)}`;
  const span = { start: 600, end: 601 };
  const text = renderDiagnostics([diagnose("TC2001", { name: "x" }, span)], { source: long });
  const [, , line = "", carets = ""] = text.split("\n");
  expect(line.length).toBeLessThan(180);
  expect(line).toMatch(/^1 \| \.\.\..*a x b.*\.\.\.$/);
  expect(line[carets.indexOf("^")]).toBe("x");
  const last = { start: long.length - 1, end: long.length };
  const ended = renderDiagnostics([diagnose("TC2001", { name: "b" }, last)], { source: long });
  const [, , tail = "", end = ""] = ended.split("\n");
  expect(tail[end.indexOf("^")]).toBe("b");
  expect(end.indexOf("^")).toBe(tail.length - 1);
});

test("control characters never reach a terminal", () => {
  const bad = "x\u001b[2Jy\u0000";
  const found = diagnose("TC1002", { text: bad }, { start: 1, end: 2 });
  for (const format of ["text", "short"] as const) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
    expect(renderDiagnostics([found], { source: bad, format })).not.toMatch(/[\u0000\u001b]/);
  }
});

test("the short form is one line, colours are only in the ansi form", () => {
  expect(renderDiagnostics([unknown], { source, format: "short" })).toBe(
    "input.tc:2:11: error[TC2001]: unknown name `x`\n",
  );
  const ansi = renderDiagnostics([unknown], { source, format: "ansi" });
  expect(ansi).toContain("\u001b[31merror[TC2001]\u001b[0m");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
  const plain = ansi.replace(/\u001b\[\d+m/g, "");
  expect(plain).toBe(renderDiagnostics([unknown], { source }));
});

test("records carry offsets and lengths", () => {
  expect(diagnosticRecord(unknown, { source, file: "a.tc" })).toEqual({
    schema: 1,
    type: "diagnostic",
    severity: "error",
    code: "TC2001",
    message: "unknown name `x`",
    file: "a.tc",
    line: 2,
    column: 11,
    offset: at,
    length: 1,
    labels: [{ line: 1, column: 1, offset: 0, length: 5, text: "from here" }],
    hint: "did you mean `y`?",
    fixes: [],
  });
});

test("diagnostics are sorted by place and said once", () => {
  const unused = diagnose("TC2019", { name: "a" }, { start: 2, end: 3 });
  const sorted = sortDiagnostics([unknown, unused, unknown]);
  expect(sorted.map((d) => d.code)).toEqual(["TC2019", "TC2001"]);
  expect(hasErrors([unused])).toBe(false);
  expect(hasErrors(sorted)).toBe(true);
});
