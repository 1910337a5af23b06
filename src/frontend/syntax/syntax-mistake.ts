import type { Fix } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/span.ts";

/** Where the parser could not go on. */
export interface SyntaxMistake {
  /** What the parser would have taken, as it is told to people. */
  readonly expected: string;
  /** The token that it found; empty at the end of the file. */
  readonly found: string;
  /** Some of the text before the token, and of the text from it on. */
  readonly before: string;
  readonly after: string;
  /** Where the token begins. */
  readonly start: number;
  /** The rules that were being read, outermost first. */
  readonly rules: readonly string[];
}

/** What to write instead. */
export interface Advice {
  readonly hint: string;
  readonly fix?: Fix;
  /** What is mistaken, if that is not the token that was found. */
  readonly span?: Span;
}
