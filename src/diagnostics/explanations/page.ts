import type { Code } from "../codes.ts";

/** What there is to say about a code. */
export interface Page {
  /** Markdown: what the message means, and what to do about it. */
  readonly text: string;
  /** A program that raises this code and no other. */
  readonly bad: Example;
  /** A program that raises nothing. */
  readonly good: Example;
}

/** A source text, and what the compiler was told beside it. */
export type Example =
  | string
  | {
      readonly source: string;
      readonly request: {
        readonly def?: string;
        readonly sizes?: Readonly<Record<string, number>>;
        readonly shapes?: Readonly<Record<string, readonly number[]>>;
        readonly symbolic?: readonly string[];
      };
    };

/** Pages of codes that begin with a prefix; a test finds codes without one. */
export type Pages<Prefix extends string> = {
  readonly [C in Extract<Code, `${Prefix}${string}`>]?: Page;
};
