import type { ProblemData } from "../../diagnostics/codes.ts";
import { nearestWords } from "../../support/edit-distance.ts";

/** The data of a message about a name that nothing has: what it most likely should have been. */
export function suggestName(name: string, candidates: Iterable<string>): ProblemData["TC2001"] {
  const [suggestion, ...others] = nearestWords(name, candidates);
  if (suggestion === undefined) return { name };
  return others.length === 0 ? { name, suggestion } : { name, suggestion, ambiguous: true };
}
