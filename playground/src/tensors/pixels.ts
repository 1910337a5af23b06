/** The pixels of a picture: a square for each element, with a mark in those that are no finite number. */
import { type ColourScale, colourAt, colourOf, partOf, type Rgb } from "./colour-scale.ts";
import { cornerOf, type Plane } from "./plane.ts";

/** Rows and columns of pixels that a picture is to have, if its elements are fewer. */
const wantedPixels = 512;
/** A mark of fewer pixels cannot be read. */
const leastSide = 5;
const mostSide = 15;

/** Marks are drawn in white: the colours of what is not finite are dark. */
const markPixel = 0xff_ff_ff_ff;

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

/** Steps of a scale that are told apart: more than a screen shows. */
const steps = 1024;

/** A colour as a pixel: bytes of red, green, blue and opacity, in the order of all machines that have WebGPU. */
function pixelOf([red, green, blue]: Rgb): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** The pixel of each value: millions of elements have few colours. */
function pixelColours(scale: ColourScale): (value: number) => number {
  const palette = Uint32Array.from({ length: steps }, (_, n) =>
    pixelOf(colourAt(n / (steps - 1), scale)),
  );
  return (value) =>
    Number.isFinite(value)
      ? (palette[Math.round(partOf(value, scale) * (steps - 1))] ?? 0)
      : pixelOf(colourOf(value, scale));
}

/** The picture of a plane. Between planes it is transparent. */
export function pixelsOf(plane: Plane, scale: ColourScale): Pixels {
  const side = sideOf(plane);
  const { tiles } = plane;
  const [height, width] = [plane.height * side, plane.width * side];
  const pixels = new Uint32Array(height * width);
  const colour = pixelColours(scale);
  for (let tile = 0; tile < tiles.count; tile++) {
    const [top, left] = cornerOf(tiles, tile);
    for (let row = top; row < top + tiles.height; row++) {
      for (let column = left; column < left + tiles.width; column++) {
        const value = plane.values[row * plane.width + column] ?? Number.NaN;
        const cell = { corner: row * side * width + column * side, side, width };
        if (side === 1) pixels[cell.corner] = colour(value);
        else paintCell(pixels, cell, colour(value), markOf(value));
      }
    }
  }
  return { height, width, data: new Uint8ClampedArray(pixels.buffer) };
}

interface Cell {
  /** Its first pixel. */
  readonly corner: number;
  readonly side: number;
  /** Of the whole picture. */
  readonly width: number;
}

function paintCell(
  pixels: Uint32Array,
  { corner, side, width }: Cell,
  colour: number,
  mark: ReturnType<typeof markOf>,
): void {
  for (let row = 0; row < side; row++) {
    const from = corner + row * width;
    pixels.fill(colour, from, from + side);
    if (mark === null) continue;
    for (let column = 0; column < side; column++) {
      if (isMarked(mark, side, row, column)) pixels[from + column] = markPixel;
    }
  }
}
