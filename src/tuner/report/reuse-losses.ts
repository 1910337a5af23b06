/** What a database says of reuse: the winner of each size, at all the others where it was measured. */
import { type Known, type KnownContent, type KnownSize, usOf } from "../database.ts";
import type { ReuseLosses } from "./report.ts";

function defaultUs({ record: { outcome } }: Known): number | null {
  return outcome.kind === "ok" ? outcome.defaultUs : null;
}

/** Sizes in the canonical order of the indices, as texts are short. */
function sizesText({ key }: KnownSize): string {
  return key.sizes.join(" x ");
}

/**
 * Per size the time of each winner, and of the default, over the best known time there; null where fewer than two sizes
 * have a winner: then there is nothing to reuse.
 */
export function reuseLosses(content: KnownContent): ReuseLosses | null {
  const tuned = [...content.values()].flatMap((size) =>
    size.best !== null && Number.isFinite(usOf(size.best)) ? [{ size, best: size.best }] : [],
  );
  if (tuned.length < 2) return null;
  const losses = tuned.map(({ size, best }) => {
    const least = usOf(best);
    const usual = defaultUs(best);
    const winners = tuned.map(({ best: { choices } }) => {
      const known = size.byChoices.get(choices);
      return known?.state === "ok" ? usOf(known) / least : null;
    });
    return [...winners, usual === null ? null : usual / least];
  });
  const sizes = tuned.map(({ size }) => sizesText(size));
  return { sizes, options: [...sizes.map((text) => `best of ${text}`), "default"], losses };
}
