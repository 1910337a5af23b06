/** Numbers as colours: one scale for values of one sign, one around zero for both. */

export type Rgb = readonly [number, number, number];

/** How the numbers of a picture become colours. */
export interface ColourScale {
  readonly kind: "sequential" | "diverging";
  readonly low: number;
  readonly high: number;
}

/**
 * Stops of a map that grows evenly in lightness, from dark blue over green to yellow, so that it can
 * be read without colours; equally far apart.
 */
const sequential: readonly Rgb[] = [
  [38, 24, 84],
  [52, 60, 138],
  [40, 106, 148],
  [30, 146, 138],
  [78, 182, 108],
  [166, 210, 70],
  [250, 232, 70],
];

/** From blue over near white to orange: told apart also by those who do not see red or green. */
const diverging: readonly Rgb[] = [
  [18, 70, 158],
  [74, 136, 208],
  [166, 202, 232],
  [246, 246, 244],
  [246, 196, 142],
  [222, 126, 48],
  [150, 62, 8],
];

/** What is no finite number is drawn in these, which no scale has. */
export const nanColour: Rgb = [214, 40, 140];
export const infiniteColour: Rgb = [20, 20, 20];

/** A scale for numbers from `min` to `max`, around zero where they have both signs. */
export function scaleOf(min: number, max: number): ColourScale {
  if (min < 0 && max > 0) {
    const most = Math.max(-min, max);
    return { kind: "diverging", low: -most, high: most };
  }
  return { kind: "sequential", low: min, high: max };
}

/** A scale around zero, for differences. */
export function differenceScale(min: number, max: number): ColourScale {
  const most = Math.max(Math.abs(min), Math.abs(max));
  return { kind: "diverging", low: -most, high: most };
}

/** The colour of a value. */
export function colourOf(value: number, scale: ColourScale): Rgb {
  if (Number.isNaN(value)) return nanColour;
  if (!Number.isFinite(value)) return infiniteColour;
  return colourAt(partOf(value, scale), scale);
}

/** Where a finite value lies on a scale, from 0 to 1. */
export function partOf(value: number, { kind, low, high }: ColourScale): number {
  if (high <= low) return kind === "diverging" ? 0.5 : 0;
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}

/** The colour of a part of a scale, from 0 to 1. */
export function colourAt(part: number, { kind }: Pick<ColourScale, "kind">): Rgb {
  return mixed(kind === "diverging" ? diverging : sequential, part);
}

/** The colour at `part` of the way along the stops. */
function mixed(stops: readonly Rgb[], part: number): Rgb {
  const place = part * (stops.length - 1);
  const first = Math.min(stops.length - 2, Math.floor(place));
  const [from, to] = [stops[first], stops[first + 1]];
  if (from === undefined || to === undefined) return nanColour;
  const rest = place - first;
  const blend = (channel: 0 | 1 | 2): number =>
    Math.round(from[channel] + (to[channel] - from[channel]) * rest);
  return [blend(0), blend(1), blend(2)];
}

/** A number for people: six digits at most, no noise. */
export function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(3);
  return String(Number(value.toPrecision(6)));
}
