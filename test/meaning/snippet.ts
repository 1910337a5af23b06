/** Short definitions with what they compute, worked out by hand from the language document. */

/** Numbers in nested lists, one level for each dimension. */
export type Nested = number | readonly Nested[];

export interface Snippet {
  /** What it shows, as a sentence. */
  readonly title: string;
  /** Definitions that it may call. */
  readonly before?: string;
  /** Parameters and results, between `def f(` and `{`. */
  readonly head: string;
  readonly body: string;
  readonly sizes?: Readonly<Record<string, number>>;
  readonly inputs?: Readonly<Record<string, readonly number[]>>;
  readonly expect: Readonly<Record<string, Nested>>;
}

/** The text of a snippet's definition. */
export function sourceOf({ before = "", head, body }: Snippet): string {
  return `${before}\ndef f(${head} {\n${body}\n}\n`;
}

/** All numbers, row-major; -0 as 0. */
export function flat(nested: Nested): readonly number[] {
  return typeof nested === "number" ? [nested + 0] : nested.flatMap(flat);
}

/** The shape of nested lists of equal lengths. */
export function shapeOf(nested: Nested): readonly number[] {
  if (typeof nested === "number") return [];
  const [first] = nested;
  return [nested.length, ...(first === undefined ? [] : shapeOf(first))];
}
