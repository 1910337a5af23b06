/** A half-open range of UTF-16 offsets `[start, end)` into a source text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The span of things that no source text describes. */
export const noSpan: Span = { start: 0, end: 0 };

/** The smallest span that covers both. */
export function coverSpans(a: Span, b: Span): Span {
  return { start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
}
