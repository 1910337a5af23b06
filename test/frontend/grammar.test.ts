/** What Chevrotain would check whenever it starts, and what it would find out by itself. */
import { Lexer } from "chevrotain";
import { describe, expect, it } from "vitest";
import { TcParser } from "../../src/frontend/syntax/parser.ts";
import { allTokens } from "../../src/frontend/syntax/tokens.ts";

// The library's check of a grammar, which nothing but this test asks for, needs what Node 20 lacks.
(Object as { groupBy?: unknown }).groupBy ??= <T>(
  items: readonly T[],
  keyOf: (item: T) => string,
) =>
  items.reduce<Record<string, T[]>>((groups, item) => {
    const key = keyOf(item);
    groups[key] = [...(groups[key] ?? []), item];
    return groups;
  }, {});

/** The names of the tokens that are tried, by the class of the first character. */
function triedTokens(lexer: Lexer): readonly (readonly string[])[] {
  const { charCodeToPatternIdxToConfig: tried } = lexer as unknown as {
    readonly charCodeToPatternIdxToConfig: {
      readonly defaultMode: readonly { readonly tokenType: { readonly name: string } }[][];
    };
  };
  return Array.from(tried.defaultMode, (tokens) => (tokens ?? []).map((t) => t.tokenType.name));
}

describe("the grammar", () => {
  it("has tokens without ambiguities", () => {
    expect(new Lexer([...allTokens], { ensureOptimizations: true })).toMatchObject({
      lexerDefinitionErrors: [],
      lexerDefinitionWarning: [],
    });
  });

  it("has rules that two tokens tell apart", () => {
    expect(() => new TcParser({ recovers: true, validates: true })).not.toThrow();
    expect(() => new TcParser({ recovers: false, validates: true })).not.toThrow();
  });

  it("says of each token all that it may start with", () => {
    const derived = allTokens.map((token) => {
      if (!(token.PATTERN instanceof RegExp)) return token;
      const { START_CHARS_HINT: _, ...others } = token;
      return others;
    });
    const settings = { positionTracking: "onlyOffset", ensureOptimizations: true } as const;
    const said = triedTokens(new Lexer([...allTokens], settings));
    expect(said.flat().length).toBeGreaterThan(100);
    expect(said).toEqual(triedTokens(new Lexer(derived, { ...settings, skipValidations: true })));
  });
});
