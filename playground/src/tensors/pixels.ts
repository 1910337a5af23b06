/** The pixels of a picture: a square for each element, with a mark in those that are no finite number. */
import { type ColourScale, colourOf } from "./colour-scale.ts";
import { cellAt, type Plane } from "./plane.ts";

/** Rows and columns of pixels that a picture is to have, if its elements are fewer. */
const wantedPixels = 512;
/** A mark of fewer pixels cannot be read. */
const leastSide = 5;
const mostSide = 15;

/** Marks are drawn in white: the colours of what is not finite are dark. */
const markColour = [255, 255, 255] as const;

export interface Pixels {
  readonly height: number;
  readonly width: number;
  /** Red, green, blue and opacity, row by row. */
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** How a number that is not finite is marked, also for the legend; null for all others. */
export function markOf(value: number): "×" | "+" | "−" | null {
  if (Number.isNaN(value)) return "×";
  if (Number.isFinite(value)) return null;
  return value > 0 ? "+" : "−";
}

/** Whether a pixel of a square of so many is part of a mark. */
export function isMarked(
  mark: ReturnType<typeof markOf>,
  side: number,
  row: number,
  column: number,
): boolean {
  const margin = Math.floor(side / 5);
  const [first, last] = [margin, side - 1 - margin];
  if (mark === null || Math.min(row, column) < first || Math.max(row, column) > last) return false;
  const near = (distance: number): boolean => Math.abs(distance) <= Math.floor(side / 10);
  const middle = (side - 1) / 2;
  switch (mark) {
    case "×":
      return near(row - column) || near(row + column - (side - 1));
    case "+":
      return near(row - middle) || near(column - middle);
    case "−":
      return near(row - middle);
  }
}

/** Rows and columns of pixels for each element: an odd number, so that marks have a middle; 1 where there is no room. */
export function sideOf({ height, width }: Pick<Plane, "height" | "width">): number {
  const room = Math.floor(wantedPixels / Math.max(1, height, width));
  if (room < leastSide) return 1;
  return Math.min(mostSide, room - (room % 2 === 0 ? 1 : 0));
}

/** The picture of a plane. Between planes it is transparent. */
export function pixelsOf(plane: Plane, scale: ColourScale): Pixels {
  const side = sideOf(plane);
  const [height, width] = [plane.height * side, plane.width * side];
  const data = new Uint8ClampedArray(4 * height * width);
  for (let row = 0; row < plane.height; row++) {
    for (let column = 0; column < plane.width; column++) {
      if (plane.tiles.count > 1 && cellAt(plane.tiles, [row, column]) === null) continue;
      const value = plane.values[row * plane.width + column] ?? Number.NaN;
      const corner = 4 * (row * side * width + column * side);
      paintCell(data, { corner, side, width }, colourOf(value, scale), markOf(value));
    }
  }
  return { height, width, data };
}

interface Cell {
  /** Where its first pixel begins. */
  readonly corner: number;
  readonly side: number;
  /** Of the whole picture. */
  readonly width: number;
}

function paintCell(
  data: Uint8ClampedArray,
  { corner, side, width }: Cell,
  colour: readonly [number, number, number],
  mark: ReturnType<typeof markOf>,
): void {
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const isMark = side > 1 && mark !== null && isMarked(mark, side, row, column);
      const [red, green, blue] = isMark ? markColour : colour;
      const at = corner + 4 * (row * width + column);
      data[at] = red;
      data[at + 1] = green;
      data[at + 2] = blue;
      data[at + 3] = 255;
    }
  }
}
