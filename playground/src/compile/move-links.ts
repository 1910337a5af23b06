/** Sources that differ in nothing but comments, spaces and line breaks, and places in them. */
import type { Links } from "./links.ts";

/** Where the characters are that are neither in comments nor between words. */
function solidPlaces(source: string): readonly number[] {
  return [...source.matchAll(/#[^\n]*|[^\s#]/g)].flatMap(({ 0: text, index }) =>
    text.startsWith("#") ? [] : [index],
  );
}

/** Whether two sources have the same characters but for those in comments and between words. */
export function isSameText(a: string, b: string): boolean {
  const solid = (source: string): string => source.replaceAll(/#[^\n]*|\s/g, "");
  return a === b || solid(a) === solid(b);
}

/** Links of a source at their places in another one that {@link isSameText}. */
export function moveLinks(found: Links, from: string, to: string): Links {
  if (from === to) return found;
  const now = solidPlaces(to);
  const places = new Map(solidPlaces(from).map((at, n) => [at, now[n] ?? at]));
  // Whatever has a place begins and ends with such a character.
  const move = ({ start, end }: Place): Place => ({
    start: places.get(start) ?? start,
    end: (places.get(end - 1) ?? end - 1) + 1,
  });
  return {
    ...found,
    links: found.links.map((link) => ({ ...link, spans: link.spans.map(move) })),
    runs: found.runs.map((run) => ({ ...run, span: move(run.span) })),
  };
}

type Place = Links["runs"][number]["span"];
