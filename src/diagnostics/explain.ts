import { type Code, problemTexts } from "./codes.ts";
import { callPages } from "./explanations/calls.ts";
import { limitPages } from "./explanations/limits.ts";
import { loopPages } from "./explanations/loops.ts";
import { namePages } from "./explanations/names.ts";
import type { Example, Page } from "./explanations/page.ts";
import { rangePages } from "./explanations/ranges.ts";
import { syntaxPages } from "./explanations/syntax.ts";

/** What there is to say about a code. */
export interface Explanation {
  /** `TC2001: unknown name`. */
  readonly title: string;
  /** What it means and what to do, a program that raises it and one that does not. */
  readonly markdown: string;
}

/** All pages, for tests too. */
export const explanationPages: { readonly [C in Code]?: Page } = {
  ...syntaxPages,
  ...namePages,
  ...callPages,
  ...rangePages,
  ...loopPages,
  ...limitPages,
};

/** Every code, in order. */
export const diagnosticCodes: readonly Code[] = (Object.keys(problemTexts) as Code[]).sort();

/** The page of a code, such as `TC2001`; null if there is no such code. */
export function explain(code: string): Explanation | null {
  const known = diagnosticCodes.find((c) => c === code.trim().toUpperCase());
  const page = known === undefined ? undefined : explanationPages[known];
  if (known === undefined || page === undefined) return null;
  return { title: titleOf(known), markdown: pageText(page, () => "tc") };
}

/** All pages as one document. */
export function explanationsDocument(): string {
  const sections = diagnosticCodes.flatMap((code) => {
    const page = explanationPages[code];
    if (page === undefined) return [];
    const fence = (example: Example, bad: boolean): string =>
      isWhole(example) ? `tc${bad ? ` codes=${code}` : ""}` : "text program";
    return [`## ${titleOf(code)}\n\n${pageText(page, fence)}`];
  });
  return `${documentHead}\n${sections.join("\n")}`;
}

/** False for what takes a request, or is cut: it says nothing by itself. */
function isWhole(example: Example): boolean {
  return typeof example === "string" && example.split("\n").every((l) => l === shortened(l));
}

const documentHead = `# Diagnostics

What each code means, with a program that raises it and one that does not. Errors
stop a compilation; warnings do not. \`tc-compile explain CODE\` prints a page, and
so does \`explain(code)\` of \`tc-wgsl/explain\`. This document is printed from
[\`src/diagnostics/explanations/\`](../src/diagnostics/explanations); tests compile
all programs.
`;

function titleOf(code: Code): string {
  const { title, severity } = problemTexts[code];
  return `${code}: ${title}${severity === undefined ? "" : " (warning)"}`;
}

function pageText(page: Page, fence: (example: Example, bad: boolean) => string): string {
  const show = (example: Example, bad: boolean): string => {
    const source = typeof example === "string" ? example : example.source;
    const lines = source.split("\n").map((line) => shortened(line));
    return `\`\`\`${fence(example, bad)}\n${lines.join("\n")}\`\`\`\n`;
  };
  return [
    `${page.text}\n`,
    `Raises it${requestText(page.bad)}:\n`,
    show(page.bad, true),
    `Does not${requestText(page.good)}:\n`,
    show(page.good, false),
  ].join("\n");
}

/** What the compiler is told beside an example. */
function requestText(example: Example): string {
  if (typeof example === "string") return "";
  const { def, sizes, shapes, symbolic } = example.request;
  const pairs = (of: object): string =>
    Object.entries(of)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join(", ");
  const parts = [
    ...(def === undefined ? [] : [`def: "${def}"`]),
    ...(sizes === undefined ? [] : [`sizes: { ${pairs(sizes)} }`]),
    ...(shapes === undefined ? [] : [`shapes: { ${pairs(shapes)} }`]),
    ...(symbolic === undefined ? [] : [`symbolic: ${JSON.stringify(symbolic)}`]),
  ];
  return `, with \`{ ${parts.join(", ")} }\``;
}

const widest = 100;

function shortened(line: string): string {
  return line.length > widest ? `${line.slice(0, widest / 2)}...${line.slice(-widest / 4)}` : line;
}
