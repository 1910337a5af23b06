import { roughTokens } from "./mutate-source.ts";

/** A shorter text that still fails: lines are left out, then tokens, as long as it does. */
export function shrinkSource(source: string, fails: (source: string) => boolean): string {
  let best = source;
  for (const split of [(text: string) => text.split(/(?<=\n)/), roughTokens]) {
    for (let length = Math.ceil(split(best).length / 2); length >= 1; ) {
      const shorter = withoutParts(split(best), length, fails);
      if (shorter === undefined) length = length === 1 ? 0 : Math.ceil(length / 2);
      else best = shorter;
    }
  }
  return best;
}

function withoutParts(
  parts: readonly string[],
  length: number,
  fails: (source: string) => boolean,
): string | undefined {
  for (let at = 0; at < parts.length; at += length) {
    const candidate = [...parts.slice(0, at), ...parts.slice(at + length)].join("");
    if (fails(candidate)) return candidate;
  }
  return undefined;
}
