import { type ReadSource, sourceFor } from "../frontend/analyse.ts";

export type { ReadSource } from "../frontend/analyse.ts";

/**
 * Reads a text once for several questions: `outline`, `check`, `ranges` and `compile` take what it gives in the place of
 * the text, and share its tree and the analysis of a definition at its sizes. Never throws on bad source.
 * @throws TypeError for a source that is no text.
 */
export function readSource(source: string): ReadSource {
  return sourceFor("readSource", source);
}
