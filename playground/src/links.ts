/** Linked highlighting: which parts of the source, the loops and the WGSL belong together. */
import type { Lit } from "./editor/link-marks.ts";
import { hovered, type PanelName } from "./link-state.ts";
import { isStale, lastGood } from "./state.ts";

const nothing: Lit = { spans: [], lines: [] };

/** What to light in a text for the place under the pointer; reads signals. */
export function litIn(panel: PanelName): Lit {
  const place = hovered.value;
  const good = lastGood.value;
  if (place === null || good === null || isStale.value) return nothing;
  const { links } = good.compiled;
  const touched = links.filter((link) => {
    if (place.panel === "loops") return link.loopLines.includes(place.line);
    if (place.panel === "wgsl") return link.wgslLines.includes(place.line);
    return link.spans.some((s) => s.start <= place.offset && place.offset <= s.end);
  });
  // The innermost of what contains the place, where it is in the source.
  const width = (link: (typeof links)[number]): number =>
    Math.min(
      ...link.spans
        .filter((s) => s.start <= place.offset && place.offset <= s.end)
        .map((s) => s.end - s.start),
    );
  const least = Math.min(...touched.map(width));
  const chosen = place.panel === "source" ? touched.filter((l) => width(l) === least) : touched;
  return {
    spans:
      panel === "source"
        ? chosen.flatMap(({ spans }) => spans.map(({ start, end }) => ({ from: start, to: end })))
        : [],
    lines: linesOf(panel, chosen),
  };
}

function linesOf(
  panel: PanelName,
  links: readonly {
    readonly loopLines: readonly number[];
    readonly wgslLines: readonly number[];
  }[],
): readonly number[] {
  if (panel === "source") return [];
  const all = links.flatMap((l) => (panel === "loops" ? l.loopLines : l.wgslLines));
  return [...new Set(all)];
}
