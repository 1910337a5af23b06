/**
 * Printing and formatting of random programs: those of the differential test, which mean something,
 * and trees that are right by the grammar alone, with comments and white space in any places.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyse } from "../../src/frontend/analyse.ts";
import { format } from "../../src/frontend/format/format.ts";
import { parse } from "../../src/frontend/syntax/parse.ts";
import { printModule } from "../../src/frontend/syntax/print-ast.ts";
import { tokenize } from "../../src/frontend/syntax/tokens.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import { generateTc } from "../differential/generate-tc.ts";
import { arbitraryModule } from "../frontend/arbitrary-ast.ts";
import { bareTree } from "../frontend/bare-tree.ts";
import { printChecked } from "../frontend/print-checked.ts";

/** The tokens that mean something: formatting may only leave parentheses out. */
function words(source: string): readonly string[] {
  return tokenize(source).tokens.flatMap((t) => (/^[()]$/.test(t.image) ? [] : [t.image]));
}

function comments(source: string): readonly string[] {
  return (tokenize(source).groups["comments"] ?? []).map((c) => c.image.trimEnd());
}

/** What has to hold of a formatted text, but for the length of its lines. */
function checkFormatted(source: string): string {
  const formatted = format(source);
  const before = parse(source);
  const after = parse(formatted);
  expect(after.diagnostics.map((d) => d.code)).toEqual(before.diagnostics.map((d) => d.code));
  expect(bareTree(after.module)).toEqual(bareTree(before.module));
  expect(words(formatted)).toEqual(words(source));
  expect(comments(formatted)).toEqual(comments(source));
  expect(format(formatted)).toBe(formatted);
  expect(formatted).not.toMatch(/[ \t]$|\n\n\n|\t|\{\n\n|\n\n *\}/m);
  expect(formatted).toMatch(/^$|[^\n]\n$/);
  return formatted;
}

const separators = [" ", " ", " ", "", "\n", "\n\n", "\n\n\n", "\t", "\r\n", "  \n  "];
const remarks = ["# one", "#", "#two  ", "## three # four", "#! sizes N=3", "#! input x=randn(1)"];

/** The text of the same tokens with other white space, and comments among them. */
function scatter(source: string, random: Random, share: number): string {
  const { tokens } = tokenize(source);
  const parts = tokens.map((token, n) => {
    const before = tokens[n - 1];
    // Whether a parenthesis touches the name before it can matter, and where letters do, it does.
    const touches =
      before !== undefined && before.startOffset + before.image.length === token.startOffset;
    const kept = touches ? "" : " ";
    if (random.chance(share)) {
      const lines = random.pick(["", "\n", "\n\n", "\n\n\n"]);
      return `${random.pick([" ", "\n"])}${random.pick(remarks)}\n${lines}${token.image}`;
    }
    const separator = random.pick(separators);
    const fits = touches ? separator === "" || token.image !== "(" : separator !== "";
    return `${fits && random.chance(share) ? separator || kept : kept}${token.image}`;
  });
  return parts.join("") + random.pick(["", "\n", "\n\n# end", " # end\n\n"]);
}

const strays = [
  "(",
  ")",
  "{",
  "}",
  ",",
  ":",
  "?",
  "=",
  "+=!",
  "-",
  "!",
  "i",
  "x(i)",
  "3",
  ".0",
  "0:N",
];
const more = [
  "where",
  "in",
  "pad",
  "else",
  "if",
  "for",
  "reversed",
  "<=> f(i)",
  ";",
  "1.5.2",
  "and",
];

/** The text with a token left out, doubled, or put in. */
function mutate(source: string, random: Random): string {
  const { tokens } = tokenize(source);
  const { startOffset: at, image } = random.pick(tokens);
  const [before, after] = [source.slice(0, at), source.slice(at + image.length)];
  const word = random.pick([...strays, ...more, ""]);
  return random.chance(0.5)
    ? `${before} ${word} ${after}`
    : `${before}${image} ${word || image} ${after}`;
}

describe("any tree", () => {
  it("prints to a text that parses to it, in the style of the formatter", () => {
    fc.assert(
      fc.property(arbitraryModule, (module) => {
        const source = printModule(module);
        const parsed = parse(source);
        expect(parsed.diagnostics).toEqual([]);
        expect(bareTree(parsed.module)).toEqual(bareTree(module));
        expect(format(source)).toBe(source);
      }),
      { seed: 11, numRuns: 400 },
    );
  });

  it("is kept by the formatter, with comments and white space anywhere", () => {
    let formatted = 0;
    const texts = fc
      .tuple(arbitraryModule, fc.nat(), fc.double({ min: 0, max: 0.5, noNaN: true }))
      .map(([module, seed, share]) => scatter(printModule(module), seededRandom(seed), share));
    fc.assert(
      fc.property(texts, (source) => {
        // Comments can part what has to touch; then it is another text, or none of the language.
        if (parse(source).unreadable.length > 0) {
          expect(format(source)).toBe(source);
          return;
        }
        formatted++;
        checkFormatted(source);
      }),
      { seed: 12, numRuns: 600 },
    );
    expect(formatted).toBeGreaterThan(480);
  });
});

describe("random programs", () => {
  const cases = Array.from({ length: 80 }, (_, seed) => generateTc(seed));

  it("mean the same when they are formatted, in lines of at most 100 columns", () => {
    for (const { source, sizes } of cases) {
      const formatted = checkFormatted(source);
      const [before, after] = [source, formatted].map((text) => analyse(text, { sizes }));
      const codes = (diagnostics: readonly { readonly code: string }[] = []): readonly string[] =>
        diagnostics.map((d) => d.code);
      expect(codes(after?.diagnostics)).toEqual(codes(before?.diagnostics));
      if (before?.checked !== undefined && after?.checked !== undefined) {
        expect(printChecked(after.checked)).toBe(printChecked(before.checked));
      }
      for (const line of formatted.split("\n")) expect(line.length, line).toBeLessThanOrEqual(100);
    }
  });

  it("mean the same with comments and white space anywhere", () => {
    for (const [n, { source }] of cases.entries()) {
      const random = seededRandom(n);
      checkFormatted(scatter(source, random, random.next() / 2));
    }
  });

  it("with mistakes in them are kept too, or left alone", () => {
    let kept = 0;
    for (const [n, { source }] of cases.entries()) {
      for (let round = 0; round < 10; round++) {
        const random = seededRandom(100 * n + round);
        const wrong = mutate(source, random);
        if (parse(wrong).diagnostics.some((d) => d.severity === "error")) {
          expect(format(wrong)).toBe(wrong);
          continue;
        }
        kept++;
        checkFormatted(wrong);
      }
    }
    expect(kept).toBeGreaterThan(50);
  });
});
