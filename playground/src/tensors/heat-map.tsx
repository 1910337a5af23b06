import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type ColourScale, numberText } from "./colour-scale.ts";
import { Legend } from "./legend.tsx";
import { pixelsOf } from "./pixels.ts";
import {
  cellAt,
  indicesOf,
  initialView,
  nextPlace,
  type Plane,
  takePlane,
  type View,
} from "./plane.ts";
import { Sliders } from "./sliders.tsx";
import { advance, type Elements, type Summary, summaryOf } from "./summary.ts";

interface HeatMapProps {
  readonly name: string;
  readonly shape: readonly number[];
  readonly elements: Elements;
}

/** So long may elements keep the page at once, in milliseconds. */
const sliceMs = 8;

/** The summary of elements; null while it is made, a slice after the other. */
function useSummary(elements: Elements): Summary | null {
  const begun = useMemo(() => {
    const work = summaryOf(elements);
    return { work, done: advance(work, sliceMs) };
  }, [elements]);
  const [late, setLate] = useState<{ readonly of: typeof begun; readonly done: Summary } | null>(
    null,
  );
  useEffect(() => {
    if (begun.done !== null) return;
    let timer: ReturnType<typeof setTimeout>;
    const goOn = (): void => {
      const done = advance(begun.work, sliceMs);
      if (done === null) timer = setTimeout(goOn);
      else setLate({ of: begun, done });
    };
    timer = setTimeout(goOn);
    return () => clearTimeout(timer);
  }, [begun]);
  return begun.done ?? (late?.of === begun ? late.done : null);
}

/**
 * A tensor as a picture: planes side by side along a third dimension, sliders that hold the others; the pointer and arrows
 * read values.
 */
export function HeatMap({ name, shape, elements }: HeatMapProps): JSX.Element {
  const shapeKey = shape.join();
  const [view, setView] = useState<View>(() => initialView(shape));
  // A tensor of another shape needs another view.
  useEffect(() => setView(initialView(shape)), [shapeKey]);
  const fits = view.at.length === shape.length;
  const used = fits ? view : initialView(shape);
  const [cell, setCell] = useState<readonly [number, number] | null>(null);
  const plane = useMemo(() => takePlane(elements, shape, used), [elements, shapeKey, used]);
  const summary = useSummary(elements);
  if (summary === null) return <p class="empty">Looking at all elements…</p>;
  const { statistics, scale } = summary;
  return (
    <figure class="heat-map">
      <Sliders shape={shape} view={used} onView={setView} />
      <Picture {...{ plane, scale, cell, onCell: setCell, name }} />
      <figcaption>
        <output aria-live="polite" class="readout">
          {readout(name, shape, used, plane, cell)}
        </output>
        <Legend summary={summary} />
        <p class="faint">
          least {numberText(statistics.min)}, greatest {numberText(statistics.max)}, mean{" "}
          {numberText(statistics.mean)}
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
  // A picture of another shape may have its gaps elsewhere.
  if (indices === null) return "Point at an element, or use the arrow keys.";
  return `${name}(${indices.join(", ")}) = ${numberText(value)}`;
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
  }, [plane, scale]);
  const inside = (row: number, column: number): readonly [number, number] => [
    Math.max(0, Math.min(height - 1, row)),
    Math.max(0, Math.min(width - 1, column)),
  ];
  const point = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * height);
    const column = Math.floor(((event.clientX - box.left) / box.width) * width);
    const place = inside(row, column);
    if (cellAt(plane.tiles, place) !== null) onCell(place);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    onCell(cell === null ? [0, 0] : nextPlace(plane, cell, move));
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
      <canvas ref={canvas} />
      {marker === null ? null : <span class="marker" style={marker} />}
    </div>
  );
}

function paint(canvas: HTMLCanvasElement, plane: Plane, scale: ColourScale): void {
  const { height, width, data } = pixelsOf(plane, scale);
  // At least one, also of a tensor without elements.
  [canvas.height, canvas.width] = [Math.max(1, height), Math.max(1, width)];
  if (height * width === 0) return;
  canvas.getContext("2d")?.putImageData(new ImageData(data, width, height), 0, 0);
}
