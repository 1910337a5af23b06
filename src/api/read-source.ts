import { type Prepared, sourceFor } from "../frontend/analyse.ts";

/**
 * A source text that was read. {@link readSource} makes it; what is in it is the compiler's own.
 */
export type ReadSource = Prepared;

/**
 * Reads a text once for several questions: `outline`, `check`, `ranges` and `compile` take what it gives in the place of
 * the text, and share its tree and the analysis of a definition at its sizes. Never throws on bad source.
 * @throws TypeError for a source that is no text.
 */
export function readSource(source: string): ReadSource {
  return sourceFor("readSource", source);
}
