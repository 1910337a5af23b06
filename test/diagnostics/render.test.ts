import { expect, test } from "vitest";
import { diagnose, hasErrors, sortDiagnostics } from "../../src/diagnostics/diagnostic.ts";
import { lineStarts, positionAt } from "../../src/diagnostics/position.ts";
import { diagnosticRecord, diagnosticRecords } from "../../src/diagnostics/render/record.ts";
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
  const found = diagnose("TC1002", { text: bad, before: "" }, { start: 1, end: 2 });
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
    fixes: [
      {
        title: "write `y`",
        edits: [{ line: 2, column: 11, offset: at, length: 1, text: "y" }],
      },
    ],
  });
});

test("what goes over several lines is marked in the first and in the last", () => {
  const text = "b = a +\n  c +\n\n    d # e";
  const span = { start: 4, end: text.indexOf(" #") };
  const found = diagnose(
    "TC2001",
    { name: "b" },
    { start: 0, end: 1 },
    {
      labels: [{ span, text: "this" }],
    },
  );
  expect(renderDiagnostics([found], { source: text })).toBe(
    [
      "input.tc:1:1: error[TC2001]: unknown name `b`",
      "  |",
      "1 | b = a +",
      "  | ^",
      "  |     ---",
      "...",
      "4 |     d # e",
      "  |     - this",
      `  = help: ${found.hint}`,
      "",
    ].join("\n"),
  );
});

test("carets stand below what they mark after tabs, wide characters and combining marks", () => {
  const columns = (before: string): number => {
    const line = `${before}x`;
    const span = { start: before.length, end: line.length };
    const text = renderDiagnostics([diagnose("TC2001", { name: "x" }, span)], { source: line });
    return (text.split("\n")[3] ?? "").indexOf("^") - "  | ".length;
  };
  expect(columns("abc")).toBe(3);
  expect(columns("\t")).toBe(4);
  expect(columns("ab\t\tc")).toBe(9);
  expect(columns("\u65e5\u672c")).toBe(4);
  expect(columns("\ud83d\ude00 ")).toBe(3);
  expect(columns("e\u0301e\u0301")).toBe(2);
  expect(columns("\ud800")).toBe(1);
});

test("marks of a long line that are far apart are shown apart", () => {
  const long = `first ${"a ".repeat(300)}second ${"b ".repeat(600000)}`;
  const at = long.indexOf("second");
  const found = diagnose(
    "TC2001",
    { name: "second" },
    { start: at, end: at + 6 },
    {
      labels: [{ span: { start: 0, end: 5 }, text: "one" }],
    },
  );
  const started = performance.now();
  const lines = renderDiagnostics(Array(1000).fill(found), { source: long }).split("\n");
  expect(performance.now() - started).toBeLessThan(3000);
  expect(lines.every((line) => line.length < 200)).toBe(true);
  expect(lines.slice(2, 6).map((line) => line.slice(0, 12))).toEqual(
    ["1 | first a ", "  | ----- one", "1 | ...a a a", "  |         "].map((line) =>
      line.slice(0, 12),
    ),
  );
  const [, , , , shown = "", carets = ""] = lines;
  expect(shown.slice(carets.indexOf("^"), carets.lastIndexOf("^") + 1)).toBe("second");
});

test("html is escaped, without scripts and styles, and says the same as text", () => {
  const bad = `<script>alert("&'")</script>\n b`;
  const found = diagnose(
    "TC1002",
    { text: "<b>", before: "" },
    { start: 0, end: 3 },
    {
      labels: [{ span: { start: 9, end: 40 }, text: "</pre>" }],
    },
  );
  const html = renderDiagnostics([found, unknown], { source: bad, format: "html", file: "<i>.tc" });
  const tags = new Set([...html.matchAll(/<\/?(\w+)/g)].map((m) => m[1]));
  expect([...tags].sort()).toEqual(["div", "pre", "span"]);
  const classes = new Set([...html.matchAll(/class="([^"]*)"/g)].map((m) => m[1]));
  expect([...classes].sort()).toEqual(
    [
      "diagnostic",
      "diagnostics",
      "error",
      "frame",
      "help",
      "label",
      "location",
      "message",
      "source",
    ].map((name) => `tc-${name}`),
  );
  const shown = html
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, "&");
  const text = renderDiagnostics([found, unknown], { source: bad, file: "<i>.tc" });
  expect(shown.trim().split(/\n+/)).toEqual(text.trim().split(/\n+/));
  expect(html).toContain('data-severity="error" data-code="TC1002"');
  expect(renderDiagnostics([], { source: bad, format: "html" })).toBe("");
});

test("workflow commands are one line each, with what would end them escaped", () => {
  const found = diagnose("TC2001", { name: "100%\u0007::x" }, { start: 0, end: 3 });
  const text = renderDiagnostics([found], { source: "abc", file: "a,b:c.tc", format: "github" });
  expect(text).toMatch(
    /^::error file=a%2Cb%3Ac\.tc,line=1,endLine=1,col=1,endColumn=3,title=TC2001::unknown name `100%25\ufffd::x`%0Ahelp: .*\n$/,
  );
  const lines = { start: 2, end: source.length };
  const over = renderDiagnostics([diagnose("TC2001", { name: "x" }, lines)], {
    source,
    format: "github",
  });
  expect(over).toContain("line=1,endLine=3,col=3,title=");
});

test("json is a record for each line", () => {
  const text = renderDiagnostics([unknown, unknown], { source, file: "a.tc", format: "json" });
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toEqual(diagnosticRecords([unknown, unknown], { source, file: "a.tc" }));
  expect(lines[0]).toEqual(diagnosticRecord(unknown, { source, file: "a.tc" }));
});

test("a format that there is not is named", () => {
  const format = "markdown" as "text";
  expect(() => renderDiagnostics([unknown], { source, format })).toThrow(
    /no format is called `markdown`; there are text, ansi/,
  );
});

test("diagnostics are sorted by place and said once", () => {
  const unused = diagnose("TC2019", { name: "a" }, { start: 2, end: 3 });
  const sorted = sortDiagnostics([unknown, unused, unknown]);
  expect(sorted.map((d) => d.code)).toEqual(["TC2019", "TC2001"]);
  expect(hasErrors([unused])).toBe(false);
  expect(hasErrors(sorted)).toBe(true);
});
