/** Plots of points and steps as SVG; colours are classes of the page. */
import { flatMap } from "../../support/flat-map.ts";
import { listOf } from "../../support/list-of.ts";
import { element, type MarkupElement } from "./markup.ts";

export interface Axis {
  readonly label: string;
  /** Powers in the place of sums; all values are above 0. */
  readonly log: boolean;
}

export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  /** The class of its mark. */
  readonly kind: string;
  /** What is shown where the pointer rests on it. */
  readonly title: string;
}

export interface PlotOptions {
  /** For those who cannot see it. */
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly points: readonly PlotPoint[];
  /** A value that stays until the next one, as a best one so far does. */
  readonly steps?: readonly { readonly x: number; readonly y: number }[];
  /** A line where both axes say the same. */
  readonly diagonal?: boolean;
}

const [width, height] = [640, 320];
const frame = { left: 64, right: 12, top: 10, bottom: 44 } as const;

/** Maps values to pixels. */
interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
  readonly low: number;
  readonly high: number;
}

/** The plot; null where there is nothing to show. */
export function plot(options: PlotOptions): MarkupElement | null {
  const { title, x, y, points, steps = [], diagonal = false } = options;
  const all = [...points, ...steps].filter(
    (p) =>
      Number.isFinite(p.x) && Number.isFinite(p.y) && (!x.log || p.x > 0) && (!y.log || p.y > 0),
  );
  if (all.length === 0) return null;
  const values = { x: all.map((p) => p.x), y: all.map((p) => p.y) };
  const both = [...values.x, ...values.y];
  const across = scale(diagonal ? both : values.x, x.log, frame.left, width - frame.right);
  const up = scale(diagonal ? both : values.y, y.log, height - frame.bottom, frame.top);
  const known = new Set<object>(all);
  return element(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title },
    element("title", {}, title),
    ...axes(across, up, x.label, y.label),
    diagonal
      ? line(across.at(across.low), up.at(up.low), across.at(across.high), up.at(up.high), "even")
      : null,
    stepPath(
      steps.filter((s) => known.has(s)),
      across,
      up,
    ),
    ...points.filter((p) => known.has(p)).map((p) => mark(p, across, up)),
  );
}

function mark(point: PlotPoint, across: Scale, up: Scale): MarkupElement {
  const place = { cx: px(across.at(point.x)), cy: px(up.at(point.y)), r: 3.5 };
  return element(
    "circle",
    { ...place, class: `point ${point.kind}` },
    element("title", {}, point.title),
  );
}

function stepPath(
  steps: readonly { readonly x: number; readonly y: number }[],
  across: Scale,
  up: Scale,
): MarkupElement | null {
  const [first, ...rest] = steps;
  if (first === undefined) return null;
  const begin = `M${px(across.at(first.x))} ${px(up.at(first.y))}`;
  const moves = rest.map((s) => `H${px(across.at(s.x))}V${px(up.at(s.y))}`);
  const d = `${begin}${moves.join("")}H${width - frame.right}`;
  return element("path", { d, class: "steps" });
}

function axes(across: Scale, up: Scale, x: string, y: string): readonly MarkupElement[] {
  const [bottom, right] = [height - frame.bottom, width - frame.right];
  const middle = (frame.top + bottom) / 2;
  return [
    ...flatMap(across.ticks, (tick) => [
      line(across.at(tick), frame.top, across.at(tick), bottom, "grid"),
      text(across.at(tick), bottom + 16, "tick", "middle", tickText(tick)),
    ]),
    ...flatMap(up.ticks, (tick) => [
      line(frame.left, up.at(tick), right, up.at(tick), "grid"),
      text(frame.left - 6, up.at(tick) + 4, "tick", "end", tickText(tick)),
    ]),
    text((frame.left + right) / 2, height - 8, "name", "middle", x),
    element(
      "text",
      {
        x: 14,
        y: px(middle),
        class: "name",
        "text-anchor": "middle",
        transform: `rotate(-90 14 ${px(middle)})`,
      },
      y,
    ),
  ];
}

function line(x1: number, y1: number, x2: number, y2: number, kind: string): MarkupElement {
  return element("line", { x1: px(x1), y1: px(y1), x2: px(x2), y2: px(y2), class: kind });
}

function text(x: number, y: number, kind: string, anchor: string, words: string): MarkupElement {
  return element("text", { x: px(x), y: px(y), class: kind, "text-anchor": anchor }, words);
}

/** From values to the pixels between `from` and `to`, with some room. */
function scale(values: readonly number[], log: boolean, from: number, to: number): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const forth = log ? Math.log10 : (value: number): number => value;
  const back = log ? (value: number): number => 10 ** value : (value: number): number => value;
  const span = forth(most) - forth(least) || (log ? 0.3 : Math.abs(most) || 1);
  const start = !log && least >= 0 && least < most / 4 ? 0 : forth(least) - 0.05 * span;
  const end = forth(most) + 0.05 * span;
  const ticks = log ? powerTicks(start, end) : evenTicks(start, end);
  return {
    at: (value) => from + ((forth(value) - start) / (end - start)) * (to - from),
    ticks,
    low: back(start),
    high: back(end),
  };
}

/** Five or so of even distance: 1, 2 or 5 times a power of ten. */
function evenTicks(start: number, end: number): readonly number[] {
  const rough = (end - start) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((m) => m * power >= rough) ?? 10);
  const first = Math.ceil(start / step);
  return listOf(Math.floor(end / step) - first + 1, (n) => (first + n) * step);
}

/** 1, 2 and 5 times the powers of ten, or powers alone where these are many; exponents. */
function powerTicks(start: number, end: number): readonly number[] {
  const wide = end - start > 3;
  const first = Math.floor(start);
  const decades = listOf(Math.ceil(end) - first + 1, (n) => 10 ** (first + n));
  const ticks = flatMap(decades, (power) => (wide ? [power] : [power, 2 * power, 5 * power]));
  return ticks.filter((tick) => Math.log10(tick) >= start && Math.log10(tick) <= end);
}

function tickText(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** A tenth of a pixel is enough. */
function px(value: number): number {
  return Math.round(10 * value) / 10;
}
