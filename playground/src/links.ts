/** Linked highlighting: what to light for the place under the pointer. */
import type { Link } from "./compile/links.ts";
import type { Lit } from "./editor/link-marks.ts";
import { type Hovered, hovered, type PanelName } from "./link-state.ts";
import { isStale, lastGood, links } from "./state.ts";

const nothing: Lit = { spans: [], lines: [] };

/** What to light in a text; reads signals. Nothing while the texts are of another source. */
export function litIn(panel: PanelName): Lit {
  const place = hovered.value;
  const good = lastGood.value;
  const known = links.value;
  if (place === null || good === null || isStale.value || known?.job !== good.job) return nothing;
  const touched = linksAt(known.links.links, place, good.source);
  const lines = touched.flatMap((l) => (panel === "loops" ? l.loopLines : l.wgslLines));
  return {
    spans: panel === "source" ? once(touched.flatMap((link) => spansOf(link, good.source))) : [],
    lines: panel === "source" ? [] : [...new Set(lines)],
  };
}

/** Several loops go along one index. */
function once(spans: Lit["spans"]): Lit["spans"] {
  return [...new Map(spans.map((span) => [`${span.from} ${span.to}`, span])).values()];
}

function linksAt(all: readonly Link[], place: Hovered, source: string): readonly Link[] {
  switch (place.panel) {
    case "loops":
      return all.filter(({ loopLines }) => loopLines.includes(place.line));
    case "wgsl":
      return all.filter(({ wgslLines }) => wgslLines.includes(place.line));
    case "source":
      return linksOfSource(all, place.offset, source);
  }
}

/** On an index its loops, else the innermost of what is there. */
function linksOfSource(all: readonly Link[], offset: number, source: string): readonly Link[] {
  const width = ({ spans }: Link): number =>
    Math.min(
      ...spans.filter((s) => s.start <= offset && offset <= s.end).map((s) => s.end - s.start),
    );
  const around = all.filter((link) => Number.isFinite(width(link)));
  const word = wordAt(source, offset);
  const loops = around.filter(({ indices }) => indices?.includes(word));
  if (loops.length > 0) return loops;
  const least = Math.min(...around.map(width));
  return around.filter((link) => width(link) === least);
}

function wordAt(source: string, offset: number): string {
  const before = /\w*$/.exec(source.slice(0, offset))?.[0] ?? "";
  const after = /^\w*/.exec(source.slice(offset))?.[0] ?? "";
  return before + after;
}

/** An access or a statement; of a loop, its indices in the statements. */
function spansOf({ spans, indices }: Link, source: string): Lit["spans"] {
  if (indices === null) return spans.map(({ start, end }) => ({ from: start, to: end }));
  return spans.flatMap(({ start, end }) =>
    [...source.slice(start, end).matchAll(/[A-Za-z_]\w*/g)].flatMap((match) => {
      const from = start + match.index;
      return indices.includes(match[0]) ? [{ from, to: from + match[0].length }] : [];
    }),
  );
}
