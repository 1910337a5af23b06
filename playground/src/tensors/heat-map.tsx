import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TensorData } from "../../../src/index.ts";
import {
  type ColourScale,
  colourOf,
  differenceScale,
  numberText,
  scaleOf,
} from "./colour-scale.ts";
import {
  heldDimensions,
  indicesOf,
  initialView,
  type Plane,
  statisticsOf,
  takePlane,
  type View,
} from "./plane.ts";

interface HeatMapProps {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: TensorData | Float64Array;
  readonly scale: "values" | "difference";
}

/** A plane of a tensor as a picture: sliders hold the other dimensions, the pointer and arrows read values. */
export function HeatMap({ name, shape, data, scale: kind }: HeatMapProps): JSX.Element {
  const shapeKey = shape.join();
  const [view, setView] = useState<View>(() => initialView(shape));
  // A tensor of another shape needs another view.
  useEffect(() => setView(initialView(shape)), [shapeKey]);
  const fits = view.at.length === shape.length;
  const used = fits ? view : initialView(shape);
  const [cell, setCell] = useState<readonly [number, number] | null>(null);
  const statistics = useMemo(() => statisticsOf(data), [data]);
  const plane = useMemo(() => takePlane(data, shape, used), [data, shapeKey, used]);
  const make = kind === "difference" ? differenceScale : scaleOf;
  const scale = make(statistics.min, statistics.max);
  return (
    <figure class="heat-map">
      <Sliders shape={shape} view={used} onView={setView} />
      <Picture {...{ plane, scale, cell, onCell: setCell, name }} />
      <figcaption>
        <output aria-live="polite" class="readout">
          {readout(name, shape, used, plane, cell)}
        </output>
        <Legend scale={scale} />
        <p class="faint">
          least {numberText(statistics.min)}, greatest {numberText(statistics.max)}, mean{" "}
          {numberText(statistics.mean)}
          {statistics.nan > 0 ? <b class="bad">, {statistics.nan} NaN</b> : null}
          {statistics.infinite > 0 ? <b class="bad">, {statistics.infinite} infinite</b> : null}
          {plane.step[0] * plane.step[1] > 1
            ? `; every ${plane.step[0]}th row and ${plane.step[1]}th column is drawn`
            : ""}
        </p>
      </figcaption>
    </figure>
  );
}

function readout(
  name: string,
  shape: readonly number[],
  view: View,
  plane: Plane,
  cell: readonly [number, number] | null,
): string {
  if (cell === null && shape.length > 0) return "Point at an element, or use the arrow keys.";
  const [row, column] = cell ?? [0, 0];
  const value = plane.values[row * plane.width + column] ?? Number.NaN;
  const indices = indicesOf(shape, view, plane, [row, column]);
  return `${name}(${indices.join(", ")}) = ${numberText(value)}`;
}

interface SlidersProps {
  readonly shape: readonly number[];
  readonly view: View;
  readonly onView: (view: View) => void;
}

function Sliders({ shape, view, onView }: SlidersProps): JSX.Element | null {
  if (shape.length < 3) return null;
  const hold = (d: number, index: number): void =>
    onView({ ...view, at: view.at.map((old, e) => (e === d ? index : old)) });
  const axis =
    (which: "rows" | "columns") =>
    (d: number): void => {
      const other = which === "rows" ? "columns" : "rows";
      // Taking the axis of the other swaps them.
      const swapped = view[other] === d ? { [other]: view[which] } : {};
      onView({ ...view, ...swapped, [which]: d });
    };
  const choice = (which: "rows" | "columns", title: string): JSX.Element => (
    <label>
      {title}{" "}
      <select
        value={String(view[which])}
        onChange={(event) => axis(which)(Number(event.currentTarget.value))}
      >
        {shape.map((extent, d) => (
          <option key={d} value={String(d)}>
            axis {d} ({extent})
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="sliders">
      {choice("rows", "down")} {choice("columns", "across")}
      {heldDimensions(shape, view).map((d) => (
        <label key={d} class="slider">
          axis {d} at {view.at[d]}
          <input
            type="range"
            min={0}
            max={(shape[d] ?? 1) - 1}
            value={view.at[d] ?? 0}
            onInput={(event) => hold(d, Number(event.currentTarget.value))}
          />
        </label>
      ))}
    </div>
  );
}

interface PictureProps {
  readonly plane: Plane;
  readonly scale: ColourScale;
  readonly name: string;
  readonly cell: readonly [number, number] | null;
  readonly onCell: (cell: readonly [number, number] | null) => void;
}

const moves: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

function Picture({ plane, scale, name, cell, onCell }: PictureProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { height, width } = plane;
  useEffect(() => {
    if (canvas.current !== null) paint(canvas.current, plane, scale);
  }, [plane, scale.low, scale.high, scale.kind]);
  const inside = (row: number, column: number): readonly [number, number] => [
    Math.max(0, Math.min(height - 1, row)),
    Math.max(0, Math.min(width - 1, column)),
  ];
  const point = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * height);
    const column = Math.floor(((event.clientX - box.left) / box.width) * width);
    onCell(inside(row, column));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const [row, column] = cell ?? [0, 0];
    onCell(cell === null ? [0, 0] : inside(row + move[0], column + move[1]));
  };
  const marker =
    cell === null
      ? null
      : {
          left: `${(100 * (cell[1] + 0.5)) / width}%`,
          top: `${(100 * (cell[0] + 0.5)) / height}%`,
        };
  return (
    <div
      class="picture"
      role="application"
      aria-label={`${name}: ${height} rows of ${width}; arrow keys read its elements`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the elements
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerMove={point}
      onPointerDown={point}
      style={{ aspectRatio: `${Math.max(width, 1)} / ${Math.max(height, 1)}` }}
    >
      <canvas ref={canvas} width={Math.max(1, width)} height={Math.max(1, height)} />
      {marker === null ? null : <span class="marker" style={marker} />}
    </div>
  );
}

function paint(
  canvas: HTMLCanvasElement,
  { height, width, values }: Plane,
  scale: ColourScale,
): void {
  const context = canvas.getContext("2d");
  if (context === null || height * width === 0) return;
  const image = context.createImageData(width, height);
  for (const [n, value] of values.entries()) {
    const [r, g, b] = colourOf(value, scale);
    image.data.set([r, g, b, 255], 4 * n);
  }
  context.putImageData(image, 0, 0);
}

function Legend({ scale }: { readonly scale: ColourScale }): JSX.Element {
  const { low, high, kind } = scale;
  const colour = (part: number): string =>
    `rgb(${colourOf(low + (high - low) * part, scale).join(" ")})`;
  const stops = Array.from({ length: 13 }, (_, n) => colour(n / 12)).join(", ");
  return (
    <div class="legend" aria-hidden="true">
      <span>{numberText(low)}</span>
      <span class="bar" style={{ backgroundImage: `linear-gradient(to right, ${stops})` }} />
      {kind === "diverging" ? <span class="faint">0 in the middle</span> : null}
      <span>{numberText(high)}</span>
    </div>
  );
}
